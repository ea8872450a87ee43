// The part of a form that proves a person: password and code, or a passkey.
import { type Html, html, url } from '../../../shared/html.ts'
import { assertionFields } from '../../http/pages/fields.ts'
import type { Page } from '../../http/pages/page.ts'
import { PASSKEY_PROBLEM, PASSKEY_SCRIPT } from '../../http/pages/passkey-form.ts'
import type { ProofForm } from './proof.ts'

const CODE_FIELD = html`<label>Code <span>from your authenticator, or a recovery code</span>
<input name="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" maxlength="32" required></label>`

export interface ProvedForm {
  action: string
  proof: ProofForm
  /** Fields of the change itself. */
  fields: Html | null
  /** The words of the button. */
  label: string
}

/** A form with a proof. The first button is that of Enter, therefore the passkey's comes second. */
export function provedForm({ action, proof, fields, label }: ProvedForm): Html {
  const { email, needsCode, passkey, formId } = proof
  const own = html`<input type="hidden" name="email" autocomplete="username" value="${email}">
<input type="hidden" name="form_id" value="${formId}">
${fields}
<label>Your password
<input name="password" type="password" autocomplete="current-password" maxlength="256" required></label>
${needsCode ? CODE_FIELD : null}`
  if (passkey === null || passkey === 'later')
    return html`<form method="post" action="${url(action)}">
${own}
<div class="actions one"><button class="primary">${label}</button>
${passkey === null ? null : html`<button formnovalidate name="by" value="passkey">Use a passkey instead</button>`}</div>
</form>`
  return html`${PASSKEY_PROBLEM}
<form method="post" action="${url(action)}" data-get="${passkey.options}">
${own}
${assertionFields(passkey.sealed)}
<div class="actions one"><button class="primary">${label}</button>
<button formnovalidate data-passkey hidden>Use a passkey instead</button></div>
</form>`
}

/** A form that a passkey alone sends, for a person whose passkey is the only proof. */
export function passkeyForm({ action, proof, fields, label }: ProvedForm): Html {
  const { passkey, formId } = proof
  if (passkey === null || passkey === 'later')
    return html`<p class="problem">Add a passkey first.</p>`
  return html`<form method="post" action="${url(action)}" data-get="${passkey.options}">
<input type="hidden" name="form_id" value="${formId}">
${fields}
${assertionFields(passkey.sealed)}
<div class="actions one"><button class="primary" data-passkey hidden>${label}</button></div>
</form>`
}

/** The page after a form whose content the passkey signs. */
export function passkeyStepPage(page: ProvedForm & { title: string; text: string }): Page {
  const { title, text, action, proof, fields, label } = page
  const content = html`
<header><a href="/account">Your account</a></header>
<h1>${title}</h1>
<p class="operation">${text}</p>
<noscript><p class="problem">A passkey needs JavaScript. Use your code instead.</p></noscript>
${PASSKEY_PROBLEM}
${passkeyForm({ action, proof, fields, label })}`
  return withPasskeys({ status: 200, title, content }, proof)
}

/** The page with the script, if its form can use a passkey. */
export function withPasskeys(page: Page, proof: ProofForm): Page {
  return proof.passkey === null || proof.passkey === 'later'
    ? page
    : { ...page, scripts: [PASSKEY_SCRIPT] }
}
