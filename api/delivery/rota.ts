// Whose turn it is: tenants in a circle, and within a tenant its endpoints in a circle, one delivery at a time. A tenant
// whose endpoints hang fills its own share and no more. Pure bookkeeping; the database decides what is really due.
const IN_FLIGHT_MAX = 512
const TENANT_IN_FLIGHT_MAX = 64
const ENDPOINT_IN_FLIGHT_MAX = 16
/** A tenant may hold at most this part of what is still free, so that newcomers always find a slot. */
const FREE_SHARE = 1 / 4
/** Endpoints remembered as having work; the next scan of the database finds those beyond it. */
const READY_MAX = 20_000

/** Up to `quota` due deliveries of one endpoint may be claimed now. */
export interface Share {
  tenantId: string
  endpointId: string
  quota: number
}

export interface Rota {
  /** There may be work for this endpoint. */
  mark(tenantId: string, endpointId: string): void
  /** A fair division of the free slots, at most `slotsMax`. Reserves nothing. */
  take(slotsMax: number): Share[]
  /** `count` deliveries of the share were claimed; fewer than its quota means that there is no more for now. */
  started(share: Share, count: number): void
  finished(tenantId: string, endpointId: string): void
  inFlight(): number
}

export function createRota(): Rota {
  /** Maps and sets keep insertion order: the front is next, whoever was served goes to the back. */
  const ready = new Map<string, Set<string>>()
  const inFlightOf = new Map<string, number>()
  let readyCount = 0
  let inFlight = 0

  function add(id: string, count: number): void {
    const sum = (inFlightOf.get(id) ?? 0) + count
    if (sum === 0) inFlightOf.delete(id)
    else inFlightOf.set(id, sum)
  }

  function forget(tenantId: string, endpointId: string): void {
    const endpoints = ready.get(tenantId)
    if (endpoints?.delete(endpointId) !== true) return
    readyCount -= 1
    if (endpoints.size === 0) ready.delete(tenantId)
  }

  /** The tenant's next endpoint with room, moved to the back of its circle. */
  function nextEndpoint(
    endpoints: Set<string>,
    given: ReadonlyMap<string, Share>,
  ): string | undefined {
    for (const endpointId of endpoints) {
      const busy = (inFlightOf.get(endpointId) ?? 0) + (given.get(endpointId)?.quota ?? 0)
      if (busy >= ENDPOINT_IN_FLIGHT_MAX) continue
      endpoints.delete(endpointId)
      endpoints.add(endpointId)
      return endpointId
    }
    return undefined
  }

  function take(slotsMax: number): Share[] {
    const given = new Map<string, Share>()
    const givenTo = new Map<string, number>()
    let free = IN_FLIGHT_MAX - inFlight
    let slots = Math.min(slotsMax, free)
    let passed = 0
    while (slots > 0 && passed < ready.size) {
      passed += 1
      const [front] = ready
      if (front === undefined) break
      const [tenantId, endpoints] = front
      ready.delete(tenantId)
      ready.set(tenantId, endpoints)
      const held = (inFlightOf.get(tenantId) ?? 0) + (givenTo.get(tenantId) ?? 0)
      if (held >= Math.min(TENANT_IN_FLIGHT_MAX, Math.max(1, free * FREE_SHARE))) continue
      const endpointId = nextEndpoint(endpoints, given)
      if (endpointId === undefined) continue
      const share = given.get(endpointId) ?? { tenantId, endpointId, quota: 0 }
      given.set(endpointId, { ...share, quota: share.quota + 1 })
      givenTo.set(tenantId, (givenTo.get(tenantId) ?? 0) + 1)
      slots -= 1
      free -= 1
      passed = 0
    }
    return [...given.values()]
  }

  return {
    mark(tenantId, endpointId) {
      if (readyCount >= READY_MAX) return
      const endpoints = ready.get(tenantId) ?? new Set()
      if (endpoints.has(endpointId)) return
      ready.set(tenantId, endpoints.add(endpointId))
      readyCount += 1
    },
    take,
    started(share, count) {
      inFlight += count
      add(share.tenantId, count)
      add(share.endpointId, count)
      if (count < share.quota) forget(share.tenantId, share.endpointId)
    },
    finished(tenantId, endpointId) {
      inFlight -= 1
      add(tenantId, -1)
      add(endpointId, -1)
    },
    inFlight: () => inFlight,
  }
}
