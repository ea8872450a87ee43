// All reads of card transactions, each with its decision, trace and timings.
import type { CardTransaction } from '../../../shared/schemas/card-transaction.ts'
import type { CardTransactionMessage } from '../../../shared/schemas/card-transaction-message.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  findTransaction,
  listMessages,
  listTransactions,
  type TransactionFilters,
} from './store.ts'
import { messageView, transactionView } from './view.ts'

export async function readTransaction(
  { sql, principal }: Context,
  id: string,
): Promise<CardTransaction> {
  const transaction = await findTransaction(sql, principal, id)
  if (transaction === null) throw new Refusal('resource_missing')
  return transactionView(transaction)
}

/**
 * Lists in the order in which transactions reached PostgreSQL, so a reader misses no transaction
 * decided during a database outage.
 */
export async function readTransactions(
  { sql, principal }: Context,
  query: PageQuery & TransactionFilters,
): Promise<Page<CardTransaction>> {
  return mapPage(await listTransactions(sql, principal, query), transactionView)
}

/** Returns every message of one transaction, each with its decision and effect. */
export async function readMessages(
  { sql, principal }: Context,
  query: PageQuery & { transactionId: string },
): Promise<Page<CardTransactionMessage>> {
  const messages = await listMessages(sql, principal, query)
  if (messages === null) throw new Refusal('resource_missing')
  return mapPage(messages, messageView)
}
