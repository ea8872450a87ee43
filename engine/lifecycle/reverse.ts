// A reversal: the network gives back what was not captured yet, in part or whole. Chosen: never more than is held, and what
// was too much is flagged.
import { openHold, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import {
  approvedOf,
  awaitsOriginal,
  type Change,
  changed,
  promised,
  type Standing,
} from './change.ts'
import { awaitsCapture } from './early-reversals.ts'

const { over_reversed, reversed_before_authorization } = TRANSACTION_FLAGS

/**
 * `amountCents` is what is given back. Without an authorization the record of the reversal is its tombstone: the authorization
 * it takes back is declined when it comes.
 */
export function reverse(standing: Standing | null, amountCents: number): Change {
  if (standing === null || awaitsOriginal(standing) || awaitsCapture(standing))
    return changed(standing, {
      event: 'reversed',
      amountCents: 0,
      set: reversed_before_authorization,
    })
  const held = openHold(standing.sums)
  // With the last of what was approved goes what a preset holds beyond it. What ran out or was released needs no look: of that
  // nothing is held, or as much as an advice said, which is then the rest.
  const { reversed, captured } = standing.sums
  const rest = approvedOf(standing) - reversed - captured
  const isRest = amountCents > 0 && amountCents >= rest
  const givenBack = isRest ? held : Math.min(held, amountCents)
  // What never held anything, because it was declined for example, is reversed in good order.
  const tooMuch = amountCents > held && promised(standing.sums) > 0
  return changed(standing, {
    event: 'reversed',
    amountCents: givenBack,
    sums: { ...standing.sums, reversed: standing.sums.reversed + givenBack },
    set: tooMuch ? over_reversed : 0,
  })
}
