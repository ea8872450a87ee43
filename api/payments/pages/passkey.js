// The one script of the hosted pages: it asks the browser for the passkey and fills the form. The
// server checks everything again.
const form = document.querySelector('form[data-ceremony]')
const note = document.querySelector('#passkey-problem')

const SENTENCES = {
  none: 'This browser has no passkeys. Open the page on a phone or in another browser.',
  NotAllowedError: 'The passkey was not used. You can try again.',
  InvalidStateError: 'This device has a passkey for this page already.',
  other: 'The passkey did not work. Try again, or use another device.',
}

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0))
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

function tell(name) {
  note.textContent = SENTENCES[name] ?? SENTENCES.other
  note.hidden = false
  note.focus()
}

function fill(fields) {
  for (const [name, value] of Object.entries(fields)) form.elements[name].value = value
}

async function create({ challenge, rpId, rpName, userId, userName }) {
  const { response } = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(challenge),
      rp: { id: rpId, name: rpName },
      user: { id: bytes(userId), name: userName, displayName: userName },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      attestation: 'none',
    },
  })
  fill({
    attestation_object: text(response.attestationObject),
    client_data_json: text(response.clientDataJSON),
  })
}

async function approve({ challenge, rpId, credential }) {
  const { rawId, response } = await navigator.credentials.get({
    publicKey: {
      challenge: bytes(challenge),
      rpId,
      allowCredentials: [{ type: 'public-key', id: bytes(credential) }],
      userVerification: 'required',
    },
  })
  fill({
    credential_id: text(rawId),
    authenticator_data: text(response.authenticatorData),
    client_data_json: text(response.clientDataJSON),
    signature: text(response.signature),
  })
}

form?.addEventListener('submit', async (event) => {
  if (event.submitter?.value === 'deny') return
  event.preventDefault()
  note.hidden = true
  if (globalThis.PublicKeyCredential === undefined) return tell('none')
  const buttons = form.querySelectorAll('button')
  for (const button of buttons) button.disabled = true
  try {
    await (form.dataset.ceremony === 'create' ? create : approve)(form.dataset)
    form.submit()
  } catch (error) {
    for (const button of buttons) button.disabled = false
    tell(error.name)
  }
})
