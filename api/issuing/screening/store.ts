// Every SQL statement about alerts.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { AlertStatus } from '../../../shared/schemas/sanctions-alert.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { AlertRow } from './view.ts'

function alertColumns(sql: SqlTag) {
  return sql`
    id, tenant_id as "tenantId", environment, cardholder_id as "cardholderId", hits,
    list_version as "listVersion", status, reviewed_by as "reviewedBy", reviewed_at as "reviewedAt",
    note, created_at as "createdAt"`
}

export async function findAlert(sql: SqlTag, owner: Owner, id: string): Promise<AlertRow | null> {
  const [row] = await sql<AlertRow[]>`
    select ${alertColumns(sql)} from sanctions_alerts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** For an operator, who names an alert only by id. */
export async function findAnyAlert(sql: SqlTag, id: string): Promise<AlertRow | null> {
  const [row] = await sql<AlertRow[]>`
    select ${alertColumns(sql)} from sanctions_alerts where id = ${id}`
  return row ?? null
}

/** Locks the alert after its cardholder; all callers use this order. */
export async function lockAlert(sql: TxSql, owner: Owner, id: string): Promise<AlertRow> {
  const [row] = await sql<AlertRow[]>`
    select ${alertColumns(sql)} from sanctions_alerts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  assert(row !== undefined, 'an alert does not vanish')
  return row
}

export interface AlertFilters extends CreatedFilters {
  status?: AlertStatus
  cardholder_id?: string
}

export interface OperatorAlertFilters extends AlertFilters {
  tenant_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listAlerts(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & AlertFilters,
): Promise<PageRows<AlertRow>> {
  const own = sql`tenant_id = ${owner.tenantId} and environment = ${owner.environment}`
  return pageOfAlerts(sql, query, { whose: own, clockOffsetMs: owner.clockOffsetMs })
}

/** Lists alerts of all tenants, or of one. */
export async function listAllAlerts(
  sql: SqlTag,
  query: PageQuery & OperatorAlertFilters,
): Promise<PageRows<AlertRow>> {
  const { tenant_id } = query
  const whose = tenant_id === undefined ? sql`true` : sql`tenant_id = ${tenant_id}`
  const [ahead] = await sql<[{ clockOffsetMs: number }]>`
    select coalesce(max(offset_ms), 0) as "clockOffsetMs" from sandbox_clocks where ${whose}`
  return pageOfAlerts(sql, query, { whose, ...ahead })
}

function pageOfAlerts(
  sql: SqlTag,
  query: PageQuery & AlertFilters,
  { whose, clockOffsetMs }: { whose: Fragment; clockOffsetMs: number },
): Promise<PageRows<AlertRow>> {
  const { status, cardholder_id } = query
  return readPage<AlertRow>(sql, query, {
    list: 'sanctions_alerts',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<AlertRow[]>`
      select ${alertColumns(sql)} from sanctions_alerts
      where ${whose} ${createdWithinIds(sql, 'alert', { clockOffsetMs }, query)}
        ${status === undefined ? sql`` : sql`and status = ${status}`}
        ${cardholder_id === undefined ? sql`` : sql`and cardholder_id = ${cardholder_id}`}
        and ${range}
      ${ordered}`,
  })
}

export interface NewAlert
  extends Pick<AlertRow, 'id' | 'cardholderId' | 'hits' | 'listVersion' | 'createdAt'> {
  /** The screened person: see `personKey`. */
  person: string
}

export async function insertAlert(sql: TxSql, owner: Owner, alert: NewAlert): Promise<void> {
  await sql`
    insert into sanctions_alerts (
      id, tenant_id, environment, cardholder_id, person, hits, list_version, created_at
    ) values (
      ${alert.id}, ${owner.tenantId}, ${owner.environment}, ${alert.cardholderId}, ${alert.person},
      ${JSON.stringify(alert.hits)}::text::jsonb, ${alert.listVersion}, ${alert.createdAt}
    )`
}

export interface Review {
  status: AlertStatus
  reviewedBy: string
  reviewedAt: EpochMs
  note: string | null
}

/** Saves the review of a locked alert. */
export async function saveReview(
  sql: TxSql,
  owner: Owner,
  { id, review }: { id: string; review: Review },
): Promise<AlertRow> {
  const [row] = await sql<AlertRow[]>`
    update sanctions_alerts set status = ${review.status}, reviewed_by = ${review.reviewedBy},
      reviewed_at = ${review.reviewedAt}, note = ${review.note}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${alertColumns(sql)}`
  assert(row !== undefined, 'a locked alert does not vanish')
  return row
}

/**
 * Returns list entries that already raised an alert for this person of a cardholder, with any
 * review.
 */
export async function alertedEntries(
  sql: TxSql,
  owner: Owner,
  { cardholderId, person }: { cardholderId: string; person: string },
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ listedId: string }[]>`
    select distinct hit ->> 'listed_id' as "listedId"
    from sanctions_alerts, jsonb_array_elements(hits) as hit
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and cardholder_id = ${cardholderId} and person = ${person}`
  return new Set(rows.map(({ listedId }) => listedId))
}

/** Returns alerts that keep a locked cardholder frozen, oldest first. */
export async function openAlerts(
  sql: TxSql,
  owner: Owner,
  cardholderId: string,
): Promise<readonly { id: string; status: AlertStatus }[]> {
  return sql<{ id: string; status: AlertStatus }[]>`
    select id, status from sanctions_alerts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and cardholder_id = ${cardholderId} and status <> 'dismissed'
    order by id`
}
