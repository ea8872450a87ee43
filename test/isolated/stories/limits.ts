// Limits of every interval at their edges, and the moments in which they begin anew.
import type { LimitInterval } from '../../../shared/wire/config-records.ts'
import { ownControls, ownLimit } from '../config.ts'
import {
  anotherCard,
  approves,
  declines,
  type IsolatedStory,
  type OwnStage,
  ownStory,
} from '../stage.ts'

const LIMIT = 10_000
const SPENT = 4000
/** A Monday whose day, week, month and year end at four different midnights. */
const MONDAY = Date.UTC(2027, 10, 29, 12)

/** When each window that MONDAY falls into is over. */
const ENDS: readonly (readonly [interval: LimitInterval, endMs: number])[] = [
  ['daily', Date.UTC(2027, 10, 30)],
  ['monthly', Date.UTC(2027, 11, 1)],
  ['weekly', Date.UTC(2027, 11, 6)],
  ['yearly', Date.UTC(2028, 0, 1)],
]

/** A card that one limit binds. */
async function limitedCard(stage: OwnStage, interval: LimitInterval) {
  const { configRecord, by } = anotherCard(stage.engine, interval)
  const subject = { id: configRecord.id, scope: 'card', version: 1 } as const
  const limits = [ownLimit({ interval, amount_cents: LIMIT })]
  await stage.push(configRecord, ownControls({ limits }, subject))
  const over = declines('limit_' + interval, '61')
  const spend = (cents: number, expected: typeof over) =>
    stage.send({ card: by, amount_cents: cents }, expected)
  return { spend, over }
}

/**
 * Spends up to the limit, one more and one less, and clears it, so that no hold runs out on the
 * way.
 */
async function spendAll(
  stage: OwnStage,
  { spend, over }: Awaited<ReturnType<typeof limitedCard>>,
): Promise<void> {
  const most = LIMIT - SPENT
  const approved = [await spend(SPENT, approves(SPENT))]
  await stage.counted(await spend(most + 1, over), { used_before: SPENT, requested: most + 1 })
  approved.push(await spend(most - 1, approves()))
  const last = await spend(1, approves())
  await stage.counted(last, { used_before: LIMIT - 1, reserved_before: 0, limit: LIMIT })
  await spend(1, over)
  for (const sent of [...approved, last]) {
    await stage.follow(sent, { kind: 'capture', amount_cents: sent.message.amount_cents })
  }
}

export const ISOLATED_LIMITS: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_limit_edges',
    story: 'Each interval just below, at and above its limit, and again in its next window.',
    covers: [7],
    at: MONDAY,
    async play(stage) {
      const single = await limitedCard(stage, 'per_authorization')
      await single.spend(LIMIT - 1, approves())
      await single.spend(LIMIT, approves(LIMIT))
      await single.spend(LIMIT + 1, single.over)

      const ever = await limitedCard(stage, 'all_time')
      await spendAll(stage, ever)
      const bound = new Map<LimitInterval, Awaited<ReturnType<typeof limitedCard>>>()
      for (const [interval] of ENDS) {
        const card = await limitedCard(stage, interval)
        bound.set(interval, card)
        await spendAll(stage, card)
      }
      for (const [interval, endMs] of ENDS) {
        await stage.pass(endMs - 1)
        const { spend, over } = bound.get(interval) ?? ever
        await stage.counted(await spend(1, over), { used_before: LIMIT, window_end: endMs })
        await stage.pass(endMs)
        await spend(LIMIT + 1, over)
        const first = await spend(LIMIT, approves(LIMIT))
        await stage.counted(first, { used_before: 0, window_start: endMs })
      }
      await ever.spend(1, ever.over)
    },
  }),
]
