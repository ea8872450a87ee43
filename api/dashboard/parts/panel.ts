// A panel of a page: the view of one answer, or the reason why there is none.
import { type Html, html, url } from '../../../shared/html.ts'
import { curlOf } from '../curl.ts'
import type { Call, Outcome, Problem, Visit } from '../page.ts'
import { code } from './code.ts'

/** A titled part of a page. */
export function section(title: string, content: Html, actions: Html | null = null): Html {
  return html`<section class="panel"><header><h2>${title}</h2>${actions}</header>${content}</section>`
}

/**
 * A titled part that shows an answer; a failed or late one says so in its place. A part that the
 * role may not see is left out.
 */
export function panel<Value>(
  title: string,
  outcome: Outcome<Value>,
  view: (value: Value) => Html,
  actions: Html | null = null,
): Html | null {
  if (!outcome.ok && outcome.problem.status === 403) return null
  return section(title, outcome.ok ? view(outcome.value) : panelError(outcome.problem), actions)
}

/** The way from a panel of a few rows to the list of all. */
export function listLink({ to }: Pick<Visit, 'to'>, path: string, label: string): Html {
  return html`<a href="${url(to(path))}">${label}</a>`
}

/** Code, cure and request of a call that failed. */
export function panelError({ code, message, param, requestId, status }: Problem): Html {
  const reference = status === 0 ? null : html` <a href="/docs/errors#${code}">${code}</a>`
  return html`<div class="problem ${status === 0 ? 'late' : ''}" role="status"><strong>${message}</strong>${
    param === null ? null : html` Field: <code>${param}</code>.`
  }${reference}${requestId === null ? null : html` <code class="soft">${requestId}</code>`}</div>`
}

export interface Empty {
  /** It names the rows that the place would have. */
  sentence: string
  /** The page that fills it; null for a reader who may not. */
  action?: { href: string; label: string } | null
  /** The command that makes the first row; null where no call does. */
  command?: string | null
}

/** An empty place: a sentence, the action that fills it, and its command. */
export function empty({ sentence, action = null, command = null }: Empty): Html {
  return html`<div class="empty"><p>${sentence}</p>${
    action === null
      ? null
      : html`<a class="button primary" href="${url(action.href)}">${action.label}</a>`
  }${command === null ? null : html`<p>From your server:</p>${code(command, 'The call for: ' + sentence)}`}</div>`
}

/**
 * An empty part of a page: a sentence about the rows that it would have, and the command that makes
 * the first one, closed until somebody wants it.
 */
export function none(
  { apiUrl }: Pick<Visit, 'apiUrl'>,
  sentence: string,
  first: Call | null = null,
): Html {
  return html`<div class="none"><p>${sentence}</p>${first === null ? null : commandOf(curlOf(apiUrl, first), sentence)}</div>`
}

/**
 * A command for the reader's server, closed until somebody wants it; `about` says what is missing.
 */
export function commandOf(command: string, about: string): Html {
  return html`<details class="how"><summary>From your server</summary>${code(command, 'The call for: ' + about)}</details>`
}

/** A message about the page: after an action, or about its state. */
export function notice(mood: 'good' | 'bad' | 'warn', text: Html | string): Html {
  return html`<p class="notice ${mood}" role="status">${text}</p>`
}
