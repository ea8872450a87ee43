// The mandate that covers a payment: its holder approved before, so that the payment needs no
// confirmation. The mandate is locked: payments at once never promise more than its limit.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { CAPTURES_MAX } from '../chain/terms.ts'
import { type ApprovalRow, findApproval, findUses, listActive } from './store.ts'

/** Chosen: a mandate that ends sooner than the shortest payment covers none. */
const REST_MS_MIN = 3_600_000

/** The terms that a covered payment takes over. */
export interface Cover extends ApprovalRow {
  id: string
  expiresAt: EpochMs
}

/**
 * The active mandate that ends first among those that cover the payment; null: none does. Each
 * payment keeps one of the 64 captures free for itself.
 */
export async function findCover(
  sql: TxSql,
  owner: Owner,
  payment: {
    paymentAccountId: string
    settlementAccountId: string
    amountCents: number
    now: EpochMs
  },
): Promise<Cover | null> {
  const { amountCents, now } = payment
  for (const mandate of await listActive(sql, owner, {
    ...payment,
    endsAfter: now + REST_MS_MIN,
  })) {
    const uses = await findUses(sql, mandate.id)
    const left = mandate.limitCents - uses.usedCents - uses.reservedCents
    if (amountCents > mandate.perPaymentCents || amountCents > left) continue
    if (uses.captures + uses.waiting >= CAPTURES_MAX) continue
    const approval = await findApproval(sql, mandate.id)
    if (approval !== null) return { ...approval, id: mandate.id, expiresAt: mandate.expiresAt }
  }
  return null
}

/**
 * Locks the mandate of a payment until the transaction ends, and returns how many captures are
 * left for it, beside those that other payments keep free.
 */
export async function lockCover(
  sql: TxSql,
  { mandateId, paymentId }: { mandateId: string; paymentId: string },
): Promise<number> {
  await sql`select 1 from payment_mandates where id = ${mandateId} for no key update`
  const uses = await findUses(sql, mandateId, paymentId)
  return CAPTURES_MAX - uses.captures - uses.waiting
}

/**
 * Locks the mandate until the transaction ends, and returns how many refunds its payments have:
 * each takes a bit of the one approval.
 */
export async function lockRefundsOf(sql: TxSql, mandateId: string): Promise<number> {
  await sql`select 1 from payment_mandates where id = ${mandateId} for no key update`
  const [row] = await sql<{ count: number }[]>`
    select count(*) from payment_refunds r join payments p on p.id = r.payment_id
    where p.mandate_id = ${mandateId}`
  return row?.count ?? 0
}
