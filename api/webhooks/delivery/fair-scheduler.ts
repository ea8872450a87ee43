// The rota: tenants in a circle, and within a tenant its endpoints in a circle, one delivery at a
// time. A tenant whose endpoints hang fills its own share and no more, and so does an endpoint
// among its tenant's others. Pure bookkeeping; the database decides which deliveries are really
// due.
import type { Lane } from '../../../shared/event-catalog.ts'
import { createConcurrencyLimits, type Effect } from './concurrency-limit.ts'

const IN_FLIGHT_MAX = 1024
const TENANT_IN_FLIGHT_MAX = 64
/** Most that a tenant may hold of the free slots, so that newcomers always find one. */
const FREE_SHARE = 1 / 4
/**
 * Reserved slots of a tenant: only an endpoint that holds few may take the last ones, and only an
 * endpoint with none the very last.
 */
const KEPT_FOR_FEW = { held: 4, slots: 16 }
const KEPT_FOR_NONE = { held: 1, slots: 8 }
/**
 * Slots that bulk leaves free for the first lane: more per tenant than the slots above, so that any
 * endpoint finds one.
 */
const TENANT_KEPT_FROM_BULK = 20
const ENDPOINT_KEPT_FROM_BULK = 1
/**
 * Part of an endpoint's slots that retries of a lane may use: a recovering endpoint also gets new
 * events.
 */
const RETRY_SHARE = 1 / 4
/** Endpoints remembered as having work; the next scan of the database finds those beyond it. */
const READY_MAX = 20_000

/** Deliveries of one endpoint that may be claimed now. */
export interface Share {
  tenantId: string
  endpointId: string
  /** Limit over all deliveries. */
  quota: number
  /** Limit of bulk within the quota. */
  bulk: number
  /** Limit of retries within the quota, by lane. */
  retries: readonly [number, number]
}

/** The kind of slot that a delivery in flight takes. */
export interface Turn {
  tenantId: string
  endpointId: string
  lane: Lane
  /** The delivery was tried before. */
  retry: boolean
}

export interface FairScheduler {
  /** There may be work for this endpoint. */
  mark(tenantId: string, endpointId: string): void
  /**
   * Takes a slot for a delivery that is being made, unless others of its endpoint wait before it or
   * no slot is free.
   */
  admit(turn: Turn): boolean
  /**
   * A fair division of the free slots, at most `slotsMax`. They stay taken until `claimed` reports
   * the result.
   */
  take(slotsMax: number): Share[]
  /** The claimed part of a share; fewer than allowed means that there is no more for now. */
  claimed(share: Share, turns: readonly Turn[]): void
  finished(turn: Turn, effect: Effect): void
  inFlight(): number
}

/** Slots in use. */
interface Held {
  all: number
  bulk: number
  retries: [number, number]
}

const NOTHING: Readonly<Held> = { all: 0, bulk: 0, retries: [0, 0] }

