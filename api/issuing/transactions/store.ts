// The reading SQL about card transactions; the drain of the engine's journal writes them. Each
// statement names the owner, except the drain's own, which reads for all tenants.

import type { AuthorizationKind } from '../../../shared/authorization-kind.ts'
import { CLEARING_EXCEPTIONS_SHOWN_MAX } from '../../../shared/schemas/clearing-file.ts'
import { DISPUTES_SHOWN_MAX } from '../../../shared/schemas/dispute.ts'
import { MOMENTS_MAX, UNLISTED_KINDS } from '../../../shared/schemas/transaction-moments.ts'
import type { TransactionStatus } from '../../../shared/transaction-sums.ts'
import type { Owner } from '../../context.ts'
import type { CreatedFilters } from '../../database/created-filter.ts'
import { createdAmong, findNumbers, type SpannedList } from '../../database/created-spans.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { MessageRow, TransactionRow } from './view.ts'

interface ListedRow extends TransactionRow {
  /** Place in the tenant's order of transactions. */
  seq: number
}

/** A transaction as the drain continues it. */
export interface StoredTransaction extends ListedRow {
  id: string
  standIn: boolean
}

/** Messages are read only for the rows of a page, however many rows are sorted. */
function transactionColumns(sql: SqlTag): Fragment {
  return sql`
    t.seq, t.created_at as "createdAt", t.sequence, t.question_sequence as "requestSequence", t.sums,
    t.flags, t.hold_expires_at as "holdExpiresAt", t.original_transaction_id as "originalTransactionId",
    t.late_outcome as "lateOutcome", t.late_ms as "lateMs", t.late_disagrees as "lateDisagrees",
    t.late_sequence as "lateSequence",
    (
      select q.entry from card_transaction_messages q
      where q.transaction_id = t.id and q.sequence = t.question_sequence
    ) as entry,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'sequence', m.sequence, 'kind', m.kind, 'messageId', m.message_id, 'amountCents', m.amount_cents,
        'declineReason', m.decline_reason, 'status', m.status, 'flags', m.flags,
        'createdAtMs', m.happened_at
      ) order by m.sequence), '[]')
      from card_transaction_messages m
      where m.transaction_id = t.id and m.sequence > t.sequence - ${MOMENTS_MAX}::integer
        and m.kind <> all (${[...UNLISTED_KINDS]}::text[])
    ) as moments,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', d.id, 'amountCents', d.amount_cents, 'status', d.status, 'outcome', d.outcome,
        'createdAtMs', d.created_at
      ) order by d.id), '[]')
      from (
        select * from disputes where transaction_id = t.id order by id desc limit ${DISPUTES_SHOWN_MAX}
      ) d
    ) as disputes,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'clearingFileId', x.clearing_file_id, 'kind', x.kind, 'sequence', x.sequence,
        'createdAtMs', x.created_at
      ) order by x.seq), '[]')
      from (
        select * from clearing_exceptions where transaction_id = t.id
        order by seq desc limit ${CLEARING_EXCEPTIONS_SHOWN_MAX}
      ) x
    ) as "clearingExceptions"`
}

