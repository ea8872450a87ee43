// The long form with 10^5 tries is `npm run faults -- --only 37`.
import { test } from 'tap'
import { SHORT } from '../faults/fault.ts'
import { lastCent } from '../faults/last-cent.ts'

test('cards and payments never pass a limit, nor payments their funds, at the last cent', async (t) => {
  const run = {
    effort: SHORT,
    teardown: (task: () => unknown) => t.teardown(task),
    say: (line: string) => t.comment(line),
  }
  const { problems, injected, approved } = await lastCent(run)
  t.same(problems, [], injected)
  t.ok(approved > 100, injected)
})
