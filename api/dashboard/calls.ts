// The calls of one visit: the typed client over a fetch that stays in this process. A panel that is
// late says so, and the page does not wait for it.
import { createClient, SvcConnectionError, SvcError } from '../../client/index.ts'
import { sleep } from '../../shared/clock.ts'
import { type Call, type Outcome, type Problem, Refused, type Visit } from './page.ts'

/** Chosen: a write may wait for the engine, and its outcome matters more than its time. */
const WRITE_MS = 20_000
/** Only the path of an address counts: the fetch never leaves the process. */
const BASE = 'http://dashboard.invalid'

export interface Caller {
  ask: Visit['ask']
  need: Visit['need']
  /** Makes a write under the key of its form. Throws `Refused`. */
  write(call: Call, options: { formId: string; factor: string | null }): Promise<Written>
  /** Every call of the visit so far, for the curl of the page. */
  made: readonly Call[]
}

export interface Written {
  answer: unknown
  /** The answer belongs to an earlier sending of the same form. */
  isRepeat: boolean
}

type Methods = {
  readonly [name: string]: (input: object, options?: object) => Promise<unknown>
}

/** Opens the calls of a visit over its fetch; each panel has `panelMs`. */
export function openCaller(fetch: typeof globalThis.fetch, panelMs: number): Caller {
  const made: Call[] = []
  let isRepeat = false
  const watched: typeof fetch = async (address, init) => {
    const answer = await fetch(address, init)
    isRepeat = answer.headers.get('idempotent-replayed') === 'true'
    return answer
  }
  const options = { baseUrl: BASE, key: 'ticket', fetch: watched }
  const reads = createClient({ ...options, retriesMax: 0 }) as object as Methods
  const writes = createClient({ ...options, retriesMax: 4, retryWaitMsMax: 2000 })
  const one = async ({ operation, input }: Call, limitMs: number): Promise<Outcome<unknown>> => {
    made.push({ operation, input })
    const method = reads[operation] as Methods[string]
    const waiting = new AbortController()
    const late = sleep(limitMs, waiting.signal).then(
      (): Outcome<unknown> => LATE,
      () => LATE,
    )
    const answer = method(input).then(
      (value): Outcome<unknown> => ({ ok: true, value }),
      (error): Outcome<unknown> => ({ ok: false, problem: problemOf(error) }),
    )
    const first = await Promise.race([answer, late])
    waiting.abort()
    return first
  }
  return {
    made,
    async ask(calls) {
      const entries = Object.entries(calls).map(async ([name, each]) => [
        name,
        await one(each, panelMs),
      ])
      return Object.fromEntries(await Promise.all(entries))
    },
    async need(asked) {
      const outcome = await one(asked, WRITE_MS)
      if (!outcome.ok) throw new Refused(outcome.problem)
      return outcome.value as never
    },
    async write({ operation, input }, { formId, factor }) {
      const method = (writes as object as Methods)[operation] as Methods[string]
      const own = { idempotencyKey: formId, ...(factor === null ? {} : { factor }) }
      try {
        return { answer: await method(input, own), isRepeat }
      } catch (error) {
        throw new Refused(problemOf(error))
      }
    },
  }
}

const LATE: Outcome<never> = {
  ok: false,
  problem: {
    status: 0,
    code: 'late',
    message: 'The answer took too long. Load the page again.',
    ...{ param: null, requestId: null, detail: {} },
  },
}

/** Throws every error that is not about the call: it is a fault of ours. */
function problemOf(error: unknown): Problem {
  if (error instanceof SvcError) {
    const { status, code, message, param, requestId, detail } = error
    return { status, code, message, param, requestId, detail }
  }
  if (!(error instanceof SvcConnectionError)) throw error
  return {
    ...{ status: 0, code: 'no_answer', message: 'The API did not answer.' },
    ...{ param: null, requestId: null, detail: {} },
  }
}
