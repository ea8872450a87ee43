// The timeline of the database that an engine followed, and an operator's word against it.
import { join } from 'node:path'
import { test } from 'tap'
import { acceptTimeline, DatabaseTimeline } from '../../engine/database-timeline.ts'
import { runNodeScript } from '../faults/script.ts'

const NEW = 'ins_1:7123:3:5'
const OLD = 'ins_1:7123:1:5'

test('an old primary is refused until an operator accepts its timeline', async (t) => {
  const directory = t.testdir()
  const timeline = new DatabaseTimeline(directory)
  await timeline.follow(NEW)
  const problem = await timeline.problemOf(OLD)
  t.match(problem, /old primary.*npm run journal -- accept-timeline 7123:1$/)
  t.equal(await new DatabaseTimeline(directory).problemOf(OLD), problem, 'after a restart too')
  for (const name of ['7123', '7124:1', '7123:3', '7123:1:5', 'x:1'])
    t.match(await acceptTimeline(directory, name), { ok: false }, name)
  t.equal(await timeline.problemOf(OLD), problem)
  const ran = await runNodeScript('scripts/journal.ts', ['accept-timeline', '7123:1'], {
    SVC_DATA_DIR: directory,
  })
  t.match(ran, { code: 0 })
  t.equal(timeline.replaces(OLD, NEW), false)
  t.equal(await timeline.problemOf(OLD), null, 'without a restart')
  await timeline.follow(OLD)
  t.equal(timeline.replaces(OLD, NEW), true, 'its records count too')
  t.equal(timeline.replaces(OLD, 'ins_1:7123:1:5'), false)
  t.equal(await timeline.problemOf(NEW), null)
  t.match(await acceptTimeline(join(directory, 'none'), '7123:1'), { ok: false })
})
