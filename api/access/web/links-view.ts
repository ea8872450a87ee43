// The pages behind one-time links of mails: an invitation, a confirmed address, another password.
import type { EpochMs } from '../../../shared/clock.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { type PersonRole, ROLE_TEXTS } from '../../../shared/schemas/person.ts'
import { moment } from '../../http/pages/moment.ts'
import type { Page } from '../../http/pages/page.ts'
import { newPasswordField } from './new-password-view.ts'
import { problemNotice } from './sign-in-view.ts'

interface Problem {
  status: 422 | 429
  sentence: string
  /** The field that is marked; absent: the problem stands above the form. */
  field?: 'password'
}

/** The way of a visitor to accept: a signed-in person of the address, or one who has none yet. */
export type Visitor =
  | { kind: 'member' }
  | { kind: 'known' }
  | { kind: 'new'; name: string }
  | { kind: 'other'; email: string }

export interface InvitationPage {
  token: string
  email: string
  role: PersonRole
  tenantName: string
  inviterName: string | null
  endsAt: EpochMs
  visitor: Visitor
  /** Id of the form: a new person is made once. */
  form: string
  problem: Problem | null
}

export function invitationPage(page: InvitationPage): Page {
  const { role, tenantName, inviterName, email, endsAt, problem } = page
  const content = html`
<header><span>svc</span><span>invitation</span></header>
<h1>Join ${tenantName}</h1>
<p class="operation">${inviterName ?? 'An operator'} invites you.</p>
${problemNotice(problem)}
<dl class="facts">
<div><dt>Address</dt><dd>${email}</dd></div>
<div><dt>Role</dt><dd>${role}: ${ROLE_TEXTS[role]}</dd></div>
<div><dt>Until</dt><dd>${moment(endsAt)}</dd></div>
</dl>
${waysIn(page)}`
  return { status: problem?.status ?? 200, title: 'Join ' + tenantName, content }
}

function waysIn({ token, email, tenantName, visitor, form, problem }: InvitationPage): Html {
  const path = '/invitations/' + token
  if (visitor.kind === 'known')
    return html`<p class="note">This address has an account already. Sign in with it, and you come back here.</p>
<p class="note"><a class="button" href="${url('/sign-in?next=' + encodeURIComponent(path))}">Sign in to accept</a></p>`
  if (visitor.kind === 'other')
    return html`<p class="note">You are signed in as ${visitor.email}. Only ${email} can accept.</p>
${signOutForm(path, 'Sign out')}`
  if (visitor.kind === 'member')
    return html`<form method="post" action="${url(path)}"><div class="actions one">
<button class="primary">Join ${tenantName}</button></div></form>`
  return html`<form method="post" action="${url(path)}" autocomplete="on">
<input type="hidden" name="form" value="${form}">
<input type="hidden" name="email" autocomplete="username" value="${email}">
<label>Your name
<input name="name" autocomplete="name" maxlength="100" required value="${visitor.name}"></label>
${newPasswordField({ name: 'password', label: 'Password', problem })}
<div class="actions one"><button class="primary">Join ${tenantName}</button></div>
</form>`
}

/** Ends the session of another account; the sign-in page after it leads back to the link. */
function signOutForm(next: string, label: string): Html {
  return html`<form method="post" action="/sign-out"><input type="hidden" name="next" value="${next}">
<div class="actions one"><button>${label}</button></div></form>`
}

/** The page with which a person confirms an address. A button: mail programs open links too. */
export function verifyPage(token: string, email: string): Page {
  const content = html`
<header><span>svc</span></header>
<h1>Confirm your address</h1>
<p class="operation">Confirm that ${email} is yours.</p>
<form method="post" action="${url('/verify/' + token)}"><div class="actions one">
<button class="primary">Confirm</button></div></form>`
  return { status: 200, title: 'Confirm your address', content }
}

/**
 * The address belongs to an account of before: its person takes over what was opened with it.
 * `isSignedIn`: the visitor has a session of another account, which has to end first.
 */
