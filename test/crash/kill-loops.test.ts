import { type Test, test } from 'tap'
import { type FaultRun, SHORT } from '../faults/fault.ts'
import { killEngineUnderLoad, killedStack, killPostgresUnderLoad } from '../faults/kill-loops.ts'
import { killEngineUnderPayments } from '../faults/payment-kills.ts'
import { startStack } from '../faults/stack.ts'
import { file, perFile } from '../harness/per-file.ts'

/** One stack for the file: each test leaves it drained. */
const shared = perFile(() => startStack(file, killedStack()))

function runOf(t: Test): FaultRun {
  return { effort: SHORT, teardown: (task) => t.teardown(task), say: (line) => t.comment(line) }
}

test('an engine killed under load loses no answer, changes none, counts nothing twice', async (t) => {
  const report = await killEngineUnderLoad(runOf(t), shared())
  t.same(report.problems, [])
  t.ok(report.answered > 3 * SHORT.kills, report.injected)
})

test('an engine killed under payments beside cards keeps every answer and passes no limit', async (t) => {
  const report = await killEngineUnderPayments(runOf(t))
  t.same(report.problems, [])
  t.ok(report.answered > 3 * SHORT.kills, report.injected)
})

test('authorizations go on and arrive exactly once while PostgreSQL is killed under load', async (t) => {
  const report = await killPostgresUnderLoad(runOf(t), shared())
  t.same(report.problems, [])
  t.ok(report.answered > 50, report.injected)
})
