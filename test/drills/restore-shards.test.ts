// The disaster with two shards: a service under load is backed up, goes on, and loses its data
// directory and its database at once. Both journals come back on empty directories.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { runNodeScript } from '../faults/script.ts'
import { sendOnce } from '../harness/cluster-network.ts'
import { MASTER_KEY_TEXT } from '../harness/engine.ts'
import { openUnmigratedDatabase } from '../harness/postgres.ts'
import { newDataDir } from '../harness/start.ts'
import { startTwoShards, twoShards } from '../harness/two-shards.ts'
import { until } from '../harness/until.ts'

const ENOUGH = 60

test('two shards are lost and come back from a backup that was made under load', async (t) => {
  const { sql, url, directory, engines, door, links, lanesOf } = await twoShards(t)
  const place = mkdtempSync(join(tmpdir(), 'svc-drill-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  const copy = join(place, 'copy')
  const lanes = [await lanesOf(t, 's1'), await lanesOf(t, 's2')]
  const both = (count: number) => lanes.every(({ network }) => network.answered > count)
  for (const one of lanes) one.start()
  await until(() => both(ENOUGH))
  const before = lanes.map(({ network }) =>
    network.sent
      .filter(({ answers }) => answers.length > 0)
      .map(({ body, answers }) => ({
        body,
        answer: answers[0],
      })),
  )
  const environment = {
    DATABASE_URL: url,
    SVC_DATA_DIR: directory,
    SVC_MASTER_KEY: MASTER_KEY_TEXT,
  }
  const hidden = join(directory, 'shards', 'hidden')
  const made = await runNodeScript('scripts/backup.ts', ['--to', copy], environment)
  t.equal(made.code, 0, made.output)
  const ends = [...made.output.matchAll(/entries \d+ to (\d+)/g)].map(([, end]) => Number(end))
  t.match(made.output, /journal +s2, jrn_/, 'both journals are named')
  const during = lanes.map(({ network }) => network.answered)
  await until(() => lanes.every(({ network }, at) => network.answered > (during[at] ?? 0) + ENOUGH))
  for (const one of lanes) await one.stop()
  renameSync(join(directory, 'shards', 's2'), hidden)
  const lacking = await runNodeScript('scripts/backup.ts', ['--to', copy + '2'], environment)
  t.equal(lacking.code, 1, 'a backup without one of the journals is refused')
  t.match(lacking.output, /of shard s2, and .*shards\/s2 holds none/)
  t.notOk(existsSync(copy + '2'))
  await links.stop()
  for (const { child, exited } of engines) {
    child.kill('SIGKILL')
    await exited
  }
  door.child.kill('SIGKILL')
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from journal_cursor`
  t.equal(row?.count, 2)

  const checked = await runNodeScript('scripts/restore.ts', ['--from', copy, '--check'])
  t.equal(checked.code, 0, checked.output)
  t.match(checked.output, 'journal of s2 up to entry ' + ends[1])
  const empty = await openUnmigratedDatabase(t)
  const dataDir = newDataDir(t)
  const target = { DATABASE_URL: empty.url, SVC_DATA_DIR: dataDir, SVC_MASTER_KEY: MASTER_KEY_TEXT }
  const restored = await runNodeScript('scripts/restore.ts', ['--from', copy], target)
  t.equal(restored.code, 0, restored.output)
  t.match(restored.output, 'The journal of s2 ends at entry ' + ends[1])
  const again = await runNodeScript('scripts/restore.ts', ['--from', copy], target)
  t.equal(again.code, 1, 'a restore never writes over what lives')

  const {
    door: newDoor,
    seqOf,
    drained,
  } = await startTwoShards(t, {
    url: empty.url,
    directory: dataDir,
  })
  await until(async () => {
    const page = await newDoor.metrics()
    return /^svc_ready 1$/m.test(page) && !/^svc_door_reached\S* 0$/m.test(page)
  })
  t.same([await seqOf(0), await seqOf(1)], ends, 'each journal ends where the backup says')
  const changed: string[] = []
  for (const { body, answer } of before.flat()) {
    let reply = await sendOnce(newDoor.port, body)
    // An engine is ready once it has the configuration.
    while (reply?.status === 503) reply = await sendOnce(newDoor.port, body)
    if (reply?.text !== answer) changed.push(body)
  }
  t.same(changed, [], 'a repeat of a message from before the backup gets the bytes of then')
  t.same([await seqOf(0), await seqOf(1)], ends, 'no repeat was decided again')
  await drained()
  const rows = await empty.sql<{ seq: number }[]>`
    select seq from journal_cursor order by shard`
  t.same(
    rows.map(({ seq }) => seq),
    ends,
    'each shard is drained from its own journal',
  )
})
