// Writes the result of a batch: transactions, their messages, events and outbox rows, each table
// once. Rows go as one array per column and long values as one value for all rows: PostgreSQL reads
// either many times faster than documents.
import type { TxSql } from '../database/transaction.ts'
import { assignSequences } from './assign-sequences.ts'
import { countRows, insertCounts } from './authorization-counts.ts'
import type { Batch } from './batch.ts'
import { composeEvents, type EventRow } from './compose-events.ts'
import { applied, PoisonEntry } from './poison-entry.ts'
import { insertVerdicts, verdictRows } from './stand-in-counts.ts'
import {
  type MessageRow,
  messageRow,
  type TransactionRow,
  transactionRow,
} from './transaction-rows.ts'

/** One statement for all six tables: one answer to wait for. An empty batch writes no row. */
export async function writeBatch(sql: TxSql, batch: Batch): Promise<void> {
  if (batch.lives.size === 0 && batch.announcements.length === 0) return
  const composed = await composeEvents(sql, batch.announcements)
  const numbersOf = await assignSequences(sql, batch)
  const { begun, continued, messages, counts, verdicts } = applied(() => {
    const lives = [...batch.lives]
    return {
      begun: lives
        .filter(({ seq }) => seq === null)
        .map((life) => transactionRow(life, ++numbersOf(life).transactionSeq)),
      continued: lives.flatMap((life) =>
        life.seq === null ? [] : [transactionRow(life, life.seq)],
      ),
      messages: batch.moments.map(messageRow),
      counts: countRows(batch),
      verdicts: verdictRows(batch),
    }
  })
  const events = composed.map((event) => ({ ...event, seq: ++numbersOf(event).eventSeq }))
  // The bodies come last: the driver copies the buffer so far when a long value does not fit behind
  // it.
  const bodies = Buffer.concat(events.map(({ body }) => body))
  const [written] = await sql<{ continued: number }[]>`
    with begun as (${insertTransactions(sql, begun)}
    ), continued as (${updateTransactions(sql, continued)}
    ), messages as (${insertMessages(sql, messages)}
    ), counted as (${insertCounts(sql, counts)}
    ), compared as (${insertVerdicts(sql, verdicts)}
    ), told as materialized (${eventRows(sql, events)}
    ), to_send as (
      insert into event_outbox (event_id, tenant_id, environment, lane, seq)
      select id, tenant_id, environment, lane, seq from told
    ), recorded as (
      insert into events (
        id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body
      )
      select id, tenant_id, environment, seq, type, api_version, resource_id, created_at,
        substr(${bodies}::bytea, start, length)
      from told
    )
    select count(*)::integer as continued from continued
  `
  if (written?.continued !== continued.length)
    throw new PoisonEntry('a transaction that goes on is not stored any more')
}

/** The values of one column, row by row. */
function columnOf<Row>(rows: readonly Row[]): <Name extends keyof Row>(name: Name) => Row[Name][] {
  return (name) => rows.map((row) => row[name])
}

/** The driver mistakes an array that begins with a boolean for one boolean. */
function words(values: readonly (boolean | null)[]): (string | null)[] {
  return values.map((value) => (value === null ? null : String(value)))
}

/** Start of each value in their concatenation, counted from 1 as SQL does. */
function startsOf(lengths: readonly number[]): number[] {
  let next = 1
  return lengths.map((length) => {
    const start = next
    next += length
    return start
  })
}

/**
 * Rows without their bodies, only with the positions: a value that is read twice would otherwise go
 * through a file.
 */
function eventRows(sql: TxSql, rows: readonly (EventRow & { seq: number })[]) {
  const of = columnOf(rows)
  const lengths = rows.map(({ body }) => body.length)
  return sql`
      select * from unnest(
        ${of('id')}::text[], ${of('tenantId')}::text[], ${of('environment')}::text[],
        ${of('lane')}::smallint[], ${of('seq')}::bigint[], ${of('type')}::text[],
        ${of('apiVersion')}::text[], ${of('resourceId')}::text[], ${of('createdAtMs')}::bigint[],
        ${startsOf(lengths)}::integer[], ${lengths}::integer[]
      ) as row (
        id, tenant_id, environment, lane, seq, type, api_version, resource_id, created_at, start,
        length
      )`
}

