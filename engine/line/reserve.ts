// Step 6. An approval by the controls → a reservation in every window. Runs in the same turn as judge, so between the
// check and the reservation nothing else can be decided: concurrent authorizations never overspend.
import { step } from '../state/decision-state.ts'
import type { Gathered, Line } from './line.ts'

/** Takes the amount out of every window it counts in. Nothing may wait between judge and this. */
export function reserve(line: Line, gathered: Gathered): void {
  step(line.state, {
    type: 'reserve',
    keys: gathered.keys,
    amount: gathered.judged.cardAmountCents,
  })
}

/** Ends the reservation; conclude calls it in the turn that records the decision. */
export function unreserve(line: Line, gathered: Gathered): void {
  step(line.state, {
    type: 'unreserve',
    keys: gathered.keys,
    amount: gathered.judged.cardAmountCents,
  })
}
