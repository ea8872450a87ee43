// Loads what Postgres already has of the messages in a batch: one statement per lookup, whatever
// the size of the batch.
import { NOTIFICATION_KINDS } from '../../shared/schemas/network-message.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import type { TxSql } from '../database/transaction.ts'
import { storedTransactions } from '../issuing/transactions/index.ts'
import type { DrainedEntry, MessageEntry } from './drained-entry.ts'
import { applied } from './poison-entry.ts'
import { type Life, storedLife } from './transaction-life.ts'

export interface Stored {
  /** Bytes of the entries whose message is stored, by `messageKey`. */
  messages: Map<string, Buffer>
  /** Transactions that the batch continues, by id. */
  lives: Map<string, Life>
  /** By the id of a new transaction: the older one that its message is about. */
  originals: ReadonlyMap<string, string>
}

/**
 * Runs the statements one after the other: they share a connection. Stored messages are looked up
 * only when `looksFor` asks for it: otherwise all messages are assumed new, and the table's key
 * refuses one that is not.
 */
export async function readStored(
  sql: TxSql,
  entries: readonly DrainedEntry[],
  looksFor: { messages: boolean },
): Promise<Stored> {
  const messages = entries.filter((entry) => entry.to === 'card_transactions')
  return {
    messages: looksFor.messages ? await storedMessages(sql, messages) : new Map(),
    lives: await storedLives(sql, entries),
    originals: await originalsOf(sql, messages.filter(isForgotten)),
  }
}

/** Names a message among all networks. */
export function messageKey(network: string, messageId: string): string {
  return network.length + ' ' + network + messageId
}

/**
 * The cursor rules out a stored message within one journal; after a lost and replaced journal the
 * network may have repeated it.
 */
async function storedMessages(
  sql: TxSql,
  entries: readonly MessageEntry[],
): Promise<Map<string, Buffer>> {
  if (entries.length === 0) return new Map()
  const rows = await sql<{ network: string; message_id: string; entry: Buffer }[]>`
    select m.network, m.message_id, m.entry
    from unnest(
      ${entries.map(({ entry }) => entry.message.network)}::text[],
      ${entries.map(({ entry }) => entry.message.id)}::text[]
    ) as given (network, message_id)
    join card_transaction_messages m using (network, message_id)
  `
  return new Map(rows.map((row) => [messageKey(row.network, row.message_id), row.entry]))
}

async function storedLives(
  sql: TxSql,
  entries: readonly DrainedEntry[],
): Promise<Map<string, Life>> {
  const ids = new Set<string>()
  for (const entry of entries) {
    if (entry.to === 'card_transactions' && entry.effect.sequence > 1) ids.add(entry.id)
    if (entry.to === 'expiry' || entry.to === 'late_reply') ids.add(entry.id)
  }
  if (ids.size === 0) return new Map()
  const rows = await storedTransactions(sql, [...ids])
  return applied(() => new Map(rows.map((row) => [row.id, storedLife(row)])))
}

/**
 * True for a message about an earlier one that nevertheless begins a transaction: the engine no
 * longer knows the earlier one.
 */
export function isForgotten({ effect, entry }: MessageEntry): boolean {
  const { kind } = entry.message
  const follows = kind === 'incremental' || (NOTIFICATION_KINDS as readonly string[]).includes(kind)
  return follows && effect.sequence === 1
}

/** Flags of transactions that a message is never about: only refunds concern unlinked refunds. */
export function foreignFlags({ entry }: MessageEntry): number {
  const { kind } = entry.message
  return kind === 'refund' || kind === 'refund_reversal' ? 0 : TRANSACTION_FLAGS.unlinked
}

/**
 * The oldest other transaction of the same owner and network whose network transaction id the
 * message names.
 */
async function originalsOf(
  sql: TxSql,
  entries: readonly MessageEntry[],
): Promise<ReadonlyMap<string, string>> {
  if (entries.length === 0) return new Map()
  const given = entries.map((message) => ({
    id: message.id,
    tenant_id: message.card.tenantId,
    environment: message.entry.environment,
    network: message.entry.message.network,
    named: message.entry.message.originalNetworkTransactionId,
    foreign_flags: foreignFlags(message),
  }))
  const rows = await sql<{ id: string; original: string }[]>`
    select distinct on (given.id) given.id, t.id as original
    from json_to_recordset(${JSON.stringify(given)}::text::json) as given (
      id text, tenant_id text, environment text, network text, named text, foreign_flags integer
    )
    join card_transactions t
      on t.tenant_id = given.tenant_id and t.environment = given.environment
      and t.network_transaction_id = given.named and t.network = given.network and t.id <> given.id
      and t.flags & given.foreign_flags = 0
    order by given.id, t.seq
  `
  return new Map(rows.map((row) => [row.id, row.original]))
}
