// Card transactions as the drain leaves them in PostgreSQL, without an engine to decide them.
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { applyEntries } from '../../api/engine-link/apply-entries.ts'
import { drainedEntry } from '../../api/engine-link/drained-entry.ts'
import { NO_PAYMENTS } from '../../api/engine-link/payments-port.ts'
import { findTransaction } from '../../api/issuing/transactions/store.ts'
import { transactionView } from '../../api/issuing/transactions/view.ts'
import { eventView } from '../../api/webhooks/events/index.ts'
import { newId } from '../../shared/id.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import { noSums, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import {
  type DecisionEntry,
  encodeEntry,
  type JournalEntry,
} from '../../shared/wire/journal-entry.ts'
import { silentLog } from './engine-listener.ts'
import { decisionEntry } from './entries.ts'
import { SEEDED_AT_MS, type TestTenant } from './tenant.ts'

export interface Drained {
  id: string
  entry: DecisionEntry
}

let seq = 0
/** Entries of one batch of the drain. */
const BATCH = 1000

/** Applies entries as one batch of a journal would be. */
export async function drain(sql: Sql, ...entries: readonly JournalEntry[]): Promise<void> {
  const drained = entries.map((entry) => drainedEntry({ seq: ++seq, bytes: encodeEntry(entry) }))
  const parts = { journalId: 'journal-test', log: silentLog, payments: NO_PAYMENTS }
  await tx(sql, (inner) => applyEntries(inner, drained, parts))
}

/** The transaction as GET shows it now. */
export async function shownTransaction(
  sql: Sql,
  owner: { tenantId: string; environment: Environment },
  id: string | null,
): Promise<CardTransaction> {
  const row = await findTransaction(sql, owner, id ?? '')
  if (row === null) throw new Error('no transaction ' + id)
  return transactionView(row)
}

/** The transaction that a stored event tells of. */
export function toldTransaction(body: Buffer): CardTransaction {
  const { transaction } = eventView({ body }).data as { transaction: CardTransaction }
  return transaction
}

/**
 * One decided transaction on the tenant's card, `atMs` after the seed; odd amounts are declined.
 */
export async function seedTransaction(
  sql: Sql,
  tenant: TestTenant,
  made: { amountCents: number; atMs?: number } & Pick<
    Decided,
    'cardId' | 'declineDetail' | 'trace'
  >,
): Promise<Drained> {
  const receivedAtMs = SEEDED_AT_MS + (made.atMs ?? 0)
  const id = newId('txn', receivedAtMs)
  const entry = decidedEntry(tenant, { id, receivedAtMs, ...made })
  await drain(sql, entry)
  return { id, entry }
}

/** As many approved transactions at one moment, drained in batches. */
export async function seedTransactions(
  sql: Sql,
  tenant: TestTenant,
  { count, at }: { count: number; at: number },
): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) {
    const entries = Array.from({ length: Math.min(left, BATCH) }, () =>
      decidedEntry(tenant, { id: newId('txn', at), receivedAtMs: at, amountCents: 100 }),
    )
    await drain(sql, ...entries)
  }
}

interface Decided {
  id: string
  receivedAtMs: number
  amountCents: number
  cardId?: string
  declineDetail?: string
  trace?: DecisionEntry['trace']
}

/** A journal entry of a decided transaction on the tenant's card; odd amounts are declined. */
export function decidedEntry(tenant: TestTenant, made: Decided): DecisionEntry {
  const like = decisionEntry({})
  const approved = made.amountCents % 2 === 0
  if (like.card === null || like.effect === null)
    throw new Error('the entry of a test has a card and an effect')
  const approvedCents = approved ? made.amountCents : 0
  return {
    ...like,
    transactionId: made.id,
    environment: tenant.environment,
    receivedAtMs: made.receivedAtMs,
    trace: made.trace ?? like.trace,
    message: { ...like.message, id: 'msg-' + made.id, amountCents: made.amountCents },
    card: {
      ...like.card,
      tenantId: tenant.tenantId,
      programId: tenant.programId,
      cardholderId: tenant.cardholderId,
      cardId: made.cardId ?? tenant.cardId,
    },
    decision: {
      ...like.decision,
      approved,
      approvedAmountCents: approvedCents,
      holdCents: approvedCents,
      responseCode: approved ? '00' : '61',
      authorizationCode: approved ? '123456' : null,
      declineReason: approved ? null : 'limit_daily',
      declineDetail: approved ? null : (made.declineDetail ?? null),
      decidedBy: approved ? 'tenant' : 'static_controls',
      decidedAtMs: made.receivedAtMs + 40,
    },
    effect: {
      ...like.effect,
      event: approved ? 'authorized' : 'declined',
      amountCents: approvedCents,
      sums: { ...noSums(), authorized: approvedCents },
      flags: approved ? 0 : TRANSACTION_FLAGS.declined,
    },
  }
}

/** Owner of the config records in a test's engine. */
export const FIRST_TENANT = { tenantId: 'ten_1', environment: 'sandbox' } as const

/** The rows of that tenant's one card, in a database of any version. */
export async function seedFirstTenant(sql: Sql): Promise<void> {
  const made = { tenant_id: 'ten_1', environment: 'sandbox', created_at: 0 }
  await sql`insert into tenants values ('ten_1', 'Tenant', '2026-11-20', 0)`
  await sql`insert into programs ${sql({ id: 'prog_1', name: 'P', status: 'active', ...made })}`
  await sql`insert into cardholders
    ${sql({ id: 'ch_1', program_id: 'prog_1', name: 'C', status: 'active', ...made })}`
  await sql`insert into cards ${sql({
    id: 'card_1',
    program_id: 'prog_1',
    cardholder_id: 'ch_1',
    type: 'virtual',
    status: 'active',
    token: 'token',
    fingerprint: 'fingerprint',
    sealed_pan: 'sealed',
    last4: '4242',
    exp_month: 1,
    exp_year: 2030,
    cvc_verifier: 'v',
    currency: 'USD',
    ...made,
  })}`
}
