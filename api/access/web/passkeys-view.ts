// The pages of a person's passkeys.
import { type Html, html, url } from '../../../shared/html.ts'
import { moment } from '../../http/pages/moment.ts'
import type { Page } from '../../http/pages/page.ts'
import { PASSKEY_PROBLEM, PASSKEY_SCRIPT } from '../../http/pages/passkey-form.ts'
import type { PasskeyRow } from '../passkeys/index.ts'
import type { Problem, ProofForm } from './proof.ts'
import { provedForm, withPasskeys } from './proof-view.ts'
import { problemNotice } from './sign-in-view.ts'

const BACK_TO_SIGN_UP = html`<header><a href="/sign-up">Open a sandbox</a></header>`
const BACK = html`<header><a href="/account">Your account</a></header>`

/** The passkeys of a person, with their removal. */
export function passkeyList(passkeys: readonly PasskeyRow[]): Html {
  if (passkeys.length === 0)
    return html`<p>You have none yet. A passkey is the fingerprint, face or lock of your device: it signs you in
and approves calls, and no copied page can steal it.</p>`
  return html`<ul class="sessions">${passkeys.map(
    (passkey) => html`<li><div><strong>${passkey.name}</strong>
<span>${kindOf(passkey)} · ${usedAt(passkey)}</span></div>
<a href="${url('/account/passkeys/' + passkey.id + '/remove')}" aria-label="Remove ${passkey.name}">Remove</a></li>`,
  )}</ul>`
}

function kindOf({ deviceType, backedUp }: PasskeyRow): string {
  if (deviceType === 'singleDevice') return 'on one device'
  return backedUp ? 'on your devices' : 'not copied yet'
}

function usedAt({ createdAt, lastUsedAt }: PasskeyRow): Html {
  return lastUsedAt === null
    ? html`added ${moment(createdAt)}`
    : html`last used ${moment(lastUsedAt)}`
}

export function newPasskeyPage(page: {
  action: string
  name: string
  proof: ProofForm
  problem: Problem | null
}): Page {
  const { action, name, proof, problem } = page
  const fields = html`<label>Name <span>of the device, such as “Ada’s phone”</span>
<input name="name" autocomplete="off" maxlength="100" required value="${name}"></label>`
  const content = html`${BACK}
<h1>Add a passkey</h1>
${problemNotice(problem)}
<p class="operation">First prove that it is you. Your device makes the passkey on the next page.</p>
<noscript><p class="problem">The next page needs JavaScript.</p></noscript>
${provedForm({ action, proof, fields, label: 'Continue' })}`
  const status = problem?.status ?? 200
  return withPasskeys({ status, title: 'Add a passkey', content }, proof)
}

export function createPage(page: {
  action: string
  /** Fields of the page before. */
  kept: readonly (readonly [name: string, value: string])[]
  /** The name of the passkey; empty: it has none yet. */
  name: string
  options: string
  sealed: string
  problem: Problem | null
}): Page {
  const { action, kept, name, options, sealed, problem } = page
  const back = action.startsWith('/sign-up') ? BACK_TO_SIGN_UP : BACK
  const content = html`${back}
<h1>Create the passkey</h1>
${problemNotice(problem)}
<p class="operation">Your browser asks for the fingerprint, face or lock of the device. The page waits five minutes.</p>
${PASSKEY_PROBLEM}
<noscript><p class="problem">This page needs JavaScript.</p></noscript>
<form method="post" action="${url(action)}" data-create="${options}">
<input type="hidden" name="ceremony" value="${sealed}">
${kept.map(
  ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">
`,
)}
<input type="hidden" name="attestation_object"><input type="hidden" name="client_data_json">
<input type="hidden" name="transports">
<div class="actions one"><button class="primary" data-passkey disabled>${name === '' ? 'Create the passkey' : 'Create passkey “' + name + '”'}</button></div>
</form>`
  return {
    status: problem?.status ?? 200,
    title: 'Create the passkey',
    content,
    scripts: [PASSKEY_SCRIPT],
  }
}

export function removePage(page: {
  passkey: PasskeyRow
  proof: ProofForm
  problem: Problem | null
}): Page {
  const { passkey, proof, problem } = page
  const action = '/account/passkeys/' + passkey.id + '/remove'
  const content = html`${BACK}
<h1>Remove “${passkey.name}”?</h1>
${problemNotice(problem)}
<p class="operation">It signs you in no more, and every other session ends. Delete it on the device too.</p>
${provedForm({ action, proof, fields: null, label: 'Remove it' })}`
  const status = problem?.status ?? 200
  return withPasskeys({ status, title: 'Remove a passkey', content }, proof)
}
