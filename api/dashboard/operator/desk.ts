// The contract of operators' pages: calls of the operators' API, and what a page gets of them.
import type { FastifyRequest } from 'fastify'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Html } from '../../../shared/html.ts'
import type { Outcome, Problem } from '../page.ts'
import { Refused } from '../page.ts'
import type { OperatorAtWork, OperatorPort } from '../port.ts'

export interface Desk {
  /** The name of the operator's person. */
  name: string
  params: { readonly [name: string]: string }
  query: URLSearchParams
  /** By the installation's clock. */
  now: EpochMs
  apiUrl: string
  /** Makes the reads at once; a late or failed one is a problem of its panel alone. */
  ask(path: string): Promise<Outcome<unknown>>
  /** Reads so far, for the curl of the page. */
  made: readonly string[]
}

export interface DeskShown {
  title: string
  content: Html
  status?: number
  scripts?: readonly string[]
}

export interface DeskPage {
  /** `/operator/tenants/:id`. */
  path: string
  title: string
  /** Absent for pages that others lead to. */
  menu?: string
  view(desk: Desk): Promise<DeskShown>
  /** The whole list as rows of text, for a file; absent where the page has none. */
  rows?(desk: Desk): AsyncGenerator<readonly string[]>
}

/** A page of a list of the API. */
export interface Listed<Row> {
  data: readonly Row[]
  has_more: boolean
  next_cursor: string | null
}

/** A read whose answer has the schema of the route. */
export function read<Answer>(desk: Pick<Desk, 'ask'>, path: string): Promise<Outcome<Answer>> {
  return desk.ask(path) as Promise<Outcome<Answer>>
}

/** The read that the page is about; throws `Refused` without an answer. */
export async function need<Answer>(desk: Pick<Desk, 'ask'>, path: string): Promise<Answer> {
  const outcome = await read<Answer>(desk, path)
  if (!outcome.ok) throw new Refused(outcome.problem)
  return outcome.value
}

/** An id of an address as a segment of a path of the API. */
export function segment(desk: Desk, name: string): string {
  return encodeURIComponent(desk.params[name] ?? '')
}

/** Only the path of an address counts: the fetch never leaves the process. */
const BASE = 'http://dashboard.invalid'

/** Makes reads as the operator. */
export function createReads(
  port: OperatorPort,
  request: FastifyRequest,
  operator: OperatorAtWork,
): Pick<Desk, 'ask' | 'made'> {
  const fetch = port.openFetch(request, operator, null)
  const made: string[] = []
  return {
    made,
    ask(path) {
      made.push(path)
      return outcomeOf(fetch, path, { signal: AbortSignal.timeout(port.panelMs) })
    },
  }
}

/** Makes one call of the operators' API. */
export async function outcomeOf(
  fetch: typeof globalThis.fetch,
  path: string,
  init: RequestInit,
): Promise<Outcome<unknown>> {
  const signal = init.signal ?? new AbortController().signal
  const late = new Promise<Outcome<unknown>>((resolve) =>
    signal.addEventListener('abort', () => resolve({ ok: false, problem: LATE }), { once: true }),
  )
  const answered = fetch(BASE + path, init).then(async (answer): Promise<Outcome<unknown>> => {
    const body: unknown = await answer.json()
    return answer.ok ? { ok: true, value: body } : { ok: false, problem: problemOf(answer, body) }
  })
  return Promise.race([answered, late])
}

const LATE: Problem = {
  ...{ status: 0, code: 'late', param: null, requestId: null, detail: {} },
  message: 'The answer took too long. Load the page again.',
}

function problemOf({ status, headers }: Response, body: unknown): Problem {
  const { error } = body as {
    error: { code: string; message: string; param: string | null } & Problem['detail']
  }
  return {
    ...{ status, code: error.code, message: error.message, param: error.param ?? null },
    ...{ requestId: headers.get('request-id'), detail: error },
  }
}
