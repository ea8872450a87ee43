import { test } from 'tap'
import { killApiUnderPayments } from '../faults/api-kills.ts'
import { SHORT } from '../faults/fault.ts'
import { repeats } from '../harness/long.ts'

/** Kills at each point; `npm run faults -- --only 41` plays more. */
const EFFORT = { ...SHORT, kills: repeats(1, 2) }

test('an api killed inside a money call answers its repeat, and nothing is held twice', async (t) => {
  const report = await killApiUnderPayments({
    effort: EFFORT,
    teardown: (task) => t.teardown(task),
    say: (line) => t.comment(line),
  })
  t.same(report.problems, [], report.injected)
  t.ok(report.kills >= 4)
})
