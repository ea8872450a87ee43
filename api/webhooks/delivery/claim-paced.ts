// A claim under the paces of its tenants: locks them, takes of each as many due deliveries as it
// has permits for, and grants those, in one transaction.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Lane } from '../../../shared/event-catalog.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { type ClaimInput, claimDeliveries, type DueEndpoint, type LeasedDelivery } from './claim.ts'
import type { Share } from './fair-scheduler.ts'
import { type Pacing, type Permit, paceAfter, paceOpensAt, paceQuota, permitNow } from './pace.ts'
import { type LockedPace, lockPacesOfEndpoints, savePaces } from './paces.ts'

/** A tenant whose pace another transaction holds is looked at again after this. */
const LOCKED_MS = 5
/** Part of a claim that retries of a lane may take: an endpoint's new deliveries go beside them. */
const RETRY_SHARE = 1 / 4

/** An endpoint for which more may be due than it had permits for. */
export interface WaitingEndpoint extends DueEndpoint {
  /** When the next permit of the lane may be granted, by the database's clock. */
  at: EpochMs
}

export interface PacedClaim {
  leased: readonly LeasedDelivery[]
  /** The unserved come before the served. */
  waiting: readonly WaitingEndpoint[]
}

export async function claimPaced(
  sql: Sql,
  input: ClaimInput & { pacing: Pacing },
): Promise<PacedClaim> {
  const { shares, pacing } = input
  return tx(sql, async (sql) => {
    const asked = shares.map(({ endpointId }) => endpointId)
    const { paces, endpoints } = await lockPacesOfEndpoints(sql, asked)
    const trimmed = trimShares(shares, paces, pacing)
    const claims = [...trimmed.values()].filter(({ quota }) => quota > 0)
    const found =
      claims.length === 0 ? [] : await claimDeliveries(sql, { ...input, shares: claims })
    const permit = permitNow(pacing)
    const leased = found.map((delivery) => ({ ...delivery, permit }))
    const granted = await grant(sql, { paces, leased, permit })
    const known = shares.filter(({ endpointId }) => endpoints.has(endpointId))
    return { leased, waiting: waitingOf(known, { trimmed, leased, paces: granted, pacing }) }
  })
}

/**
 * Divides each tenant's permits between the shares of its endpoints. A share whose tenant is not
 * locked gets none.
 */
function trimShares(
  shares: readonly Share[],
  paces: ReadonlyMap<string, LockedPace>,
  pacing: Pacing,
): ReadonlyMap<string, Share> {
  const trimmed = new Map<string, Share>()
  const of = Map.groupBy(shares, ({ endpointId }) => paces.get(endpointId))
  for (const [tenant, own] of of) {
    const left =
      tenant === undefined
        ? { all: 0, bulk: 0 }
        : paceQuota(tenant.pace.moments, pacing.nowMs(), pacing.allowanceMs())
    for (const [at, share] of own.entries()) {
      const others = own.length - at
      const quota = Math.min(share.quota, Math.ceil(left.all / others))
      const bulk = Math.min(share.bulk, quota, Math.ceil(left.bulk / others))
      left.all -= quota
      left.bulk -= bulk
      const retries = [atMost(share.retries[0], quota), atMost(share.retries[1], bulk)] as const
      trimmed.set(share.endpointId, { ...share, quota, bulk, retries })
    }
  }
  return trimmed
}

function atMost(retries: number, quota: number): number {
  return Math.min(retries, Math.max(1, Math.floor(quota * RETRY_SHARE)))
}

/** Grants a permit for each leased delivery; the paces after that, by endpoint. */
async function grant(
  sql: TxSql,
  input: {
    paces: ReadonlyMap<string, LockedPace>
    leased: readonly LeasedDelivery[]
    permit: Permit
  },
): Promise<ReadonlyMap<string, LockedPace>> {
  const { paces, leased, permit } = input
  const sends = Map.groupBy(leased, ({ endpointId }) => paces.get(endpointId))
  const after = new Map<LockedPace, LockedPace>()
  for (const [tenant, own] of sends) {
    if (tenant === undefined) continue
    const moments = paceAfter(tenant.pace.moments, permit.endsAt, own.length)
    after.set(tenant, { ...tenant, pace: { ...tenant.pace, moments } })
  }
  await savePaces(sql, [...after.values()])
  return new Map([...paces].map(([endpointId, pace]) => [endpointId, after.get(pace) ?? pace]))
}

interface Claimed {
  trimmed: ReadonlyMap<string, Share>
  leased: readonly LeasedDelivery[]
  paces: ReadonlyMap<string, LockedPace>
  pacing: Pacing
}

function waitingOf(
  shares: readonly Share[],
  { trimmed, leased, paces, pacing }: Claimed,
): readonly WaitingEndpoint[] {
  const [now, allowanceMs] = [pacing.nowMs(), pacing.allowanceMs()]
  const found = Map.groupBy(leased, ({ endpointId }) => endpointId)
  const served: WaitingEndpoint[] = []
  const unserved: WaitingEndpoint[] = []
  for (const share of shares) {
    const { tenantId, endpointId } = share
    const own = found.get(endpointId) ?? []
    const lane = laneOfMore(share, trimmed.get(endpointId) ?? share, own)
    if (lane === null) continue
    const moments = paces.get(endpointId)?.pace.moments
    const at =
      moments === undefined ? now + LOCKED_MS : paceOpensAt(moments, now, { lane, allowanceMs })
    const list = own.length === 0 ? unserved : served
    list.push({ tenantId, endpointId, lane, at })
  }
  return [...unserved, ...served]
}

/**
 * The lane in which more may be due than the permits allowed; null where nothing stopped the claim
 * but the share itself.
 */
function laneOfMore(share: Share, trimmed: Share, found: readonly LeasedDelivery[]): Lane | null {
  const stopped = (most: number, of: number, count: number): boolean => most < of && count >= most
  const urgent = found.filter(({ lane }) => lane === 0)
  const bulk = found.length - urgent.length
  if (stopped(trimmed.quota, share.quota, found.length))
    return trimmed.quota === 0 || urgent.length > 0 ? 0 : 1
  const retries = [0, 1].map((lane) => found.filter((one) => one.retry && one.lane === lane).length)
  if (stopped(trimmed.retries[0], share.retries[0], retries[0] ?? 0)) return 0
  if (stopped(trimmed.bulk, share.bulk, bulk)) return 1
  return stopped(trimmed.retries[1], share.retries[1], retries[1] ?? 0) ? 1 : null
}