export async function findTransaction(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<ListedRow | null> {
  const [row] = await sql<ListedRow[]>`
    select ${transactionColumns(sql)} from card_transactions t
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment} and t.id = ${id}`
  return row ?? null
}

/** For the drain, which continues transactions of all tenants. */
export async function storedTransactions(
  sql: SqlTag,
  ids: readonly string[],
): Promise<StoredTransaction[]> {
  return sql<StoredTransaction[]>`
    select t.id, t.stand_in as "standIn", ${transactionColumns(sql)} from card_transactions t
    where t.id = any(${[...ids]}::text[])`
}

export interface TransactionFilters extends CreatedFilters {
  card_id?: string
  cardholder_id?: string
  status?: TransactionStatus
  kind?: AuthorizationKind
  network_transaction_id?: string
  stand_in?: 'true' | 'false'
  stand_in_acknowledged?: 'true' | 'false'
  late_answer?: 'true' | 'false'
  merchant_id?: string
  /** Start of the merchant's name, in any case. */
  merchant_name?: string
  mcc?: string
  min_amount_cents?: number
  max_amount_cents?: number
}

export const TRANSACTION_SPANS: SpannedList = {
  ...{ table: 'card_transactions', counters: 'tenant_sequences', counter: 'transaction_seq' },
}

/** Orders by the sequence given when the transaction reached PostgreSQL, or by the shown amount. */
export async function listTransactions(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & TransactionFilters,
): Promise<PageRows<ListedRow>> {
  const isOpen = query.stand_in_acknowledged === 'false'
  const numbers = await findNumbers(sql, owner, { list: TRANSACTION_SPANS, filters: query })
  return readPage<ListedRow & { amountCents: number }>(sql, query, {
    list: 'card_transactions',
    // Rows of open decisions lead to theirs: a page costs the same however many are acknowledged.
    column: isOpen && query.cardholder_id === undefined ? 'o.seq' : 't.seq',
    positionOf: ({ seq }) => seq,
    findPosition: async (id) => (await findTransaction(sql, owner, id))?.seq ?? null,
    sorts: {
      amount_cents: {
        number: 1,
        column: 't.amount_cents',
        valueOf: ({ amountCents }) => amountCents,
        findValue: (id) => findAmount(sql, owner, id),
      },
    },
    select: (range, ordered) => {
      const matching = sql`
        ${isOpen ? openDecisions(sql, owner) : sql``}
        where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment}
          ${createdAmong(sql, 't.seq', { numbers, filters: query })} ${filtered(sql, query)}
          and ${range}`
      return sql<(ListedRow & { amountCents: number })[]>`
        select ${transactionColumns(sql)}, t.amount_cents as "amountCents"
        from ${listed(sql, query.cardholder_id, { matching, ordered })} ${ordered}`
    },
  })
}

async function findAmount(sql: SqlTag, owner: Owner, id: string): Promise<number | null> {
  const [row] = await sql<{ amountCents: number }[]>`
    select amount_cents as "amountCents" from card_transactions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row?.amountCents ?? null
}

function filtered(sql: SqlTag, query: TransactionFilters): Fragment {
  const { card_id, status, kind, network_transaction_id: named } = query
  const { stand_in, late_answer } = query
  // The condition matches the partial indexes literally: a parameter would rule them out.
  const standIn = stand_in === 'true' ? sql`and t.stand_in` : sql`and not t.stand_in`
  const late =
    late_answer === 'true' ? sql`and t.late_outcome is not null` : sql`and t.late_outcome is null`
  return sql`
    ${card_id === undefined ? sql`` : sql`and t.card_id = ${card_id}`}
    ${status === undefined ? sql`` : ofStatus(sql, status)}
    ${kind === undefined ? sql`` : sql`and t.kind = ${kind}`}
    ${named === undefined ? sql`` : sql`and t.network_transaction_id = ${named}`}
    ${stand_in === undefined ? sql`` : standIn}
    ${late_answer === undefined ? sql`` : late}
    ${acknowledged(sql, query)}
    ${searched(sql, query)}`
}

/** The conditions match the partial indexes literally: a parameter would rule them out. */
function ofStatus(sql: SqlTag, status: TransactionStatus): Fragment {
  if (status === 'authorized') return sql`and t.status = 'authorized'`
  if (status === 'captured') return sql`and t.status = 'captured'`
  return sql`and t.status = ${status} and t.status not in ('authorized', 'captured')`
}

/** Transactions with a decision of stand-in behind the acknowledged message. */
function openDecisions(sql: SqlTag, { tenantId, environment }: Owner): Fragment {
  return sql`
    join open_stand_in_decisions o on o.transaction_id = t.id
      and o.tenant_id = ${tenantId} and o.environment = ${environment}`
}

function acknowledged(sql: SqlTag, { stand_in_acknowledged: seen }: TransactionFilters): Fragment {
  if (seen !== 'true') return sql``
  return sql`
    and t.stand_in and not exists (
      select from open_stand_in_decisions o where o.transaction_id = t.id
    )`
}

/**
 * Sorts after the last character of any text: texts with a prefix sort before the prefix followed
 * by this character.
 */
const LAST_CHARACTER = '\u{10ffff}'

function searched(sql: SqlTag, query: TransactionFilters): Fragment {
  const { merchant_id, merchant_name: begin, mcc } = query
  const { min_amount_cents: least, max_amount_cents: most } = query
  // A range, because a plan for any prefix cannot use the index for `like`.
  const named = sql`
    and lower(t.merchant_name) ~>=~ lower(${begin ?? ''})
    and lower(t.merchant_name) ~<~ (lower(${begin ?? ''}) || ${LAST_CHARACTER})`
  return sql`
    ${merchant_id === undefined ? sql`` : sql`and t.merchant_id = ${merchant_id}`}
    ${begin === undefined ? sql`` : named}
    ${mcc === undefined ? sql`` : sql`and t.mcc = ${mcc}`}
    ${least === undefined ? sql`` : sql`and t.amount_cents >= ${least}`}
    ${most === undefined ? sql`` : sql`and t.amount_cents <= ${most}`}`
}

/**
 * The rows of a page, or, for a cardholder, the first rows of each of its cards, which keep their
 * cardholder permanently: a page costs the same however many transactions a card has.
 */
function listed(
  sql: SqlTag,
  cardholderId: string | undefined,
  { matching, ordered }: { matching: Fragment; ordered: Fragment },
): Fragment {
  if (cardholderId === undefined) return sql`card_transactions t ${matching}`
  return sql`
    cards c cross join lateral (
      select t.* from card_transactions t ${matching} and t.card_id = c.id ${ordered}
    ) t
    where c.cardholder_id = ${cardholderId}`
}

/** Returns the messages of one transaction, in order; null if the owner has no such transaction. */
export async function listMessages(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & { transactionId: string },
): Promise<PageRows<MessageRow> | null> {
  const { transactionId } = query
  if ((await findTransaction(sql, owner, transactionId)) === null) return null
  return readPage<MessageRow>(sql, query, {
    list: 'card_transaction_messages',
    column: 'm.sequence',
    positionOf: ({ sequence }) => sequence,
    select: (range, ordered) => sql<MessageRow[]>`
      select m.transaction_id as "transactionId", m.sequence, m.entry,
        t.late_outcome as "lateOutcome", t.late_ms as "lateMs", t.late_disagrees as "lateDisagrees",
        t.late_sequence as "lateSequence"
      from card_transactions t join card_transaction_messages m on m.transaction_id = t.id
      where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment}
        and t.id = ${transactionId} and ${range}
      ${ordered}`,
  })
}
