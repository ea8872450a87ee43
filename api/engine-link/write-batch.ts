// Writes what a batch came to: transactions, their messages, events and outbox rows, each table once.
import { assert } from '../../shared/assert.ts'
import { authorizationKind } from '../../shared/authorization-kind.ts'
import { unixSeconds } from '../../shared/clock.ts'
import { laneOf } from '../../shared/event-catalog.ts'
import { approvedCents, cardholderAmount } from '../../shared/schemas/transaction-parts.ts'
import { noSums, transactionStatus } from '../../shared/transaction-sums.ts'
import type { Decision } from '../../shared/wire/journal-entry.ts'
import type { TxSql } from '../database/transaction.ts'
import { eventBytes } from '../resources/events/index.ts'
import { inVersion, spokenVersion } from '../versions/chain.ts'
import type { Announcement, Batch, LivedMoment } from './batch.ts'
import { applied } from './inapplicable.ts'
import { type Numbers, type NumbersOf, takeNumbers } from './take-numbers.ts'
import type { Life } from './transaction-life.ts'

/** One statement for all four tables: one answer to wait for. A batch in which nothing happened writes nothing. */
export async function writeBatch(sql: TxSql, batch: Batch): Promise<void> {
  if (batch.lives.size === 0 && batch.announcements.length === 0) return
  const numbersOf = await takeNumbers(sql, batch)
  const { transactions, messages, events } = applied(() => ({
    transactions: [...batch.lives].map((life) => transactionRow(life, numbersOf)),
    messages: batch.moments.map(messageRow),
    events: batch.announcements.map((told) => eventRow(told, numbersOf(told))),
  }))
  await sql`
    with told as materialized (
      select * from json_to_recordset(${JSON.stringify(events)}::text::json) as row (
        id text, tenant_id text, environment text, lane smallint, seq bigint, type text,
        api_version text, resource_id text, created_at bigint, body text
      )
    ), transactions as (${upsertTransactions(sql, transactions)}
    ), messages as (${insertMessages(sql, messages)}
    ), recorded as (
      insert into events (
        id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body
      )
      select id, tenant_id, environment, seq, type, api_version, resource_id, created_at,
        decode(body, 'base64')
      from told
    )
    insert into event_outbox (event_id, tenant_id, environment, lane, seq)
    select id, tenant_id, environment, lane, seq from told
  `
}

function upsertTransactions(sql: TxSql, rows: readonly TransactionColumns[]) {
  return sql`
      insert into card_transactions as t (
        id, tenant_id, environment, seq, card_id, cardholder_id, network, network_transaction_id,
        original_transaction_id, created_at, status, kind, amount_cents, approved_cents, currency,
        decline_reason, stand_in, sequence, question_sequence, sums, flags, hold_expires_at,
        late_outcome, late_ms, late_disagrees, late_sequence, merchant_id, merchant_name, mcc
      )
      select id, tenant_id, environment, seq, card_id, cardholder_id, network, network_transaction_id,
        original_transaction_id, created_at, status, kind, amount_cents, approved_cents, currency,
        decline_reason, stand_in, sequence, question_sequence, sums, flags, hold_expires_at,
        late_outcome, late_ms, late_disagrees, late_sequence, merchant_id, merchant_name, mcc
      from json_populate_recordset(
        null::card_transactions, ${JSON.stringify(rows)}::text::json
      )
      on conflict (id) do update set
        status = excluded.status, kind = excluded.kind, amount_cents = excluded.amount_cents,
        approved_cents = excluded.approved_cents, currency = excluded.currency,
        decline_reason = excluded.decline_reason, stand_in = excluded.stand_in,
        sequence = excluded.sequence, question_sequence = excluded.question_sequence,
        sums = excluded.sums, flags = excluded.flags, hold_expires_at = excluded.hold_expires_at,
        late_outcome = excluded.late_outcome, late_ms = excluded.late_ms,
        late_disagrees = excluded.late_disagrees, late_sequence = excluded.late_sequence,
        merchant_id = excluded.merchant_id, merchant_name = excluded.merchant_name,
        mcc = excluded.mcc`
}

