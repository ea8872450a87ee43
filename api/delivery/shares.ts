// Which tenants have events to be fanned out, and how many of them may go now.
import type { EpochMs } from '../../shared/clock.ts'
import type { Sql } from '../database/pool.ts'
import type { TxSql } from '../database/transaction.ts'
import { isSteady, type PaceQuota, paceAfter, paceQuota } from './pace.ts'

/** Tenants of one round. */
export const TENANTS_MAX = 64
/**
 * What a tenant gets of a round that asks for its hundred events in every second. It gets them evenly, and not all at the
 * beginning of the second: the others would feel it, most of all where several do so at the same moment.
 */
const STEADY_MAX = 5

export interface TenantKey {
  tenantId: string
  environment: string
}

export interface TenantShare {
  tenant: TenantKey
  moments: readonly EpochMs[]
  /** How many could go at once. */
  most: number
  /** How many of them may go in this round. */
  quota: PaceQuota
}

export interface WaitingTenants {
  tenants: readonly TenantKey[]
  /** Where the next scan starts; null at the end of the circle. */
  last: TenantKey | null
}

/** A loose scan: one index probe per tenant, whatever the backlog behind it. */
export async function findWaitingTenants(
  sql: Sql,
  { after, except }: { after: TenantKey | null; except: readonly TenantKey[] },
): Promise<WaitingTenants> {
  const tenants = await sql<TenantKey[]>`
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
    select tenant_id as "tenantId", environment from waiting
    where (tenant_id, environment) not in (
      select * from unnest(
        ${except.map(({ tenantId }) => tenantId)}::text[],
        ${except.map(({ environment }) => environment)}::text[]
      )
    )
    limit ${TENANTS_MAX}
  `
  return { tenants, last: tenants.length === TENANTS_MAX ? (tenants.at(-1) ?? null) : null }
}

/** Those of these tenants that have something waiting which goes before bulk. */
export async function findUrgentTenants(
  sql: Sql,
  tenants: readonly TenantKey[],
): Promise<TenantKey[]> {
  if (tenants.length === 0) return []
  return sql<TenantKey[]>`
    select tenant_id as "tenantId", environment
    from unnest(
      ${tenants.map(({ tenantId }) => tenantId)}::text[],
      ${tenants.map(({ environment }) => environment)}::text[]
    ) as asked (tenant_id, environment)
    where exists (
      select from event_outbox o
      where o.tenant_id = asked.tenant_id and o.environment = asked.environment and o.lane = 0
    )`
}

/** The lock on the pace row makes one dispatcher the only one that addresses this tenant's events; the others pass by. */
export async function lockShares(
  sql: TxSql,
  { tenants, eventsMax, now }: { tenants: readonly TenantKey[]; eventsMax: number; now: EpochMs },
): Promise<TenantShare[]> {
  const rows = await sql<(TenantKey & { moments: number[] })[]>`
    with wanted as materialized (
      select * from unnest(
        ${tenants.map(({ tenantId }) => tenantId)}::text[],
        ${tenants.map(({ environment }) => environment)}::text[]
      ) as wanted (tenant_id, environment)
    ),
    made as (
      insert into fan_out_pace (tenant_id, environment)
      select tenant_id, environment from wanted where not exists (
        select from fan_out_pace p
        where p.tenant_id = wanted.tenant_id and p.environment = wanted.environment
      )
      order by tenant_id, environment
      on conflict do nothing
      returning tenant_id, environment, moments
    ),
    locked as (
      select p.tenant_id, p.environment, p.moments
      from fan_out_pace p
      join wanted on p.tenant_id = wanted.tenant_id and p.environment = wanted.environment
      order by p.tenant_id, p.environment
      for update of p skip locked
    )
    select tenant_id as "tenantId", environment, moments from made
    union all select tenant_id, environment, moments from locked
  `
  const fair = Math.max(1, Math.floor(eventsMax / tenants.length))
  return rows.map(({ tenantId, environment, moments }) => {
    const pace = paceQuota(moments, now)
    const most = isSteady(moments, now) ? Math.min(STEADY_MAX, pace.all) : pace.all
    const quota = { all: Math.min(fair, most), bulk: Math.min(fair, pace.bulk) }
    return { tenant: { tenantId, environment }, moments, most, quota }
  })
}

/** `all`: how many events of the share went. */
export async function savePace(
  sql: TxSql,
  used: readonly { share: TenantShare; all: number }[],
  now: EpochMs,
): Promise<void> {
  const paced = used.flatMap(({ share, all }) => {
    const moments = paceAfter(share.moments, now, all)
    return all === 0 ? [] : [{ ...share.tenant, moments: '{' + moments.join(',') + '}' }]
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
