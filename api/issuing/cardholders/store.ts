// Every SQL statement about cardholders. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Kyc, Screening } from '../../../shared/schemas/cardholder.ts'
import type { CardholderStatus } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { CardholderRow, Details, Freeze } from './view.ts'

/** A freeze without an author dates from before authors were stored. */
function cardholderColumns(sql: SqlTag) {
  return sql`
    id, environment, program_id as "programId", name, status, details, identity as kyc, screening, frozen,
    case when frozen and freezes = '[]'
      then jsonb_build_array(jsonb_build_object('by', 'tenant', 'reason', frozen_reason))
      else freezes end as freezes,
    external_id as "externalId", metadata, created_at as "createdAt",
    erased_at as "erasedAt"`
}

export async function findCardholder(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<CardholderRow | null> {
  const [row] = await sql<CardholderRow[]>`
    select ${cardholderColumns(sql)} from cardholders
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface CardholderFilters extends CreatedFilters {
  status?: CardholderStatus
  program_id?: string
  /** Compared without regard to case. */
  email?: string
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listCardholders(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & CardholderFilters,
): Promise<PageRows<CardholderRow>> {
  const { status, program_id, email, external_id } = query
  return readPage<CardholderRow>(sql, query, {
    list: 'cardholders',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<CardholderRow[]>`
      select ${cardholderColumns(sql)} from cardholders
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithinIds(sql, 'ch', owner, query)}
        ${status === undefined ? sql`` : ofStatus(sql, status)}
        ${program_id === undefined ? sql`` : sql`and program_id = ${program_id}`}
        ${email === undefined ? sql`` : sql`and details ->> 'email' is not null and lower(details ->> 'email') = lower(${email})`}
        ${external_id === undefined ? sql`` : sql`and external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/** The condition matches the partial index literally: a parameter would rule it out. */
function ofStatus(sql: SqlTag, status: CardholderStatus): Fragment {
  return sql`and status = ${status} ${status === 'active' ? sql`` : sql`and status <> 'active'`}`
}

/** Locks the cardholder until the transaction ends; foreign keys to it do not wait. */
export async function lockCardholder(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<CardholderRow | null> {
  const [row] = await sql<CardholderRow[]>`
    select ${cardholderColumns(sql)} from cardholders
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

/**
 * Locks the cardholder against freezes and rejections until the transaction ends; other readers may
 * hold the same lock.
 */
export async function lockCardholderOf(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<CardholderRow | null> {
  const [row] = await sql<CardholderRow[]>`
    select ${cardholderColumns(sql)} from cardholders
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for share`
  return row ?? null
}

/** The data that a tenant gives about a cardholder. */
export interface Profile {
  name: string
  status: CardholderStatus
  details: Details
  tenantFields: TenantFields
}

export async function insertCardholder(
  sql: TxSql,
  owner: Owner,
  { id, programId, said, now }: { id: string; programId: string; said: Profile; now: EpochMs },
): Promise<CardholderRow> {
  const [row] = await sql<CardholderRow[]>`
    insert into cardholders (
      id, tenant_id, environment, program_id, name, status, details, external_id, metadata, created_at
    ) values (
      ${id}, ${owner.tenantId}, ${owner.environment}, ${programId}, ${said.name}, ${said.status},
      ${JSON.stringify(said.details)}::text::jsonb, ${said.tenantFields.externalId},
      ${JSON.stringify(said.tenantFields.metadata)}::text::jsonb, ${now}
    )
    returning ${cardholderColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Saves the profile of a locked cardholder, like the five functions below. */
export async function saveSaid(
  sql: TxSql,
  owner: Owner,
  { cardholderId, said }: { cardholderId: string; said: Profile },
): Promise<CardholderRow> {
  const [row] = await sql<CardholderRow[]>`
    update cardholders set name = ${said.name}, status = ${said.status},
      details = ${JSON.stringify(said.details)}::text::jsonb,
      external_id = ${said.tenantFields.externalId},
      metadata = ${JSON.stringify(said.tenantFields.metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardholderId}
    returning ${cardholderColumns(sql)}`
  assert(row !== undefined, 'a locked cardholder does not vanish')
  return row
}

/** A cardholder is frozen while any freeze is left. */
export async function saveFreezes(
  sql: TxSql,
  owner: Owner,
  { cardholderId, freezes }: { cardholderId: string; freezes: readonly Freeze[] },
): Promise<CardholderRow> {
  const [row] = await sql<CardholderRow[]>`
    update cardholders set frozen = ${freezes.length > 0},
      frozen_reason = ${freezes[0]?.reason ?? null},
      freezes = ${JSON.stringify(freezes)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardholderId}
    returning ${cardholderColumns(sql)}`
  assert(row !== undefined, 'a locked cardholder does not vanish')
  return row
}

export async function saveKyc(
  sql: TxSql,
  owner: Owner,
  { cardholderId, kyc }: { cardholderId: string; kyc: Kyc },
): Promise<CardholderRow> {
  const [row] = await sql<CardholderRow[]>`
    update cardholders set identity = ${JSON.stringify(kyc)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardholderId}
    returning ${cardholderColumns(sql)}`
  assert(row !== undefined, 'a locked cardholder does not vanish')
  return row
}

/**
 * `number` is that of the lists they were screened under. An unchanged row is not written, because
 * the engine would get it again.
 */
export async function saveScreening(
  sql: TxSql,
  owner: Owner,
  change: { cardholderId: string; screening: Screening; number: number },
): Promise<CardholderRow> {
  const { cardholderId, screening, number } = change
  const [row] = await sql<CardholderRow[]>`
    update cardholders set screening = ${JSON.stringify(screening)}::text::jsonb,
      screened_under = ${number}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardholderId}
      and (screening, screened_under)
        is distinct from (${JSON.stringify(screening)}::text::jsonb, ${number}::bigint)
    returning ${cardholderColumns(sql)}`
  const saved = row ?? (await lockCardholder(sql, owner, cardholderId))
  assert(saved !== null, 'a locked cardholder does not vanish')
  return saved
}

/** The summary of a cardholder's alerts. */
export type ScreeningState = Pick<Screening, 'status' | 'open_alert_ids'>

export async function saveScreeningState(
  sql: TxSql,
  owner: Owner,
  { cardholderId, screeningState }: { cardholderId: string; screeningState: ScreeningState },
): Promise<CardholderRow> {
  const [row] = await sql<CardholderRow[]>`
    update cardholders set screening = screening || ${JSON.stringify(screeningState)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardholderId}
    returning ${cardholderColumns(sql)}`
  assert(row !== undefined, 'a locked cardholder does not vanish')
  return row
}

/**
 * Finds the owner of a cardholder for an operator, and converts `now` from the installation's time
 * to the tenant's clock.
 */
export async function findOwner(
  sql: TxSql,
  cardholderId: string,
  now: EpochMs,
): Promise<(Owner & { now: EpochMs }) | null> {
  const [row] = await sql<(Owner & { now: EpochMs })[]>`
    select tenant_id as "tenantId", environment,
      ${now}::bigint + clock_offset(tenant_id, environment) as now
    from cardholders where id = ${cardholderId}`
  return row ?? null
}
