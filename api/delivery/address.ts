// Event → deliveries: takes outbox rows in the order of their lanes and their tenants' sequences and gives every enabled endpoint
// whose filter matches its delivery. Outbox row, deliveries and pace move in one transaction: an event is addressed exactly once.

import { randomUUID } from 'node:crypto'
import type { EpochMs } from '../../shared/clock.ts'
import type { Lane } from '../../shared/event-catalog.ts'
import { newId } from '../../shared/id.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'
import { type DueEndpoint, type LeasedDelivery, leaseUntil, readLeased } from './claim.ts'
import { type PaceQuota, paceAfter, paceQuota } from './pace.ts'
import { reopenDeliveries } from './reopen.ts'
import type { Turn } from './rota.ts'
import { dueAt, type RetrySchedule } from './verdict.ts'

/** Tenants of one round; the next round starts behind the last of them. */
const TENANTS_MAX = 64
/** Events of one transaction, shared between its tenants: few, because those of the next round wait for it. */
const EVENTS_MAX = 128

export interface TenantKey {
  tenantId: string
  environment: string
}

export interface AddressedRound {
  events: number
  /** Deliveries that had a slot at once: leased as if they had been claimed. */
  leased: readonly LeasedDelivery[]
  /** Endpoints where others wait. */
  waiting: readonly DueEndpoint[]
  /** Where the next round starts; null at the end of the circle. */
  last: TenantKey | null
}

export interface AddressInput {
  after: TenantKey | null
  now: EpochMs
  schedule: RetrySchedule
  /** Whoever leases. */
  owner: string
  /** Whether this new delivery may be sent at once. */
  admit(turn: Turn): boolean
}

/** One round of the circle of tenants with waiting events. Returns at once when there are none. */
export async function addressRound(sql: Sql, input: AddressInput): Promise<AddressedRound> {
  const tenants = await waitingTenants(sql, input.after)
  const last = tenants.length === TENANTS_MAX ? (tenants.at(-1) ?? null) : null
  if (tenants.length === 0) return { events: 0, leased: [], waiting: [], last }

  return tx(sql, async (sql) => {
    const shares = await lockShares(sql, tenants, input.now)
    const taken = await takeEvents(sql, shares)
    await savePace(sql, shares, taken, input.now)
    const made = await insertDeliveries(sql, taken, input)
    return { events: taken.length, ...made, last }
  })
}

interface TenantShare extends TenantKey {
  moments: readonly EpochMs[]
  quota: PaceQuota
}

interface TakenEvent {
  event_id: string
  tenant_id: string
  environment: string
  lane: Lane
  everyone_but: string | null
  only_endpoint: string | null
  recovery_id: string | null
}

// A loose scan: one index probe per tenant, whatever the backlog behind it.
async function waitingTenants(sql: Sql, after: TenantKey | null): Promise<TenantKey[]> {
  return sql<TenantKey[]>`
    with recursive waiting as (
      (
        select tenant_id, environment from event_outbox
        where (tenant_id, environment) > (${after?.tenantId ?? ''}, ${after?.environment ?? ''})
        order by tenant_id, environment limit 1
      )
      union all
      select next.* from waiting cross join lateral (
        select o.tenant_id, o.environment from event_outbox o
        where (o.tenant_id, o.environment) > (waiting.tenant_id, waiting.environment)
        order by o.tenant_id, o.environment limit 1
      ) next
    )
    select tenant_id as "tenantId", environment from waiting limit ${TENANTS_MAX}
  `
}

// The lock on the pace row makes one dispatcher the only one that addresses this tenant's events; the others pass by.
async function lockShares(
  sql: TxSql,
  tenants: readonly TenantKey[],
  now: EpochMs,
): Promise<TenantShare[]> {
  const tenantIds = tenants.map(({ tenantId }) => tenantId)
  const environments = tenants.map(({ environment }) => environment)
  await sql`
    insert into fan_out_pace (tenant_id, environment)
    select * from unnest(${tenantIds}::text[], ${environments}::text[])
    on conflict do nothing
  `
  const rows = await sql<{ tenant_id: string; environment: string; moments: number[] }[]>`
    select p.tenant_id, p.environment, p.moments
    from fan_out_pace p
    join unnest(${tenantIds}::text[], ${environments}::text[]) as wanted (tenant_id, environment)
      on p.tenant_id = wanted.tenant_id and p.environment = wanted.environment
    order by p.tenant_id, p.environment
    for update of p skip locked
  `
  const fairQuota = Math.max(1, Math.floor(EVENTS_MAX / tenants.length))
  return rows.map((row) => {
    const { tenant_id: tenantId, environment, moments } = row
    const { all, bulk } = paceQuota(moments, now)
    const quota = { all: Math.min(fairQuota, all), bulk: Math.min(fairQuota, bulk) }
    return { tenantId, environment, moments, quota }
  })
}

