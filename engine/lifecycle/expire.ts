// An expired hold: the rest of it is released.
import { openHold } from '../../shared/transaction-sums.ts'
import { type Change, changed, type Standing } from './change.ts'

/** Ends the open hold. */
export function expire(standing: Standing): Change {
  const held = openHold(standing.sums)
  return changed(standing, {
    event: 'reversed',
    amountCents: held,
    sums: { ...standing.sums, expired: standing.sums.expired + held },
  })
}
