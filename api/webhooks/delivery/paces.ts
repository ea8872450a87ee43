// The paces of tenants in PostgreSQL. The lock on a row makes one dispatcher the only one that
// grants this tenant's permits and fans out its events; the others pass by and come again.
import type postgres from 'postgres'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantPace } from './pace.ts'

export interface TenantKey {
  tenantId: string
  environment: string
}

export function nameOf({ tenantId, environment }: TenantKey): string {
  return tenantId + ' ' + environment
}

export interface LockedPace extends TenantKey {
  pace: TenantPace
}

type PaceRow = TenantKey & Omit<TenantPace, 'moments'> & { moments: number[] }

/**
 * Locks the paces of these tenants until the transaction ends. Those that another transaction holds
 * are left out.
 */
export function lockPaces(sql: TxSql, tenants: readonly TenantKey[]): Promise<LockedPace[]> {
  return lockWanted(
    sql,
    sql`
      select * from unnest(
        ${tenants.map(({ tenantId }) => tenantId)}::text[],
        ${tenants.map(({ environment }) => environment)}::text[]
      ) as wanted (tenant_id, environment)`,
  )
}

/**
 * As `lockPaces`, of the tenants that these endpoints belong to. `endpoints` are those that exist,
 * `paces` the locked ones by endpoint; one tenant's endpoints have the same object.
 */
export async function lockPacesOfEndpoints(
  sql: TxSql,
  endpointIds: readonly string[],
): Promise<{ endpoints: ReadonlySet<string>; paces: ReadonlyMap<string, LockedPace> }> {
  const asked = sql`id = any (${[...endpointIds]}::text[])`
  const [locked, endpoints] = await Promise.all([
    lockWanted(
      sql,
      sql`select distinct tenant_id, environment from webhook_endpoints where ${asked}`,
    ),
    sql<(TenantKey & { id: string })[]>`
      select id, tenant_id as "tenantId", environment from webhook_endpoints where ${asked}`,
  ])
  const of = new Map(locked.map((one) => [nameOf(one), one]))
  const paces = new Map<string, LockedPace>()
  for (const { id, ...tenant } of endpoints) {
    const pace = of.get(nameOf(tenant))
    if (pace !== undefined) paces.set(id, pace)
  }
  return { endpoints: new Set(endpoints.map(({ id }) => id)), paces }
}

async function lockWanted(
  sql: TxSql,
  wanted: postgres.PendingQuery<postgres.Row[]>,
): Promise<LockedPace[]> {
  const rows = await sql<PaceRow[]>`
    with wanted as materialized (${wanted}),
    made as (
      insert into fan_out_pace (tenant_id, environment)
      select tenant_id, environment from wanted where not exists (
        select from fan_out_pace p
        where p.tenant_id = wanted.tenant_id and p.environment = wanted.environment
      )
      order by tenant_id, environment
      on conflict do nothing
      returning *
    ),
    locked as (
      select p.*
      from fan_out_pace p
      join wanted on p.tenant_id = wanted.tenant_id and p.environment = wanted.environment
      order by p.tenant_id, p.environment
      for update of p skip locked
    )
    select tenant_id as "tenantId", environment, moments, fan_out_step as "fanOutStep", fanned_out as "fannedOut"
    from (select * from made union all select * from locked) row
  `
  return rows.map(({ tenantId, environment, ...pace }) => ({ tenantId, environment, pace }))
}

/** Writes paces that this transaction has locked. */
export async function savePaces(sql: TxSql, paces: readonly LockedPace[]): Promise<void> {
  if (paces.length === 0) return
  await sql`
    update fan_out_pace p set
      moments = paced.moments::bigint[], fan_out_step = paced.step, fanned_out = paced.events
    from unnest(
      ${paces.map(({ tenantId }) => tenantId)}::text[],
      ${paces.map(({ environment }) => environment)}::text[],
      ${paces.map(({ pace }) => '{' + pace.moments.join(',') + '}')}::text[],
      ${paces.map(({ pace }) => pace.fanOutStep)}::bigint[],
      ${paces.map(({ pace }) => pace.fannedOut)}::integer[]
    ) as paced (tenant_id, environment, moments, step, events)
    where p.tenant_id = paced.tenant_id and p.environment = paced.environment
  `
}
