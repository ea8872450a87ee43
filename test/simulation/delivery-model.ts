// Deliveries on a virtual clock: the real pace, fair scheduler, concurrency limits and verdicts of
// two dispatchers over tables in memory. Endpoints hang, are overloaded and recover; dispatchers
// die with open deliveries; answers of the database get lost.

import { effectOf } from '../../api/webhooks/delivery/concurrency-limit.ts'
import type { AttemptOutcome } from '../../api/webhooks/delivery/delivery.ts'
import {
  createFairScheduler,
  type FairScheduler,
  type Share,
  type Turn,
} from '../../api/webhooks/delivery/fair-scheduler.ts'
import {
  afterFanOut,
  fanOutQuota,
  paceAfter,
  paceQuota,
  SENDS_PER_SECOND_MAX,
  type TenantPace,
} from '../../api/webhooks/delivery/pace.ts'
import { judgeAttempt } from '../../api/webhooks/delivery/verdict.ts'
import type { Lane } from '../../shared/event-catalog.ts'
import type { Random } from './random.ts'

export const DELIVERY_PLANTED = [
  'the pace is not saved',
  'an attempt is counted when it ends',
  'a claim takes what is leased',
  'what a dead one had is left',
  'every exhausted delivery disables its endpoint again',
] as const
export type DeliveryPlanted = (typeof DELIVERY_PLANTED)[number]

const TICK_MS = 5
const BUSY_MS = 8000
const QUIET_MS_MAX = 60_000
const ATTEMPT_MS_MAX = 1000
const ALIVE_MS = 1500
const LEASE_MS = 4000
const DISABLED_MS = 3000
/** Milliseconds from the record of an event until its first attempt, if no dispatcher died. */
const WAIT_MS_MAX = 1000
const DELAYS_MS = [0, 100, 200, 400, 800]

type Behaviour = 'well' | 'hangs' | 'overloaded'

interface Endpoint {
  id: string
  tenantId: string
  behaviour: Behaviour
  epoch: number
  disabledUntil: number | null
  /** Number of notices to the other endpoints, by epoch. */
  notices: Map<number, number>
}

interface Row {
  endpoint: Endpoint
  lane: Lane
  recordedAt: number
  dueAt: number
  attempts: number
  cycle: number
  epoch: number
  lease: { owner: number; token: number; until: number } | null
  sentAt: number | null
  /** Attempts of the cycle that were really sent. */
  posted: number
  state: 'open' | 'succeeded' | 'failed'
}

interface Dispatcher {
  owner: number
  scheduler: FairScheduler
}

interface Ending {
  row: Row
  dispatcher: Dispatcher
  token: number
  turn: Turn
  outcome: Pick<AttemptOutcome, 'status' | 'errorClass' | 'retryAfterMs'>
}

interface Tenant {
  id: string
  endpoints: Endpoint[]
  outbox: { lane: Lane; recordedAt: number }[]
  pace: TenantPace
  addressed: number
  sent: number[]
}

export class DeliveryModel {
  readonly #random: Random
  readonly #planted: DeliveryPlanted | null
  readonly #problems: string[] = []
  readonly #tenants: Tenant[]
  readonly #endpoints: ReadonlyMap<string, Endpoint>
  /** Open deliveries, and some that ended a moment ago. */
  readonly #rows = new Map<Endpoint, Row[]>()
  readonly #resultBuffer = new Map<number, Ending[]>()
  readonly #deaths: { owner: number; at: number }[] = []
  #dispatchers: Dispatcher[] = []
  #now = 1_000_000
  #recorded = 0
  #numbers = 0

  constructor(random: Random, planted: DeliveryPlanted | null) {
    this.#random = random
    this.#planted = planted
    this.#tenants = Array.from({ length: 8 }, (_, at) => this.#tenant('t' + at, at))
    const endpoints = this.#tenants.flatMap((tenant) => tenant.endpoints)
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
    this.#dispatchers = [this.#dispatcher(), this.#dispatcher()]
    const [bulk, flood] = this.#tenants
    for (let made = 0; made < 600; made++) this.#record(bulk as Tenant, 1)
    for (let made = 0; made < 600; made++) this.#record(flood as Tenant, 0)
  }

