// The page of consent, and the pages of authorization requests that came to nothing.
import { html, url } from '../../../shared/html.ts'
import type { OauthScope } from '../../../shared/schemas/oauth.ts'
import type { Page } from '../../http/pages/page.ts'
import type { Membership } from '../sessions/index.ts'
import type { ShownError } from './call.ts'

/** A scope as a sentence for people. */
const SCOPE_SENTENCES: { readonly [scope in OauthScope]: string } = {
  read: 'Read everything: cards, passes, payments, events.',
  write: 'Read and change everything except keys and people.',
  admin: 'Do everything, keys, people and settings included.',
  'pass:read': 'Read passes, templates and scans.',
  'pass:write': 'Read, issue and change passes and templates.',
  'card:read': 'Read cards, cardholders, transactions and disputes.',
  'card:write': 'Read, issue and change cards and cardholders; set limits.',
  'settlement:read': 'Read payments and settlements.',
  'settlement:write': 'Read payments and settlements; take and refund payments.',
}

const PROBLEMS = {
  unreadable: 'What was sent is not the form of this page. Decide again.',
  not_yours: 'Choose one of your tenants.',
  factor_missing:
    'This connects live resources. Sign in with a passkey or a code, then decide again.',
  closed: 'This tenant is suspended, or not approved for live yet.',
} as const

export interface Consent {
  path: string
  client: string
  environment: 'sandbox' | 'live'
  /** Host to which the person returns. */
  returnHost: string
  scopes: readonly OauthScope[]
  email: string
  tenants: readonly Membership[]
  problem: keyof typeof PROBLEMS | null
}

export function consentPage(consent: Consent): Page {
  const { path, client, environment, returnHost, scopes, email, tenants, problem } = consent
  const content = html`
<header><span>svc</span><span class="badge ${environment}">${environment}</span></header>
<h1>Let ${client} act for you?</h1>
<p class="operation">${client} asks to use the ${environment} resources of your tenant. You return to <b>${returnHost}</b>.</p>
${problem === null ? null : html`<p class="problem" role="alert">${PROBLEMS[problem]}</p>`}
<ul class="scopes">
${scopes.map((scope) => html`<li>${SCOPE_SENTENCES[scope]} <code>${scope}</code></li>\n`)}</ul>
<form method="post" action="${url(path)}">
${tenants.length === 0 ? html`<p class="problem">None of your tenants lets you connect platforms in ${environment}. An owner or admin can.</p>` : tenantField(tenants)}
<div class="actions">
<button name="decision" value="deny">Deny</button>
${tenants.length === 0 ? null : html`<button name="decision" value="approve" class="primary">Allow</button>`}
</div>
</form>
<p class="note">Signed in as ${email}. You can end this connection at any time; ${client} never sees your password.</p>`
  const status = problem === null ? 200 : 422
  return { status, title: 'Let ' + client + ' act for you', content, forms: null }
}

function tenantField(tenants: readonly Membership[]) {
  const [first] = tenants
  if (tenants.length === 1 && first !== undefined)
    return html`<input type="hidden" name="tenant" value="${first.tenantId}">
<p>For <b>${first.tenantName}</b></p>`
  return html`<label>For
<select name="tenant" required>
<option value="">Choose a tenant</option>
${tenants.map(({ tenantId, tenantName }) => html`<option value="${tenantId}">${tenantName}</option>\n`)}</select></label>`
}

const ENDS = {
  foreign: {
    status: 403,
    title: 'Not from this page',
    text: 'Your browser says that another site sent this, or that the request belongs to another page. Nothing was granted.',
  },
  over: {
    status: 403,
    title: 'This request is over',
    text: 'It was decided already, it waited too long, or another browser began it. Start again at the platform.',
  },
} as const

export function endingPage(end: keyof typeof ENDS): Page {
  const { status, title, text } = ENDS[end]
  return { status, title, content: ending(title, text) }
}

/** An authorization request with an error that cannot be sent to the platform. */
export function errorPage({ error, description }: ShownError, status: number): Page {
  const content = html`${ending('This request cannot go on', 'The platform that sent you here made a request that is not valid. Nothing was granted.')}
<p class="note"><code>${error}</code> ${description}</p>`
  return { status, title: 'This request cannot go on', content }
}

function ending(title: string, text: string) {
  return html`<div class="mark" aria-hidden="true">!</div>
<h1>${title}</h1>
<p class="operation">${text}</p>`
}
