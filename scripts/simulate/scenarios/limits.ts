// Limits at the limit exactly and one cent above: equality approves. Every interval on a card, and
// on a cardholder.
import { LIMIT_INTERVALS } from '../../../shared/schemas/card.ts'
import { approved, declined, type Expected } from '../expected.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { borrowLimits, countedCents, type Interval, limitRow, WIDE_CENTS } from './spending.ts'

const LEFT_CENTS = 100

export const LIMITS: readonly Scenario[] = [
  ...LIMIT_INTERVALS.map((interval) => ({
    name: 'limit_' + interval,
    covers: [7],
    story:
      interval === 'per_authorization'
        ? 'A purchase of exactly the limit is approved, one cent more is declined.'
        : 'What is left of the ' + interval + ' limit can be spent, one cent more is declined.',
    play: (stage: Stage) =>
      interval === 'per_authorization' ? playPerAuthorization(stage) : playWindow(stage, interval),
  })),
  {
    name: 'limit_cardholder',
    story: 'The cardholder’s daily limit binds a card that has none of its own.',
    play: playCardholder,
  },
]

function overLimit(interval: Interval): Expected {
  return declined({ reason: 'limit_' + interval, code: '61', rule: 'within_limit' })
}

async function playPerAuthorization(stage: Stage): Promise<void> {
  const card = stage.card('limited_plain')
  const setLimit = await borrowLimits(stage, card)
  await setLimit('per_authorization', LEFT_CENTS)
  const purchase = (cents: number) => stage.message(card, { amount_cents: cents })
  await stage.authorize(purchase(LEFT_CENTS + 1), overLimit('per_authorization'))
  await stage.authorize(purchase(LEFT_CENTS - 1), approved())
  await stage.authorize(purchase(LEFT_CENTS), approved())
  // Each purchase is measured alone.
  await stage.authorize(purchase(LEFT_CENTS), approved())
}

async function playWindow(stage: Stage, interval: Interval): Promise<void> {
  const card = stage.card('limited_plain')
  const setLimit = await borrowLimits(stage, card)
  await setLimit(interval, WIDE_CENTS)
  const counted = await countedCents(stage, card, { scope: 'card', interval })
  const limitCents = counted.countedCents + LEFT_CENTS
  await setLimit(interval, limitCents)
  const purchase = (cents: number) => stage.message(card, { amount_cents: cents })
  const refused = await stage.authorize(purchase(LEFT_CENTS + 1), overLimit(interval))
  stage.check(
    'trace',
    {
      limit: limitCents,
      used_before: counted.countedCents,
      reserved_before: 0,
      requested: LEFT_CENTS + 1,
      time_zone: 'UTC',
    },
    limitRow(refused, { scope: 'card', interval }),
  )
  await stage.authorize(purchase(LEFT_CENTS - 1), approved())
  await stage.authorize(purchase(2), overLimit(interval))
  await stage.authorize(purchase(1), approved())
  await stage.authorize(purchase(1), overLimit(interval))
}

async function playCardholder(stage: Stage): Promise<void> {
  const card = stage.card('cardholder_limited')
  const limit = { scope: 'cardholder', interval: 'daily' } as const
  const { countedCents: counted, limitCents } = await countedCents(stage, card, limit)
  // On a sandbox used today nothing may be left; then a purchase of nothing is the one at the
  // limit.
  const leftCents = Math.max(0, limitCents - counted)
  const purchase = (cents: number) => stage.message(card, { amount_cents: cents })
  const refused = await stage.authorize(purchase(leftCents + 1), overLimit('daily'))
  stage.check('trace', { used_before: counted, limit: limitCents }, limitRow(refused, limit))
  await stage.authorize(purchase(leftCents), approved())
  await stage.authorize(purchase(1), overLimit('daily'))
}