  /** Returns every broken rule as a sentence. */
  run(): string[] {
    const endsAt = this.#now + BUSY_MS
    for (; this.#now < endsAt + QUIET_MS_MAX; this.#now += TICK_MS) {
      const busy = this.#now < endsAt
      if (busy) this.#trouble()
      this.#endAttempts()
      this.#recover()
      for (const dispatcher of this.#dispatchers) {
        this.#address(dispatcher)
        if (this.#now % 100 === 0) this.#scan(dispatcher)
        this.#claim(dispatcher)
      }
      if (!busy && this.#isDone()) break
      if (this.#problems.length > 0) return this.#problems
    }
    if (!this.#isDone()) this.#problems.push('not everything came to an end')
    this.#checkPace()
    return this.#problems
  }

  #tenant(id: string, at: number): Tenant {
    const behaviours: Behaviour[] = ['well']
    if (at === 2 || at === 3) behaviours.push('hangs', this.#random.pick(['hangs', 'overloaded']))
    const endpoints = behaviours.map((behaviour, of) => ({
      id: id + 'e' + of,
      tenantId: id,
      behaviour,
      epoch: 1,
      disabledUntil: null,
      notices: new Map(),
    }))
    const pace = { moments: [], fanOutStep: 0, fannedOut: 0 }
    return { id, endpoints, outbox: [], pace, addressed: 0, sent: [] }
  }

  #dispatcher(): Dispatcher {
    return { owner: ++this.#numbers, scheduler: createFairScheduler() }
  }

  #record(tenant: Tenant, lane: Lane): void {
    tenant.outbox.push({ lane, recordedAt: this.#now })
    this.#recorded += 1
  }

  /** Records events, may replace a dispatcher that dies, and enables a disabled endpoint. */
  #trouble(): void {
    const random = this.#random
    const [bulk, , ...calm] = this.#tenants
    if (random.chance(0.1)) this.#record(random.pick(calm), 0)
    if (random.chance(0.01)) this.#record(bulk as Tenant, 0)
    if (!random.chance(0.0005)) return
    const dead = this.#dispatchers.shift()
    if (dead !== undefined) this.#deaths.push({ owner: dead.owner, at: this.#now })
    this.#dispatchers.push(this.#dispatcher())
  }

  #address(dispatcher: Dispatcher): void {
    for (const tenant of this.#tenants) {
      if (tenant.outbox.length === 0) continue
      const quota = fanOutQuota(tenant.pace, this.#now, 0)
      const cards = tenant.outbox.filter(({ lane }) => lane === 0).slice(0, quota.all)
      const bulk = tenant.outbox
        .filter(({ lane }) => lane === 1)
        .slice(0, Math.min(quota.bulk, quota.all - cards.length))
      const taken = new Set([...cards, ...bulk])
      if (taken.size === 0) continue
      tenant.outbox = tenant.outbox.filter((event) => !taken.has(event))
      if (this.#planted !== 'the pace is not saved')
        tenant.pace = afterFanOut(tenant.pace, this.#now, taken.size)
      for (const { lane, recordedAt } of taken) {
        tenant.addressed += 1
        for (const endpoint of tenant.endpoints) {
          // A disabled endpoint misses new events.
          if (endpoint.disabledUntil === null)
            this.#insert(dispatcher, endpoint, { lane, recordedAt })
        }
      }
    }
  }

  #insert(
    dispatcher: Dispatcher,
    endpoint: Endpoint,
    event: { lane: Lane; recordedAt: number },
  ): void {
    const row: Row = {
      ...event,
      endpoint,
      dueAt: this.#now,
      attempts: 0,
      cycle: 1,
      epoch: endpoint.epoch,
      lease: null,
      sentAt: null,
      posted: 0,
      state: 'open',
    }
    const rows = this.#rows.get(endpoint) ?? []
    this.#rows.set(endpoint, rows)
    rows.push(row)
    const { tenantId, id: endpointId } = endpoint
    const turn: Turn = { tenantId, endpointId, lane: event.lane, retry: false }
    if (this.#hasPermit(row) && dispatcher.scheduler.admit(turn)) this.#send(dispatcher, row, turn)
    else dispatcher.scheduler.mark(tenantId, endpointId)
  }

  #tenantOf({ endpoint }: Row): Tenant {
    return this.#tenants.find(({ id }) => id === endpoint.tenantId) as Tenant
  }

  #hasPermit(row: Row): boolean {
    const { all, bulk } = paceQuota(this.#tenantOf(row).pace.moments, this.#now, 0)
    return all > 0 && (row.lane === 0 || bulk > 0)
  }

  #takePermit(row: Row): void {
    const tenant = this.#tenantOf(row)
    tenant.sent.push(this.#now)
    if (this.#planted === 'the pace is not saved') return
    tenant.pace = { ...tenant.pace, moments: paceAfter(tenant.pace.moments, this.#now, 1) }
  }

  #scan({ scheduler }: Dispatcher): void {
    for (const [endpoint, all] of this.#rows) {
      const rows = all.filter(({ state }) => state === 'open')
      this.#rows.set(endpoint, rows)
      if (endpoint.disabledUntil !== null) continue
      if (rows.some((row) => this.#claimable(row))) scheduler.mark(endpoint.tenantId, endpoint.id)
    }
  }

  #claimable(row: Row): boolean {
    const free = row.lease === null || this.#planted === 'a claim takes what is leased'
    return row.state === 'open' && free && row.dueAt <= this.#now
  }

  #claim(dispatcher: Dispatcher): void {
    for (const share of dispatcher.scheduler.take(64)) {
      const due = this.#claimed(share)
      const rows = due.filter(({ row }) => this.#leaseWithPermit(dispatcher, row))
      const lost = this.#random.chance(0.001)
      const turns = rows.map(({ row, retry }) => ({
        tenantId: share.tenantId,
        endpointId: share.endpointId,
        lane: row.lane,
        retry,
      }))
      // The answer of the database got lost: the rows are leased, and the dispatcher does not know.
      dispatcher.scheduler.claimed(share, lost ? [] : turns)
      for (const [at, { row }] of rows.entries()) {
        if (!lost) this.#post(dispatcher, row, turns[at] as Turn)
      }
      if (rows.length < due.length) dispatcher.scheduler.mark(share.tenantId, share.endpointId)
    }
  }

  /**
   * Claims like the statement: of each lane first retries, then first attempts, by their due time.
   */
  #claimed(share: Share): { row: Row; retry: boolean }[] {
    const endpoint = this.#endpoints.get(share.endpointId) as Endpoint
    if (endpoint.disabledUntil !== null) return []
    const due = (this.#rows.get(endpoint) ?? []).filter((row) => this.#claimable(row))
    due.sort((a, b) => a.dueAt - b.dueAt)
    const line = (lane: Lane, retry: boolean) =>
      due.filter((row) => row.lane === lane && row.attempts > 0 === retry)
    const of = (lane: Lane, most: number) =>
      [
        ...line(lane, true)
          .slice(0, share.retries[lane])
          .map((row) => ({ row, retry: true })),
        ...line(lane, false).map((row) => ({ row, retry: false })),
      ].slice(0, most)
    return [...of(0, share.quota), ...of(1, share.bulk)].slice(0, share.quota)
  }

  #lease({ owner }: Dispatcher, row: Row): void {
    const { endpoint } = row
    const renewed = row.epoch < endpoint.epoch
    if (renewed) row.cycle += 1
    if (renewed) row.posted = 0
    row.attempts = renewed ? 0 : row.attempts
    if (this.#planted !== 'an attempt is counted when it ends') row.attempts += 1
    row.epoch = endpoint.epoch
    const token = ++this.#numbers
    row.lease = { owner, token, until: this.#now + LEASE_MS }
  }

  #leaseWithPermit(dispatcher: Dispatcher, row: Row): boolean {
    if (!this.#hasPermit(row)) return false
    const living = this.#dispatchers.some(({ owner }) => owner === row.lease?.owner)
    if (living) this.#problems.push('two attempts of one delivery at a time')
    this.#lease(dispatcher, row)
    this.#takePermit(row)
    return true
  }

  #send(dispatcher: Dispatcher, row: Row, turn: Turn): void {
    if (this.#leaseWithPermit(dispatcher, row)) this.#post(dispatcher, row, turn)
  }

  #post(dispatcher: Dispatcher, row: Row, turn: Turn): void {
    const token = row.lease?.token ?? 0
    row.posted += 1
    if (row.posted > 5) this.#problems.push('a sixth attempt in a cycle')
    if (row.sentAt === null) this.#checkWait(row)
    row.sentAt ??= this.#now
    const { afterMs, outcome } = this.#answer(row.endpoint)
    const at = this.#now + Math.max(TICK_MS, Math.ceil(afterMs / TICK_MS) * TICK_MS)
    const resultBuffer = this.#resultBuffer.get(at) ?? []
    this.#resultBuffer.set(at, resultBuffer)
    resultBuffer.push({ row, dispatcher, token, turn, outcome })
  }

  #answer({ behaviour }: Endpoint): { afterMs: number; outcome: Ending['outcome'] } {
    const random = this.#random
    const afterMs = random.below(60)
    const well = { status: 200, errorClass: null, retryAfterMs: null } as const
    if (behaviour === 'hangs')
      return {
        afterMs: ATTEMPT_MS_MAX,
        outcome: { status: null, errorClass: 'timeout', retryAfterMs: null },
      }
    if (behaviour === 'overloaded' && random.chance(0.5))
      return {
        afterMs,
        outcome: { status: 429, errorClass: 'http', retryAfterMs: random.below(5000) },
      }
    return { afterMs, outcome: well }
  }

  #endAttempts(): void {
    for (const ending of this.#resultBuffer.get(this.#now) ?? []) {
      const { row, dispatcher, token, turn, outcome } = ending
      if (!this.#dispatchers.includes(dispatcher)) continue
      dispatcher.scheduler.finished(turn, effectOf(outcome))
      if (row.lease?.token !== token) continue
      if (this.#planted === 'an attempt is counted when it ends') row.attempts += 1
      row.lease = null
      this.#judge(row, outcome)
    }
    this.#resultBuffer.delete(this.#now)
  }

  #judge(row: Row, outcome: Ending['outcome']): void {
    const schedule = { delaysMs: DELAYS_MS, random: () => this.#random.next() }
    const verdict = judgeAttempt(row.attempts, outcome, this.#now, schedule)
    if (verdict.kind === 'succeeded') row.state = 'succeeded'
    if (verdict.kind === 'retry') row.dueAt = verdict.dueAt
    if (verdict.kind !== 'exhausted') return
    const { endpoint } = row
    const again = this.#planted === 'every exhausted delivery disables its endpoint again'
    const counts = endpoint.disabledUntil === null && endpoint.epoch === row.epoch
    if (!counts && !again) return
    row.state = 'failed'
    endpoint.disabledUntil = this.#now + DISABLED_MS
    const notices = (endpoint.notices.get(endpoint.epoch) ?? 0) + 1
    endpoint.notices.set(endpoint.epoch, notices)
    if (notices > 1) this.#problems.push('an endpoint was disabled twice in one epoch')
  }

  /**
   * Recovers the leases of dead dispatchers and those whose answer got lost, and enables endpoints
   * for their tenants.
   */
  #recover(): void {
    if (this.#now % 100 !== 0) return
    const dead = this.#deaths.filter(({ at }) => at + ALIVE_MS <= this.#now)
    for (const rows of this.#rows.values()) {
      for (const row of rows) {
        const { lease } = row
        if (row.state !== 'open' || lease === null) continue
        const abandoned =
          dead.some(({ owner }) => owner === lease.owner) &&
          this.#planted !== 'what a dead one had is left'
        if (!abandoned && (lease.until > this.#now || this.#planted !== null)) continue
        row.lease = null
        row.dueAt = this.#now
        if (row.attempts < 5) continue
        row.attempts = 0
        row.cycle += 1
        row.posted = 0
      }
    }
    for (const endpoint of this.#rows.keys()) {
      if (endpoint.disabledUntil === null || endpoint.disabledUntil > this.#now) continue
      Object.assign(endpoint, { disabledUntil: null, epoch: endpoint.epoch + 1, behaviour: 'well' })
      for (const row of this.#rows.get(endpoint) ?? []) {
        if (row.state === 'open' && row.lease === null) row.dueAt = Math.min(row.dueAt, this.#now)
      }
    }
  }

  /**
   * Checks events of calm tenants, and of cards behind bulk; an endpoint that does not answer
   * delays its own events.
   */
  #checkWait({ endpoint, lane, recordedAt }: Row): void {
    const calm = endpoint.behaviour === 'well' && endpoint.epoch === 1
    if (!calm || lane === 1 || endpoint.tenantId === this.#tenants[1]?.id) return
    const waited = this.#now - recordedAt
    const deaths = this.#deaths.filter(({ at }) => at > recordedAt - LEASE_MS)
    if (waited > WAIT_MS_MAX + (deaths.length > 0 ? LEASE_MS : 0))
      this.#problems.push('an event of ' + endpoint.tenantId + ' waited ' + waited + ' ms')
  }

  #isDone(): boolean {
    return (
      this.#tenants.every(({ outbox }) => outbox.length === 0) &&
      [...this.#rows.values()].every((rows) => rows.every(({ state }) => state !== 'open'))
    )
  }

  #checkPace(): void {
    let count = 0
    for (const { id, addressed, sent } of this.#tenants) {
      count += addressed
      const tooSoon = sent.some(
        (moment, at) => (sent[at + SENDS_PER_SECOND_MAX] ?? Infinity) - moment < 1000,
      )
      if (tooSoon) this.#problems.push(id + ' had more than a hundred sends in a second')
    }
    if (count !== this.#recorded) this.#problems.push('an event was lost, or addressed twice')
  }
}
