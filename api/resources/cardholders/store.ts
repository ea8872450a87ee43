// Every SQL statement about cardholders. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { CardholderRow } from './view.ts'

function cardholderColumns(sql: SqlTag) {
  return sql`
    id, environment, program_id as "programId", name, status, frozen, frozen_reason as "frozenReason",
    created_at as "createdAt"`
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

/** By id, which is the order of creation. */
export async function listCardholders(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & CreatedFilters,
): Promise<PageRows<CardholderRow>> {
  return readPage<CardholderRow>(sql, query, {
    list: 'cardholders',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<CardholderRow[]>`
      select ${cardholderColumns(sql)} from cardholders
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        and ${range}
      ${ordered}`,
  })
}

/** Holds the cardholder until the transaction ends; a foreign key to it is not held up. */
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

export async function saveFrozen(
  sql: TxSql,
  owner: Owner,
  change: { cardholderId: string; frozen: boolean; reason: string | null },
): Promise<CardholderRow> {
  const [row] = await sql<CardholderRow[]>`
    update cardholders set frozen = ${change.frozen}, frozen_reason = ${change.reason}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${change.cardholderId}
    returning ${cardholderColumns(sql)}`
  assert(row !== undefined, 'a locked cardholder does not vanish')
  return row
}
