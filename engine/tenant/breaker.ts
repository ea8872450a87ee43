// Circuit breakers, one per endpoint: the engine stops calling a failing endpoint for a while, so
// stand-in answers at once instead of after the whole budget. A pure state machine: time is an
// argument, in milliseconds that never go back. Authorization 6.
import type { BreakerReport, BreakerState } from '../../shared/wire/control.ts'
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'

const CONSECUTIVE_FAILURES_MAX = 10
/** The breaker opens if more than half of at least this many calls within WINDOW_S failed. */
const SHARE_CALLS_MIN = 20
const WINDOW_S = 10
const PROBE_EVERY_MS = 1000
/**
 * Chosen: the endpoint with the oldest call is forgotten first; its next call finds a closed
 * breaker.
 */
const BREAKERS_MAX = 10_000

/**
 * The endpoint of a breaker. Chosen: a moved or newly enabled endpoint should be tried, so a
 * changed one begins with a closed breaker.
 */
export interface Breakable {
  readonly id: string
  readonly version: number
}

/** Permission to call the endpoint: `closed` yes, `half_open` yes, as the probe, `open` no. */
export interface Admission {
  readonly state: BreakerState
  /**
   * Number of openings at the time of the call: the result of a call from before an opening says
   * nothing about the time after it.
   */
  readonly openings: number
  /** Null if the result of the call does not count. */
  readonly breaker: Breaker | null
}

/** True if an outcome counts against the endpoint: every silence that it caused itself. */
export function isFailure(outcome: TenantOutcome): boolean {
  switch (outcome) {
    case 'answered_approve':
    case 'answered_decline':
    case 'bulkhead_full':
    case 'breaker_open':
    case 'not_configured':
      return false
    default:
      return true
  }
}

/**
 * The breakers of one engine. Chosen: they live in memory only; after a restart every breaker is
 * closed, and a dead endpoint opens its own again within ten calls.
 */
export class Breakers {
  readonly #breakers = new Map<string, Breaker>()
  /** Openings of all breakers, including forgotten ones. */
  openings = 0

  /** Breakers that are not closed. */
  get open(): number {
    let count = 0
    for (const { state } of this.#breakers.values()) if (state !== 'closed') count += 1
    return count
  }

  /** Asks the breaker; the caller must report the result of an admitted call. */
  admit(endpoint: Breakable, nowMs: number): Admission {
    return this.#of(endpoint).admit(nowMs)
  }

  /**
   * Returns the admission without the changes of `admit`, for a call that another reason prevents.
   */
  peek(endpoint: Breakable): Admission {
    const breaker = this.#of(endpoint)
    return { state: breaker.state, openings: breaker.openings, breaker }
  }

  /** Reports the result of an admitted call. */
  report(admission: Admission, failed: boolean, nowMs: number): void {
    const { breaker } = admission
    if (breaker === null) return
    const before = breaker.openings
    breaker.report(admission, failed, nowMs)
    this.openings += breaker.openings - before
  }

  /** Breaker as the API shows it; an endpoint without a call since the start is closed. */
  reportOf(endpointId: string, nowMs: number): BreakerReport {
    const breaker = this.#breakers.get(endpointId)
    if (breaker === undefined) return { state: 'closed', for_ms: null, opened_count: 0 }
    const forMs = breaker.sinceMs === null ? null : nowMs - breaker.sinceMs
    return { state: breaker.state, for_ms: forMs, opened_count: breaker.openings }
  }

  #of({ id, version }: Breakable): Breaker {
    const known = this.#breakers.get(id)
    const breaker = known?.version === version ? known : new Breaker(version)
    // Moves the endpoint to the end: insertion order is the order of the last use.
    this.#breakers.delete(id)
    this.#breakers.set(id, breaker)
    if (this.#breakers.size > BREAKERS_MAX) {
      const [oldest] = this.#breakers.keys()
      if (oldest !== undefined) this.#breakers.delete(oldest)
    }
    return breaker
  }
}

class Breaker {
  readonly version: number
  state: BreakerState = 'closed'
  /** Last opening or closing; null before the first. */
  sinceMs: number | null = null
  openings = 0
  #probedMs = 0
  #consecutive = 0
  /** Calls and failures by second; the entry of `#second` is the latest. */
  readonly #calls = new Uint32Array(WINDOW_S)
  readonly #failures = new Uint32Array(WINDOW_S)
  #second = 0

  constructor(version: number) {
    this.version = version
  }

  admit(nowMs: number): Admission {
    if (this.state === 'closed') return this.#admitted('closed')
    // Chosen: an open probe does not block the next one, so a hanging endpoint is also probed every
    // second.
    if (nowMs - this.#probedMs < PROBE_EVERY_MS) return this.#admitted('open')
    this.#probedMs = nowMs
    this.state = 'half_open'
    return this.#admitted('half_open')
  }

  #admitted(state: BreakerState): Admission {
    return { state, openings: this.openings, breaker: this }
  }

  report(admission: Admission, failed: boolean, nowMs: number): void {
    if (admission.openings !== this.openings) return
    if (admission.state === 'closed') this.#count(failed, nowMs)
    // Another probe may have closed it meanwhile.
    else if (this.state === 'closed') return
    else if (failed) this.state = 'open'
    else this.#close(nowMs)
  }

  #count(failed: boolean, nowMs: number): void {
    this.#moveTo(Math.floor(nowMs / 1000))
    const bucket = this.#second % WINDOW_S
    this.#calls[bucket] = (this.#calls[bucket] as number) + 1
    this.#consecutive = failed ? this.#consecutive + 1 : 0
    if (!failed) return
    this.#failures[bucket] = (this.#failures[bucket] as number) + 1
    if (this.#consecutive >= CONSECUTIVE_FAILURES_MAX || this.#mostFail()) this.#open(nowMs)
  }

  #mostFail(): boolean {
    let calls = 0
    let failures = 0
    for (let bucket = 0; bucket < WINDOW_S; bucket++) {
      calls += this.#calls[bucket] as number
      failures += this.#failures[bucket] as number
    }
    return calls >= SHARE_CALLS_MIN && failures * 2 > calls
  }

  /** Empties the seconds between the latest call and this one. */
  #moveTo(second: number): void {
    const from = Math.max(this.#second + 1, second - WINDOW_S + 1)
    for (let passed = from; passed <= second; passed++) {
      this.#calls[passed % WINDOW_S] = 0
      this.#failures[passed % WINDOW_S] = 0
    }
    this.#second = Math.max(this.#second, second)
  }

  #open(nowMs: number): void {
    this.state = 'open'
    this.openings += 1
    this.sinceMs = nowMs
    this.#probedMs = nowMs
  }

  /** Closes the breaker and drops all earlier counts. */
  #close(nowMs: number): void {
    this.state = 'closed'
    this.sinceMs = nowMs
    this.#consecutive = 0
    this.#calls.fill(0)
    this.#failures.fill(0)
  }
}