function insertMessages(sql: TxSql, rows: readonly MessageColumns[]) {
  return sql`
      insert into card_transaction_messages (
        transaction_id, sequence, kind, network, message_id, amount_cents, event_type, decline_reason,
        status, flags, happened_at, journal_seq, entry, tenant_outcome, stand_in,
        stand_in_would_approve
      )
      select transaction_id, sequence, kind, network, message_id, amount_cents, event_type,
        decline_reason, status, flags, happened_at, journal_seq, decode(entry, 'base64'),
        tenant_outcome, stand_in, stand_in_would_approve
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as row (
        transaction_id text, sequence integer, kind text, network text, message_id text,
        amount_cents bigint, event_type text, decline_reason text, status text, flags integer,
        happened_at bigint, journal_seq bigint, entry text, tenant_outcome text, stand_in boolean,
        stand_in_would_approve boolean
      )`
}

type TransactionColumns = ReturnType<typeof transactionRow>
type MessageColumns = ReturnType<typeof messageRow>

function transactionRow(life: Life, numbersOf: NumbersOf) {
  const { question } = life
  const { message, decision, card, effect } = question
  assert(card !== null, 'a transaction has a card')
  const requested = cardholderAmount(question, card)
  return {
    id: life.id,
    tenant_id: life.tenantId,
    environment: life.environment,
    seq: life.seq ?? ++numbersOf(life).transactionSeq,
    card_id: life.cardId,
    cardholder_id: life.cardholderId,
    network: life.network,
    network_transaction_id: life.networkTransactionId,
    original_transaction_id: life.originalTransactionId,
    created_at: life.createdAt,
    status: transactionStatus({ ...noSums(), ...life.sums }, life.flags),
    kind: authorizationKind(message),
    amount_cents: requested.amount,
    approved_cents: approvedCents(question.fx, decision, effect),
    currency: requested.currency,
    decline_reason: decision.declineReason,
    stand_in: life.standIn,
    sequence: life.sequence,
    question_sequence: life.questionSequence,
    sums: life.sums,
    flags: life.flags,
    hold_expires_at: life.holdExpiresAt,
    late_outcome: life.lateOutcome,
    late_ms: life.lateMs,
    late_disagrees: life.lateDisagrees,
    late_sequence: life.lateSequence,
    merchant_id: message.merchantId,
    merchant_name: message.merchantName,
    mcc: message.mcc,
  }
}

function messageRow({ transactionId, network, eventType, moment, entry }: LivedMoment) {
  return {
    transaction_id: transactionId,
    sequence: moment.sequence,
    kind: moment.kind,
    network,
    message_id: moment.messageId,
    amount_cents: moment.amountCents,
    event_type: eventType,
    decline_reason: moment.declineReason,
    status: moment.status,
    flags: moment.flags,
    happened_at: moment.createdAtMs,
    journal_seq: entry.seq,
    entry: entry.bytes.toString('base64'),
    ...standInColumns(entry.to === 'expiry' ? null : entry.entry.decision),
  }
}

/** Of a question that was to be asked; stand-in has a verdict on each. */
function standInColumns(decision: Decision | null) {
  const would = decision?.standInWould ?? null
  return {
    tenant_outcome: decision?.tenant?.outcome ?? null,
    stand_in: would === null ? null : (decision?.standIn ?? null),
    stand_in_would_approve: would?.approve ?? null,
  }
}

/** Takes the next number of its tenant; the announcements come in the journal's order. */
function eventRow(told: Announcement, next: Numbers) {
  const { id, type, createdAtMs } = told
  const apiVersion = spokenVersion(next.apiVersion)
  const data = inVersion(told.data, apiVersion)
  const envelope = { id, type, created: unixSeconds(createdAtMs), api_version: apiVersion, data }
  return {
    id,
    tenant_id: told.tenantId,
    environment: told.environment,
    lane: laneOf(type),
    seq: ++next.eventSeq,
    type,
    api_version: apiVersion,
    resource_id: told.resourceId,
    created_at: createdAtMs,
    body: eventBytes(envelope).toString('base64'),
  }
}
