// Event → deliveries: takes outbox rows in the order of their lanes and their tenants' sequences,
// and creates a delivery for every enabled endpoint whose filter matches. Outbox row, deliveries
// and pace change in one transaction: an event is addressed exactly once.

import { randomUUID } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { type DueEndpoint, type LeasedDelivery, leaseUntil, readLeased } from './claim.ts'
import type { Turn } from './fair-scheduler.ts'
import {
  afterFanOut,
  type PaceQuota,
  type Pacing,
  type Permit,
  paceAfter,
  paceQuota,
  permitNow,
  type TenantPace,
} from './pace.ts'
import { nameOf, savePaces, type TenantKey } from './paces.ts'
import { type Receiver, receiversOf, type TakenEvent } from './receivers.ts'
import { reopenDeliveries } from './reopen.ts'
import { lockQuotas, type TenantQuota } from './tenant-quota.ts'
import { dueAt, type RetrySchedule } from './verdict.ts'

export interface AddressedRound {
  events: number
  /** Deliveries that got a slot at once: leased as if claimed. */
  leased: readonly LeasedDelivery[]
  /** Endpoints with other deliveries waiting. */
  waiting: readonly DueEndpoint[]
  /** Tenants that used their full quota: more of their events may wait. */
  behind: readonly BehindTenant[]
  /** True when one of them could have had more at once. */
  more: boolean
}

export interface BehindTenant {
  tenant: TenantKey
  /** After this round. */
  pace: TenantPace
}

export interface AddressInput {
  tenants: readonly TenantKey[]
  /** Limit over all tenants; each gets a fair part of it, at least one. */
  eventsMax: number
  now: EpochMs
  schedule: RetrySchedule
  pacing: Pacing
  /** Dispatcher that leases. */
  owner: string
  /** Returns true when this new delivery may be sent at once. */
  admit(turn: Turn): boolean
}

/**
 * Runs one round for these tenants; it skips tenants that another dispatcher is addressing at this
 * moment.
 */
export async function addressRound(sql: Sql, input: AddressInput): Promise<AddressedRound> {
  return tx(sql, async (sql) => {
    const shares = await lockQuotas(sql, input)
    const taken = await takeEvents(sql, shares)
    const used = shares.map((share) => ({ share, ...usedOf(share, taken) }))
    const receivers = await receiversOf(sql, taken)
    const { made, paces } = await insertDeliveries(sql, { used, receivers }, input)
    const behind = used.filter(
      ({ share, all, bulk }) => all >= share.quota.all || bulk >= share.quota.bulk,
    )
    return {
      events: taken.length,
      ...made,
      behind: behind.map(({ share: { tenant, pace } }) => ({
        tenant,
        pace: paces.get(nameOf(tenant)) ?? pace,
      })),
      more: behind.some(({ share, all }) => all >= share.quota.all && all < share.most),
    }
  })
}

function usedOf({ tenant }: TenantQuota, taken: readonly TakenEvent[]): PaceQuota {
  const own = taken.filter(
    (event) => event.tenant_id === tenant.tenantId && event.environment === tenant.environment,
  )
  return { all: own.length, bulk: own.filter(({ lane }) => lane === 1).length }
}

// The whole first lane goes before the second; each lane up to its quota. Passed as an array, for
// the reason given at `claimDeliveries`.
async function takeEvents(sql: TxSql, shares: readonly TenantQuota[]): Promise<TakenEvent[]> {
  const open = shares.filter(({ quota }) => quota.all > 0)
  if (open.length === 0) return []
  return sql<TakenEvent[]>`
    with taken as (
      select waiting.entry
      from unnest(
        ${open.map(({ tenant }) => tenant.tenantId)}::text[],
        ${open.map(({ tenant }) => tenant.environment)}::text[],
        ${open.map(({ quota }) => quota.all)}::integer[],
        ${open.map(({ quota }) => quota.bulk)}::integer[]
      ) as share (tenant_id, environment, quota, bulk)
      cross join lateral (
        (
          select o.entry, o.lane, o.seq from event_outbox o
          where o.tenant_id = share.tenant_id and o.environment = share.environment and o.lane = 0
          order by o.seq, o.entry limit share.quota
        )
        union all
        (
          select o.entry, o.lane, o.seq from event_outbox o
          where o.tenant_id = share.tenant_id and o.environment = share.environment and o.lane = 1
          order by o.seq, o.entry limit share.bulk
        )
        order by lane, seq, entry limit share.quota
      ) waiting
    )
    delete from event_outbox o where o.entry = any (array(select entry from taken))
    returning o.event_id, o.tenant_id, o.environment, o.lane, o.everyone_but, o.only_endpoint, o.recovery_id
  `
}

interface UsedShare extends PaceQuota {
  share: TenantQuota
}