export function knownAddressPage(token: string, email: string, isSignedIn: boolean): Page {
  const path = '/verify/' + token
  const next = '/sign-in?next=' + encodeURIComponent(path)
  const content = html`
<header><span>svc</span></header>
<h1>You have an account already</h1>
<p class="operation">${email} was confirmed before. Sign in with that account: what you opened now joins it.</p>
${
  isSignedIn
    ? signOutForm(path, 'Sign in with that account')
    : html`<p class="note"><a class="button" href="${url(next)}">Sign in</a></p>`
}`
  return { status: 200, title: 'You have an account already', content }
}

export function recoverPage(email: string, problem: Problem | null): Page {
  const content = html`
<header><a href="/sign-in">Sign in</a></header>
<h1>Forgot your password?</h1>
<p class="operation">We mail you a link with which you choose another one.</p>
${problemNotice(problem)}
<form method="post" action="/recover" autocomplete="on">
<label>Email
<input name="email" type="email" autocomplete="username" maxlength="254" required value="${email}"></label>
<div class="actions one"><button class="primary">Send the link</button></div>
</form>
<p class="note">Codes of your authenticator stay as they are. If you lost it, use a recovery code when you sign in.</p>`
  return { status: problem?.status ?? 200, title: 'Forgot your password?', content }
}

export function recoverSentPage(): Page {
  const content = html`<div class="mark good" aria-hidden="true">✓</div>
<h1>Look at your mail</h1>
<p class="operation">If the address has an account, a link is on its way. It works once, for one hour.</p>
<p class="note">No mail? Look among unwanted mail, and check the address. <a href="/recover">Send another</a></p>`
  return { status: 200, title: 'Look at your mail', content }
}

const PASSWORD_TEXTS = {
  '/recover/': 'Every session of yours ends.',
  '/regain/':
    'Your passkeys, authenticator and recovery codes end, and every session of yours. Set up new ones afterwards.',
} as const

export function newPasswordPage(page: {
  path: keyof typeof PASSWORD_TEXTS
  token: string
  email: string
  problem: Problem | null
}): Page {
  const { path, token, email, problem } = page
  const content = html`
<header><span>svc</span></header>
<h1>Choose another password</h1>
<p class="operation">For ${email}. ${PASSWORD_TEXTS[path]}</p>
${problemNotice(problem)}
<form method="post" action="${url(path + token)}">
<input type="hidden" name="email" autocomplete="username" value="${email}">
${newPasswordField({ name: 'password', label: 'New password', problem })}
<div class="actions one"><button class="primary">Change the password</button></div>
</form>`
  return { status: problem?.status ?? 200, title: 'Choose another password', content }
}

const DONE = {
  password: { title: 'Password changed', text: 'Sign in with the new password.' },
  regained: {
    title: 'You are in again',
    text: 'Sign in with the new password, then set up an authenticator or a passkey.',
  },
  verified: { title: 'Address confirmed', text: 'You may invite people now.' },
  joined: { title: 'Joined', text: 'What you opened belongs to your account now.' },
} as const

export function linkDonePage(done: keyof typeof DONE): Page {
  const { title, text } = DONE[done]
  const content = html`<div class="mark good" aria-hidden="true">✓</div>
<h1>${title}</h1>
<p class="operation">${text}</p>
<p class="note"><a class="button" href="/account">${done === 'password' || done === 'regained' ? 'Sign in' : 'Your account'}</a></p>`
  return { status: 200, title, content }
}

/** For a link that opens nothing, whatever the reason: a stranger learns none. */
export function goneLinkPage(): Page {
  const content = html`<div class="mark" aria-hidden="true">!</div>
<h1>This link no longer works</h1>
<p class="operation">It was used, replaced by a later one, withdrawn, or is too old.</p>
<p class="note">Ask for another one where the first came from. <a href="/account">Your account</a></p>`
  return { status: 410, title: 'This link no longer works', content }
}
