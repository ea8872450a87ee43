// The statements of the feed: narrow rows of the tenant's list, in the order of their numbers.
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { FeedRecord } from './tick.ts'

/** Number of the owner's newest transaction; 0 without one. */
export async function newestSeq(sql: SqlTag, { tenantId, environment }: Owner): Promise<number> {
  const [row] = await sql<{ seq: number }[]>`
    select transaction_seq as seq from tenant_sequences
    where tenant_id = ${tenantId} and environment = ${environment}`
  return row?.seq ?? 0
}

/** The drain commits numbers in their order, so a reader behind a number misses none. */
export async function rowsAfter(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { after, limit }: { after: number; limit: number },
): Promise<FeedRecord[]> {
  return sql<FeedRecord[]>`
    select t.seq, t.id, t.created_at as "createdAt", t.card_id as "cardId",
      t.cardholder_id as "cardholderId", t.merchant_name as "merchantName", t.mcc,
      t.amount_cents as "amountCents", t.approved_cents as "approvedCents", t.currency, t.status,
      t.kind, t.decline_reason as "declineReason", t.stand_in as "standIn",
      m.tenant_outcome as "tenantOutcome",
      (select clock_offset(${tenantId}, ${environment})) as "offsetMs"
    from card_transactions t
    left join card_transaction_messages m
      on m.transaction_id = t.id and m.sequence = t.question_sequence
    where t.tenant_id = ${tenantId} and t.environment = ${environment} and t.seq > ${after}
    order by t.seq limit ${limit}`
}

/** The last four digits of cards of the owner. */
export async function lastFours(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  cardIds: readonly string[],
): Promise<{ id: string; last4: string }[]> {
  return sql<{ id: string; last4: string }[]>`
    select id, last4 from cards
    where tenant_id = ${tenantId} and environment = ${environment}
      and id = any (${[...cardIds]}::text[])`
}
