// The dispatcher's loops: address events, find due endpoints, claim and send, settle, renew the
// heartbeat. The loops share only the rota (which endpoint is next) and the ended attempts, and
// each survives an absent PostgreSQL on its own.
import { type Clock, type EpochMs, sleep } from '../../../shared/clock.ts'
import type { Unseal } from '../../../shared/keyring.ts'
import type { Logger } from '../../../shared/log.ts'
import { ClockWatch } from '../../database/clock-watch.ts'
import { withDeadline } from '../../database/deadline.ts'
import type { Sql } from '../../database/pool.ts'
import { createSignal, type Signal } from '../../jobs/signal.ts'
import { repeat } from '../../jobs/worker-loop.ts'
import type { Traces } from '../../tracing/span.ts'
import { Allowance } from './allowance.ts'
import { describeAttempt } from './attempt-line.ts'
import { attemptSpan, attemptTraceparent } from './attempt-span.ts'
import type { DueEndpoint, LeasedDelivery } from './claim.ts'
import { claimPaced } from './claim-paced.ts'
import { type Effect, effectOf } from './concurrency-limit.ts'
import { ATTEMPTS_MAX, type Send } from './delivery.ts'
import { expireLeased } from './expire.ts'
import { FanOut } from './fan-out.ts'
import { openLeased } from './open-leased.ts'
import type { Pacing } from './pace.ts'
import { PacedRota } from './paced-rota.ts'
import { ALIVE_MS, deregister, heartbeat, RENEW_MS, recoverAbandoned } from './recover.ts'
import { ResultBuffer } from './result-buffer.ts'
import { Scan } from './scan.ts'
import { type EndedAttempt, returnDelivery } from './settle.ts'
import { Stages } from './stages.ts'
import { judgeAttempt, type RetrySchedule } from './verdict.ts'

/** Deliveries of one claim. */
const CLAIMED_MAX = 256
/** Longest wait in milliseconds; a signal ends it early. */
const WAIT_MS_MAX = 1000
/** Milliseconds until a delivery that cannot be signed is tried again. */
const UNSIGNABLE_MS = 60_000
const DRAIN_STEP_MS = 10
/** Milliseconds to deregister; without it other dispatchers notice by themselves. */
const DEREGISTER_MS_MAX = 1000
/** A longer gap between two heartbeats means an outage. */
const STEADY_GAP_MS_MAX = 3000

type Watch = Pick<ClockWatch, 'agrees' | 'reason' | 'aheadMs' | 'compare'>

export interface DispatchOptions {
  sql: Sql
  send: Send
  unseal: Unseal
  schedule: RetrySchedule
  clock: Clock
  /** Tells whether the clock is trusted; a strict watch by default. */
  watch?: Watch
  log: Logger
  /** Names this dispatcher in its leases; never reused. */
  owner: string
  /** Absent: off. */
  traces?: Traces
}

export class Dispatch {
  readonly watch: Watch
  /** Durations of the stages. */
  readonly stages = new Stages()
  readonly #options: DispatchOptions
  readonly #allowance = new Allowance()
  readonly #pacing: Pacing
  readonly #scheduler: PacedRota
  readonly #inFlight = new Map<string, LeasedDelivery>()
  readonly #resultBuffer: ResultBuffer
  readonly #fanOut: FanOut
  readonly #claimSignal = createSignal()
  readonly #heartbeatSignal = createSignal()
  #takesIn = true
  #lives = true
  #steadySinceNs = 0
  #renewedNs = Number.NEGATIVE_INFINITY
  readonly #scan = new Scan()
  #intake: Promise<unknown> = Promise.resolve()
  #outcome: Promise<unknown> = Promise.resolve()

