// Midnights: of UTC, of a zone whose days are 23 and 25 hours long, of months of different lengths;
// windows that roll instead; and hours in which a card may be used.
import type { LimitConfig } from '../../../shared/wire/config-records.ts'
import { ownControls, ownLimit } from '../config.ts'
import { approves, declines, type IsolatedStory, type OwnStage, ownStory } from '../stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NEW_YORK = 'America/New_York'
const LIMIT = 1000
const LOOK_MS = 1000

/**
 * Spends the limit whole, is refused one more to the last millisecond, and spends it again in the
 * next window.
 */
async function spendWindow(
  stage: OwnStage,
  { interval }: Pick<LimitConfig, 'interval'>,
  [startMs, endMs]: readonly [startMs: number, endMs: number],
): Promise<void> {
  const bounds = { window_start: startMs, window_end: endMs }
  await stage.pass(startMs)
  const first = await stage.send({ amount_cents: LIMIT }, approves(LIMIT))
  await stage.counted(first, { used_before: 0, ...bounds })
  // Cleared, so that no hold that runs out makes room.
  await stage.follow(first, { kind: 'capture', amount_cents: LIMIT })
  await stage.pass(endMs - 1)
  const over = await stage.send({ amount_cents: 1 }, declines('limit_' + interval, '61'))
  await stage.counted(over, { used_before: LIMIT, ...bounds })
}

