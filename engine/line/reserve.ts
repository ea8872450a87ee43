// Step 6. An approval by the controls → a reservation in every window. Runs synchronously with
// judge, so no other decision falls between the check and the reservation: concurrent
// authorizations never overspend. A request decided in that run needs no reservation: it counts in
// the windows itself.
import { step } from '../state/decision-state.ts'
import type { Line, Pending } from './line.ts'

/**
 * Reserves amount and count in every window of the message until its decision. No await may come
 * between judge and this.
 */
export function reserve(line: Line, pending: Pending): void {
  if (pending.reservation === null) return
  const { keys, amountCents, count } = pending.reservation
  pending.isReserved = true
  step(line.state, { type: 'reserve', keys, amount: amountCents, count })
}

/** Ends the reservation, if there is one; conclude calls it together with the decision's entry. */
export function unreserve(line: Line, pending: Pending): void {
  if (!pending.isReserved || pending.reservation === null) return
  const { keys, amountCents, count } = pending.reservation
  pending.isReserved = false
  step(line.state, { type: 'unreserve', keys, amount: amountCents, count })
}
