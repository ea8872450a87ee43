// The inbox of the sandbox: the mails that arrived, as pages. They need no script.

import { pageHeaders, pageText, sheetOf } from '../../api/http/pages/page.ts'
import { STYLE } from '../../api/http/pages/style.ts'
import { type EpochMs, isoInstant } from '../../shared/clock.ts'
import { type Html, html, url } from '../../shared/html.ts'
import type { PeerAnswer } from '../peer-http.ts'
import type { Message } from './message.ts'

/** A mail in the inbox. */
export interface InboxMail extends Message {
  /** From 1 on, in the order of arrival. */
  number: number
  recipients: readonly string[]
  encrypted: boolean
  at: EpochMs
}

const SHEETS = [
  sheetOf(STYLE),
  sheetOf(`
main { max-width: 760px }
h1 + dl { margin-top: 20px }
.mails { list-style: none; padding: 0; margin-top: 20px; border: 1px solid var(--line); border-radius: 12px; overflow: hidden }
.mails li + li { border-top: 1px solid var(--line) }
.mails a { display: block; padding: 12px 16px; color: inherit; text-decoration: none }
.mails a:hover { background: var(--well) }
.mails strong { display: block; overflow-wrap: anywhere }
.mails span { font-size: 14px; color: var(--soft); overflow-wrap: anywhere }
.text { margin-top: 20px; padding: 16px; border: 1px solid var(--line); border-radius: 12px; background: var(--well);
  white-space: pre-wrap; overflow-wrap: anywhere }
a { color: var(--brand) }
a:focus-visible { outline: 3px solid color-mix(in srgb, var(--brand) 45%, transparent); outline-offset: -3px; border-radius: 6px }
`),
]
const HEADERS = pageHeaders({ sheets: SHEETS, images: 'data:', forms: "'none'" })

/** The page of a path; 404 for any other. */
export function inboxPage(path: string, mails: readonly InboxMail[]): PeerAnswer {
  if (path === '/' || path === '/inbox') return page(200, 'Inbox', listOf(mails))
  const [, number = ''] = /^\/inbox\/(\d{1,9})$/.exec(path) ?? []
  const mail = mails.find((one) => String(one.number) === number)
  if (mail !== undefined) return page(200, mail.subject, shown(mail))
  return page(
    404,
    'No such mail',
    html`<h1>No such mail</h1><p class="note"><a href="/inbox">Inbox</a></p>`,
  )
}

function page(status: number, title: string, content: Html): PeerAnswer {
  const framed = { language: 'en', direction: 'ltr', sheets: SHEETS, policy: null } as const
  return { status, body: pageText({ ...framed, title, content }), headers: HEADERS }
}

function listOf(mails: readonly InboxMail[]): Html {
  return html`
<header><span>svc</span><span class="badge">sandbox</span></header>
<h1>Inbox</h1>
<p class="operation">The mails of this sandbox arrive here. None leaves this machine.</p>
${
  mails.length === 0
    ? html`<p class="note">No mail yet. An invitation or a forgotten password sends one.</p>`
    : html`<ol class="mails" reversed>${mails.toReversed().map(
        (
          mail,
        ) => html`<li><a href="${url('/inbox/' + mail.number)}"><strong>${mail.subject}</strong>
<span>${mail.recipients.join(', ')} · ${moment(mail.at)}</span></a></li>`,
      )}</ol>`
}
<p class="note">Reload the page to see mails that arrived since. It keeps the last 200, until the sandbox stops.</p>`
}

function shown(mail: InboxMail): Html {
  return html`
<header><a href="/inbox">Inbox</a><span class="badge">sandbox</span></header>
<h1>${mail.subject}</h1>
<dl>
<div><dt>From</dt><dd>${mail.from}</dd></div>
<div><dt>To</dt><dd>${mail.recipients.join(', ')}</dd></div>
<div><dt>Arrived</dt><dd>${moment(mail.at)}${mail.encrypted ? ', encrypted' : ''}</dd></div>
</dl>
<div class="text">${linked(mail.text)}</div>`
}

const LINK = /(https?:\/\/[^\s<>"]+)/

/** The text with its addresses as links; other protocols stay text. */
function linked(text: string): readonly Html[] {
  return text.split(LINK).map((part, at) => {
    const isLink = at % 2 === 1 && URL.canParse(part) && isSafe(part)
    return isLink ? html`<a href="${url(part)}" rel="noreferrer">${part}</a>` : html`${part}`
  })
}

function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+)$/.test(hostname)
}

function moment(at: EpochMs): Html {
  const iso = isoInstant(at)
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}
