// The page of a signed-in person: how they sign in, and where they are signed in.
import { Html, html, url } from '../../../shared/html.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { moment, momentText } from '../../http/pages/moment.ts'
import type { Page } from '../../http/pages/page.ts'
import type { PasskeyRow } from '../passkeys/index.ts'
import { mayManage } from '../people/index.ts'
import type { KnownSession, SessionRow } from '../sessions/index.ts'
import { newPasswordField } from './new-password-view.ts'
import { passkeyList } from './passkeys-view.ts'
import type { Problem, ProofForm } from './proof.ts'
import { provedForm, withPasskeys } from './proof-view.ts'
import { problemNotice } from './sign-in-view.ts'

const FACTORS: { readonly [Factor in SessionRow['factor']]: string } = {
  password: 'password only',
  totp: 'password and code',
  recovery_code: 'password and recovery code',
  passkey: 'passkey',
}

const NOTICES = {
  password: 'The password is changed. Every other session has ended.',
  session: 'The session has ended.',
  sessions: 'Every other session has ended.',
  passkey: 'The passkey is added. Every other session has ended.',
  passkey_removed: 'The passkey is removed. Every other session has ended.',
  generator_removed: 'The authenticator is removed. Every other session has ended.',
  joined: 'You have joined. Welcome.',
  codes: 'Your new recovery codes were shown, once. If you missed them, make others.',
  mailed: 'A link is on its way to your address.',
} as const
export type Notice = keyof typeof NOTICES

/** True for the name of a notice. */
export function isNotice(text: unknown): text is Notice {
  return typeof text === 'string' && Object.hasOwn(NOTICES, text)
}

export interface AccountPage {
  session: KnownSession
  sessions: readonly SessionRow[]
  passkeys: readonly PasskeyRow[]
  /** The proof in the form that changes the password. */
  proof: ProofForm
  /** Id of the form that mails the link again. */
  formId: string
  notice: Notice | null
  problem: Problem | null
}

export function accountPage(page: AccountPage): Page {
  const { session, sessions, passkeys, proof, notice, problem, formId } = page
  const { identity, memberships } = session
  const newPassword = newPasswordField({ name: 'new_password', label: 'New password', problem })
  const content = html`
<header><span>${identity.email}</span>
<form method="post" action="/sign-out"><button>Sign out</button></form></header>
<h1>${identity.name}</h1>
${notice === null ? null : html`<p class="done" role="status">${NOTICES[notice]}</p>`}
${problemNotice(problem)}
${
  identity.isVerified
    ? null
    : html`<h2>Your address</h2>
<p>Not confirmed yet: open the link in our mail. Until then you cannot invite people, and the account goes after 30 days.</p>
<form method="post" action="/account/verify"><input type="hidden" name="form_id" value="${formId}"><div class="actions one"><button>Send the link again</button></div></form>`
}
<h2>You belong to</h2>
${
  memberships.length === 0
    ? html`<p>No tenant. Ask an owner or admin to invite you.</p>`
    : html`<dl>${memberships.map(
        ({ tenantId, tenantName, role }) =>
          html`<div><dt>${role}</dt><dd>${tenantName}${peopleLink(tenantId, role)}</dd></div>`,
      )}</dl>
<p class="note"><a href="/d">Open the dashboard</a></p>`
}
<h2>Passkeys</h2>
${passkeyList(passkeys)}
<p class="note"><a href="/account/passkeys/new">Add a passkey</a></p>
<h2>Authenticator</h2>
${generatorPart(session)}
<h2>Password</h2>
${provedForm({ action: '/account/password', proof, fields: newPassword, label: 'Change the password' })}
<h2>Where you are signed in</h2>
<ul class="sessions">${sessions.map((row) => sessionItem(row, session))}</ul>
${
  sessions.length < 2
    ? null
    : html`<form method="post" action="/account/sessions/end_others">
<div class="actions one"><button>End every other session</button></div></form>`
}`
  return withPasskeys({ status: problem?.status ?? 200, title: 'Your account', content }, proof)
}

