// Step 6. An approval by the controls → a reservation in every window. Runs in the same turn as judge, so between the
// check and the reservation nothing else can be decided: concurrent authorizations never overspend.
import { step } from '../state/decision-state.ts'
import type { Line, Pending, Reservation } from './line.ts'

/** Takes amount and number out of every window they count in. Nothing may wait between judge and this. */
export function reserve(line: Line, pending: Pending, reservation: Reservation): void {
  const { keys, amountCents, count } = reservation
  pending.reserved = reservation
  step(line.state, { type: 'reserve', keys, amount: amountCents, count })
}

/** Ends the reservation, where there is one; conclude calls it in the turn that records the decision. */
export function unreserve(line: Line, pending: Pending): void {
  if (pending.reserved === null) return
  const { keys, amountCents, count } = pending.reserved
  pending.reserved = null
  step(line.state, { type: 'unreserve', keys, amount: amountCents, count })
}
