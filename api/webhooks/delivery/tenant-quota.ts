// Finds the tenants with events to fan out, and how many of the events may go now.
import type { Sql } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { fanOutQuota, type PaceQuota, type Pacing, type TenantPace } from './pace.ts'
import { lockPaces, type TenantKey } from './paces.ts'

/** Tenants of one round. */
export const TENANTS_MAX = 64
export interface TenantQuota {
  tenant: TenantKey
  pace: TenantPace
  /** Most events that could go at once. */
  most: number
  /** Events that may go in this round. */
  quota: PaceQuota
}

export interface WaitingTenants {
  tenants: readonly TenantKey[]
  /** Start of the next scan; null at the end of the circle. */
  last: TenantKey | null
}

/** A loose scan: one index probe per tenant, whatever its backlog. */
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

/** Returns those of these tenants with waiting events that go before bulk. */
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

/** Locks the paces of these tenants and divides a round between them. */
export async function lockQuotas(
  sql: TxSql,
  input: { tenants: readonly TenantKey[]; eventsMax: number; pacing: Pacing },
): Promise<TenantQuota[]> {
  const { tenants, eventsMax, pacing } = input
  const locked = await lockPaces(sql, tenants)
  const fair = Math.max(1, Math.floor(eventsMax / tenants.length))
  return locked.map(({ tenantId, environment, pace }) => {
    const { all: most, bulk } = fanOutQuota(pace, pacing.nowMs(), pacing.allowanceMs())
    const quota = { all: Math.min(fair, most), bulk: Math.min(fair, bulk) }
    return { tenant: { tenantId, environment }, pace, most, quota }
  })
}