function generatorPart({ identity: { hasGenerator, hasPasskeys } }: KnownSession): Html {
  const codes =
    hasGenerator || hasPasskeys
      ? html` · <a href="/account/recovery_codes">New recovery codes</a>`
      : null
  if (hasGenerator)
    return html`<p>An authenticator makes your codes.</p>
<p class="note"><a href="/account/generator">Use another authenticator</a>${
      hasPasskeys ? html` · <a href="/account/generator/remove">Remove it</a>` : null
    }${codes}</p>`
  const without = hasPasskeys
    ? 'You have none. Without your passkeys only a recovery code lets you in.'
    : 'You have no second factor yet: whoever knows your password is you, and you cannot approve calls.'
  return html`<p>${without}</p>
<p class="note"><a href="/account/generator">Set up an authenticator</a>${codes}</p>`
}

const PROVED = {
  '/account/recovery_codes': {
    title: 'New recovery codes',
    text: 'You get ten codes. The earlier ones stop working, and every other session ends.',
    label: 'Show new codes',
  },
  '/account/generator/remove': {
    title: 'Remove the authenticator?',
    text: 'Its codes sign you in no more, and every other session ends. Your passkeys stay.',
    label: 'Remove it',
  },
} as const

/** A page whose form has nothing but the proof. */
export function provedPage(page: {
  path: keyof typeof PROVED
  proof: ProofForm
  problem: Problem | null
}): Page {
  const { path, proof, problem } = page
  const { title, text, label } = PROVED[path]
  const content = html`
<header><a href="/account">Your account</a></header>
<h1>${title}</h1>
${problemNotice(problem)}
<p class="operation">${text}</p>
${provedForm({ action: path, proof, fields: null, label })}`
  return withPasskeys({ status: problem?.status ?? 200, title, content }, proof)
}

/** A link to the people of a tenant, for those who look after them. */
function peopleLink(tenantId: string, role: PersonRole): Html | null {
  if (!mayManage(role, 'support')) return null
  const root = '/d/' + tenantId + '/sandbox'
  return html` · <a href="${url(root + '/people')}">People</a> · <a href="${url(root + '/going_live')}">Going live</a>`
}

function sessionItem(row: SessionRow, { id }: KnownSession): Html {
  const end =
    row.id === id
      ? html`<span class="badge">this one</span>`
      : html`<form method="post" action="${url('/account/sessions/' + row.id + '/end')}"><button aria-label="End the session of ${momentText(row.createdAt)}">End</button></form>`
  return html`<li><div><strong>${browserOf(row.agent)}</strong>
<span>${FACTORS[row.factor]} · ${row.address ?? 'unknown address'} · last used ${moment(row.seenAt)}</span></div>${end}</li>`
}

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
] as const

function browserOf(agent: string): string {
  const browser = BROWSERS.find(([mark]) => agent.includes(mark))?.[1] ?? 'A program'
  const system = SYSTEMS.find(([mark]) => agent.includes(mark))?.[1]
  return system === undefined ? browser : browser + ' on ' + system
}

export interface GeneratorPage {
  /** Base32, as authenticators take it. */
  secret: string
  /** The secret, sealed for this session. */
  offer: string
  /** A QR code as an SVG element. */
  symbol: string
  proof: ProofForm
  problem: Problem | null
}

export function generatorPage({ secret, offer, symbol, proof, problem }: GeneratorPage): Page {
  const fields = html`<input type="hidden" name="offer" value="${offer}">
<label>New code <span>that the authenticator shows now</span>
<input name="new_code" inputmode="numeric" autocomplete="off" maxlength="8" required></label>`
  const content = html`
<header><a href="/account">Your account</a></header>
<h1>Set up an authenticator</h1>
${problemNotice(problem)}
<p class="operation">Scan the picture with your authenticator, or type the secret there.</p>
<div class="symbol" role="img" aria-label="QR code of the secret">${new Html(symbol)}</div>
<dl><div><dt>Secret</dt><dd><code>${secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code></dd></div></dl>
${provedForm({ action: '/account/generator', proof, fields, label: 'Use this authenticator' })}`
  const status = problem?.status ?? 200
  return withPasskeys({ status, title: 'Set up an authenticator', content }, proof)
}

export function recoveryPage(codes: readonly string[]): Page {
  const content = html`
<header><a href="/account">Your account</a></header>
<div class="mark good" aria-hidden="true">✓</div>
<h1>Keep your recovery codes</h1>
<p class="operation">Each stands once for a code of your authenticator. This page shows them this once.</p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p class="note">Every other session has ended. Codes of before no longer work.</p>`
  return { status: 200, title: 'Keep your recovery codes', content }
}
