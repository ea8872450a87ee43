// The reading SQL about card transactions; the drain of the engine's journal writes them. Each statement names the owner.
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TransactionStatus } from './states.ts'
import type { TransactionRow } from './view.ts'

interface ListedRow extends TransactionRow {
  /** Place in the tenant's order of transactions. */
  seq: number
}

function transactionColumns(sql: SqlTag) {
  return sql`
    seq, entry, sequence, late_outcome as "lateOutcome", late_ms as "lateMs",
    late_disagrees as "lateDisagrees"`
}

export async function findTransaction(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<ListedRow | null> {
  const [row] = await sql<ListedRow[]>`
    select ${transactionColumns(sql)} from card_transactions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface TransactionFilters extends CreatedFilters {
  card_id?: string
  status?: TransactionStatus
}

/** By the sequence given when the transaction reached PostgreSQL. */
export async function listTransactions(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & TransactionFilters,
): Promise<PageRows<ListedRow>> {
  const { card_id, status } = query
  return readPage<ListedRow>(sql, query, {
    list: 'card_transactions',
    column: 'seq',
    positionOf: ({ seq }) => seq,
    findPosition: async (id) => (await findTransaction(sql, owner, id))?.seq ?? null,
    select: (range, ordered) => sql<ListedRow[]>`
      select ${transactionColumns(sql)} from card_transactions
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${card_id === undefined ? sql`` : sql`and card_id = ${card_id}`}
        ${status === undefined ? sql`` : sql`and status = ${status}`}
        and ${range}
      ${ordered}`,
  })
}
