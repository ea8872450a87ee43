import { test } from 'tap'
import { killEngineUnderLoad, killPostgresUnderLoad } from '../faults/kill-loops.ts'

const ENGINE_KILLS = 8
const POSTGRES_KILLS = 4

test('an engine killed under load loses no answer, changes none, counts nothing twice', async (t) => {
  const report = await killEngineUnderLoad(t, ENGINE_KILLS, (line) => t.comment(line))
  t.same(report.problems, [])
  t.ok(report.answered > 3 * ENGINE_KILLS, report.answered + ' answered')
})

test('PostgreSQL killed under load: authorizations go on, and all of them arrive once', async (t) => {
  const report = await killPostgresUnderLoad(t, POSTGRES_KILLS, (line) => t.comment(line))
  t.same(report.problems, [])
  t.ok(report.answered > 100, report.answered + ' answered')
})
