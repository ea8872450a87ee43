// The page of a signed-in person: how they sign in, and where they are signed in.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { Html, html, url } from '../../../shared/html.ts'
import type { Page } from '../../http/pages/page.ts'
import type { KnownSession, SessionRow } from '../sessions/index.ts'
import { problemNotice } from './sign-in-view.ts'

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

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
} as const
export type Notice = keyof typeof NOTICES

/** True for the name of a notice. */
export function isNotice(text: unknown): text is Notice {
  return typeof text === 'string' && Object.hasOwn(NOTICES, text)
}

export interface AccountPage {
  session: KnownSession
  sessions: readonly SessionRow[]
  notice: Notice | null
  problem: { status: 422 | 429; sentence: string } | null
}

export function accountPage({ session, sessions, notice, problem }: AccountPage): Page {
  const { identity, memberships } = session
  const content = html`
<header><span>${identity.email}</span>
<form method="post" action="/sign-out"><button>Sign out</button></form></header>
<h1>${identity.name}</h1>
${notice === null ? null : html`<p class="done" role="status">${NOTICES[notice]}</p>`}
${problemNotice(problem?.sentence ?? null)}
<h2>You belong to</h2>
${
  memberships.length === 0
    ? html`<p>No tenant. Ask an owner or admin to invite you.</p>`
    : html`<dl>${memberships.map(
        ({ tenantName, role }) => html`<div><dt>${role}</dt><dd>${tenantName}</dd></div>`,
      )}</dl>`
}
<h2>Second factor</h2>
<p>${
    identity.hasGenerator
      ? 'An authenticator makes your codes.'
      : 'You have none yet: whoever knows your password is you, and you cannot approve calls.'
  }</p>
<p class="note"><a href="/account/generator">${
    identity.hasGenerator ? 'Use another authenticator' : 'Set up an authenticator'
  }</a></p>
<h2>Password</h2>
<form method="post" action="/account/password">
<input type="hidden" name="email" autocomplete="username" value="${identity.email}">
<label>Password now
<input name="password" type="password" autocomplete="current-password" maxlength="256" required></label>
${codeField(identity.hasGenerator)}
<label>New password <span>at least 12 characters</span>
<input name="new_password" type="password" autocomplete="new-password" minlength="12" maxlength="256" required></label>
<div class="actions one"><button class="primary">Change the password</button></div>
</form>
<h2>Where you are signed in</h2>
<ul class="sessions">${sessions.map((row) => sessionItem(row, session))}</ul>
${
  sessions.length < 2
    ? null
    : html`<form method="post" action="/account/sessions/end_others">
<div class="actions one"><button>End every other session</button></div></form>`
}`
  return { status: problem?.status ?? 200, title: 'Your account', content }
}

/** The field of a code, for a person who has a generator. */
function codeField(shown: boolean): Html | null {
  if (!shown) return null
  return html`<label>Code <span>from your authenticator, or a recovery code</span>
<input name="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" maxlength="32" required></label>`
}

function sessionItem(row: SessionRow, { id }: KnownSession): Html {
  const end =
    row.id === id
      ? html`<span class="badge">this one</span>`
      : html`<form method="post" action="${url('/account/sessions/' + row.id + '/end')}"><button aria-label="End the session of ${MOMENT.format(row.createdAt)}">End</button></form>`
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

function moment(at: EpochMs): Html {
  return html`<time datetime="${isoInstant(at)}">${MOMENT.format(at)} UTC</time>`
}

export interface GeneratorPage {
  session: KnownSession
  /** Base32, as authenticators take it. */
  secret: string
  /** The secret, sealed for this session. */
  offer: string
  /** A QR code as an SVG element. */
  symbol: string
  problem: { status: 422 | 429; sentence: string } | null
}

export function generatorPage({ session, secret, offer, symbol, problem }: GeneratorPage): Page {
  const { hasGenerator, email } = session.identity
  const content = html`
<header><a href="/account">Your account</a></header>
<h1>Set up an authenticator</h1>
${problemNotice(problem?.sentence ?? null)}
<p class="operation">Scan the picture with your authenticator, or type the secret there.</p>
<div class="symbol" role="img" aria-label="QR code of the secret">${new Html(symbol)}</div>
<dl><div><dt>Secret</dt><dd><code>${secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code></dd></div></dl>
<form method="post" action="/account/generator">
<input type="hidden" name="offer" value="${offer}">
<input type="hidden" name="email" autocomplete="username" value="${email}">
<label>Code <span>that the authenticator shows now</span>
<input name="new_code" inputmode="numeric" autocomplete="off" maxlength="8" required></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" maxlength="256" required></label>
${
  hasGenerator
    ? html`<label>Code of before <span>from the present authenticator, or a recovery code</span>
<input name="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" maxlength="32" required></label>`
    : null
}
<div class="actions one"><button class="primary">Use this authenticator</button></div>
</form>`
  return { status: problem?.status ?? 200, title: 'Set up an authenticator', content }
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
