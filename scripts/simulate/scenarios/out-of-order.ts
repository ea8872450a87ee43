// Messages that come too early, or while another is being decided: the sums end as in the usual
// order.
import { approves, once } from '../behaviour.ts'
import { Life } from '../life.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const REPEATS = 5

export const OUT_OF_ORDER: readonly Scenario[] = [
  {
    name: 'reversal_before_answer',
    story:
      'A reversal that overtakes the approval wins: nothing stays held, and nothing is approved.',
    covers: [19],
    play: playOvertaken,
  },
  {
    name: 'reversal_repeats',
    story: 'A reversal sent six times gives the amount back once.',
    covers: [22],
    play: playRepeats,
  },
  {
    name: 'capture_before_authorization',
    story: 'A capture that comes before its authorization is counted once.',
    covers: [23],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      await life.tell('capture', 1000, {
        event: 'captured',
        status: 'captured',
        sums: { captured: 1000 },
        flags: ['force_post', 'final'],
      })
      await life.tell('authorization', 1000, {
        event: 'authorized',
        status: 'captured',
        sums: { authorized: 1000, captured: 1000 },
        flags: ['captured_before_authorization', 'final'],
      })
    },
  },
  {
    name: 'reversal_before_authorization',
    story: 'An authorization whose reversal came first is declined.',
    covers: [24],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      const reversed = { status: 'reversed', sums: {}, flags: ['reversed_before_authorization'] }
      await life.tell('reversal', 1000, { event: 'reversed', ...reversed })
      await life.tell('authorization', 1000, {
        code: '12',
        reason: 'original_reversed',
        event: 'declined',
        ...reversed,
      })
    },
  },
]

async function playOvertaken(stage: Stage): Promise<void> {
  const tenant = await stage.tenant()
  const life = await Life.begin(stage, 'scenario_realtime')
  const purchase = life.message('authorization', 1000)
  const overtaken = Promise.withResolvers<void>()
  tenant.behave(purchase.id, once(overtaken.promise, approves))
  const answering = stage.send(purchase)
  await tenant.whenAsked(purchase.id)
  const reversed = { status: 'reversed', sums: {}, flags: ['reversed_before_authorization'] }
  await life.tell('reversal', 1000, { event: 'reversed', ...reversed, reserved: 1000 })
  overtaken.resolve()
  await life.check(purchase, await answering, {
    code: '12',
    reason: 'original_reversed',
    event: 'declined',
    ...reversed,
  })
}

async function playRepeats(stage: Stage): Promise<void> {
  const life = await Life.begin(stage, 'scenario_plain')
  await life.tell('authorization', 5000, {
    event: 'authorized',
    status: 'authorized',
    sums: { authorized: 5000, open_hold: 5000 },
  })
  const reversal = life.message('reversal', 2000)
  const reversed = {
    status: 'authorized',
    sums: { authorized: 5000, reversed: 2000, open_hold: 3000 },
  }
  const first = await stage.send(reversal)
  await life.check(reversal, first, { event: 'reversed', ...reversed })
  for (let repeat = 1; repeat <= REPEATS; repeat++) {
    const again = await stage.send(reversal)
    if (!again.body.equals(first.body)) stage.note('repeat ' + repeat + ' got another answer')
  }
  await life.check(reversal, first, { event: null, ...reversed })
}
