// The sixty scenarios with the line of our source that turns each red.
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { type Numbered, theSixty } from '../../scripts/simulate/scenarios/sixty.ts'
import { ISOLATED_STORIES } from '../isolated/stories/all.ts'
import { ISOLATED_MUTATIONS } from './isolated-mutations.ts'
import { MUTATIONS, type Mutation } from './scenario-mutations.ts'

export interface Guarded extends Numbered {
  /** Null if no line is named for it yet. */
  mutation: Mutation | null
}

export function guarded(): Guarded[] {
  return theSixty([...SCENARIOS, ...ISOLATED_STORIES]).map((row) => {
    const mutation = MUTATIONS[row.number] ?? ISOLATED_MUTATIONS[row.number] ?? null
    return { ...row, mutation }
  })
}
