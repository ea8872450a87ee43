// The pages before a session: sign-in and sign-up.
import { type Html, html, url } from '../../../shared/html.ts'
import { assertionFields } from '../../http/pages/fields.ts'
import type { Page } from '../../http/pages/page.ts'
import { PASSKEY_PROBLEM, PASSKEY_SCRIPT } from '../../http/pages/passkey-form.ts'
import { newPasswordField } from './new-password-view.ts'

const PROBLEMS = {
  wrong: {
    status: 422,
    sentence: 'Email, password and code do not match. Each code works once.',
  },
  passkey: {
    status: 422,
    sentence: 'This passkey does not sign in here. Use another one, or password and code.',
  },
  late: { status: 422, sentence: 'This page was open for too long. Try again.' },
  throttled: { status: 429, sentence: 'Too many tries. Wait five minutes, then try again.' },
} as const

export interface SignInForm {
  email: string
  next: string
  problem: keyof typeof PROBLEMS | null
  /** Whether people may sign themselves up. */
  signUp: boolean
  passkey: {
    options: string
    sealed: string
    /** A passkey that nobody has: the device shall forget it. */
    unknown: { rpId: string; credentialId: string } | null
  }
}

/** A sentence about what went wrong; null for nothing, or where a field says it. */
export function problemNotice(problem: { sentence: string; field?: string } | null): Html | null {
  if (problem === null || problem.field !== undefined) return null
  return html`<p class="problem" role="alert">${problem.sentence}</p>`
}

export function signInPage({ email, next, problem, signUp, passkey }: SignInForm): Page {
  const shown = problem === null ? null : PROBLEMS[problem]
  const content = html`
<header><span>svc</span></header>
<h1>Sign in</h1>
${problemNotice(shown)}
<form method="post" action="/sign-in" autocomplete="on">
<input type="hidden" name="next" value="${next}">
<label>Email
<input name="email" type="email" autocomplete="username webauthn" maxlength="254" required value="${email}"></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" maxlength="256" required></label>
<label>Code <span>from your authenticator, or a recovery code; empty if you have neither</span>
<input name="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" maxlength="32"></label>
<div class="actions one"><button class="primary">Sign in</button></div>
</form>
${PASSKEY_PROBLEM}
<form method="post" action="/sign-in/passkey" data-get="${passkey.options}" data-autofill>
<input type="hidden" name="next" value="${next}">
${assertionFields(passkey.sealed)}
<div class="actions one"><button data-passkey hidden>Sign in with a passkey</button></div>
</form>
${unknownPart(passkey.unknown)}
<p class="note"><a href="/recover">Forgot your password?</a></p>
${signUp ? html`<p class="note">New here? <a href="/sign-up">Open a sandbox</a></p>` : null}`
  return { status: shown?.status ?? 200, title: 'Sign in', content, scripts: [PASSKEY_SCRIPT] }
}

function unknownPart(unknown: SignInForm['passkey']['unknown']): Html | null {
  if (unknown === null) return null
  return html`<p hidden data-unknown-credential="${unknown.credentialId}" data-rp-id="${unknown.rpId}"></p>`
}

export interface SignUpForm {
  /** The id of the new identity: a form that is sent twice acts once. */
  form: string
  email: string
  name: string
  company: string
  country: string
  problem: { status: 422 | 429; sentence: string; field?: 'password' } | null
}

export function signUpPage({ form, email, name, company, country, problem }: SignUpForm): Page {
  const content = html`
<header><span>svc</span><span class="badge">sandbox</span></header>
<h1>Open a sandbox</h1>
<p class="operation">Issue test cards and passes at once. Nothing here moves money.</p>
${problemNotice(problem)}
<form method="post" action="/sign-up" autocomplete="on">
<input type="hidden" name="form" value="${form}">
<label>Email
<input name="email" type="email" autocomplete="username" maxlength="254" required value="${email}"></label>
<label>Your name
<input name="name" autocomplete="name" maxlength="100" required value="${name}"></label>
<label>Company
<input name="company" autocomplete="organization" maxlength="100" required value="${company}"></label>
<label>Country <span>two letters, such as DE</span>
<input name="country" autocomplete="country" maxlength="2" required value="${country}"></label>
${newPasswordField({ name: 'password', label: 'Password', problem })}
<div class="actions one"><button class="primary">Open the sandbox</button>
<button formaction="/sign-up/passkey" formnovalidate>Use a passkey instead</button></div>
</form>
<p class="note">You have an account? <a href="${url('/sign-in')}">Sign in</a></p>`
  return { status: problem?.status ?? 200, title: 'Open a sandbox', content }
}

const ENDS = {
  foreign: {
    status: 403,
    title: 'Not from this page',
    text: 'Your browser says that another site sent this form. Open the page again and send it there.',
  },
  unreadable: {
    status: 400,
    title: 'Not understood',
    text: 'What was sent is not the form of this page. Open the page again.',
  },
  busy: {
    status: 429,
    title: 'Too many tries',
    text: 'Too many requests came from where you are. Wait a minute, then try again.',
  },
  away: {
    status: 503,
    title: 'Not available',
    text: 'The service cannot answer at the moment. Nothing was changed. Try again in a moment.',
  },
  unknown: {
    status: 503,
    title: 'Not available',
    text: 'The service did not answer in time. It may have made your change: look before you try again.',
  },
  broken: {
    status: 500,
    title: 'Something went wrong',
    text: 'Nothing was changed. Open the page again in a moment.',
  },
  closed: {
    status: 404,
    title: 'Nothing here',
    text: 'This address belongs to no page. Check that you copied all of it.',
  },
} as const

/** A page without a form, for a request that came to nothing. */
export function endingPage(end: keyof typeof ENDS): Page {
  const { status, title, text } = ENDS[end]
  const content = html`<div class="mark" aria-hidden="true">!</div>
<h1>${title}</h1>
<p class="operation">${text}</p>
<p class="note"><a href="/account">Your account</a></p>`
  return { status, title, content }
}
