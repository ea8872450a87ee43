// A notification in a currency without a known rate: the engine stores, reports and flags it.
// Chosen: the engine guesses nothing, so no sum changes, and the hold stays until it is released or
// expires.
import type { NotificationKind } from '../../shared/schemas/network-message.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { circumstance } from './capture.ts'
import { type Change, changed, ONLY_REFUNDS, type TransactionState, unlinkedBy } from './change.ts'

const FLAGS = TRANSACTION_FLAGS

const EVENTS = {
  advice: 'authorized',
  reversal: 'reversed',
  capture: 'captured',
  refund: 'refunded',
  capture_reversal: 'reversed',
  refund_reversal: 'refunded',
} as const satisfies { [Kind in NotificationKind]: Change['event'] }

/**
 * Flags that a notification clears although its amount is unknown: the refunded transaction has
 * come with it.
 */
const CLEARED: { readonly [kind in NotificationKind]?: number } = {
  advice: ONLY_REFUNDS,
  capture: FLAGS.declined | ONLY_REFUNDS,
}

/** `kind` is the message's; `named` is true if the message names its transaction. */
export function unconverted(
  kind: NotificationKind,
  transaction: TransactionState | null,
  named: boolean,
): Change {
  return changed(transaction, {
    event: EVENTS[kind],
    amountCents: 0,
    clear: CLEARED[kind] ?? 0,
    set: FLAGS.unconverted | circumstances(kind, transaction, named),
  })
}

function circumstances(
  kind: NotificationKind,
  transaction: TransactionState | null,
  named: boolean,
): number {
  if (kind === 'capture') return circumstance(transaction)
  const refunds = kind === 'refund' || kind === 'refund_reversal'
  return refunds ? unlinkedBy(transaction, named) : 0
}
