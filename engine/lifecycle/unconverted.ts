// A notification in a currency without a known rate: the engine stores, reports and flags it.
// Chosen: the engine guesses nothing, so no sum changes, and the hold stays until it is released or
// expires.
import type { FactKind } from '../../shared/schemas/network-message.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { circumstance } from './capture.ts'
import { type Change, changed, ONLY_REFUNDS, type Standing, unlinkedBy } from './change.ts'

const FLAGS = TRANSACTION_FLAGS

const EVENTS = {
  advice: 'authorized',
  reversal: 'reversed',
  capture: 'captured',
  refund: 'refunded',
  capture_reversal: 'reversed',
  refund_reversal: 'refunded',
} as const satisfies { [Kind in FactKind]: Change['event'] }

/**
 * Flags that a notification clears although its amount is unknown: the refunded transaction has
 * come with it.
 */
const CLEARED: { readonly [kind in FactKind]?: number } = {
  advice: ONLY_REFUNDS,
  capture: FLAGS.declined | ONLY_REFUNDS,
}

/** `kind` is the message's; `named` is true if the message names its transaction. */
export function unconverted(kind: FactKind, standing: Standing | null, named: boolean): Change {
  return changed(standing, {
    event: EVENTS[kind],
    amountCents: 0,
    clear: CLEARED[kind] ?? 0,
    set: FLAGS.unconverted | circumstances(kind, standing, named),
  })
}

function circumstances(kind: FactKind, standing: Standing | null, named: boolean): number {
  if (kind === 'capture') return circumstance(standing)
  const refunds = kind === 'refund' || kind === 'refund_reversal'
  return refunds ? unlinkedBy(standing, named) : 0
}
