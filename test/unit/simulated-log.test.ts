import { test } from 'tap'
import { SimulatedLog, simulatedDisk } from '../../engine/journal/simulated-log.ts'
import { systemClock } from '../../shared/clock.ts'

const entry = (seq: number): Buffer => Buffer.from('entry ' + seq)

function openOn(disk = simulatedDisk('jrn_simulated')) {
  const synced: number[] = []
  const failures: string[] = []
  const events = {
    onSynced: (seq: number) => synced.push(seq),
    onFailed: (reason: string) => failures.push(reason),
  }
  return { log: new SimulatedLog({ disk, events, clock: systemClock }), disk, synced, failures }
}

test('nothing is durable before the caller says so', async (t) => {
  const { log, synced } = openOn()
  for (let seq = 1; seq <= 5; seq++) t.equal(log.append(entry(seq)), seq)
  t.equal(log.syncedSeq, 0)
  t.equal((await log.read(1, 1000)).count, 0)
  log.sync(2)
  t.same([log.syncedSeq, log.waiting, synced], [2, 3, [2]])
  log.sync()
  t.same(synced, [2, 5])
  const page = await log.read(2, 30)
  t.same([page.firstSeq, page.count], [2, 2])
  t.equal(page.frames.toString('latin1', 4, 11), 'entry 2')
})

test('a crash keeps the given number of unsynced entries, and the next log begins there', (t) => {
  const first = openOn()
  for (let seq = 1; seq <= 6; seq++) first.log.append(entry(seq))
  first.log.sync(2)
  const second = openOn(first.log.crash(1))
  t.same([second.log.syncedSeq, second.log.epoch], [3, 2])
  const seen: string[] = []
  second.log.replay(2, (seq, bytes) => seen.push(seq + ': ' + bytes))
  t.same(seen, ['2: entry 2', '3: entry 3'])
  t.equal(second.log.append(entry(4)), 4)
  t.equal(first.log.append(entry(7)), 7, 'a sequence that never becomes durable')
  first.log.sync()
  t.same([first.log.syncedSeq, second.log.syncedSeq], [3, 3])
  t.end()
})

test('a failure is final; a full disk is not', (t) => {
  const { log, failures, synced } = openOn()
  log.append(entry(1))
  log.roomLeft = false
  log.sync()
  t.same([log.writable, log.syncedSeq], [false, 0])
  log.roomLeft = true
  log.sync()
  t.same([log.writable, log.syncedSeq], [true, 1])
  log.append(entry(2))
  log.fail('the device is gone')
  log.fail('again')
  log.sync()
  t.equal(log.append(entry(3)), 3)
  t.same([log.writable, log.syncedSeq, failures, synced], [false, 1, ['the device is gone'], [1]])
  t.end()
})

test('trimming drops the oldest and keeps the latest', async (t) => {
  const { log } = openOn()
  for (let seq = 1; seq <= 5; seq++) log.append(entry(seq))
  log.sync()
  log.trim(3)
  t.equal(log.oldestSeq, 4)
  await t.rejects(log.read(3, 100), /no longer/)
  t.match(
    log.replay(1, () => {}),
    { refused: /begins after entry 3/ },
  )
  log.trim(99)
  t.same([log.oldestSeq, log.lastSeq], [5, 5])
})
