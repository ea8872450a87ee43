// The frame of the hosted pages of payments: the plain look of our pages with the one script, and
// the handling of forms and errors that both pages share.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../../shared/html.ts'
import { sendPage } from '../../http/pages/page.ts'
import { PASSKEY_PROBLEM, PASSKEY_SCRIPT } from '../../http/pages/passkey-form.ts'
import { answerErrors, readForms } from '../../http/pages/scope.ts'
import type { Refusal } from '../../http/refusal.ts'
import type { HolderCall } from '../payment-accounts/index.ts'

/** Chosen: larger than any assertion of a browser. */
const FORM_BYTES_MAX = 64 * 1024
const HANDLE = /^[\w-]{43}$/
const HEADER_CHARACTERS_MAX = 256

/** The place where the script tells a problem, and a sentence where no script runs. */
export const HOLDER_PROBLEM: Html = html`${PASSKEY_PROBLEM}
<noscript><p class="problem">This page needs JavaScript to use a passkey.</p></noscript>`

export interface HostedContent {
  status: number
  title: string
  content: Html
}

/** Sends the page, with the script where it has a form for a passkey. */
export function sendHosted(
  reply: FastifyReply,
  page: HostedContent,
  options: { passkey: boolean } = { passkey: false },
): FastifyReply {
  return sendPage(reply, options.passkey ? { ...page, scripts: [PASSKEY_SCRIPT] } : page)
}

/** The end of a page: nothing is left to do on it. */
export interface End {
  status: number
  title: string
  mark: readonly [mood: '' | 'good' | 'bad', sign: string]
  text: string
}

export function endPage({ status, title, mark, text }: End): HostedContent {
  const [mood, sign] = mark
  const content = html`<div class="mark ${mood}" aria-hidden="true">${sign}</div>
<h1>${title}</h1>
<p class="operation">${text}</p>`
  return { status, title, content }
}

export const ENDS = {
  unknown: {
    status: 404,
    title: 'Nothing here',
    mark: ['', '?'],
    text: 'This link is not valid any more, or was not copied whole. Ask the shop for a new one.',
  },
  foreign: {
    status: 403,
    title: 'Not from this page',
    mark: ['bad', '!'],
    text: 'Your browser says that another site sent this form. Open the link again and decide there.',
  },
  unreadable: {
    status: 400,
    title: 'Not understood',
    mark: ['', '?'],
    text: 'The form of this page was not sent whole. Open the link again and try there.',
  },
  large: {
    status: 413,
    title: 'Too large',
    mark: ['', '!'],
    text: 'More was sent than a passkey sends. Open the link again and try there.',
  },
  busy: {
    status: 429,
    title: 'Too many tries',
    mark: ['', '!'],
    text: 'Too many links that lead nowhere were opened from where you are. Wait a minute.',
  },
  broken: {
    status: 500,
    title: 'Something went wrong',
    mark: ['bad', '!'],
    text: 'Nothing was decided. Open the link again in a moment.',
  },
} as const satisfies { readonly [name: string]: End }

/** The pages of one scope: forms of browsers, and errors as pages. */
export function openHostedPages(pages: FastifyInstance, ports: { docsUrl: string }): void {
  readForms(pages, FORM_BYTES_MAX)
  answerErrors(pages, ports, (reply, status) =>
    sendHosted(reply, { ...endPage(endOf(status)), status }),
  )
}

function endOf(status: number): End {
  if (status === 413) return ENDS.large
  if (status === 429) return ENDS.busy
  if (status === 404) return ENDS.unknown
  return status < 500 ? ENDS.unreadable : ENDS.broken
}

/** The holder's call; null where the handle cannot be one. */
export function holderCall(request: FastifyRequest): HolderCall | null {
  const { handle } = request.params as { handle: string }
  if (!HANDLE.test(handle)) return null
  return {
    handle,
    now: request.admittedAtMs,
    clientAddress: request.clientAddress,
    wait: request.wait,
    userAgent: request.headers['user-agent']?.slice(0, HEADER_CHARACTERS_MAX) ?? null,
    requestId: request.id,
  }
}

/**
 * For a link that leads nowhere: counts how often an address opened one, and refuses with 429 after
 * too many.
 */
export function nowhere(
  request: FastifyRequest,
  refusal: (request: FastifyRequest) => Refusal,
): HostedContent {
  const refused = refusal(request)
  if (refused.code === 'unauthenticated_limit') throw refused
  return endPage(ENDS.unknown)
}

/** The text of a field of the form; empty where it is missing. */
export function fieldOf(request: FastifyRequest, name: string): string {
  return request.body instanceof URLSearchParams ? (request.body.get(name) ?? '') : ''
}
