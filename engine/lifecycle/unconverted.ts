// A fact in a currency that nobody can convert: kept, told and flagged. Chosen: nothing is guessed, so it moves no sum, and what is
// held stays held until it is given back or runs out.
import type { FactKind } from '../../shared/schemas/network-message.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { circumstance } from './capture.ts'
import { type Change, changed, type Standing } from './change.ts'

const FLAGS = TRANSACTION_FLAGS

const EVENTS = {
  advice: 'authorized',
  reversal: 'reversed',
  capture: 'captured',
  refund: 'refunded',
  capture_reversal: 'reversed',
  refund_reversal: 'refunded',
} as const satisfies { [Kind in FactKind]: Change['event'] }

/** `kind` is the message's. */
export function unconverted(kind: FactKind, standing: Standing | null): Change {
  const isCapture = kind === 'capture'
  return changed(standing, {
    event: EVENTS[kind],
    amountCents: 0,
    clear: isCapture ? FLAGS.declined : 0,
    set: FLAGS.unconverted | (isCapture ? circumstance(standing) : unlinkedBy(kind, standing)),
  })
}

function unlinkedBy(kind: FactKind, standing: Standing | null): number {
  const refunds = kind === 'refund' || kind === 'refund_reversal'
  return refunds && standing === null ? FLAGS.unlinked : 0
}
