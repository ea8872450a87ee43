// Writes a batch of journal entries: transactions, their events and outbox rows, unmatched messages, late replies. One
// statement per table whatever the size of the batch. The caller's transaction also moves the journal cursor.
import type { Logger } from '../../shared/log.ts'
import type { TxSql } from '../database/transaction.ts'
import {
  type DrainedEntry,
  eventOf,
  type LateEntry,
  type RawEntry,
  type TransactionEntry,
  type UnmatchedEntry,
} from './drained-entry.ts'

export interface ApplyParts {
  journalId: string
  log: Logger
}

/** Numbers that a tenant's rows get in this batch; `owner` is tenant and environment. */
interface Numbers {
  eventSeq: number
  transactionSeq: number
  apiVersion: string
}

/** Rejects with SQLSTATE 22… or 23… when an entry's content is refused; the caller then finds out which. */
export async function applyEntries(
  sql: TxSql,
  entries: readonly DrainedEntry[],
  parts: ApplyParts,
): Promise<void> {
  const unmatched = entries.filter((entry) => entry.to === 'unmatched_messages')
  const late = entries.filter((entry) => entry.to === 'late_reply')
  const unreadable = entries.filter((entry) => entry.to === 'drain_quarantine')
  const transactions = await withoutKnown(
    sql,
    entries.filter((entry) => entry.to === 'card_transactions'),
    parts,
  )
  if (transactions.length > 0) await insertTransactions(sql, transactions)
  if (unmatched.length > 0) await insertUnmatched(sql, unmatched)
  if (late.length > 0) await recordLateReplies(sql, late)
  for (const entry of unreadable) await quarantine(sql, entry, entry.error, parts)
}

/** Sets an entry aside for a person to look at, so that it is neither lost nor in the way. */
export async function quarantine(
  sql: TxSql,
  { seq, bytes }: RawEntry,
  error: string,
  { journalId, log }: ApplyParts,
): Promise<void> {
  log.error({ journalId, seq, error }, 'a journal entry was put into drain_quarantine')
  await sql`
    insert into drain_quarantine (journal_id, journal_seq, error, entry)
    values (${journalId}, ${seq}, ${error.replaceAll('\0', '')}, ${bytes})
    on conflict do nothing
  `
}

/**
 * Leaves out decisions whose message is already there. The cursor makes that impossible within one journal; across a lost
 * and replaced one the network may have repeated a message, and a different answer to it must not pass unseen.
 */
async function withoutKnown(
  sql: TxSql,
  entries: readonly TransactionEntry[],
  parts: ApplyParts,
): Promise<readonly TransactionEntry[]> {
  if (entries.length === 0) return entries
  const known = await sql<{ network: string; message_id: string; entry: Buffer }[]>`
    select t.network, t.message_id, t.entry
    from unnest(
      ${entries.map(({ entry }) => entry.message.network)}::text[],
      ${entries.map(({ entry }) => entry.message.id)}::text[]
    ) as given (network, message_id)
    join card_transactions t using (network, message_id)
  `
  const seen = new Map(known.map((row) => [messageKey(row.network, row.message_id), row.entry]))
  const fresh: TransactionEntry[] = []
  for (const drained of entries) {
    const key = messageKey(drained.entry.message.network, drained.entry.message.id)
    const before = seen.get(key)
    if (before === undefined) {
      seen.set(key, drained.bytes)
      fresh.push(drained)
    } else if (!before.equals(drained.bytes))
      await quarantine(sql, drained, 'another decision about this message is stored', parts)
  }
  return fresh
}

