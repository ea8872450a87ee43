// When requests leave: each at its intended moment, or each as soon as its connection is free.
import { startTicker } from '../../scripts/simulate/ticker.ts'
import { type Latency, openLatency } from '../latency.ts'
import { openConnections } from './connections.ts'
import type { Answered, Lane } from './lane.ts'
import { openLinkLanes } from './links.ts'

/** Finer than the differences between latencies that matter. */
const BEAT_MS = 0.2
const ANSWERS_MS_MAX = 20_000
/** 201: the request created something. */
const GOOD: readonly number[] = [200, 201]
const NOT_STARTED = Number.POSITIVE_INFINITY

export interface Pace {
  port: number
  /** Requests under way at once. */
  connections: number
  /** ISO 8583 links that carry them; null: each has an HTTP connection. */
  links: number | null
  /**
   * Requests a second, each at its intended moment; null: every connection sends again as soon as
   * it was answered.
   */
  rate: number | null
  seconds: number
  /** Before those seconds, counted nowhere. */
  warmSeconds: number
  /** Goes on with the first request after the last one: for a server to which all are the same. */
  repeats: boolean
}

export interface Tally {
  /**
   * Answers to requests that were due while the clock ran, by status; 0 if the connection broke.
   */
  answers: Map<number, number>
  latency: Latency
  /** How late requests left, for reasons of our own: the clock, or no free connection. */
  lateness: Latency
  /** Measured. */
  seconds: number
  cpuUs: number
  /** Good answers since the first request, those of the warm-up too. */
  all: number
  /** Requests that were to leave at their moment and had not been made. */
  missing: number
  /** Requests without an answer, or not even sent, when the wait after the end was over. */
  unanswered: number
}

/** Sends until the time is over, and waits for every answer. */
export async function send(pace: Pace, requests: readonly Buffer[]): Promise<Tally> {
  const run = new Run(pace, requests)
  await run.open()
  try {
    await (pace.rate === null ? run.atFullSpeed() : run.atRate(pace.rate))
  } finally {
    run.close()
  }
  return run.tally()
}

class Run {
  readonly #pace: Pace
  readonly #requests: readonly Buffer[]
  #lanes: Lane[] = []
  #next = 0
  #open = 0
  #missing = 0
  #unanswered = 0
  #all = 0
  #startsMs = NOT_STARTED
  #endsMs = NOT_STARTED
  #endedMs = 0
  #cpu: NodeJS.CpuUsage | null = null
  #cpuUs = 0
  readonly #answers = new Float64Array(1000)
  readonly #latency = openLatency()
  readonly #lateness = openLatency()
  #answered: Answered = () => undefined

  constructor(pace: Pace, requests: readonly Buffer[]) {
    this.#pace = pace
    this.#requests = requests
  }

  async open(): Promise<void> {
    const { port, connections: lanes, links } = this.#pace
    const answered: Answered = (lane, status) => {
      this.#open--
      this.#answered(lane, status)
    }
    this.#lanes =
      links === null
        ? await openConnections(port, lanes, answered)
        : await openLinkLanes({ port, links, lanes }, answered)
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
  }

  tally(): Tally {
    const answers = new Map<number, number>()
    for (const [status, count] of this.#answers.entries()) if (count > 0) answers.set(status, count)
    return {
      answers,
      latency: this.#latency,
      lateness: this.#lateness,
      seconds: Math.max(0, this.#endedMs - this.#startsMs) / 1000,
      cpuUs: this.#cpuUs,
      all: this.#all,
      missing: this.#missing,
      unanswered: this.#unanswered,
    }
  }

  atFullSpeed(): Promise<void> {
    const finished = this.#startClock()
    this.#answered = (lane, status) => {
      const now = performance.now()
      this.#count(lane, status, now)
      // The run is over as soon as the requests under way are answered, and was shorter.
      if (now < this.#endsMs && !this.#send(lane, now)) this.#endsMs = now
      if (now >= this.#endsMs && this.#open === 0) finished.resolve()
    }
    for (const lane of this.#lanes) this.#send(lane, performance.now())
    return finished.promise
  }

  async atRate(rate: number): Promise<void> {
    let onBeat: () => void = () => undefined
    const begun = Promise.withResolvers<void>()
    // The first beat is the start: the thread behind the ticker takes some fifty milliseconds to
    // come up.
    const ticker = startTicker(BEAT_MS, () => {
      begun.resolve()
      onBeat()
    })
    await begun.promise
    const finished = this.#startClock()
    const everyMs = 1000 / rate
    const idle = [...this.#lanes]
    // From the middle of the first interval: a late start or rounding neither adds a request nor
    // drops one.
    let dueMs = this.#startsMs - this.#pace.warmSeconds * 1000 + everyMs / 2
    const sendDue = (): void => {
      const now = performance.now()
      // A request that is overdue is sent late rather than never, and its latency counts from its
      // intended moment.
      for (; dueMs <= now && dueMs < this.#endsMs && idle.length > 0; dueMs += everyMs) {
        if (dueMs >= this.#startsMs) this.#lateness.record((now - dueMs) * 1000)
        // In turns: the server closes a connection that rests for ten seconds.
        const lane = idle.shift() as Lane
        if (this.#send(lane, dueMs)) continue
        this.#missing++
        idle.push(lane)
      }
      if (dueMs >= this.#endsMs && now >= this.#endsMs && this.#open === 0) finished.resolve()
    }
    this.#answered = (lane, status) => {
      idle.push(lane)
      this.#count(lane, status, performance.now())
      sendDue()
    }
    onBeat = sendDue
    return finished.promise.finally(() => ticker.stop())
  }

  /** Counting begins after the warm-up; the processor time is read at both ends. */
  #startClock(): PromiseWithResolvers<void> {
    const { warmSeconds, seconds } = this.#pace
    this.#startsMs = performance.now() + warmSeconds * 1000
    this.#endsMs = this.#startsMs + seconds * 1000
    const finished = Promise.withResolvers<void>()
    const start = setTimeout(() => {
      this.#cpu = process.cpuUsage()
    }, warmSeconds * 1000)
    const end = setTimeout(() => this.#stopClock(), (warmSeconds + seconds) * 1000)
    const late = setTimeout(
      () => {
        // Requests that wait behind these have not been sent at all.
        this.#unanswered = Math.max(1, this.#open)
        finished.resolve()
      },
      (warmSeconds + seconds) * 1000 + ANSWERS_MS_MAX,
    )
    const cleared = finished.promise.finally(() => {
      this.#stopClock()
      for (const timer of [start, end, late]) clearTimeout(timer)
    })
    return { ...finished, promise: cleared as Promise<void> }
  }

  #stopClock(): void {
    if (this.#endedMs > 0) return
    this.#endedMs = Math.min(this.#endsMs, performance.now())
    const { user, system } = process.cpuUsage(this.#cpu ?? process.cpuUsage())
    this.#cpuUs = user + system
  }

  /** False when nothing is left to send. */
  #send(lane: Lane, sinceMs: number): boolean {
    const { repeats } = this.#pace
    const at = repeats ? this.#next % this.#requests.length : this.#next
    const request = this.#requests[at]
    if (request === undefined) return false
    this.#next++
    this.#open++
    lane.send(request, sinceMs)
    return true
  }

  #count(lane: Lane, status: number, now: number): void {
    if (GOOD.includes(status)) this.#all++
    if (lane.sinceMs < this.#startsMs || lane.sinceMs >= this.#endsMs) return
    this.#answers[status] = (this.#answers[status] as number) + 1
    this.#latency.record((now - lane.sinceMs) * 1000)
  }
}
