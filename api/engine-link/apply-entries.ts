// Applies a batch of journal entries: transactions and their messages, events and outbox rows,
// stopped cards, unmatched messages. One statement per table whatever the size of the batch. The
// caller's transaction also moves the journal cursor.
import type { Logger } from '../../shared/log.ts'
import { keepLate, sendLate } from '../database/late-statements.ts'
import type { TxSql } from '../database/transaction.ts'
import { type FraudSuspension, suspendForFraud } from '../issuing/cards/index.ts'
import { recordShadowVerdicts, type ShadowVerdictRow } from '../issuing/controls/index.ts'
import { batchOf, type LivedMoment, type RefusedEntry } from './batch.ts'
import type { DrainedEntry, PaymentEntry, StoppedEntry, UnmatchedEntry } from './drained-entry.ts'
import type { PaymentsPort } from './payments-port.ts'
import { applied } from './poison-entry.ts'
import { readStored } from './stored.ts'
import { withoutWiped } from './wiped.ts'
import { writeBatch } from './write-batch.ts'

export interface ApplyParts {
  journalId: string
  log: Logger
  payments: PaymentsPort
}

/**
 * Within one journal the cursor rules out that a message is already stored; with `taken` set to
 * `new` the stored messages are not checked, and the batch is refused if one exists after all.
 * Rejects with SQLSTATE 22… or 23…, or PoisonEntry, when an entry's content is refused; the caller
 * then finds the entry. Locks come in the order of the calls: payments and their ledger, then the
 * tenant's sequences.
 */
export async function applyEntries(
  sql: TxSql,
  entries: readonly DrainedEntry[],
  parts: ApplyParts & { taken?: 'new' },
): Promise<void> {
  const stored = await readStored(sql, entries, { messages: parts.taken !== 'new' })
  const suspended = await suspendStopped(
    sql,
    entries.filter((entry) => entry.to === 'cards'),
  )
  const batch = applied(() => batchOf(entries, stored, suspended))
  const payments = entries.filter((entry) => entry.to === 'payments')
  keepLate(sql)
  const refused = payments.length === 0 ? [] : await parts.payments.applyEntries(sql, payments)
  await writeBatch(sql, batch)
  await sendLate(sql)
  await recordShadowVerdicts(sql, shadowVerdicts(batch.moments, payments))
  const unmatched = entries.filter((entry) => entry.to === 'unmatched_messages')
  if (unmatched.length > 0) await insertUnmatched(sql, unmatched)
  await quarantine(sql, [...batch.refused, ...refused], parts)
}

/**
 * Quarantines entries for a person to inspect, so that they are neither lost nor block the drain;
 * entries of a sandbox that was wiped since are dropped.
 */
export async function quarantine(
  sql: TxSql,
  refused: readonly RefusedEntry[],
  { journalId, log }: Omit<ApplyParts, 'payments'>,
): Promise<void> {
  if (refused.length === 0) return
  const kept = new Set(
    await withoutWiped(
      sql,
      refused.map(({ entry }) => entry),
    ),
  )
  const left = refused.filter(({ entry }) => kept.has(entry))
  if (left.length === 0) return
  for (const { entry, error } of left)
    log.error({ journalId, seq: entry.seq, error }, 'a journal entry was put into drain_quarantine')
  const rows = left.map(({ entry, error }) => ({
    journal_id: journalId,
    journal_seq: entry.seq,
    error: error.replaceAll('\0', ''),
    entry: entry.bytes.toString('base64'),
  }))
  await sql`
    insert into drain_quarantine (journal_id, journal_seq, error, entry)
    select journal_id, journal_seq, error, decode(entry, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (
      journal_id text, journal_seq bigint, error text, entry text
    )
    on conflict do nothing
  `
}

/**
 * The row locks of the cards come before the tenant's sequence, as in every call that changes a
 * card.
 */
async function suspendStopped(
  sql: TxSql,
  entries: readonly StoppedEntry[],
): Promise<ReadonlyMap<string, FraudSuspension>> {
  if (entries.length === 0) return new Map()
  return suspendForFraud(
    sql,
    entries.map(({ entry: { cardId, tenantId, environment, rule } }) => ({
      cardId,
      tenantId,
      environment,
      rule,
    })),
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

/** For messages that are new in this batch, so that none counts twice. */
function shadowVerdicts(
  moments: readonly LivedMoment[],
  payments: readonly PaymentEntry[],
): ShadowVerdictRow[] {
  const entries = [...moments.map(({ entry }) => entry), ...payments]
  return entries.flatMap(({ entry }) => {
    if (entry.kind !== 'decision') return []
    const { decision } = entry
    return decision.shadow.map((verdict) => ({ ...verdict, atMs: decision.decidedAtMs }))
  })
}
