// A person's view of a call that waits for approval, and the view afterwards. A decided call is no
// longer shown.

import { type Html, html } from '../../../shared/html.ts'
import { assertionFields } from '../../http/pages/fields.ts'
import { moment } from '../../http/pages/moment.ts'
import type { Page } from '../../http/pages/page.ts'
import { PASSKEY_PROBLEM, PASSKEY_SCRIPT } from '../../http/pages/passkey-form.ts'
import type { Asker, BodyField, ChallengeRow } from './index.ts'

export type Problem = 'wrong' | 'throttled' | 'late'

const PROBLEMS: { readonly [problem in Problem]: { status: number; sentence: string } } = {
  wrong: {
    status: 422,
    sentence:
      'That did not match a person who may approve this. Each code and each answer of a passkey works once.',
  },
  late: {
    status: 422,
    sentence: 'This page was open for too long. Try again. Nothing was approved.',
  },
  throttled: {
    status: 429,
    sentence: 'Too many tries. Wait five minutes, then try again. Nothing was approved.',
  },
}

export interface Waiting {
  challenge: ChallengeRow & Asker
  fields: readonly BodyField[]
  /** The problem of the last try; null before the first. */
  problem: Problem | null
  /** The address as typed before. */
  email: string
  /** A signed-in person who may approve this; null: the page asks for all. */
  approver: { email: string } | null
  /** The challenge for a passkey: it is good for exactly this call. */
  passkey: { options: string; sealed: string }
}

/**
 * The approve button comes first in the form: Enter in a field presses it, and a person who types a
 * code does not mean to deny.
 */
export function waitingPage(waiting: Waiting): Page {
  const { challenge, fields, problem, passkey } = waiting
  const { environment, tenantName } = challenge
  const content = html`
<header><span>${tenantName}</span><span class="badge ${environment}">${environment}</span></header>
<h1>Approve this call?</h1>
<p class="operation asked">${challenge.operation}</p>
${problem === null ? null : html`<p class="problem" role="alert">${PROBLEMS[problem].sentence}</p>`}
<h2>Who is asking</h2>
${askerList(challenge)}
${fields.length === 0 ? null : html`<h2>With these details</h2>${list(fields.map(fieldRow))}`}
${PASSKEY_PROBLEM}
<form method="post" autocomplete="on" data-get="${passkey.options}">
${signInFields(waiting)}
<label>Code <span>from your authenticator, or a recovery code</span>
<input name="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" maxlength="32" required></label>
<div class="actions">
<button class="primary" name="decision" value="approve">Approve</button>
<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
${assertionFields(passkey.sealed)}
<div class="actions one"><button formnovalidate data-passkey hidden>Approve with a passkey</button></div>
</form>
<p class="note">Approving allows exactly this call, once, within five minutes. If you did not expect it, deny it
and tell whoever runs your keys. This page closes at ${moment(challenge.expiresAt)}.</p>`
  return {
    status: problem === null ? 200 : PROBLEMS[problem].status,
    title: 'Approve this call?',
    content,
    scripts: [PASSKEY_SCRIPT],
  }
}

/** The session stands for email and password. */
function signInFields({ approver, email }: Waiting): Html {
  if (approver !== null) return html`<h2>Approve as ${approver.email}</h2>`
  return html`<h2>Sign in to approve</h2>
<label>Email
<input name="email" type="email" autocomplete="username" maxlength="254" required value="${email}"></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" maxlength="256" required></label>`
}

function askerList({ method, path, ip, createdAt, ...asker }: Waiting['challenge']): Html {
  const { key, platformName } = asker
  return list([
    row('Call', html`<code>${method} ${path}</code>`),
    ...(platformName === null ? [] : [row('Platform', html`${platformName}`)]),
    ...(key === null
      ? []
      : [row('Key', html`${key.name} <code>…${key.last4}</code>, scope ${key.scope}`)]),
    row('From', html`<code>${ip === '' ? 'unknown' : ip}</code>`),
    row('Asked at', moment(createdAt)),
  ])
}

function fieldRow({ name, value }: BodyField): Html {
  return row(name, html`<code>${value}</code>`)
}

function list(rows: readonly Html[]): Html {
  return html`<dl>${rows}</dl>`
}

function row(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

const ENDS = {
  approved: {
    status: 200,
    title: 'Approved',
    mark: ['good', '✓'],
    text: 'The call may now be made, once. You can close this page.',
  },
  denied: {
    status: 200,
    title: 'Denied',
    mark: ['bad', '✕'],
    text: 'The call was not made. If nobody you know asked for it, revoke the key that did.',
  },
  expired: {
    status: 410,
    title: 'Too late',
    mark: ['', '!'],
    text: 'Nobody decided in time, so the call was not made. Whoever needs it can ask again.',
  },
  unknown: {
    status: 404,
    title: 'Nothing here',
    mark: ['', '?'],
    text: 'This address belongs to no call. Check that you copied all of it.',
  },
  foreign: {
    status: 403,
    title: 'Not from this page',
    mark: ['bad', '!'],
    text: 'Your browser says that another site sent this form. Open the address again and decide there.',
  },
  unreadable: {
    status: 400,
    title: 'Not understood',
    mark: ['', '?'],
    text: 'What was sent is not the form of this page. Open the address again and decide there.',
  },
  busy: {
    status: 429,
    title: 'Too many tries',
    mark: ['', '!'],
    text: 'Too many addresses that belong to no call were opened from where you are. Wait a minute, then try again.',
  },
  away: {
    status: 503,
    title: 'Not available',
    mark: ['', '!'],
    text: 'The service cannot answer at the moment. Nothing was decided. Open the page again in a moment.',
  },
  undecided: {
    status: 503,
    title: 'Not available',
    mark: ['', '!'],
    text: 'The service did not answer in time. It may have taken your decision: open the page again.',
  },
  broken: {
    status: 500,
    title: 'Something went wrong',
    mark: ['bad', '!'],
    text: 'Nothing was decided. Open the page again in a moment.',
  },
} as const

export function endPage(end: keyof typeof ENDS): Page {
  const { status, title, mark, text } = ENDS[end]
  const [mood, sign] = mark
  const content = html`<div class="mark ${mood}" aria-hidden="true">${sign}</div>
<h1>${title}</h1>
<p class="operation">${text}</p>`
  return { status, title, content }
}
