// Step 6. An approval by the controls → a reservation in every window. Runs in the same turn as judge, so between the
// check and the reservation nothing else can be decided: concurrent authorizations never overspend. What is decided in that
// turn already needs none: it counts in the windows itself.
import { step } from '../state/decision-state.ts'
import type { Line, Pending } from './line.ts'

/** Takes amount and number out of every window they count in, until it is decided. Nothing may wait between judge and this. */
export function reserve(line: Line, pending: Pending): void {
  if (pending.reservation === null) return
  const { keys, amountCents, count } = pending.reservation
  pending.isReserved = true
  step(line.state, { type: 'reserve', keys, amount: amountCents, count })
}

/** Ends the reservation, where there is one; conclude calls it in the turn that records the decision. */
export function unreserve(line: Line, pending: Pending): void {
  if (!pending.isReserved || pending.reservation === null) return
  const { keys, amountCents, count } = pending.reservation
  pending.isReserved = false
  step(line.state, { type: 'unreserve', keys, amount: amountCents, count })
}
