// An api whose system clock is wrong: it answers no call by it, says which clocks disagree, and
// goes on once they agree or an operator accepts the disagreement.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { systemClock } from '../../shared/clock.ts'
import { clockAnchorPath, clockAnchorText, systemMachine } from '../../shared/clock-anchor.ts'
import { shardDirectory } from '../../shared/shards.ts'
import { startProcess } from '../harness/api-process.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePort } from '../harness/free-ports.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const DAY_MS = 86_400_000
const MOVED = new URL('../harness/moved-clock.cjs', import.meta.url).pathname

test('an api whose clock is 40 days ahead answers no call until it is right, or accepted', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  const { keys, cardId } = await seedTenant(sql, 'sandbox')
  const directory = t.testdir({})
  const clockFile = join(directory, 'offset')
  writeFileSync(clockFile, String(40 * DAY_MS))
  const port = await freePort()
  const api = startProcess(t, {
    NODE_OPTIONS: COMPILED.NODE_OPTIONS + ' --require=' + MOVED,
    TEST_CLOCK_FILE: clockFile,
    SVC_DATA_DIR: directory,
    SVC_API_PORT: String(port),
    DATABASE_URL: url,
  })
  const setClock = (offsetMs: number): void => {
    writeFileSync(clockFile, String(offsetMs))
    api.child.kill('SIGUSR2')
  }
  const ask = async (path: string) => {
    const headers = { authorization: 'Bearer ' + keys.admin }
    const answer = await fetch('http://127.0.0.1:' + port + path, { headers })
    return { status: answer.status, text: await answer.text() }
  }
  const card = '/v1/cards/' + cardId
  t.equal(await api.ready, true)
  const refused = { status: 503, text: /dependency_unavailable/ }
  t.match(await ask(card), refused, 'its first call already')
  t.match(await ask('/health/ready'), {
    status: 503,
    text: /The system clock is not confirmed: .*the database says .* \(\+345[56]\d{3} s\)/,
  })
  t.match(await ask('/health/live'), { status: 200 })
  setClock(0)
  await until(async () => (await ask('/health/ready')).status === 200)
  t.match(await ask(card), { status: 200 }, 'no operator is needed')

  setClock(40 * DAY_MS)
  await until(async () => (await ask('/health/ready')).status === 503)
  t.match(await ask(card), refused)
  const nowMs = systemClock.nowMs()
  const { bootId } = systemMachine
  // The engine of a shard writes this file at an operator's word.
  const shardDir = shardDirectory(directory, 's2')
  const accepted = {
    ...{ bootId, uptimeMs: systemMachine.uptimeMs(), nowMs: nowMs + 40 * DAY_MS },
    ...{ databaseMs: null, acceptedMs: 0, acceptedDatabaseMs: nowMs },
  }
  mkdirSync(shardDir, { recursive: true })
  writeFileSync(clockAnchorPath(shardDir), clockAnchorText(accepted))
  await until(async () => (await ask('/health/ready')).status === 200)
  t.match(await ask(card), { status: 200 })
})