async function insertTransactions(sql: TxSql, entries: readonly TransactionEntry[]): Promise<void> {
  const numbers = await takeNumbers(sql, entries)
  const rows = entries.map((drained) => {
    const next = numbers.get(ownerKey(drained.tenantId, drained.entry.environment))
    if (next === undefined) throw new Error('no sequence for tenant ' + drained.tenantId)
    return rowOf(drained, next)
  })
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as row (
        id text, tenant_id text, environment text, seq bigint, card_id text, cardholder_id text,
        network text, message_id text, status text, amount_cents bigint, approved_cents bigint,
        currency text, decline_reason text, created_at bigint, entry text, journal_seq bigint,
        event_id text, event_seq bigint, event_type text, event_created_at bigint,
        api_version text, body text
      )
    ), transactions as (
      insert into card_transactions (
        id, tenant_id, environment, seq, card_id, cardholder_id, network, message_id, status,
        amount_cents, approved_cents, currency, decline_reason, created_at, entry, journal_seq
      )
      select id, tenant_id, environment, seq, card_id, cardholder_id, network, message_id, status,
        amount_cents, approved_cents, currency, decline_reason, created_at,
        decode(entry, 'base64'), journal_seq
      from given
    ), recorded as (
      insert into events (
        id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body
      )
      select event_id, tenant_id, environment, event_seq, event_type, api_version, id,
        event_created_at, decode(body, 'base64')
      from given
    )
    insert into event_outbox (event_id, tenant_id, environment, seq)
    select event_id, tenant_id, environment, event_seq from given
  `
}

/** One transaction and its event, as columns; takes the next number of each. */
function rowOf(drained: TransactionEntry, next: Numbers) {
  const { entry, card } = drained
  const { decision, message } = entry
  const event = eventOf(drained, next.apiVersion)
  return {
    id: drained.id,
    tenant_id: drained.tenantId,
    environment: entry.environment,
    seq: ++next.transactionSeq,
    card_id: card.cardId,
    cardholder_id: card.cardholderId,
    network: message.network,
    message_id: message.id,
    status: decision.approved ? 'authorized' : 'declined',
    amount_cents: message.amountCents,
    approved_cents: decision.approvedAmountCents,
    currency: message.currency,
    decline_reason: decision.declineReason,
    created_at: entry.receivedAtMs,
    entry: drained.bytes.toString('base64'),
    journal_seq: drained.seq,
    event_id: event.id,
    event_seq: ++next.eventSeq,
    event_type: event.type,
    event_created_at: event.createdAtMs,
    api_version: next.apiVersion,
    body: event.body.toString('base64'),
  }
}

/**
 * The numbers before the first of this batch, per tenant and environment. Rows are locked in sorted order, so that two
 * writers never wait for each other, and stay locked until the commit: a poller never sees a gap.
 */
async function takeNumbers(
  sql: TxSql,
  entries: readonly TransactionEntry[],
): Promise<Map<string, Numbers>> {
  const counts = new Map<string, { tenantId: string; environment: string; count: number }>()
  for (const { tenantId, entry } of entries) {
    const key = ownerKey(tenantId, entry.environment)
    const owner = counts.get(key) ?? { tenantId, environment: entry.environment, count: 0 }
    owner.count += 1
    counts.set(key, owner)
  }
  const owners = [...counts.values()]
  const rows = await sql<
    {
      tenant_id: string
      environment: string
      event_seq: number
      transaction_seq: number
      api_version: string
    }[]
  >`
    insert into tenant_sequences as s (tenant_id, environment, event_seq, transaction_seq)
    select tenant_id, environment, count, count
    from unnest(
      ${owners.map((owner) => owner.tenantId)}::text[],
      ${owners.map((owner) => owner.environment)}::text[],
      ${owners.map((owner) => owner.count)}::bigint[]
    ) as owner (tenant_id, environment, count)
    order by tenant_id, environment
    on conflict (tenant_id, environment) do update set
      event_seq = s.event_seq + excluded.event_seq,
      transaction_seq = s.transaction_seq + excluded.transaction_seq
    returning tenant_id, environment, event_seq, transaction_seq,
      (select api_version from tenants where tenants.id = s.tenant_id) as api_version
  `
  return new Map(
    rows.map((row) => {
      const key = ownerKey(row.tenant_id, row.environment)
      const count = counts.get(key)?.count ?? 0
      return [
        key,
        {
          eventSeq: row.event_seq - count,
          transactionSeq: row.transaction_seq - count,
          apiVersion: row.api_version,
        },
      ]
    }),
  )
}

async function insertUnmatched(sql: TxSql, entries: readonly UnmatchedEntry[]): Promise<void> {
  const rows = entries.map(({ seq, bytes, entry }) => ({
    network: entry.message.network,
    message_id: entry.message.id,
    environment: entry.environment,
    created_at: entry.receivedAtMs,
    journal_seq: seq,
    entry: bytes.toString('base64'),
  }))
  await sql`
    insert into unmatched_messages (network, message_id, environment, created_at, journal_seq, entry)
    select network, message_id, environment, created_at, journal_seq, decode(entry, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      network text, message_id text, environment text, created_at bigint, journal_seq bigint,
      entry text
    )
    on conflict do nothing
  `
}

/** A late reply changes nothing but what people can see, so it is no event and moves no sequence. */
async function recordLateReplies(sql: TxSql, entries: readonly LateEntry[]): Promise<void> {
  const rows = entries.map(({ entry }) => ({
    id: entry.transactionId,
    outcome: entry.outcome,
    ms: Math.round(entry.latencyMs),
    disagrees: entry.disagrees,
  }))
  await sql`
    update card_transactions t
    set late_outcome = given.outcome, late_ms = given.ms, late_disagrees = given.disagrees
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      id text, outcome text, ms bigint, disagrees boolean
    )
    where t.id = given.id and t.late_outcome is null
  `
}

function ownerKey(tenantId: string, environment: string): string {
  return tenantId + ' ' + environment
}

function messageKey(network: string, messageId: string): string {
  return JSON.stringify([network, messageId])
}
