// Something changes while the tenant is being asked: the state rules have the last word, also over
// a yes.
import { type Api, valueAt } from '../api.ts'
import { approves, once } from '../behaviour.ts'
import { approved, declined, type Expected } from '../expected.ts'
import type { SecretCard } from '../sandbox.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const SAID_YES = { outcome: 'answered_approve' }

interface Change {
  name: string
  story: string
  make(api: Api, card: SecretCard): Promise<void>
  /** May be called whether or not the change was made. */
  takeBack(api: Api, card: SecretCard): Promise<void>
  expect: Expected
}

const CHANGES: readonly Change[] = [
  {
    name: 'suspended_while_asked',
    story: 'The card is suspended while the tenant is being asked; its yes comes too late.',
    make: (api, card) => api.suspend(card.id),
    async takeBack(api, card) {
      if (valueAt(await api.card(card.id), 'status') === 'suspended') await api.resume(card.id)
    },
    expect: declined({
      reason: 'card_suspended',
      code: '62',
      rule: 'card_state',
      webhook: SAID_YES,
    }),
  },
  {
    name: 'frozen_while_asked',
    story: 'The cardholder is frozen while the tenant is being asked; its yes comes too late.',
    make: (api, card) => api.freeze(card.cardholder_id),
    async takeBack(api, card) {
      const cardholder = await api.cardholder(card.cardholder_id)
      if (valueAt(cardholder, 'frozen') === true) await api.unfreeze(card.cardholder_id)
    },
    expect: declined({
      reason: 'cardholder_frozen',
      outward: 'cardholder_inactive',
      code: '62',
      rule: 'cardholder_state',
      webhook: SAID_YES,
    }),
  },
]

export const CHANGES_WHILE_ASKED: readonly Scenario[] = CHANGES.map((change) => ({
  name: change.name,
  story: change.story,
  play: (stage) => playChange(stage, change),
}))

async function playChange(stage: Stage, change: Change): Promise<void> {
  const { api } = stage
  const card = stage.card('scenario_realtime')
  const tenant = await stage.tenant()
  const message = stage.message(card)
  const changed = Promise.withResolvers<void>()
  tenant.behave(message.id, once(changed.promise, approves))
  const answering = stage.send(message)
  stage.afterwards(() => change.takeBack(api, card))
  try {
    await tenant.whenAsked(message.id)
    await change.make(api, card)
  } finally {
    changed.resolve()
  }
  await stage.checkAnswered(message, await answering, change.expect)
  await change.takeBack(api, card)
  // The reserved amount is free again, and the card works as before.
  await stage.authorize(stage.message(card), approved({ decidedBy: 'tenant' }))
}