export const ISOLATED_CALENDAR: readonly IsolatedStory[] = [
  ownStory({
    name: 'own_midnight_utc',
    story:
      'A daily limit begins anew at midnight UTC, over 29 February too; a monthly one counts that day.',
    covers: [53],
    at: Date.UTC(2028, 0, 31),
    async play(stage) {
      await stage.push(
        ownControls({ limits: [ownLimit({ interval: 'monthly', amount_cents: LIMIT })] }),
      )
      const months = [Date.UTC(2028, 0, 31), Date.UTC(2028, 1, 1), Date.UTC(2028, 2, 1)] as const
      const first = await stage.send({ amount_cents: LIMIT }, approves(LIMIT))
      const january = { window_start: Date.UTC(2028, 0, 1), window_end: months[1] }
      await stage.counted(first, { used_before: 0, ...january })
      await stage.pass(months[1] - 1)
      await stage.send({ amount_cents: 1 }, declines('limit_monthly', '61'))
      await spendWindow(stage, { interval: 'monthly' }, [months[1], months[2]])

      await stage.push(
        ownControls(
          { limits: [ownLimit({ amount_cents: LIMIT })] },
          { id: stage.engine.card.id, scope: 'card', version: 2 },
        ),
      )
      await spendWindow(stage, { interval: 'daily' }, [months[2], months[2] + DAY_MS])
    },
  }),
  ownStory({
    name: 'own_leap_day',
    story: 'The day of 29 February has a limit of its own between the 28th and the 1st.',
    covers: [53],
    at: Date.UTC(2028, 1, 28),
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: LIMIT })] }))
      for (let day = 0; day < 3; day++) {
        const startMs = Date.UTC(2028, 1, 28) + day * DAY_MS
        await spendWindow(stage, { interval: 'daily' }, [startMs, startMs + DAY_MS])
      }
    },
  }),
  ownStory({
    name: 'own_midnight_new_york',
    story:
      'A day in New York is 23 hours long in March and 25 in November, and its limit lasts as long.',
    covers: [53],
    at: Date.UTC(2027, 2, 13, 4),
    async play(stage) {
      const limits = [ownLimit({ amount_cents: LIMIT, time_zone: NEW_YORK })]
      await stage.push(ownControls({ limits }))
      const spring = Date.UTC(2027, 2, 14, 5)
      await spendWindow(stage, { interval: 'daily' }, [spring - DAY_MS, spring])
      await spendWindow(stage, { interval: 'daily' }, [spring, spring + 23 * HOUR_MS])
      const after = spring + 23 * HOUR_MS
      await spendWindow(stage, { interval: 'daily' }, [after, after + DAY_MS])
      const autumn = Date.UTC(2027, 10, 7, 4)
      await spendWindow(stage, { interval: 'daily' }, [autumn, autumn + 25 * HOUR_MS])
      await stage.pass(autumn + 25 * HOUR_MS)
      const next = await stage.send({ amount_cents: LIMIT }, approves(LIMIT))
      await stage.counted(next, { used_before: 0 })
    },
  }),
  ownStory({
    name: 'own_rolling',
    story:
      'Windows of ten seconds and of ninety days roll: what is older makes room, to the tenth of a second.',
    at: Date.UTC(2027, 0, 10, 23, 59, 55),
    async play(stage) {
      const rolling = (id: string, seconds: number, change: Partial<LimitConfig>) => ({
        ...ownLimit({ id, interval: 'rolling', rolling_seconds: seconds }),
        ...change,
      })
      const { amount_cents } = ownLimit({ amount_cents: LIMIT })
      const quarter = rolling('lim_quarter', 90 * 86_400, { amount_cents })
      await stage.push(ownControls({ limits: [rolling('lim_quick', 10, { count: 2 }), quarter] }))
      const startMs = stage.nowMs
      const quick = declines('limit_count', '65')
      const first = await stage.send({ amount_cents: 300 }, approves())
      await stage.pass(startMs + 4000)
      await stage.send({ amount_cents: 300 }, approves())
      await stage.send({ amount_cents: 1 }, quick)
      // Over midnight it is the same window.
      await stage.pass(startMs + 9900)
      const third = await stage.send({ amount_cents: 1 }, quick)
      await stage.counted(third, { used_before: 2, of: 'count' })
      await stage.pass(startMs + 10_100)
      const fourth = await stage.send({ amount_cents: 400 }, approves())
      await stage.counted(fourth, { used_before: 1 }, { used_before: 600 })
      for (const sent of [first, fourth])
        await stage.follow(sent, { kind: 'capture', amount_cents: sent.message.amount_cents })

      await stage.pass(startMs + 80 * DAY_MS)
      // The second was never cleared, and its hold ran out.
      const full = await stage.send({ amount_cents: 301 }, declines('limit_rolling', '61'))
      await stage.counted(full, { used_before: 0 }, { used_before: 700 })
      await stage.pass(startMs + 90 * DAY_MS + 200)
      const late = await stage.send({ amount_cents: 601 }, declines('limit_rolling', '61'))
      await stage.counted(late, { used_before: 0 }, { used_before: 400 })
      await stage.pass(startMs + 90 * DAY_MS + 10_300)
      const last = await stage.send({ amount_cents: LIMIT }, approves(LIMIT))
      await stage.counted(last, { used_before: 0 }, { used_before: 0 })
    },
  }),
  ownStory({
    name: 'own_schedule',
    story:
      'A card opens at eight in New York on workdays: 13:00 UTC in winter, 12:00 in summer, at weekends never.',
    at: Date.UTC(2027, 2, 12, 12, 59, 59, 999),
    async play(stage) {
      const hours = { from_minute: 8 * 60, until_minute: 18 * 60, time_zone: NEW_YORK }
      await stage.push(ownControls({ schedule: [{ days: [1, 2, 3, 4, 5], ...hours }] }))
      const closed = declines('schedule_blocked', '62')
      // Friday in winter, Saturday, Monday in summer.
      await stage.send({}, closed)
      await stage.pass(Date.UTC(2027, 2, 12, 13))
      await stage.send({}, approves())
      await stage.pass(Date.UTC(2027, 2, 12, 23) - 1)
      await stage.send({}, approves())
      await stage.pass(Date.UTC(2027, 2, 12, 23))
      await stage.send({}, closed)
      await stage.pass(Date.UTC(2027, 2, 13, 15))
      await stage.send({}, closed)
      await stage.pass(Date.UTC(2027, 2, 15, 12) - 1)
      await stage.send({}, closed)
      await stage.pass(Date.UTC(2027, 2, 15, 12))
      const open = await stage.send({}, approves())
      const looked = (await stage.history()).looked(open.message.id, 'within_schedule')
      stage.check('schedule', [{ time_zone: NEW_YORK, weekday: 1, minute_of_day: 480 }], looked)
      // Notifications are accepted at any hour.
      await stage.pass(Date.UTC(2027, 2, 15, 22) + LOOK_MS)
      await stage.send({}, closed)
      await stage.follow(open, { kind: 'capture', amount_cents: open.message.amount_cents })
      await stage.shows(open, { status: 'captured' }, 'authorized', 'captured')
    },
  }),
  ownStory({
    name: 'own_schedule_nights',
    story:
      'Open on Sundays from one to three in New York: one hour in the night of March, three in that of November.',
    at: Date.UTC(2027, 2, 14, 5, 59),
    async play(stage) {
      const hours = { from_minute: 60, until_minute: 180, time_zone: NEW_YORK }
      await stage.push(ownControls({ schedule: [{ days: [7], ...hours }] }))
      const nights = [
        [Date.UTC(2027, 2, 14, 6), 1],
        [Date.UTC(2027, 2, 21, 5), 2],
        [Date.UTC(2027, 10, 7, 5), 3],
        [Date.UTC(2027, 10, 14, 6), 2],
      ] as const
      for (const [openMs, hoursOpen] of nights) {
        const closesMs = openMs + hoursOpen * HOUR_MS
        await stage.pass(openMs - 1)
        await stage.send({}, declines('schedule_blocked', '62'))
        await stage.pass(openMs)
        await stage.send({}, approves())
        await stage.pass(closesMs - 1)
        await stage.send({}, approves())
        await stage.pass(closesMs)
        await stage.send({}, declines('schedule_blocked', '62'))
      }
    },
  }),
]
