// The one script of pages with a passkey: it asks the browser for the passkey and fills the form. The
// server checks everything again. A form names its ceremony by data-get or data-create, the options
// as JSON; a button with data-passkey begins it.
const forms = [...document.querySelectorAll('form[data-get], form[data-create]')]
const note = document.querySelector('#passkey-problem')
const hasPasskeys = globalThis.PublicKeyCredential !== undefined
/** Aborts the request that waits for a passkey in the autofill of the browser. */
let autofill = null

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
const credentials = (list) => list?.map((each) => ({ ...each, id: bytes(each.id) }))

function tell(name) {
  note.textContent = SENTENCES[name] ?? SENTENCES.other
  note.hidden = false
  note.focus()
}

function fill(form, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements[name]
    if (field !== undefined) field.value = value
  }
}

async function create(form) {
  const options = JSON.parse(form.dataset.create)
  const { response } = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: credentials(options.excludeCredentials) ?? [],
    },
  })
  fill(form, {
    attestation_object: text(response.attestationObject),
    client_data_json: text(response.clientDataJSON),
    transports: response.getTransports?.().join(' ') ?? '',
  })
}

async function get(form, more = {}) {
  const options = JSON.parse(form.dataset.get)
  const { rawId, response } = await navigator.credentials.get({
    ...more,
    publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      allowCredentials: credentials(options.allowCredentials) ?? [],
    },
  })
  fill(form, {
    credential_id: text(rawId),
    authenticator_data: text(response.authenticatorData),
    client_data_json: text(response.clientDataJSON),
    signature: text(response.signature),
    user_handle: response.userHandle === null ? '' : text(response.userHandle),
  })
}

/** Offers passkeys among the addresses that the browser fills in. */
async function offer(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  autofill = new AbortController()
  try {
    await get(form, { mediation: 'conditional', signal: autofill.signal })
    form.submit()
  } catch {
    // The person signs in another way, or pressed the button.
  }
}

async function run(form) {
  autofill?.abort()
  note.hidden = true
  if (!hasPasskeys) return tell('none')
  const buttons = form.querySelectorAll('button')
  for (const button of buttons) button.disabled = true
  try {
    await (form.dataset.create === undefined ? get : create)(form)
    form.submit()
  } catch (error) {
    for (const button of buttons) button.disabled = false
    tell(error.name)
  }
}

for (const form of forms) {
  form.addEventListener('submit', (event) => {
    if (event.submitter?.dataset.passkey === undefined) return
    event.preventDefault()
    void run(form)
  })
  if (hasPasskeys && form.dataset.autofill !== undefined) void offer(form)
}
if (hasPasskeys) for (const part of document.querySelectorAll('[data-passkey]')) part.hidden = false
// Before its script, a button would send the form without a passkey.
for (const button of document.querySelectorAll('button[data-passkey]')) button.disabled = false

// The device forgets a passkey that we do not know.
const unknown = document.querySelector('[data-unknown-credential]')?.dataset
if (unknown !== undefined) {
  const credential = { rpId: unknown.rpId, credentialId: unknown.unknownCredential }
  void globalThis.PublicKeyCredential?.signalUnknownCredential?.(credential)
}
