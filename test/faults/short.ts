// A row of the table as a test: its short form must find no problem.
import { test } from 'tap'
import { type FaultRun, type Findings, SHORT, type Skipped } from './fault.ts'

export function shortForm(
  sentence: string,
  run: (t: FaultRun) => Promise<Findings | Skipped>,
): void {
  test(sentence, async (t) => {
    const outcome = await run({
      effort: SHORT,
      teardown: (task) => t.teardown(task),
      say: (line) => t.comment(line),
    })
    if ('skipped' in outcome) return void t.pass('skipped: ' + outcome.skipped)
    t.same(outcome.problems, [], outcome.injected)
  })
}
