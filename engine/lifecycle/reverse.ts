// A reversal: the network releases all or part of the uncaptured amount. Chosen: never more than is
// held, and any excess is flagged.
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import {
  approvedOf,
  awaitsOriginal,
  type Change,
  changed,
  promised,
  type TransactionState,
} from './change.ts'
import { awaitsCapture } from './early-reversals.ts'

const { over_reversed, reversed_before_authorization } = TRANSACTION_FLAGS

/**
 * Reverses `amountCents`. Without an authorization the record of the reversal is its tombstone: the
 * authorization is declined when it comes.
 */
export function reverse(transaction: TransactionState | null, amountCents: number): Change {
  if (transaction === null || awaitsOriginal(transaction) || awaitsCapture(transaction))
    return changed(transaction, {
      event: 'reversed',
      amountCents: 0,
      set: reversed_before_authorization,
    })
  const held = openHold(transaction.sums)
  // The last part of the approved amount also releases the preset's addition. An expired or
  // released hold needs no check: its held amount is zero, or the amount of an advice, which is
  // then the rest.
  const { reversed, captured } = transaction.sums
  const rest = approvedOf(transaction) - reversed - captured
  const isRest = amountCents > 0 && amountCents >= rest
  const givenBack = isRest ? held : Math.min(held, amountCents)
  // The reversal of a transaction that never held anything, for example a declined one, is normal.
  const tooMuch = amountCents > held && promised(transaction.sums) > 0
  return changed(transaction, {
    event: 'reversed',
    amountCents: givenBack,
    sums: { ...transaction.sums, reversed: transaction.sums.reversed + givenBack },
    set: tooMuch ? over_reversed : 0,
  })
}
