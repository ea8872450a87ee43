// Statements of the drain about payments.
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { StoredStatus } from './states.ts'

/** The stored status of payments of any owner, by their ids; nothing is locked. */
export async function readStatuses(
  sql: SqlTag,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredStatus>> {
  if (ids.length === 0) return new Map()
  return statusesOf(
    await sql<StatusRow[]>`
    select id, status from payments where id = any(${[...ids]}::text[])`,
  )
}

interface StatusRow {
  id: string
  status: StoredStatus
}

function statusesOf(rows: readonly StatusRow[]): ReadonlyMap<string, StoredStatus> {
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** The payments that transactions of the engine are about, by transaction. */
export async function findByTransactions(
  sql: SqlTag,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; transactionId: string }[]>`
    select id, transaction_id as "transactionId" from payments
    where transaction_id = any(${[...transactionIds]}::text[])`
  return new Map(rows.map(({ id, transactionId }) => [transactionId, id]))
}

/**
 * Locks payments of any owners until the transaction ends, and returns their statuses. A call locks
 * its payment before the ledger, so a batch of entries locks all of its payments before the first
 * move of money.
 */
export async function lockPayments(
  sql: TxSql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredStatus>> {
  return statusesOf(
    await sql<StatusRow[]>`
    select id, status from payments where id = any(${[...ids]}::text[])
    order by id for no key update`,
  )
}
