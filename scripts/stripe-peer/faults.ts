// Faults that a test or a developer orders from the processor, each for a number of requests or
// callbacks.
import { invalid } from './problem.ts'

const REQUEST_FAULTS = [
  // The connection ends before the work, or after it and before the answer.
  'cut_before',
  'cut_after',
  // The request is never answered.
  'hang',
  // The work begins later, and its key is taken meanwhile.
  'slow',
  'rate_limited',
  'broken',
  'redirect',
  'html',
  // Outcomes of the work itself.
  'wrong_total',
  'decline',
  'processing',
] as const

const CALLBACK_FAULTS = ['duplicate', 'reorder', 'lose', 'delay'] as const

export type RequestFault = (typeof REQUEST_FAULTS)[number]
export type CallbackFault = (typeof CALLBACK_FAULTS)[number]

export interface OrderedFault {
  kind: RequestFault | CallbackFault
  /** Requests whose method and path contain this text; of callbacks, the type of the event. */
  on: string
  /** Requests or callbacks that still meet the fault. */
  times: number
  /** The reason of a `decline`. */
  decline_code?: string
  /** Milliseconds of a `delay` or of `slow`. */
  delay_ms?: number
}

export class Faults {
  readonly #ordered: OrderedFault[] = []

  /** Refuses with 400 an order that names no fault. */
  order(given: unknown): OrderedFault {
    const { kind, on = '', times = 1, ...more } = given as Partial<OrderedFault>
    const known = [...REQUEST_FAULTS, ...CALLBACK_FAULTS].find((name) => name === kind)
    if (known === undefined) throw invalid('Unknown fault', 'kind')
    const fault = { ...more, kind: known, on, times }
    this.#ordered.push(fault)
    return fault
  }

  clear(): void {
    this.#ordered.length = 0
  }

  list(): readonly OrderedFault[] {
    return this.#ordered
  }

  /** Takes the next fault of these kinds that concerns `subject`; null where none does. */
  take(kinds: readonly OrderedFault['kind'][], subject: string): OrderedFault | null {
    const fault = this.#ordered.find(({ kind, on }) => kinds.includes(kind) && subject.includes(on))
    if (fault === undefined) return null
    fault.times -= 1
    if (fault.times <= 0) this.#ordered.splice(this.#ordered.indexOf(fault), 1)
    return fault
  }

  takeCallback(type: string): OrderedFault | null {
    return this.take(CALLBACK_FAULTS, type)
  }
}
