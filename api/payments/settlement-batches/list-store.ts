// Statements of the reads of settlement batches. Those of tenants name the owner.
import type { SettlementBatchStatus } from '../../../shared/schemas/settlement-batch.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { batchColumns } from './store.ts'
import type { BatchRow } from './view.ts'

export async function findBatch(sql: SqlTag, owner: Owner, id: string): Promise<BatchRow | null> {
  const [row] = await sql<BatchRow[]>`
    select ${batchColumns(sql)} from settlement_batches
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface BatchFilters extends CreatedFilters {
  status?: SettlementBatchStatus
  settlement_account_id?: string
}

/** Lists by id, which is the order in which batches were closed. */
export async function listBatches(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & BatchFilters,
): Promise<PageRows<BatchRow>> {
  const { status, settlement_account_id: account } = query
  const { tenantId, environment } = owner
  return list(
    sql,
    query,
    sql`tenant_id = ${tenantId} and environment = ${environment} ${createdWithinIds(sql, 'stb', owner, query)}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${account === undefined ? sql`` : sql`and settlement_account_id = ${account}`}`,
  )
}

/** Failed batches of every tenant whose review is open. */
export async function listReviews(sql: SqlTag, query: PageQuery): Promise<PageRows<BatchRow>> {
  return list(sql, query, sql`status = 'failed' and review ->> 'status' = 'open'`)
}

function list(sql: SqlTag, query: PageQuery, where: Fragment): Promise<PageRows<BatchRow>> {
  return readPage<BatchRow>(sql, query, {
    list: 'settlement_batches',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<BatchRow[]>`
      select ${batchColumns(sql)} from settlement_batches where ${where} and ${range} ${ordered}`,
  })
}
