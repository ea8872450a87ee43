// A panel of a page: the view of one answer, or the reason why there is none.
import { type Html, html, url } from '../../../shared/html.ts'
import { curlOf } from '../curl.ts'
import { type Call, NOT_YOURS, type Outcome, type Problem, type Visit, type Way } from '../page.ts'
import { code } from './code.ts'

/** A titled part of a page. */
export function section(title: string, content: Html, actions: Html | null = null): Html {
  return html`<section class="panel"><header><h2>${title}</h2>${actions}</header>${content}</section>`
}

/**
 * A titled part that shows an answer; a failed or late one says so in its place. A part that the
 * role may not see is left out; a refusal for another reason is shown.
 */
export function panel<Value>(
  title: string,
  outcome: Outcome<Value>,
  view: (value: Value) => Html,
  actions: Html | null = null,
): Html | null {
  if (!outcome.ok && outcome.problem.code === NOT_YOURS.code) return null
  return section(title, outcome.ok ? view(outcome.value) : panelError(outcome.problem), actions)
}

/** The way from a panel of a few rows to the list of all. */
export function listLink({ to }: Pick<Visit, 'to'>, path: string, label: string): Html {
  return html`<a href="${url(to(path))}">${label}</a>`
}

/** Messages in the words of pages, where those of the API are about calls. */
const PAGE_WORDS: { readonly [code: string]: string } = {
  tenant_limit: 'Too many calls. Wait a minute, then load the page again.',
  internal_error:
    'Something went wrong on our side. Load the page again; if it stays, tell us the request.',
}

interface Fault {
  param: string | null
  message: string
}

/** The fields at fault of a refused form; none where the refusal is about no field. */
function faultsIn({ detail, param, message }: Problem): readonly Fault[] {
  const { errors = [{ param, message }] } = detail as { errors?: readonly Fault[] }
  return errors.filter((each) => each.param !== null)
}

/** Code, faults, cure and request of a call that failed. */
export function panelError(problem: Problem): Html {
  const { code, message, requestId, status, cure } = problem
  const faults = faultsIn(problem)
  const names = faults.map(({ param }) => param).join(' ')
  const reference = status === 0 ? null : html` <a href="/docs/errors#${code}">${code}</a>`
  return html`<div class="problem ${status === 0 ? 'late' : ''}" role="status" data-params="${names}">${
    faults.length > 1
      ? html`<strong>${faults.length} fields are not accepted.</strong><ul>${faults.map((each) => html`<li>${each.message} Field: <code>${each.param}</code>.</li>`)}</ul>`
      : html`<strong>${PAGE_WORDS[code] ?? message}</strong>${faults.map(({ param }) => html` Field: <code>${param}</code>.`)}`
  }${cure === undefined ? null : html` <a href="${url(cure.href)}">${cure.label}</a>.`}${reference}${requestId === null ? null : html` <code class="soft">${requestId}</code>`}</div>`
}

export interface Empty {
  /** It names the rows that the place would have. */
  sentence: string
  /** The page that fills it; null for a reader who may not. */
  action?: { href: string; label: string } | null
  /** The command that makes the first row; null where no call does. */
  command?: string | null
  /** Words above the command. */
  intro?: Html | string
}

/** An empty place: a sentence, the action that fills it, and its command. */
export function empty(of: Empty): Html {
  const { sentence, action = null, command = null, intro = 'From your server:' } = of
  return html`<div class="empty"><p>${sentence}</p>${
    action === null
      ? null
      : html`<a class="button primary" href="${url(action.href)}">${action.label}</a>`
  }${command === null ? null : html`<p>${intro}</p>${code(command, 'The call for: ' + sentence)}`}</div>`
}

/**
 * An empty part of a page: a sentence about the rows that it would have, the page that leads to the
 * first one, and the command that makes it, closed until somebody wants it.
 */
export function none(
  at: Pick<Visit, 'apiUrl' | 'may' | 'to'>,
  sentence: string,
  first: Call | null = null,
  way: Way | null = null,
): Html {
  const link =
    way === null || !at.may(way.operation)
      ? null
      : html`<p><a class="button" href="${url(at.to(way.path))}">${way.label}</a></p>`
  return html`<div class="none"><p>${sentence}</p>${link}${first === null ? null : commandOf(curlOf(at.apiUrl, first), sentence)}</div>`
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
