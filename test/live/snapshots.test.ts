import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import type { DecisionLog } from '../../engine/journal/decision-log.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import type { SegmentLog } from '../../engine/journal/segment-log.ts'
import { listSnapshots } from '../../engine/journal/snapshot-file.ts'
import { recoverState } from '../../engine/recover-state.ts'
import { openSnapshotMaker } from '../../engine/snapshot-maker.ts'
import { type Snapshots, startSnapshots } from '../../engine/snapshots.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { encodeEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from '../harness/entries.ts'
import { until } from '../harness/until.ts'

const ROUND = 400

test('an unreadable latest snapshot costs only a longer replay', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-snapshots-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  let snapshots: Snapshots | null = null
  const log = await openLog(directory, (seq) => snapshots?.synced(seq))
  snapshots = startSnapshots({
    directory,
    journal: log,
    clock: systemClock,
    takenSeq: 0,
    everyEntries: ROUND,
    log: createLog({ name: 'test', level: 'silent' }),
    // Every entry is drained at once.
    onTaken: () => log.trim(snapshots?.coveredSeq ?? 0),
  })
  const taken = (seq: number) => (): boolean => {
    // A snapshot that has not quite ended when the entries come is tried again with the next ones.
    snapshots?.synced(log.syncedSeq)
    return listSnapshots(directory)[0]?.seq === seq
  }
  for (let round = 1; round <= 3; round++) {
    for (let index = 0; index < ROUND; index++) append(log)
    await until(() => log.syncedSeq === round * ROUND)
    await until(taken(round * ROUND))
  }
  await until(() => log.oldestSeq > 1)
  await snapshots.stop()
  await log.close()

  const [latest, before] = listSnapshots(directory)
  t.same([latest?.seq, before?.seq], [3 * ROUND, 2 * ROUND])
  truncateSync(latest?.path ?? '', 100)
  const again = await openLog(directory, () => {})
  const recovered = recoverState(directory, again)
  t.match(recovered, { ok: true, value: { state: { seq: 3 * ROUND }, snapshotSeq: 2 * ROUND } })
  t.ok(recovered.ok && recovered.value.state.transactions.size === 3 * ROUND)
  await again.close()
})

test('a snapshot taken for lack of space is repeated until it succeeds', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-snapshots-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const log = await openLog(directory, () => {})
  for (let index = 0; index < 10; index++) append(log)
  await until(() => log.syncedSeq === 10)
  // A directory takes the place of the temporary file.
  const aside = join(directory, 'snapshot-' + '10'.padStart(16, '0') + '.tmp')
  mkdirSync(aside)
  const waits: (() => void)[] = []
  let taken = 0
  const snapshots = startSnapshots({
    directory,
    journal: {
      journalId: log.journalId,
      get syncedSeq() {
        return log.syncedSeq
      },
      writable: false,
    } as DecisionLog,
    clock: {
      ...systemClock,
      after(_, task) {
        waits.push(task)
        return { cancel: () => {} }
      },
    },
    takenSeq: 0,
    everyEntries: 1_000_000,
    log: createLog({ name: 'test', level: 'silent' }),
    onTaken: () => {
      taken += 1
    },
  })
  snapshots.synced(10)
  t.equal(waits.length, 0, 'ten entries alone are no reason')
  snapshots.makeRoom()
  snapshots.makeRoom()
  await until(() => waits.length === 1)
  rmdirSync(aside)
  await until(() => {
    // The failed snapshot may not quite have ended: it then waits once more.
    waits.shift()?.()
    return taken === 1
  })
  t.equal(snapshots.takenSeq, 10)
  t.equal(listSnapshots(directory)[0]?.seq, 10)
  snapshots.makeRoom()
  t.equal(taken, 1, 'there is no more to let go of')
  await snapshots.stop()
  await log.close()
})

test('a dying snapshot process costs one snapshot only', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-snapshots-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const log = await openLog(directory, () => {})
  append(log)
  await until(() => log.syncedSeq === 1)
  const order = { urgent: true, directory, journalId: log.journalId, untilSeq: 1 }
  const before = childrenOfOurs()
  const maker = openSnapshotMaker()
  const [pid] = childrenOfOurs().filter((child) => !before.includes(child))
  const cutOff = maker.make(order)
  process.kill(Number(pid), 'SIGKILL')
  t.match(await cutOff, /ended/)
  t.equal(await maker.make(order), null, 'the next order begins another')
  t.equal(listSnapshots(directory)[0]?.seq, 1)
  await maker.stop()
  await maker.stop()
  await log.close()
})

function childrenOfOurs(): string[] {
  const path = '/proc/self/task/' + process.pid + '/children'
  return readFileSync(path, 'utf8').trim().split(' ')
}

async function openLog(directory: string, onSynced: (seq: number) => void): Promise<SegmentLog> {
  const opened = await openSegmentLog({
    directory,
    segmentBytes: 128 * 1024,
    clock: systemClock,
    events: {
      onSynced,
      onFailed: (reason) => {
        throw new Error(reason)
      },
    },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  return opened.log
}

function append(log: SegmentLog): void {
  const messageKey = Buffer.alloc(16)
  messageKey.writeUInt32LE(log.lastSeq + 1)
  log.append(encodeEntry(decisionEntry({ messageKey })))
}
