// The dispatcher's loops: address events, find due endpoints, claim and send, settle, show life. They meet only in the rota
// (whose turn it is) and in the list of ended attempts, and each survives an absent PostgreSQL on its own.

import { type Clock, sleep } from '../../shared/clock.ts'
import type { Unseal } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import { addressRound, type TenantKey } from './address.ts'
import { type Bell, createBell } from './bell.ts'
import {
  claimDeliveries,
  type DueEndpoint,
  findDueEndpoints,
  type LaneHead,
  type LeasedDelivery,
} from './claim.ts'
import { ATTEMPTS_MAX, type Send } from './delivery.ts'
import { exhaustDelivery } from './exhaust.ts'
import { openSecrets } from './open-secrets.ts'
import { ALIVE_MS, endLife, RENEW_MS, recoverAbandoned, renewLife } from './recover.ts'
import { repeat } from './repeat.ts'
import { createRota } from './rota.ts'
import { type EndedAttempt, returnDelivery, SETTLED_MAX, settleAttempts } from './settle.ts'
import { judgeAttempt, type RetrySchedule } from './verdict.ts'

/** Deliveries of one claim. */
const CLAIMED_MAX = 128
/** Pauses while there is nothing to do: new work is noticed this much later at the latest. */
const ADDRESS_IDLE_MS = 25
const SCAN_IDLE_MS = 100
const SCAN_PAGE_MS = 10
/** Waits that a bell ends. */
const WAIT_MS_MAX = 1000
/** A delivery that cannot be signed is looked at again after this. */
const UNSIGNABLE_MS = 60_000
const DRAIN_STEP_MS = 10
/** Without the farewell others notice by themselves. */
const FAREWELL_MS_MAX = 1000
/** A longer gap between two signs of life means an outage. */
const STEADY_GAP_MS_MAX = 3000

export interface DispatchOptions {
  sql: Sql
  send: Send
  unseal: Unseal
  schedule: RetrySchedule
  clock: Clock
  log: Logger
  /** Names this dispatcher in its leases; never used twice. */
  owner: string
}

export class Dispatch {
  readonly #options: DispatchOptions
  readonly #rota = createRota()
  readonly #inFlight = new Map<string, LeasedDelivery>()
  readonly #ended: EndedAttempt[] = []
  readonly #claimBell = createBell()
  readonly #settleBell = createBell()
  readonly #lifeBell = createBell()
  #takesIn = true
  #lives = true
  #steadySinceNs = 0
  #renewedNs = 0
  #tenantCursor: TenantKey | null = null
  #laneCursor: LaneHead | null = null
  #intake: Promise<unknown> = Promise.resolve()
  #outcome: Promise<unknown> = Promise.resolve()

  constructor(options: DispatchOptions) {
    this.#options = options
  }

