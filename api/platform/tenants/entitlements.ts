// Entitlements of tenants: the kept form of what plan and status allow, one row for each billed
// environment. Programs and endpoints read them here; billing makes them.
import type { EpochMs } from '../../../shared/clock.ts'
import type { BillingStatus } from '../../../shared/schemas/billing-subscription.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'

/** The things that a trial makes a bounded number of. */
export type Cap = 'cards_issued' | 'passes_issued' | 'identity_checks'
export type Caps = { readonly [cap in Cap]: number }

export interface Entitled {
  /** Null without a subscription. */
  plan: string | null
  status: BillingStatus
  issuing: boolean
  authorizations: boolean
  realtime: boolean
  rateFactor: number
  /** Null: no bound of a plan. */
  endpointsMax: number | null
  addons: readonly string[]
  /** Null: no caps. */
  caps: Caps | null
}

/**
 * Keeps the entitlements of the owner until `changesAt`, a moment by the tenant's clock; null:
 * until something changes them. The same row again changes nothing.
 */
export async function saveEntitlements(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { changesAt, ...entitled }: Entitled & { changesAt: EpochMs | null },
): Promise<void> {
  const caps = entitled.caps === null ? null : JSON.stringify(entitled.caps)
  await sql`
    insert into entitlements as held (tenant_id, environment, plan, status, issuing, authorizations,
      realtime, rate_factor, endpoints_max, addons, caps, changes_at)
    values (${tenantId}, ${environment}, ${entitled.plan}, ${entitled.status}, ${entitled.issuing},
      ${entitled.authorizations}, ${entitled.realtime}, ${entitled.rateFactor},
      ${entitled.endpointsMax}, ${[...entitled.addons]}, ${caps}::text::jsonb, ${changesAt})
    on conflict (tenant_id, environment) do update set
      plan = excluded.plan, status = excluded.status, issuing = excluded.issuing,
      authorizations = excluded.authorizations, realtime = excluded.realtime,
      rate_factor = excluded.rate_factor, endpoints_max = excluded.endpoints_max,
      addons = excluded.addons, caps = excluded.caps, changes_at = excluded.changes_at
    where (held.*) is distinct from (excluded.*)`
  await saveCounters(sql, { tenantId, environment }, entitled.caps)
}

/** A trial counts from its beginning; without caps nothing is counted. */
async function saveCounters(sql: TxSql, owner: Owner, caps: Caps | null): Promise<void> {
  const { tenantId, environment } = owner
  if (caps === null) {
    await sql`
      delete from entitlement_counters
      where tenant_id = ${tenantId} and environment = ${environment}`
    return
  }
  const names = Object.keys(caps)
  const bounds = Object.values(caps)
  await sql`
    insert into entitlement_counters (tenant_id, environment, cap, max)
    select ${tenantId}, ${environment}, cap, max
    from unnest(${names}::text[], ${bounds}::bigint[]) as bound (cap, max)
    on conflict do nothing`
}

/** An expression: the kept entitlements of the owner as an object, or null. */
export function entitledOf(sql: SqlTag, tenantId: Fragment, environment: Fragment): Fragment {
  return sql`(
    select jsonb_build_object('plan', plan, 'status', status, 'issuing', issuing,
      'authorizations', authorizations, 'realtime', realtime, 'rateFactor', rate_factor,
      'endpointsMax', endpoints_max, 'addons', addons, 'caps', caps)
    from entitlements e
    where e.tenant_id = ${tenantId} and e.environment = ${environment}
  )`
}

/** As they are kept now; null: the environment is not billed, and everything is allowed. */
export async function findEntitled(
  sql: SqlTag,
  { tenantId, environment }: Owner,
): Promise<Entitled | null> {
  const [row] = await sql<{ entitled: Entitled | null }[]>`
    select ${entitledOf(sql, sql`${tenantId}`, sql`${environment}`)} as entitled`
  return row?.entitled ?? null
}

/** Forgets the entitlements of the owner: everything is allowed from then on. */
export async function removeEntitlements(sql: TxSql, owner: Owner): Promise<void> {
  const { tenantId, environment } = owner
  await sql`
    delete from entitlement_counters
    where tenant_id = ${tenantId} and environment = ${environment}`
  await sql`
    delete from entitlements where tenant_id = ${tenantId} and environment = ${environment}`
}

/** Bounds that a plan sets on the number of webhook endpoints; null: none. */
export async function endpointsBound(
  sql: SqlTag,
  { tenantId, environment }: Owner,
): Promise<{ max: number; plan: string | null } | null> {
  const [row] = await sql<{ max: number | null; plan: string | null }[]>`
    select endpoints_max as max, plan from entitlements
    where tenant_id = ${tenantId} and environment = ${environment}`
  return row === undefined || row.max === null ? null : { max: row.max, plan: row.plan }
}

/** True where the plan does not forbid the add-on. */
export async function hasAddon(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  addon: string,
): Promise<boolean> {
  const [row] = await sql`
    select from entitlements
    where tenant_id = ${tenantId} and environment = ${environment} and ${addon} <> all(addons)`
  return row === undefined
}

/**
 * Counts `units` more of what a trial caps, in the transaction that makes them. Refuses with 403
 * once they are more than the cap: the row's lock keeps calls at once below it too.
 */
export async function takeFromCap(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { cap, units }: { cap: Cap; units: number },
): Promise<void> {
  const [row] = await sql<{ used: number; max: number; plan: string | null }[]>`
    update entitlement_counters c set used = used + ${units}
    where tenant_id = ${tenantId} and environment = ${environment} and cap = ${cap}
    returning used, max, (
      select plan from entitlements e
      where e.tenant_id = c.tenant_id and e.environment = c.environment
    ) as plan`
  if (row === undefined || row.used <= row.max) return
  throw new Refusal('plan_limit_reached', { extra: { max: row.max, plan: row.plan } })
}
