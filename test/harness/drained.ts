// Card transactions as the drain leaves them in PostgreSQL, without an engine to decide them.
import type { Sql } from '../../api/database/pool.ts'
import { newId } from '../../shared/id.ts'
import { type DecisionEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from './entries.ts'
import { SEEDED_AT_MS, type TestTenant } from './tenant.ts'

export interface Drained {
  id: string
  entry: DecisionEntry
}

/** One decided transaction on the tenant's card, `atMs` after the seed; odd amounts are declined. */
export async function seedTransaction(
  sql: Sql,
  tenant: TestTenant,
  made: { amountCents: number; atMs?: number; cardId?: string },
): Promise<Drained> {
  const receivedAtMs = SEEDED_AT_MS + (made.atMs ?? 0)
  const id = newId('txn', receivedAtMs)
  const entry = entryOf(tenant, { id, receivedAtMs, ...made })
  const { decision, message, card } = entry
  const [next] = await sql<{ seq: number }[]>`
    insert into tenant_sequences as s (tenant_id, environment, transaction_seq)
    values (${tenant.tenantId}, ${tenant.environment}, 1)
    on conflict (tenant_id, environment) do update set transaction_seq = s.transaction_seq + 1
    returning s.transaction_seq as seq`
  await sql`
    insert into card_transactions (id, tenant_id, environment, seq, card_id, cardholder_id, network,
      message_id, status, amount_cents, approved_cents, currency, decline_reason, created_at, entry,
      journal_seq)
    values (${id}, ${tenant.tenantId}, ${tenant.environment}, ${next?.seq ?? 0}, ${card?.cardId ?? ''},
      ${tenant.cardholderId}, ${message.network}, ${message.id},
      ${decision.approved ? 'authorized' : 'declined'}, ${message.amountCents},
      ${decision.approvedAmountCents}, ${message.currency}, ${decision.declineReason},
      ${receivedAtMs}, ${encodeEntry(entry)}, ${next?.seq ?? 0})`
  return { id, entry }
}

function entryOf(
  tenant: TestTenant,
  made: { id: string; receivedAtMs: number; amountCents: number; cardId?: string },
): DecisionEntry {
  const like = decisionEntry({})
  const approved = made.amountCents % 2 === 0
  if (like.card === null) throw new Error('the entry of a test has a card')
  return {
    ...like,
    transactionId: made.id,
    environment: tenant.environment,
    receivedAtMs: made.receivedAtMs,
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
      approvedAmountCents: approved ? made.amountCents : 0,
      responseCode: approved ? '00' : '61',
      authorizationCode: approved ? '123456' : null,
      declineReason: approved ? null : 'limit_daily',
      decidedBy: approved ? 'tenant' : 'static_controls',
      decidedAtMs: made.receivedAtMs + 40,
    },
  }
}
