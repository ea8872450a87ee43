// One row of the table of faults: the injection, the invariants and the findings.
import { repeats } from '../harness/long.ts'
import type { Teardown } from '../harness/postgres.ts'

export interface Findings {
  /** The injected faults, with counts. */
  injected: string
  /** Sentences; empty if every invariant held. */
  problems: string[]
}

/** Why a fault cannot be injected on this machine. */
export interface Skipped {
  skipped: string
}

/** The extent of a run; the short form runs with the tests, the long one as `npm run faults`. */
export interface Effort {
  kills: number
  /** Seconds of load per phase. */
  seconds: number
  /** Seconds for which PostgreSQL is down. */
  downSeconds: number
  /** Journal entries that pile up while the drain stands still. */
  records: number
  /** True where a row has the machine for itself, false where tests run beside it. */
  isAlone: boolean
}

export interface FaultRun extends Teardown {
  effort: Effort
  say(line: string): void
}

export interface Fault {
  /** The row's number in the table of faults. */
  row: number
  name: string
  /** The letters of the checked invariants. */
  asserts: string
  run(t: FaultRun): Promise<Findings | Skipped>
}

export const INVARIANTS: { readonly [letter: string]: string } = {
  A: 'one message id has one answer',
  B: 'what is repeated is answered in the end',
  C: 'an answer is in the journal, and in PostgreSQL once with one event',
  D: 'no limit is ever passed',
  E: 'windows equal what is recomputed from the history',
  F: 'nothing is answered that is not durable',
  G: 'configuration converges within its bound',
  H: 'answers and memory stay within their bounds',
  I: 'tenants stay apart, and no PAN, CVC or secret leaves',
  J: 'what cannot be done is refused with a code or a sentence',
  K: 'an event reaches every endpoint that should have it, five attempts a cycle at most; one notice of a disabling',
}

export const SHORT: Effort = {
  kills: repeats(2, 5),
  seconds: repeats(1, 2),
  downSeconds: 2,
  records: 20_000,
  isAlone: false,
}
export const LONG: Effort = {
  kills: 50,
  seconds: 5,
  downSeconds: 60,
  records: 200_000,
  isAlone: true,
}

/** Factor on bounds of time where tests run beside. */
const BUSY = 10

/** Longest wait in ms for what takes at most `aloneMs` on a machine without other work. */
export function boundMs({ isAlone }: Effort, aloneMs: number): number {
  return isAlone ? aloneMs : BUSY * aloneMs
}
