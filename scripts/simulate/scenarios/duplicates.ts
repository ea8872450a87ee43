// The network repeats itself: the same message has one answer, however often and however soon it is
// sent again.

import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import { after, approves } from '../behaviour.ts'
import { approved, declined } from '../expected.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const REPEATS = 5

export const DUPLICATES: readonly Scenario[] = [
  {
    name: 'duplicate',
    covers: [20],
    story: 'A repeated message gets the byte-identical answer, approvals and declines alike.',
    async play(stage) {
      await playRepeats(stage, stage.message(stage.card('scenario_plain')), approved())
      await playRepeats(
        stage,
        stage.message(stage.card('suspended')),
        declined({ reason: 'card_suspended', code: '62', rule: 'card_state' }),
      )
    },
  },
  {
    name: 'duplicate_while_pending',
    covers: [20],
    story:
      'A message repeated while the tenant is being asked waits for the same answer; the tenant is asked once.',
    play: playWhilePending,
  },
  {
    name: 'duplicate_mismatch',
    covers: [21],
    story: 'The same message id with other content is told so; the original stands.',
    play: playMismatch,
  },
]

async function playRepeats(
  stage: Stage,
  message: NetworkMessage,
  expected: ReturnType<typeof approved>,
): Promise<void> {
  const first = await stage.send(message)
  await stage.checkAnswered(message, first, expected)
  for (let repeat = 1; repeat <= REPEATS; repeat++) {
    const again = await stage.send(message)
    if (!again.body.equals(first.body)) stage.note('repeat ' + repeat + ' got another answer')
  }
  // Still one transaction and one event.
  await stage.checkAnswered(message, first, expected)
}

async function playWhilePending(stage: Stage): Promise<void> {
  const tenant = await stage.tenant()
  const message = stage.message(stage.card('scenario_realtime'))
  tenant.behave(message.id, after(400, approves))
  const first = stage.send(message)
  await tenant.whenAsked(message.id)
  const repeats = await Promise.all([stage.send(message), stage.send(message)])
  const answered = await first
  await stage.checkAnswered(message, answered, approved({ decidedBy: 'tenant' }))
  if (!repeats.every((repeat) => repeat.body.equals(answered.body)))
    stage.note('a repeat that waited got another answer')
  stage.check('times the tenant was asked', 1, tenant.askedAbout(message.id))
}

async function playMismatch(stage: Stage): Promise<void> {
  const message = stage.message(stage.card('scenario_plain'))
  const first = await stage.send(message)
  await stage.checkAnswered(message, first, approved())
  const changes: readonly (readonly [string, NetworkMessage])[] = [
    ['amount', { ...message, amount_cents: message.amount_cents + 1 }],
    ['card', { ...message, card: { token: stage.card('suspended').token } }],
    ['merchant', { ...message, merchant: { ...message.merchant, id: 'merch_other' } }],
    ['currency', { ...message, currency: 'EUR' }],
    ['network transaction', { ...message, network_transaction_id: 'ntx_other' }],
  ]
  for (const [what, changed] of changes) {
    const { answer } = await stage.send(changed)
    stage.check(
      'another ' + what,
      {
        message_id: message.id,
        approved: false,
        approved_amount_cents: 0,
        response_code: '94',
        decline_reason: 'duplicate_mismatch',
        authorization_code: null,
      },
      answer,
    )
  }
  const again = await stage.send(message)
  if (!again.body.equals(first.body)) stage.note('the original got another answer afterwards')
  await stage.checkAnswered(message, first, approved())
}
