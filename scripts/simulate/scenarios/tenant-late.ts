// The tenant answers after its time: the decision stands, and the transaction shows the late
// answer.

import { isDocument, valueAt } from '../api.ts'
import { after, approves, type Behaviour, declines } from '../behaviour.ts'
import { stoodIn } from '../expected.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

/** The tenant has 1500 ms. */
const JUST_LATE_MS = 1510
const LATE_MS = 2000
const VERY_LATE_MS = 3000

export const TENANT_LATE: readonly Scenario[] = [
  {
    name: 'tenant_late_approve',
    covers: [44],
    story: 'A late yes is recorded and changes nothing.',
    play: (stage) =>
      playLate(stage, after(LATE_MS, approves), { outcome: 'late_approve', disagrees: false }),
  },
  {
    name: 'tenant_late_by_a_little',
    story: 'Ten milliseconds late, or a second and a half: stand-in has answered.',
    covers: [44],
    async play(stage) {
      for (const delayMs of [JUST_LATE_MS, VERY_LATE_MS])
        await playLate(stage, after(delayMs, approves), {
          outcome: 'late_approve',
          disagrees: false,
        })
    },
  },
  {
    name: 'tenant_late_decline',
    covers: [44],
    story: 'A late no is recorded as disagreeing; the purchase stays approved.',
    play: (stage) =>
      playLate(stage, after(LATE_MS, declines('insufficient_funds')), {
        outcome: 'late_decline',
        disagrees: true,
      }),
  },
]

async function playLate(
  stage: Stage,
  behaviour: Behaviour,
  late: { outcome: string; disagrees: boolean },
): Promise<void> {
  const tenant = await stage.tenant()
  const message = stage.message(stage.card('scenario_realtime'))
  tenant.behave(message.id, behaviour)
  const first = await stage.authorize(message, stoodIn('timeout_response'))
  if (first === null) return
  const later = await stage.api.transaction(String(first['id']), (transaction) =>
    isDocument(valueAt(transaction, 'decision', 'webhook', 'late_answer')),
  )
  stage.check(
    'transaction after the late reply',
    {
      status: 'authorized',
      decision: { approved: true, decided_by: 'stand_in', webhook: { late_answer: late } },
    },
    later,
  )
  const repeat = await stage.send(message)
  stage.check(
    'repeat after the late reply',
    { approved: true, decided_by: 'stand_in' },
    repeat.answer,
  )
}