export function createFairScheduler(): FairScheduler {
  /** Maps and sets keep insertion order: the front is next, and a served entry goes to the back. */
  const ready = new Map<string, Set<string>>()
  /** Endpoints with a claim in progress, and whether they were marked meanwhile. */
  const asked = new Map<string, boolean>()
  /** Endpoints with more deliveries, but none before one in flight has finished. */
  const resting = new Set<string>()
  const held = new Map<string, Held>()
  const windows = createConcurrencyLimits()
  let readyCount = 0
  let inFlight = 0

  const of = (id: string): Readonly<Held> => held.get(id) ?? NOTHING

  function add(id: string, count: number, as: Pick<Turn, 'lane' | 'retry'> | null): void {
    const sum = held.get(id) ?? { all: 0, bulk: 0, retries: [0, 0] }
    sum.all += count
    if (as !== null && as.lane === 1) sum.bulk += count
    if (as?.retry === true) sum.retries[as.lane] += count
    if (sum.all === 0) held.delete(id)
    else held.set(id, sum)
  }

  /** `as` null: a requested slot. */
  function occupy(turn: Pick<Turn, 'tenantId' | 'endpointId'>, count: number, as: Turn | null) {
    inFlight += count
    add(turn.tenantId, count, as)
    add(turn.endpointId, count, as)
  }

  function remember(tenantId: string, endpointId: string): void {
    resting.delete(endpointId)
    const endpoints = ready.get(tenantId) ?? new Set()
    if (endpoints.has(endpointId) || readyCount >= READY_MAX) return
    ready.set(tenantId, endpoints.add(endpointId))
    readyCount += 1
  }

  function hasRoom(tenantId: string, endpointId: string): boolean {
    const free = IN_FLIGHT_MAX - inFlight
    const { all } = of(tenantId)
    if (free <= 0 || all >= Math.min(TENANT_IN_FLIGHT_MAX, Math.max(1, free * FREE_SHARE)))
      return false
    const own = of(endpointId).all
    const left = TENANT_IN_FLIGHT_MAX - all
    if (own >= KEPT_FOR_FEW.held && left <= KEPT_FOR_FEW.slots) return false
    if (own >= KEPT_FOR_NONE.held && left <= KEPT_FOR_NONE.slots) return false
    return own < windows.size(endpointId)
  }

  function bulkRoom(tenantId: string, endpointId: string): number {
    const ofTenant = TENANT_IN_FLIGHT_MAX - TENANT_KEPT_FROM_BULK - of(tenantId).bulk
    const own = windows.size(endpointId) - ENDPOINT_KEPT_FROM_BULK - of(endpointId).bulk
    return Math.max(0, Math.min(ofTenant, own))
  }

  function retryRoom(endpointId: string, lane: Lane): number {
    const most = Math.max(1, Math.floor(windows.size(endpointId) * RETRY_SHARE))
    return Math.max(0, most - of(endpointId).retries[lane])
  }

  /** The tenant's next endpoint with room, moved to the back of its circle. */
  function nextEndpoint(tenantId: string, endpoints: Set<string>): string | undefined {
    for (const endpointId of endpoints) {
      if (!hasRoom(tenantId, endpointId)) continue
      endpoints.delete(endpointId)
      endpoints.add(endpointId)
      return endpointId
    }
    return undefined
  }

  function take(slotsMax: number): Share[] {
    const quotas = new Map<string, { tenantId: string; quota: number }>()
    let slots = slotsMax
    // A served tenant comes again at the end of this same walk; a tenant without capacity does not.
    for (const [tenantId, endpoints] of ready) {
      if (slots === 0) break
      const endpointId = nextEndpoint(tenantId, endpoints)
      if (endpointId === undefined) continue
      ready.delete(tenantId)
      ready.set(tenantId, endpoints)
      const quota = (quotas.get(endpointId)?.quota ?? 0) + 1
      quotas.set(endpointId, { tenantId, quota })
      occupy({ tenantId, endpointId }, 1, null)
      slots -= 1
    }
    return [...quotas].map(([endpointId, { tenantId, quota }]) => ask(tenantId, endpointId, quota))
  }

  function ask(tenantId: string, endpointId: string, quota: number): Share {
    const endpoints = ready.get(tenantId)
    if (endpoints?.delete(endpointId) === true) readyCount -= 1
    if (endpoints?.size === 0) ready.delete(tenantId)
    asked.set(endpointId, false)
    const bulk = Math.min(quota, bulkRoom(tenantId, endpointId))
    const retries: [number, number] = [retryRoom(endpointId, 0), retryRoom(endpointId, 1)]
    // Counted until the answer comes, so that two concurrent claims do not give a tenant's bulk the
    // same slots.
    const tenant = held.get(tenantId)
    if (tenant !== undefined) tenant.bulk += bulk
    return { tenantId, endpointId, quota, bulk, retries }
  }

  function claimed(share: Share, turns: readonly Turn[]): void {
    const { tenantId, endpointId, quota, bulk } = share
    const tenant = held.get(tenantId)
    if (tenant !== undefined) tenant.bulk -= bulk
    const found: Held = { all: 0, bulk: 0, retries: [0, 0] }
    for (const turn of turns) {
      occupy(turn, 1, turn)
      found.all += 1
      if (turn.lane === 1) found.bulk += 1
      if (turn.retry) found.retries[turn.lane] += 1
    }
    occupy(share, -quota, null)
    const again = asked.get(endpointId) === true
    asked.delete(endpointId)
    if (found.all >= quota || again) remember(tenantId, endpointId)
    else if (reached(found, share) && of(endpointId).all > 0) resting.add(endpointId)
  }

  return {
    mark(tenantId, endpointId) {
      if (asked.has(endpointId)) asked.set(endpointId, true)
      else remember(tenantId, endpointId)
    },
    admit(turn) {
      const { tenantId, endpointId, lane } = turn
      if (asked.has(endpointId) || resting.has(endpointId)) return false
      if (ready.get(tenantId)?.has(endpointId) === true || !hasRoom(tenantId, endpointId))
        return false
      if (lane === 1 && bulkRoom(tenantId, endpointId) === 0) return false
      occupy(turn, 1, turn)
      return true
    },
    take,
    claimed,
    finished(turn, effect) {
      const { tenantId, endpointId } = turn
      occupy(turn, -1, turn)
      windows.learn(endpointId, effect)
      if (resting.has(endpointId)) remember(tenantId, endpointId)
    },
    inFlight: () => inFlight,
  }
}

/** Returns true when a limit stopped the claim, and not the end of the work. */
function reached(found: Held, { bulk, retries }: Share): boolean {
  return found.bulk >= bulk || found.retries[0] >= retries[0] || found.retries[1] >= retries[1]
}
