// The effect of a decided authorization request on its transaction: an authorization opens it, an
// increment adds to it, a decline leaves it unchanged.
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { type Change, changed, ONLY_REFUNDS, sumsOf, type TransactionState } from './change.ts'

const { declined, force_post, captured_before_authorization, final } = TRANSACTION_FLAGS

/** Minor units of the card's currency. */
export interface Approval {
  approvedCents: number
  /** Amount to hold: the approved amount and the preset's addition. */
  holdCents: number
  holdExpiresAtMs: number
}

/**
 * Applies an approved authorization. If its capture came first, it adds only the excess, and
 * nothing after the merchant's last capture; if its refund came first, the refund is linked from
 * now on. The sums equal those of the usual order.
 */
export function authorized(transaction: TransactionState | null, approval: Approval): Change {
  const { approvedCents, holdCents, holdExpiresAtMs } = approval
  const early = transaction !== null && (transaction.flags & force_post) !== 0
  const before = sumsOf(transaction)
  const sums = {
    ...before,
    authorized: before.authorized + approvedCents,
    adjusted: before.adjusted + (early ? 0 : holdCents - approvedCents),
  }
  const open = changed(transaction, {
    event: 'authorized',
    amountCents: approvedCents,
    sums,
    holdExpiresAtMs,
    clear: force_post | declined | ONLY_REFUNDS,
    set: early ? captured_before_authorization : 0,
  })
  const left = openHold(open.sums)
  if ((open.flags & final) === 0 || left === 0) return open
  const released = open.sums.released + left
  return { ...open, sums: { ...open.sums, released }, holdExpiresAtMs: 0 }
}

/**
 * Applies an approved increment: the hold grows, and lasts as long as a new one would if that is
 * longer.
 */
export function incremented(transaction: TransactionState, approval: Approval): Change {
  const { approvedCents, holdCents, holdExpiresAtMs } = approval
  return changed(transaction, {
    event: 'authorized',
    amountCents: approvedCents,
    sums: {
      ...transaction.sums,
      incremented: transaction.sums.incremented + approvedCents,
      adjusted: transaction.sums.adjusted + holdCents - approvedCents,
    },
    holdExpiresAtMs: Math.max(transaction.holdExpiresAtMs, holdExpiresAtMs),
  })
}

/**
 * Applies a declined authorization request: a transaction with declines only is flagged; an
 * existing one is unchanged, except for a refund that came before the transaction it named.
 */
export function refused(transaction: TransactionState | null): Change {
  return changed(transaction, {
    event: 'declined',
    amountCents: 0,
    clear: ONLY_REFUNDS,
    set: transaction === null ? declined : 0,
  })
}
