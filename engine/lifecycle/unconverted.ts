// A fact in a currency that nobody can convert: kept, told and flagged. Chosen: nothing is guessed, so it moves no sum, and what is
// held stays held until it is given back or runs out.
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

/** Flags that a fact clears although nobody knows its amount: what was refunded has come with it. */
const CLEARED: { readonly [kind in FactKind]?: number } = {
  advice: ONLY_REFUNDS,
  capture: FLAGS.declined | ONLY_REFUNDS,
}

/** `kind` is the message's, and `named` whether it says which transaction it is about. */
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
