import { test } from 'tap'
import { isLong } from '../harness/long.ts'
import { testProcesses } from '../harness/test-processes.ts'
import { ROOT, SOURCES } from './sources.ts'

test('a whole run has each test file in exactly one process', (t) => {
  const processes = testProcesses(ROOT, [])
  const run = processes.ok ? processes.value.flatMap(({ files }) => files) : []
  const apart = isLong ? /^test\/mutation\// : /^test\/(mutation|drills)\//
  const files = SOURCES.map(({ path }) => path).filter(
    (path) => path.endsWith('.test.ts') && !apart.test(path),
  )
  t.not(files.length, 0)
  t.same(run.toSorted(), files.toSorted())
  const [begins] = processes.ok ? processes.value : []
  t.equal(begins?.name, 'test/live/scenarios.test.ts', 'the one that lasts longest')
  t.end()
})

test('a name that holds no test is refused', (t) => {
  for (const name of ['test/none', 'test/run.ts', 'test/fakes'])
    t.match(testProcesses(ROOT, [name]), { ok: false, error: new RegExp(name) })
  t.end()
})
