// A hundred purchases at once on one remaining unit: exactly one is approved, whoever decides it.
import { after, approves } from '../behaviour.ts'
import { describeExchange, openNetwork } from '../network.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { borrowLimits, countedCents, WIDE_CENTS } from './spending.ts'

const AT_ONCE = 100
const TWO = 2
/** Long enough that all the others arrive while the one that was first still waits. */
const TENANT_THINKS_MS = 300

export const CONCURRENCY: readonly Scenario[] = [
  {
    name: 'concurrent_two',
    story: 'Two authorizations at once for one remaining unit: one is approved.',
    covers: [8],
    play: (stage) => playLastUnit(stage, 'limited_plain', TWO),
  },
  {
    name: 'concurrent_last_unit',
    covers: [9],
    story: 'A hundred authorizations at once on one remaining unit: one is approved.',
    play: (stage) => playLastUnit(stage, 'limited_plain', AT_ONCE),
  },
  {
    name: 'concurrent_last_unit_tenant_asked',
    covers: [9],
    story:
      'The same hundred while the tenant is being asked: one reserves, is asked about, and is approved.',
    play: (stage) => playLastUnit(stage, 'scenario_realtime', AT_ONCE),
  },
]

async function playLastUnit(stage: Stage, purpose: string, atOnce: number): Promise<void> {
  const card = stage.card(purpose)
  const tenant = purpose === 'scenario_realtime' ? await stage.tenant() : null
  const setLimit = await borrowLimits(stage, card)
  // The only window that cannot turn over in the middle of the story.
  const interval = 'all_time'
  await setLimit(interval, WIDE_CENTS)
  const counted = await countedCents(stage, card, { scope: 'card', interval })
  await setLimit(interval, counted.countedCents + 1)

  const network = openNetwork(stage.surroundings.sandbox, stage.clock, atOnce)
  stage.afterwards(async () => network.close())
  await network.warm()
  const messages = Array.from({ length: atOnce }, () => stage.message(card, { amount_cents: 1 }))
  for (const message of messages) tenant?.behave(message.id, after(TENANT_THINKS_MS, approves))
  const answers = await Promise.all(messages.map((message) => stage.send(message, network)))

  const won = answers.filter(({ answer }) => answer?.approved === true)
  const lost = answers.filter(
    ({ answer }) =>
      answer?.approved === false &&
      answer.decline_reason === 'limit_all_time' &&
      answer.response_code === '61' &&
      answer.decided_by === 'static_controls',
  )
  stage.check(
    'outcomes',
    { approved: 1, declined: atOnce - 1 },
    { approved: won.length, declined: lost.length },
  )
  const neither = answers.find((answered) => !won.includes(answered) && !lost.includes(answered))
  if (neither !== undefined) stage.note('another answer: ' + describeExchange(neither.exchange))
  if (tenant !== null) {
    const asked = messages.filter((message) => tenant.askedAbout(message.id) > 0)
    stage.check('purchases the tenant was asked about', 1, asked.length)
  }
  stage.check(
    'counted afterwards',
    { countedCents: counted.countedCents + 1 },
    await countedCents(stage, card, { scope: 'card', interval }),
  )
}
