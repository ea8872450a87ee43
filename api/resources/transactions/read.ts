// All reads of card transactions, each with its decision, trace and timings.
import type { CardTransaction } from '../../../shared/schemas/card-transaction.ts'
import type { CardTransactionMessage } from '../../../shared/schemas/card-transaction-message.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../refuse.ts'
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

/** In the order in which transactions reached PostgreSQL, so that one decided while it was away is not missed. */
export async function readTransactions(
  { sql, principal }: Context,
  query: PageQuery & TransactionFilters,
): Promise<Page<CardTransaction>> {
  return mapPage(await listTransactions(sql, principal, query), transactionView)
}

/** Everything that happened to one transaction, each with what was decided and what it did. */
export async function readMessages(
  { sql, principal }: Context,
  query: PageQuery & { transactionId: string },
): Promise<Page<CardTransactionMessage>> {
  const messages = await listMessages(sql, principal, query)
  if (messages === null) throw new Refusal('resource_missing')
  return mapPage(messages, messageView)
}
