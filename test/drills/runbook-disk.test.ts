// The runbooks of a full disk and of a drain that stands: the api is away until the journal's own
// file system has no room left.
import { join } from 'node:path'
import { test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { mountMemory } from '../faults/disk/no-room.ts'
import { authorization } from '../faults/load.ts'
import { startStack } from '../faults/stack.ts'
import { openRunbook } from '../harness/runbook.ts'
import { until } from '../harness/until.ts'

const JOURNAL_BYTES = 5 * 1024 * 1024
const SENT_MAX = 100_000

test('the drain stands until the disk is full; the api is started, and both are over', async (t) => {
  let mounted = false
  const stack = await startStack(t, {
    prepare: (directory) => {
      mounted = mountMemory(t, join(directory, 'journal'), JOURNAL_BYTES)
    },
    environment: {
      SVC_JOURNAL_SEGMENT_BYTES: String(1024 * 1024),
      SVC_SNAPSHOT_ENTRIES: '1000000',
    },
  })
  const disk = openRunbook('disk-full')
  const behind = openRunbook('drain-behind')
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    16,
  )
  t.teardown(() => network.close())
  const card = stack.card('load_plain_1')
  await stack.apiProcess.stop()
  const [first, ...others] = await Promise.all(
    Array.from({ length: 16 }, () => network.send(authorization(card, 1))),
  )
  t.equal(first?.answer?.approved, true, 'authorizations go on without the api')
  let refused = 0
  for (let sent = others.length; mounted && refused === 0 && sent < SENT_MAX; sent += 16) {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => network.send(authorization(card, 1))),
    )
    refused = answers.filter(({ answer }) => answer === null).length
  }
  if (mounted) t.ok(refused > 0, 'a full disk refuses instead of forgetting')
  else t.comment('this user may not mount a file system: the disk does not fill up')

  const values = { '/var/lib/svc': mounted ? join(stack.directory, 'journal') : stack.directory }
  const room = await disk.run('df -h /var/lib/svc', { values })
  t.equal(room.code, 0, room.output)
  if (mounted) t.match(room.output, /svc-faults .* \d\d% /)
  const sizes = await disk.run('du -xh --max-depth=1 /var/lib/svc', { values })
  t.equal(sizes.code, 0, sizes.output)
  t.ok(((await stack.metric('svc_journal_undrained_entries')) ?? 0) > 15)

  const statement = "select * from pg_stat_activity where wait_event_type = 'Lock'"
  behind.tick(statement)
  const sql = openPool(stack.postgres.url, { max: 1, applicationName: 'svc-drill' })
  t.same(await sql.unsafe(statement), [], 'no lock holds the drain up')
  await sql.end({ timeout: 1 })
  await stack.apiProcess.start()
  await stack.drained()
  await until(() => stack.ready())
  t.equal(await stack.metric('svc_journal_undrained_entries'), 0)
  const explained = await behind.run('npm run explain -- TXN', {
    values: { TXN: first?.answer?.transaction_id ?? '' },
    environment: {
      SVC_DATA_DIR: stack.directory,
      DATABASE_URL: stack.postgres.url,
      SVC_API_PORT: new URL(stack.apiUrl).port,
      SVC_ENGINE_PORT: new URL(stack.engineUrl).port,
      SVC_API_KEY: stack.secrets.keys.read,
    },
  })
  t.equal(explained.code, 0, explained.output)
  t.match(explained.output, first?.answer?.transaction_id ?? '?')
  t.same([...disk.left(), ...behind.left()], [])
})