// The first lane whole before the second; of each as many as may go. Named as an array, for the reason that `claimDeliveries`
// gives.
async function takeEvents(sql: TxSql, shares: readonly TenantShare[]): Promise<TakenEvent[]> {
  const open = shares.filter(({ quota }) => quota.all > 0)
  if (open.length === 0) return []
  return sql<TakenEvent[]>`
    with taken as (
      select waiting.entry
      from unnest(
        ${open.map(({ tenantId }) => tenantId)}::text[],
        ${open.map(({ environment }) => environment)}::text[],
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

async function savePace(
  sql: TxSql,
  shares: readonly TenantShare[],
  taken: readonly TakenEvent[],
  now: EpochMs,
): Promise<void> {
  const paced = shares.flatMap((share) => {
    const { tenantId, environment } = share
    const count = taken.filter(
      (event) => event.tenant_id === tenantId && event.environment === environment,
    ).length
    const moments = paceAfter(share.moments, now, count)
    return count === 0 ? [] : [{ tenantId, environment, moments: '{' + moments.join(',') + '}' }]
  })
  if (paced.length === 0) return
  await sql`
    update fan_out_pace p set moments = paced.moments::bigint[]
    from unnest(
      ${paced.map(({ tenantId }) => tenantId)}::text[],
      ${paced.map(({ environment }) => environment)}::text[],
      ${paced.map(({ moments }) => moments)}::text[]
    ) as paced (tenant_id, environment, moments)
    where p.tenant_id = paced.tenant_id and p.environment = paced.environment
  `
}

interface Receiver {
  event_id: string
  endpoint_id: string
  tenant_id: string
  environment: string
  type: string
  lane: Lane
  recovery_id: string | null
  epoch: number
}

// The limit keeps each event a lookup of its own: joined, the planner reads all events of the tenant.
// The share lock holds off whoever disables one of these endpoints until the deliveries are there: what a disabled endpoint
// has open is held, and what comes while it is disabled is missed, never both.
async function insertDeliveries(
  sql: TxSql,
  taken: readonly TakenEvent[],
  input: AddressInput,
): Promise<Pick<AddressedRound, 'leased' | 'waiting'>> {
  if (taken.length === 0) return { leased: [], waiting: [] }
  const receivers = await sql<Receiver[]>`
    select ev.id as event_id, e.id as endpoint_id, e.tenant_id, e.environment, ev.type, taken.lane,
      taken.recovery_id, e.enabled_epoch as epoch
    from unnest(
      ${taken.map((event) => event.event_id)}::text[],
      ${taken.map((event) => event.lane)}::integer[],
      ${taken.map((event) => event.everyone_but ?? '')}::text[],
      ${taken.map((event) => event.only_endpoint ?? '')}::text[],
      ${taken.map((event) => event.recovery_id)}::text[]
    ) as taken (event_id, lane, everyone_but, only_endpoint, recovery_id)
    cross join lateral (
      select * from events where id = taken.event_id limit 1
    ) ev
    join webhook_endpoints e
      on e.tenant_id = ev.tenant_id and e.environment = ev.environment and e.status = 'enabled'
    where case
      when taken.only_endpoint <> '' then e.id = taken.only_endpoint
      when taken.everyone_but <> '' then e.id <> taken.everyone_but
      else e.event_types is null or ev.type = any (e.event_types)
    end
    order by e.id, taken.lane, ev.seq
    for share of e
  `
  const { now, schedule } = input
  const mayLeaveNow = schedule.delaysMs[0] === 0
  const recovered = receivers.filter(({ recovery_id }) => recovery_id !== null)
  const due = { cause: 'recovery', dueAt: dueAt(1, now, schedule) } as const
  const reopened = await reopenDeliveries(sql, recovered, due)
  const again = new Set(reopened.map((row) => row.event_id + row.endpoint_id))
  const rows = receivers.map((row) => {
    const first = !again.has(row.event_id + row.endpoint_id)
    return { ...row, first, leased: first && mayLeaveNow && input.admit(turnOf(row)) }
  })
  const leased = await insertFirst(
    sql,
    rows.filter(({ first }) => first),
    input,
  )
  return { leased, waiting: rows.filter((row) => !row.leased).map(turnOf) }
}

function turnOf(row: Receiver): Turn {
  return { tenantId: row.tenant_id, endpointId: row.endpoint_id, lane: row.lane, retry: false }
}

// What is sent at once is inserted as the claim would leave it, which saves the claim.
async function insertFirst(
  sql: TxSql,
  receivers: readonly (Receiver & { leased: boolean })[],
  { now, schedule, owner }: AddressInput,
): Promise<LeasedDelivery[]> {
  if (receivers.length === 0) return []
  const token = randomUUID()
  return sql<LeasedDelivery[]>`
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
}
