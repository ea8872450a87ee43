// A story that begins with a holder who has an account with money.
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { Payer } from './payer.ts'

/** Plays with a payer of its own; without one the stage has noted the reason. */
export function payerStory(
  name: string,
  story: string,
  play: (payer: Payer, stage: Stage) => Promise<void>,
): Scenario {
  return {
    name,
    story,
    async play(stage) {
      const payer = await Payer.open(stage)
      if (payer !== null) await play(payer, stage)
    },
  }
}
