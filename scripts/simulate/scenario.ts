// A scenario is a named story about the network port. Most are one row: a card, a message, and the
// expected result.
import type { Behaviour } from './behaviour.ts'
import type { Expected } from './expected.ts'
import { byPan, type MessageChange, type NetworkCard } from './message.ts'
import type { SecretCard } from './sandbox.ts'
import type { Stage } from './stage.ts'

export interface Story {
  /** As given to `--scenario`. */
  name: string
  /** One sentence. */
  story: string
  /** Which of the sixty it plays; none where it is an extra one. */
  covers?: readonly number[]
}

/** Plays against the running service. */
export interface Scenario extends Story {
  play(stage: Stage): Promise<void>
}

/** The same stories, as those that play these of the sixty. */
export function covering<Kind extends Story>(
  covers: readonly number[],
  ...stories: readonly Kind[]
): Kind[] {
  return stories.map((story) => ({ ...story, covers }))
}

export interface Step {
  /** Purpose of the card in the sandbox. */
  card: string
  /** How the network names the card; by its token unless set. */
  by?(card: SecretCard): NetworkCard
  change?: MessageChange
  /** Further changes, derived from the details of the card. */
  changeFor?(card: SecretCard): MessageChange
  /** How the tenant behaves; set exactly for cards whose program asks. */
  tenant?: Behaviour
  expect: Expected
}

/** A story told in messages, one after the other. */
export function authorizations(name: string, story: string, ...steps: readonly Step[]): Scenario {
  return {
    name,
    story,
    async play(stage) {
      for (const step of steps) await playStep(stage, step)
    },
  }
}

async function playStep(stage: Stage, step: Step): Promise<void> {
  const card = stage.card(step.card)
  const message = stage.message(card, {
    ...step.change,
    ...step.changeFor?.(card),
    ...(step.by === undefined ? {} : { card: step.by(card) }),
  })
  if (step.tenant !== undefined) (await stage.tenant()).behave(message.id, step.tenant)
  await stage.authorize(message, step.expect)
}

/** By PAN, expiry and CVC, with something about them changed. */
export function panWith(
  change: (card: SecretCard) => NetworkCard,
): (card: SecretCard) => NetworkCard {
  return (card) => ({ ...byPan(card), ...change(card) })
}