  /** Starts all loops once the first sign of life is in the database: without it every lease would look abandoned. */
  async start(): Promise<void> {
    const { sql, clock, owner } = this.#options
    await renewLife(sql, owner)
    this.#renewedNs = this.#steadySinceNs = clock.monotonicNs()
    const takesIn = (): boolean => this.#takesIn
    const lives = (): boolean => this.#lives
    this.#outcome = Promise.all([
      this.#repeat('settle', this.#settleBell, lives, () => this.#settle()),
      this.#repeat('life', this.#lifeBell, lives, () => this.#showLife()),
    ])
    this.#intake = Promise.all([
      this.#repeat('address', createBell(), takesIn, () => this.#address()),
      this.#repeat('scan', createBell(), takesIn, () => this.#scan()),
      this.#repeat('claim', this.#claimBell, takesIn, () => this.#claim()),
    ])
  }

  /** Claims nothing more, gives what is under way `graceMs` to end, and frees the rest for others. */
  async stop(graceMs: number): Promise<void> {
    const { sql, clock, log, owner } = this.#options
    const over = new AbortController()
    const timer = clock.after(graceMs, () => over.abort())
    this.#takesIn = false
    this.#claimBell.ring()
    await Promise.race([this.#intake, sleep(graceMs, over.signal)])
    while (this.#inFlight.size > 0 && !over.signal.aborted) await sleep(DRAIN_STEP_MS)
    this.#lives = false
    this.#settleBell.ring()
    this.#lifeBell.ring()
    await Promise.race([this.#outcome, sleep(graceMs, over.signal)])
    timer.cancel()
    over.abort()
    if (this.#inFlight.size > 0) log.warn({ count: this.#inFlight.size }, 'left to others')
    await withDeadline(endLife(sql, owner), FAREWELL_MS_MAX).catch((error: unknown) =>
      log.warn({ err: error }, 'left no notice'),
    )
  }

  /** Events → deliveries. Endpoints that got one are due at once, without waiting for the next scan. */
  async #address(): Promise<number> {
    const { sql, clock, schedule } = this.#options
    const round = await addressRound(sql, {
      after: this.#tenantCursor,
      now: clock.nowMs(),
      schedule,
    })
    this.#tenantCursor = round.last
    this.#mark(round.endpoints)
    return round.events > 0 || round.last !== null ? 0 : ADDRESS_IDLE_MS
  }

  /** Finds what addressing did not announce: retries, recovered deliveries, other dispatchers' leftovers. */
  async #scan(): Promise<number> {
    const { sql, clock } = this.#options
    const found = await findDueEndpoints(sql, this.#laneCursor, clock.nowMs())
    this.#laneCursor = found.last
    this.#mark(found.endpoints)
    return found.last === null ? SCAN_IDLE_MS : SCAN_PAGE_MS
  }

  #mark(endpoints: readonly DueEndpoint[]): void {
    for (const { tenantId, endpointId } of endpoints) this.#rota.mark(tenantId, endpointId)
    if (endpoints.length > 0) this.#claimBell.ring()
  }

  async #claim(): Promise<number> {
    const { sql, clock, owner } = this.#options
    const shares = this.#rota.take(CLAIMED_MAX)
    if (shares.length === 0) return WAIT_MS_MAX
    const leased = await claimDeliveries(sql, { owner, shares, now: clock.nowMs() })
    for (const share of shares) {
      const own = leased.filter(({ endpointId }) => endpointId === share.endpointId)
      this.#rota.started(share, own.length)
    }
    for (const delivery of leased) {
      this.#inFlight.set(delivery.id, delivery)
      void this.#attempt(delivery)
    }
    return 0
  }

  /** One attempt. It stays in flight, and keeps its slot, until its result is written. */
  async #attempt(leased: LeasedDelivery): Promise<void> {
    const { send, unseal, clock, log, schedule } = this.#options
    const opened = openSecrets(unseal, leased)
    if (!opened.ok) {
      log.error({ endpoint_id: leased.endpointId, reason: opened.error }, 'cannot sign')
      await this.#giveBack(leased)
      return
    }
    const delivery = opened.value
    const outcome = await send(delivery)
    const endedAt = clock.nowMs()
    // A test is sent once: its first attempt is its last.
    const last = delivery.cause === 'test' ? ATTEMPTS_MAX : delivery.attempt
    const verdict = judgeAttempt(last, outcome, endedAt, schedule)
    const { id, eventId, resourceId, endpointId, attempt } = delivery
    const { status, errorClass, durationMs } = outcome
    log.debug(
      {
        correlation_id: resourceId,
        event_id: eventId,
        endpoint_id: endpointId,
        delivery_id: id,
        attempt,
        status,
        errorClass,
        durationMs,
      },
      verdict.kind,
    )
    this.#ended.push({ delivery, outcome, verdict, endedAt })
    this.#settleBell.ring()
  }

  async #giveBack(leased: LeasedDelivery): Promise<void> {
    const { sql, clock, log } = this.#options
    try {
      await returnDelivery(sql, leased, clock.nowMs() + UNSIGNABLE_MS)
    } catch (error) {
      // The lease runs out and the delivery is recovered.
      log.warn({ err: error, delivery_id: leased.id }, 'not given back')
    }
    this.#finish(leased)
  }

  /** Writes ended attempts. They leave the list only when they are written: an outage of the database loses none. */
  async #settle(): Promise<number> {
    const { sql, log, schedule } = this.#options
    const batch = this.#ended
      .filter(({ verdict }) => verdict.kind !== 'exhausted')
      .slice(0, SETTLED_MAX)
    if (batch.length > 0) {
      await settleAttempts(sql, batch)
      this.#forget(batch)
    }
    const exhausted = this.#ended.find(({ verdict }) => verdict.kind === 'exhausted')
    if (exhausted !== undefined) {
      const { endpointId, tenantId } = exhausted.delivery
      const end = await exhaustDelivery(sql, exhausted, schedule)
      log.info({ endpoint_id: endpointId, tenant_id: tenantId, end }, 'delivery exhausted')
      this.#forget([exhausted])
    }
    return this.#ended.length > 0 ? 0 : WAIT_MS_MAX
  }

  #forget(written: readonly EndedAttempt[]): void {
    const gone = new Set(written)
    const left = this.#ended.filter((ended) => !gone.has(ended))
    this.#ended.splice(0, this.#ended.length, ...left)
    for (const { delivery } of written) this.#finish(delivery)
  }

  #finish(delivery: { id: string; tenantId: string; endpointId: string }): void {
    this.#inFlight.delete(delivery.id)
    this.#rota.finished(delivery.tenantId, delivery.endpointId)
    this.#claimBell.ring()
  }

  async #showLife(): Promise<number> {
    const { sql, clock, owner, log } = this.#options
    await renewLife(sql, owner)
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

  #repeat(name: string, bell: Bell, running: () => boolean, step: () => Promise<number>) {
    return repeat({ name, log: this.#options.log, bell, running, step })
  }
}
