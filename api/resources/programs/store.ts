// Every SQL statement about programs. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ProgramRow, ProgramSettings } from './view.ts'

function programColumns(sql: SqlTag) {
  return sql`
    id, tenant_id as "tenantId", environment, external_id as "externalId", metadata, name, status,
    suspended_by as "suspendedBy", suspend_reason as "suspendReason",
    suspended_with_tenant as "suspendedWithTenant", reject_reason as "rejectReason", currency,
    realtime, endpoint_id as "endpointId", stand_in as "standIn", stand_in_policy as "standInPolicy", 
    fraud_rules as "fraudRules", hold_expiry as "holdExpiry", hold_adjustments as "holdAdjustments", fx_margin_bps as "fxMarginBps", time_zone as "timeZone",
    created_at as "createdAt"`
}

export async function findProgram(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<ProgramRow | null> {
  const [row] = await sql<ProgramRow[]>`
    select ${programColumns(sql)} from programs
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** By id, which is the order of creation. */
export async function listPrograms(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & CreatedFilters,
): Promise<PageRows<ProgramRow>> {
  return readPage<ProgramRow>(sql, query, {
    list: 'programs',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ProgramRow[]>`
      select ${programColumns(sql)} from programs
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        and ${range}
      ${ordered}`,
  })
}

/** Holds the program until the transaction ends; a foreign key to it is not held up. */
export async function lockProgram(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<ProgramRow | null> {
  const [row] = await sql<ProgramRow[]>`
    select ${programColumns(sql)} from programs
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

/** Keeps the program as it is until the transaction ends, beside others who do the same. */
export async function holdProgram(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<ProgramRow | null> {
  const [row] = await sql<ProgramRow[]>`
    select ${programColumns(sql)} from programs
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for share`
  return row ?? null
}

/** Whether the tenant may ask before it approves. */
export async function isRealtimeEntitled(sql: TxSql, owner: Owner): Promise<boolean> {
  const [row] = await sql<{ entitled: boolean }[]>`
    select realtime_entitled as entitled from tenants where id = ${owner.tenantId}`
  return row?.entitled === true
}

export async function saveSettings(
  sql: TxSql,
  owner: Owner,
  change: { programId: string; settings: ProgramSettings },
): Promise<ProgramRow> {
  const { programId, settings } = change
  const policy = settings.standInPolicy === null ? null : JSON.stringify(settings.standInPolicy)
  const [row] = await sql<ProgramRow[]>`
    update programs set
      realtime = ${settings.realtime}, stand_in = ${settings.standIn},
      stand_in_policy = ${policy}::text::jsonb,
      fraud_rules = ${JSON.stringify(settings.fraudRules)}::text::jsonb,
      hold_expiry = ${JSON.stringify(settings.holdExpiry)}::text::jsonb,
      hold_adjustments = ${JSON.stringify(settings.holdAdjustments)}::text::jsonb,
      fx_margin_bps = ${settings.fxMarginBps}, time_zone = ${settings.timeZone}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${programId}
    returning ${programColumns(sql)}`
  assert(row !== undefined, 'a locked program does not vanish')
  return row
}