  constructor(options: DispatchOptions) {
    this.#options = options
    this.watch = options.watch ?? new ClockWatch(options)
    this.#pacing = {
      nowMs: () => Math.floor(options.clock.nowMs() - this.watch.aheadMs),
      allowanceMs: () => this.#allowance.ms,
    }
    this.#scheduler = new PacedRota(this.#pacing)
    this.#resultBuffer = new ResultBuffer({ ...options, written: (ended) => this.#written(ended) })
    this.#fanOut = new FanOut({
      ...options,
      pacing: this.#pacing,
      admit: (turn) => this.#scheduler.admit(turn),
      refused: (turns) => {
        for (const turn of turns) this.#scheduler.finished(turn, 'nothing')
      },
      // Deliveries with a slot leave at once; endpoints with other deliveries are due without
      // waiting for a scan.
      addressed: ({ leased, waiting }) => {
        this.#begin(leased)
        this.#mark(waiting)
      },
    })
  }

  /**
   * Starts all loops once the first heartbeat is in the database: without it every lease would look
   * abandoned.
   */
  async start(): Promise<void> {
    await this.#heartbeat()
    this.#renewedNs = this.#steadySinceNs = this.#options.clock.monotonicNs()
    const takesIn = (): boolean => this.#takesIn
    const lives = (): boolean => this.#lives
    const believing = (step: () => Promise<number>) => async () =>
      this.watch.agrees ? step() : WAIT_MS_MAX
    this.#outcome = Promise.all([
      this.#repeat('settle', this.#resultBuffer.settleSignal, lives, () =>
        this.#resultBuffer.settle(),
      ),
      this.#repeat('exhaust', this.#resultBuffer.exhaustSignal, lives, () =>
        this.#resultBuffer.exhaust(),
      ),
      this.#repeat('life', this.#heartbeatSignal, lives, () => this.#renewAndRecover()),
    ])
    const take = (name: string, wake: Signal, step: () => Promise<number>): Promise<void> =>
      this.#repeat(name, wake, takesIn, believing(step))
    this.#intake = Promise.all([
      take('address', createSignal(), () => this.#fanOut.calm()),
      take('catch up', this.#fanOut.behindSignal, () => this.#fanOut.catchUp()),
      take('scan', createSignal(), () => this.#walk()),
      take('claim', this.#claimSignal, () => this.#claim()),
    ])
  }

  /**
   * Claims no more deliveries, gives those in flight `graceMs` to end, and frees the rest for other
   * dispatchers.
   */
  async stop(graceMs: number): Promise<void> {
    const { sql, clock, log, owner } = this.#options
    const over = new AbortController()
    const timer = clock.after(graceMs, () => over.abort())
    this.#takesIn = false
    this.#fanOut.behindSignal.raise()
    this.#claimSignal.raise()
    await Promise.race([this.#intake, sleep(graceMs, over.signal)])
    while (this.#inFlight.size > 0 && !over.signal.aborted) await sleep(DRAIN_STEP_MS)
    this.#lives = false
    this.#resultBuffer.settleSignal.raise()
    this.#resultBuffer.exhaustSignal.raise()
    this.#heartbeatSignal.raise()
    await Promise.race([this.#outcome, sleep(graceMs, over.signal)])
    timer.cancel()
    over.abort()
    if (this.#inFlight.size > 0)
      log.warn(
        { count: this.#inFlight.size },
        'deliveries in flight were left to other dispatchers',
      )
    await withDeadline(deregister(sql, owner), DEREGISTER_MS_MAX).catch((error: unknown) =>
      log.warn({ err: error }, 'the dispatcher could not deregister'),
    )
  }

  /** How long its permits can be used at the moment, in milliseconds. */
  get allowanceMs(): number {
    return this.#allowance.ms
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Due time of the oldest delivery that waits for a slot; null when none waits. */
  get oldestDueAt(): EpochMs | null {
    return this.#scan.oldestDueAt
  }

  /** The reason no delivery is sent now; null while sending. */
  unready(): string | null {
    const silentMs = (this.#options.clock.monotonicNs() - this.#renewedNs) / 1e6
    return silentMs > ALIVE_MS ? 'the database does not answer' : this.watch.reason
  }

  async #walk(): Promise<number> {
    const { sql, clock } = this.#options
    const { endpoints, pauseMs } = await this.#scan.next(sql, clock.nowMs())
    this.#mark(endpoints)
    return pauseMs
  }

  #mark(endpoints: readonly DueEndpoint[]): void {
    for (const endpoint of endpoints) this.#scheduler.mark(endpoint)
    if (endpoints.length > 0) this.#claimSignal.raise()
  }

  async #claim(): Promise<number> {
    const { sql, clock, owner } = this.#options
    const shares = this.#scheduler.take(CLAIMED_MAX)
    if (shares.length === 0) return this.#scheduler.untilPermits(WAIT_MS_MAX)
    const input = { owner, shares, now: clock.nowMs(), pacing: this.#pacing }
    const claim = await claimPaced(sql, input).catch((error: unknown) => {
      this.#scheduler.claimed(shares, { leased: [], waiting: [] })
      throw error
    })
    this.#scheduler.claimed(shares, claim)
    this.#begin(claim.leased)
    return 0
  }

  #begin(leased: readonly LeasedDelivery[]): void {
    for (const delivery of leased) {
      this.#inFlight.set(delivery.id, delivery)
      void this.#attempt(delivery)
    }
  }

  /** One attempt. It stays in flight, and keeps its slot, until its result is written. */
  async #attempt(leased: LeasedDelivery): Promise<void> {
    const { send, unseal, clock, log, schedule, traces } = this.#options
    const begunAt = clock.nowMs()
    this.stages.begun(leased, begunAt)
    const { body } = leased
    if (body === null) return this.#expire(leased)
    const opened = openLeased(unseal, { ...leased, body })
    if (!opened.ok) {
      log.error(
        { endpoint_id: leased.endpointId, reason: opened.error },
        'the delivery cannot be sent',
      )
      await this.#giveBack(leased, clock.nowMs() + UNSIGNABLE_MS)
      return
    }
    const delivery = opened.value
    const { aheadMs } = this.watch
    const { grantedAt, endsAt } = leased.permit
    const outcome = await send({
      ...delivery,
      sendBy: endsAt + aheadMs,
      ...(traces && { traceparent: attemptTraceparent(delivery, traces.share) }),
    })
    const endedAt = clock.nowMs()
    this.#allowance.observe(outcome.startedAt - aheadMs - grantedAt)
    if (outcome.errorClass === 'too_late') {
      await this.#giveBack(leased, endedAt)
      this.#mark([leased])
      return
    }
    // A test is sent once: its first attempt is its last.
    const last = delivery.cause === 'test' ? ATTEMPTS_MAX : delivery.attempt
    const verdict = judgeAttempt(last, outcome, endedAt, schedule)
    const ended = { delivery, outcome, verdict, endedAt }
    if (log.isLevelEnabled('debug')) log.debug(describeAttempt(ended), verdict.kind)
    traces?.record([attemptSpan(ended)])
    this.stages.answered(begunAt, ended)
    this.#resultBuffer.add(ended)
  }

  async #expire(leased: LeasedDelivery): Promise<void> {
    const { sql, clock, log } = this.#options
    try {
      await expireLeased(sql, leased, clock.nowMs())
    } catch (error) {
      // The lease runs out; the next dispatcher that claims the delivery ends it.
      log.warn({ err: error, delivery_id: leased.id }, 'the attempt was not ended')
    }
    this.#finish(leased.id, 'nothing')
  }

  async #giveBack(leased: LeasedDelivery, dueAt: EpochMs): Promise<void> {
    const { sql, log } = this.#options
    try {
      await returnDelivery(sql, leased, dueAt)
    } catch (error) {
      // The lease runs out and the delivery is recovered.
      log.warn({ err: error, delivery_id: leased.id }, 'the attempt was not given back')
    }
    this.#finish(leased.id, 'nothing')
  }

  #written(ended: EndedAttempt): void {
    this.stages.written(ended, this.#options.clock.nowMs())
    this.#finish(ended.delivery.id, effectOf(ended.outcome))
  }

  #finish(deliveryId: string, effect: Effect): void {
    const leased = this.#inFlight.get(deliveryId)
    if (leased === undefined) return
    this.#inFlight.delete(deliveryId)
    this.#scheduler.finished(leased, effect)
    this.#claimSignal.raise()
  }

  async #heartbeat(): Promise<void> {
    const { sql, owner } = this.#options
    await this.watch.compare(() => heartbeat(sql, owner))
  }

  async #renewAndRecover(): Promise<number> {
    const { sql, clock, owner, log } = this.#options
    await this.#heartbeat()
    const nowNs = clock.monotonicNs()
    if (nowNs - this.#renewedNs > STEADY_GAP_MS_MAX * 1e6) this.#steadySinceNs = nowNs
    this.#renewedNs = nowNs
    const recovered = await recoverAbandoned(sql, {
      owner,
      inFlight: [...this.#inFlight.keys()],
      steady: nowNs - this.#steadySinceNs >= ALIVE_MS * 1e6,
      now: clock.nowMs(),
    })
    if (recovered > 0) log.info({ count: recovered }, 'recovered abandoned deliveries')
    return RENEW_MS
  }

  #repeat(name: string, wake: Signal, running: () => boolean, step: () => Promise<number>) {
    const { clock, log } = this.#options
    const timed = async (): Promise<number> => {
      const beganNs = clock.monotonicNs()
      const pauseMs = await step()
      this.stages.round(name, (clock.monotonicNs() - beganNs) / 1e6)
      return pauseMs
    }
    return repeat({ name, log, wake, running, step: timed })
  }
}
