// Reversals of captures and refunds that come before their capture or refund. Such a reversal
// waits, outside of all sums, until the received amount covers it whole.
//
// Chosen: a reversal never takes back more than its original. A reversal of more than was received
// therefore concerns a message that has not come yet. It takes nothing from other captures, and the
// sums end as if every message had come in order.
import type { EarlyReversals, Sums } from '../../shared/transaction-sums.ts'
import { promised, sumsOf, type TransactionState } from './change.ts'

const NONE: EarlyReversals = { capture: 0, refund: 0 }

/** The sums and waiting reversals of a transaction. */
export interface Settlement {
  sums: Sums
  /** Null where no reversal waits. */
  early: EarlyReversals | null
}

/** Returns the sums that count and the reversals that still wait. */
export function settlementOf(transaction: TransactionState | null): Settlement {
  return { sums: { ...sumsOf(transaction) }, early: transaction?.early ?? null }
}

/** The settlement once the reversals that are covered by now have moved its sums. */
export function settled({ sums, early }: Settlement): Settlement {
  if (early === null) return { sums, early }
  let { capture, refund } = early
  const { captured, refunded } = sums
  let { captureReversed, refundReversed } = sums
  if (capture <= captured - captureReversed) {
    captureReversed += capture
    capture = 0
  }
  if (refund <= refunded - refundReversed) {
    refundReversed += refund
    refund = 0
  }
  return { sums: { ...sums, captureReversed, refundReversed }, early: earlyOf(capture, refund) }
}

/** The settlement with so much more waiting. Minor units of the card's currency. */
export function waiting({ sums, early }: Settlement, more: EarlyReversals): Settlement {
  const { capture, refund } = early ?? NONE
  return { sums, early: earlyOf(capture + more.capture, refund + more.refund) }
}

/** True if a capture reversal has come without its capture and without an authorization. */
export function awaitsCapture(transaction: TransactionState): boolean {
  if (promised(transaction.sums) > 0 || transaction.sums.captured > 0) return false
  return transaction.early !== null && transaction.early.capture > 0
}

function earlyOf(capture: number, refund: number): EarlyReversals | null {
  return capture + refund === 0 ? null : { capture, refund }
}