function insertTransactions(sql: TxSql, rows: readonly TransactionRow[]) {
  const of = columnOf(rows)
  return sql`
      insert into card_transactions (
        id, tenant_id, environment, seq, card_id, cardholder_id, network, network_transaction_id,
        original_transaction_id, created_at, status, kind, amount_cents, approved_cents, currency,
        decline_reason, stand_in, sequence, question_sequence, sums, flags, hold_expires_at,
        late_outcome, late_ms, late_disagrees, late_sequence, merchant_id, merchant_name, mcc
      )
      select id, tenant_id, environment, seq, card_id, cardholder_id, network, network_transaction_id,
        original_transaction_id, created_at, status, kind, amount_cents, approved_cents, currency,
        decline_reason, stand_in, sequence, question_sequence, sums::jsonb, flags, hold_expires_at,
        late_outcome, late_ms, late_disagrees, late_sequence, merchant_id, merchant_name, mcc
      from unnest(
        ${of('id')}::text[], ${of('tenant_id')}::text[], ${of('environment')}::text[],
        ${of('seq')}::bigint[], ${of('card_id')}::text[], ${of('cardholder_id')}::text[],
        ${of('network')}::text[], ${of('network_transaction_id')}::text[],
        ${of('original_transaction_id')}::text[], ${of('created_at')}::bigint[],
        ${of('status')}::text[], ${of('kind')}::text[], ${of('amount_cents')}::bigint[],
        ${of('approved_cents')}::bigint[], ${of('currency')}::text[],
        ${of('decline_reason')}::text[], ${words(of('stand_in'))}::boolean[],
        ${of('sequence')}::integer[], ${of('question_sequence')}::integer[], ${of('sums')}::text[],
        ${of('flags')}::integer[], ${of('hold_expires_at')}::bigint[],
        ${of('late_outcome')}::text[], ${of('late_ms')}::bigint[],
        ${words(of('late_disagrees'))}::boolean[], ${of('late_sequence')}::integer[],
        ${of('merchant_id')}::text[], ${of('merchant_name')}::text[], ${of('mcc')}::text[]
      ) as row (
        id, tenant_id, environment, seq, card_id, cardholder_id, network, network_transaction_id,
        original_transaction_id, created_at, status, kind, amount_cents, approved_cents, currency,
        decline_reason, stand_in, sequence, question_sequence, sums, flags, hold_expires_at,
        late_outcome, late_ms, late_disagrees, late_sequence, merchant_id, merchant_name, mcc
      )`
}

function updateTransactions(sql: TxSql, rows: readonly TransactionRow[]) {
  const of = columnOf(rows)
  return sql`
      update card_transactions t set
        status = row.status, kind = row.kind, amount_cents = row.amount_cents,
        approved_cents = row.approved_cents, currency = row.currency,
        decline_reason = row.decline_reason, stand_in = row.stand_in, sequence = row.sequence,
        question_sequence = row.question_sequence, sums = row.sums::jsonb, flags = row.flags,
        hold_expires_at = row.hold_expires_at, late_outcome = row.late_outcome,
        late_ms = row.late_ms, late_disagrees = row.late_disagrees,
        late_sequence = row.late_sequence, merchant_id = row.merchant_id,
        merchant_name = row.merchant_name, mcc = row.mcc
      from unnest(
        ${of('id')}::text[], ${of('status')}::text[], ${of('kind')}::text[],
        ${of('amount_cents')}::bigint[], ${of('approved_cents')}::bigint[],
        ${of('currency')}::text[], ${of('decline_reason')}::text[], ${words(of('stand_in'))}::boolean[],
        ${of('sequence')}::integer[], ${of('question_sequence')}::integer[], ${of('sums')}::text[],
        ${of('flags')}::integer[], ${of('hold_expires_at')}::bigint[],
        ${of('late_outcome')}::text[], ${of('late_ms')}::bigint[],
        ${words(of('late_disagrees'))}::boolean[], ${of('late_sequence')}::integer[],
        ${of('merchant_id')}::text[], ${of('merchant_name')}::text[], ${of('mcc')}::text[]
      ) as row (
        id, status, kind, amount_cents, approved_cents, currency, decline_reason, stand_in, sequence,
        question_sequence, sums, flags, hold_expires_at, late_outcome, late_ms, late_disagrees,
        late_sequence, merchant_id, merchant_name, mcc
      )
      where t.id = row.id
      returning 1`
}

function insertMessages(sql: TxSql, rows: readonly MessageRow[]) {
  const of = columnOf(rows)
  const entries = of('entry')
  const lengths = entries.map(({ length }) => length)
  return sql`
      insert into card_transaction_messages (
        transaction_id, sequence, kind, network, message_id, amount_cents, event_type, decline_reason,
        status, flags, happened_at, journal_seq, entry, tenant_outcome, stand_in,
        stand_in_would_approve, counted
      )
      select transaction_id, sequence, kind, network, message_id, amount_cents, event_type,
        decline_reason, status, flags, happened_at, journal_seq,
        substr(${Buffer.concat(entries)}::bytea, start, length), tenant_outcome, stand_in,
        stand_in_would_approve, true
      from unnest(
        ${of('transaction_id')}::text[], ${of('sequence')}::integer[], ${of('kind')}::text[],
        ${of('network')}::text[], ${of('message_id')}::text[], ${of('amount_cents')}::bigint[],
        ${of('event_type')}::text[], ${of('decline_reason')}::text[], ${of('status')}::text[],
        ${of('flags')}::integer[], ${of('happened_at')}::bigint[], ${of('journal_seq')}::bigint[],
        ${startsOf(lengths)}::integer[], ${lengths}::integer[], ${of('tenant_outcome')}::text[],
        ${words(of('stand_in'))}::boolean[], ${words(of('stand_in_would_approve'))}::boolean[]
      ) as row (
        transaction_id, sequence, kind, network, message_id, amount_cents, event_type,
        decline_reason, status, flags, happened_at, journal_seq, start, length, tenant_outcome,
        stand_in, stand_in_would_approve
      )`
}
