// Every SQL statement about programs. Each names the owner, except those for operators.
import { assert } from '../../../shared/assert.ts'
import type { ProgramState } from '../../../shared/schemas/program.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ProgramRow, ProgramSettings } from './view.ts'

function programColumns(sql: SqlTag) {
  return sql`
    id, tenant_id as "tenantId", environment, external_id as "externalId", metadata, name, status,
    suspended_by as "suspendedBy", suspend_reason as "suspendReason",
    suspended_with_tenant as "suspendedWithTenant", reject_reason as "rejectReason", currency,
    realtime, endpoint_id as "endpointId", stand_in as "standIn", stand_in_policy as "standInPolicy",
    fraud_rules as "fraudRules", hold_expiry as "holdExpiry",
    hold_adjustments as "holdAdjustments", fx_margin_bps as "fxMarginBps",
    billing_tolerance_bps as "billingToleranceBps",
    billing_mismatch_action as "billingMismatchAction", credit_limit as "creditLimit",
    time_zone as "timeZone", created_at as "createdAt"`
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

/** Filters of operators' lists of programs. */
export interface ProgramFilters extends CreatedFilters {
  tenant_id?: string
  environment?: Environment
  status?: ProgramState
}

/** Lists by id, which is the order of creation. */
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

/** Locks the program until the transaction ends; foreign keys to it do not wait. */
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

/**
 * Locks the program against changes until the transaction ends; other readers may hold the same
 * lock.
 */
export async function lockProgramOf(
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

/** Returns whether the tenant has real-time authorization. */
export async function isRealtimeEntitled(sql: TxSql, owner: Owner): Promise<boolean> {
  const [row] = await sql<{ entitled: boolean }[]>`
    select realtime_allowed(${owner.tenantId}, ${owner.environment}) as entitled`
  return row?.entitled === true
}

/** Inserts a program with the default settings. */
export async function insertProgram(
  sql: TxSql,
  owner: Owner,
  program: Pick<ProgramRow, 'id' | 'name' | 'currency' | 'status' | 'createdAt'>,
): Promise<ProgramRow> {
  const { id, name, currency, status, createdAt } = program
  const [row] = await sql<ProgramRow[]>`
    insert into programs (id, tenant_id, environment, name, currency, status, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${name}, ${currency}, ${status},
      ${createdAt})
    returning ${programColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

export async function saveProgram(
  sql: TxSql,
  owner: Owner,
  change: {
    programId: string
    own: Pick<ProgramRow, 'name' | 'externalId' | 'metadata'>
    settings: ProgramSettings
  },
): Promise<ProgramRow> {
  const { programId, own, settings } = change
  const policy = settings.standInPolicy === null ? null : JSON.stringify(settings.standInPolicy)
  const [row] = await sql<ProgramRow[]>`
    update programs set
      name = ${own.name}, external_id = ${own.externalId},
      metadata = ${JSON.stringify(own.metadata)}::text::jsonb,
      realtime = ${settings.realtime}, stand_in = ${settings.standIn},
      stand_in_policy = ${policy}::text::jsonb,
      fraud_rules = ${JSON.stringify(settings.fraudRules)}::text::jsonb,
      hold_expiry = ${JSON.stringify(settings.holdExpiry)}::text::jsonb,
      hold_adjustments = ${JSON.stringify(settings.holdAdjustments)}::text::jsonb,
      fx_margin_bps = ${settings.fxMarginBps},
      billing_tolerance_bps = ${settings.billingToleranceBps},
      billing_mismatch_action = ${settings.billingMismatchAction},
      credit_limit = ${JSON.stringify(settings.creditLimit)}::text::jsonb,
      time_zone = ${settings.timeZone}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${programId}
    returning ${programColumns(sql)}`
  assert(row !== undefined, 'a locked program does not vanish')
  return row
}

/** The state of a program, and its reason. */
export type ProgramStand = Pick<
  ProgramRow,
  'status' | 'suspendedBy' | 'suspendReason' | 'suspendedWithTenant' | 'rejectReason'
>

export async function saveStand(
  sql: TxSql,
  owner: Owner,
  change: { programId: string; stand: ProgramStand },
): Promise<ProgramRow> {
  const { programId, stand } = change
  const [row] = await sql<ProgramRow[]>`
    update programs set
      status = ${stand.status}, suspended_by = ${stand.suspendedBy},
      suspend_reason = ${stand.suspendReason},
      suspended_with_tenant = ${stand.suspendedWithTenant}, reject_reason = ${stand.rejectReason}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${programId}
    returning ${programColumns(sql)}`
  assert(row !== undefined, 'a locked program does not vanish')
  return row
}

/**
 * Returns all programs of a tenant in both environments, locked until the transaction ends, always
 * in the same order.
 */
export async function lockProgramsOf(sql: TxSql, tenantId: string): Promise<ProgramRow[]> {
  return sql<ProgramRow[]>`
    select ${programColumns(sql)} from programs where tenant_id = ${tenantId}
    order by id for no key update`
}

/** Finds a program of any tenant; for operators. */
export async function findAnyProgram(sql: SqlTag, id: string): Promise<ProgramRow | null> {
  const [row] = await sql<ProgramRow[]>`
    select ${programColumns(sql)} from programs where id = ${id}`
  return row ?? null
}

/** Lists programs of all tenants that match the filters; for operators. */
export async function listAllPrograms(
  sql: SqlTag,
  query: PageQuery & ProgramFilters,
): Promise<PageRows<ProgramRow>> {
  const { tenant_id: tenantId, environment, status } = query
  return readPage<ProgramRow>(sql, query, {
    list: 'programs',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ProgramRow[]>`
      select ${programColumns(sql)} from programs
      where ${range}
        ${tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`}
        ${environment === undefined ? sql`` : sql`and environment = ${environment}`}
        ${status === undefined ? sql`` : sql`and ${stateIs(sql, status)}`}
        ${createdWithin(sql, query)}
      ${ordered}`,
  })
}

function stateIs(sql: SqlTag, state: ProgramState): Fragment {
  if (state === 'rejected') return sql`reject_reason is not null`
  return sql`status = ${state} and reject_reason is null`
}
