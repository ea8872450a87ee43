// The sixty scenarios and the stories of payments, each with the line of our source that turns it
// red.
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { type Numbered, theSixty } from '../../scripts/simulate/scenarios/sixty.ts'
import { ISOLATED_STORIES } from '../isolated/stories/all.ts'
import { ISOLATED_MUTATIONS } from './isolated-mutations.ts'
import { PAYMENT_MUTATIONS } from './payment-mutations.ts'
import { MUTATIONS, type Mutation } from './scenario-mutations.ts'

export interface Guarded extends Numbered {
  /** Null if no line is named for it yet. */
  mutation: Mutation | null
}

const PAYMENTS_FROM = 101
const PAYMENT_STORY = /^(?:payments?|withdrawal)_|^payment$/

export function guarded(): Guarded[] {
  return [...guardedSixty(), ...guardedPayments()]
}

function guardedPayments(): Guarded[] {
  return SCENARIOS.filter(({ name }) => PAYMENT_STORY.test(name)).map(({ name, story }, at) => ({
    ...{ number: PAYMENTS_FROM + at, title: story, stories: [name] },
    mutation: PAYMENT_MUTATIONS[name] ?? null,
  }))
}

function guardedSixty(): Guarded[] {
  return theSixty([...SCENARIOS, ...ISOLATED_STORIES]).map((row) => {
    const mutation = MUTATIONS[row.number] ?? ISOLATED_MUTATIONS[row.number] ?? null
    return { ...row, mutation }
  })
}