async function insertDeliveries(
  sql: TxSql,
  { used, receivers }: { used: readonly UsedShare[]; receivers: readonly Receiver[] },
  input: AddressInput,
): Promise<{
  made: Pick<AddressedRound, 'leased' | 'waiting'>
  paces: ReadonlyMap<string, TenantPace>
}> {
  const { now, schedule, pacing } = input
  const mayLeaveNow = schedule.delaysMs[0] === 0
  const recovered = receivers.filter(({ recovery_id }) => recovery_id !== null)
  const due = { cause: 'recovery', dueAt: dueAt(1, now, schedule) } as const
  const reopened = await reopenDeliveries(sql, recovered, due)
  const again = new Set(reopened.map((row) => row.event_id + row.endpoint_id))
  const permits = permitsOf(used, pacing)
  const rows = receivers.map((row) => {
    const first = !again.has(row.event_id + row.endpoint_id)
    return { ...row, first, leased: first && mayLeaveNow && takesPermit(permits, row, input) }
  })
  const permit = permitNow(pacing)
  const paces = pacesAfter(used, { rows, permit, pacing })
  // The two statements do not depend on each other's answers.
  const [leased] = await Promise.all([
    insertFirst(
      sql,
      rows.filter(({ first }) => first),
      { ...input, permit },
    ),
    savePaces(
      sql,
      used.flatMap(({ share: { tenant, pace } }) => {
        const after = paces.get(nameOf(tenant)) ?? pace
        return after === pace ? [] : [{ ...tenant, pace: after }]
      }),
    ),
  ])
  return { made: { leased, waiting: rows.filter((row) => !row.leased).map(waitingOf) }, paces }
}

/** Permits that may be granted, by tenant. */
function permitsOf(used: readonly UsedShare[], pacing: Pacing): Map<string, PaceQuota> {
  const now = pacing.nowMs()
  return new Map(
    used.map(({ share: { tenant, pace } }) => [
      nameOf(tenant),
      paceQuota(pace.moments, now, pacing.allowanceMs()),
    ]),
  )
}

function takesPermit(
  permits: ReadonlyMap<string, PaceQuota>,
  row: Receiver,
  { admit }: AddressInput,
): boolean {
  const left = permits.get(nameOf({ tenantId: row.tenant_id, environment: row.environment }))
  if (left === undefined || left.all === 0 || (row.lane === 1 && left.bulk === 0)) return false
  if (!admit(turnOf(row))) return false
  left.all -= 1
  left.bulk = Math.max(0, left.bulk - 1)
  return true
}

function pacesAfter(
  used: readonly UsedShare[],
  { rows, permit, pacing }: Granted,
): Map<string, TenantPace> {
  const sends = new Map<string, number>()
  for (const { tenant_id: tenantId, environment, leased } of rows) {
    const name = nameOf({ tenantId, environment })
    if (leased) sends.set(name, (sends.get(name) ?? 0) + 1)
  }
  return new Map(
    used.map(({ share: { tenant, pace }, all }) => {
      const fannedOut = afterFanOut(pace, pacing.nowMs(), all)
      const count = sends.get(nameOf(tenant)) ?? 0
      if (count === 0) return [nameOf(tenant), fannedOut]
      const moments = paceAfter(pace.moments, permit.endsAt, count)
      return [nameOf(tenant), { ...fannedOut, moments }]
    }),
  )
}

interface Granted {
  rows: readonly (Receiver & { leased: boolean })[]
  permit: Permit
  pacing: Pacing
}

function waitingOf(row: Receiver): DueEndpoint {
  return { tenantId: row.tenant_id, endpointId: row.endpoint_id, lane: row.lane }
}

function turnOf(row: Receiver): Turn {
  return { tenantId: row.tenant_id, endpointId: row.endpoint_id, lane: row.lane, retry: false }
}

// Deliveries sent at once are inserted in the state the claim would leave, which saves the claim.
async function insertFirst(
  sql: TxSql,
  receivers: readonly (Receiver & { leased: boolean })[],
  { now, schedule, owner, permit }: AddressInput & { permit: Permit },
): Promise<LeasedDelivery[]> {
  if (receivers.length === 0) return []
  const token = randomUUID()
  const leased = await sql<Omit<LeasedDelivery, 'permit'>[]>`
    with made as (
      insert into open_deliveries (
        id, event_id, endpoint_id, tenant_id, environment, type, cause, recovery_id, lane, epoch, due_at, created_at,
        attempts, lease_token, lease_owner, lease_until
      )
      select id, event_id, endpoint_id, tenant_id, environment, type,
        case when recovery_id is null then 'event' else 'recovery' end, recovery_id, lane, epoch, due_at, ${now},
        leased, case leased when 1 then ${token}::uuid end, case leased when 1 then ${owner} end,
        case leased when 1 then ${leaseUntil(sql)} else 0 end
      from unnest(
        ${receivers.map(() => newId('dlv', now))}::text[],
        ${receivers.map((row) => row.event_id)}::text[],
        ${receivers.map((row) => row.endpoint_id)}::text[],
        ${receivers.map((row) => row.tenant_id)}::text[],
        ${receivers.map((row) => row.environment)}::text[],
        ${receivers.map((row) => row.type)}::text[],
        ${receivers.map((row) => row.recovery_id)}::text[],
        ${receivers.map((row) => row.lane)}::integer[],
        ${receivers.map((row) => row.epoch)}::integer[],
        ${receivers.map(() => dueAt(1, now, schedule))}::bigint[],
        ${receivers.map((row) => (row.leased ? 1 : 0))}::integer[]
      ) as row (
        id, event_id, endpoint_id, tenant_id, environment, type, recovery_id, lane, epoch, due_at, leased
      )
      returning *
    ),
    leased as (select made.*, false as retry from made where lease_token is not null)
    ${readLeased(sql)}
  `
  return leased.map((delivery) => ({ ...delivery, permit }))
}
