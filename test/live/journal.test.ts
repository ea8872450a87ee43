import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { BATCH_HEADER_BYTES } from '../../engine/journal/batch.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import {
  type JournalFiles,
  listSegments,
  SEGMENT_HEADER_BYTES,
  systemFiles,
} from '../../engine/journal/segment-files.ts'
import type { SegmentLog } from '../../engine/journal/segment-log.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { repeats } from '../harness/long.ts'
import { until } from '../harness/until.ts'

const SEGMENT_BYTES = 64 * 1024
/** From one place of a torn batch to the next one, behind its header. */
const TORN_STEP = repeats(7, 1)

interface Opened {
  log: SegmentLog
  failures: string[]
  /** Resolves when every appended entry is durable. */
  settled(): Promise<void>
}

function directoryFor(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-journal-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function tryOpen(directory: string, files: JournalFiles = systemFiles) {
  const failures: string[] = []
  const events = { onSynced: () => {}, onFailed: (reason: string) => failures.push(reason) }
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES,
    events,
    clock: systemClock,
    files,
  })
  return { opened, failures }
}

async function openLog(t: Test, directory: string, files?: JournalFiles): Promise<Opened> {
  const { opened, failures } = await tryOpen(directory, files)
  if ('refused' in opened) throw new Error(opened.refused)
  const { log } = opened
  t.teardown(() => log.close())
  const settled = () => until(() => log.waiting === 0 || failures.length > 0)
  return { log, failures, settled }
}

function entry(seq: number, bytes = 400): Buffer {
  return Buffer.alloc(bytes, 'entry ' + seq + ' ')
}

async function fill(opened: Opened, count: number, batch = 20): Promise<void> {
  for (let done = 0; done < count; done += batch) {
    for (let index = 0; index < Math.min(batch, count - done); index++)
      opened.log.append(entry(opened.log.lastSeq + 1))
    await opened.settled()
  }
}

function replayed(log: SegmentLog, fromSeq: number): number[] {
  const seqs: number[] = []
  const result = log.replay(fromSeq, (seq, bytes) => {
    if (bytes.equals(entry(seq, bytes.length))) seqs.push(seq)
  })
  if ('refused' in result) throw new Error(result.refused)
  return seqs
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** The batches of the newest non-empty segment, found by scanning for the layout of batch.ts. */
function lastBatch(directory: string): { path: string; at: number; bytes: number } {
  let last = { path: '', at: 0, bytes: 0, seq: 0 }
  for (const { path } of listSegments(directory)) {
    const view = readFileSync(path)
    let at = SEGMENT_HEADER_BYTES
    while (at + BATCH_HEADER_BYTES < view.length && view.readUInt32LE(at + 4) > 0) {
      const bytes = view.readUInt32LE(at + 4)
      const seq = view.readUInt32LE(at + 32)
      if (seq <= last.seq) break
      last = { path, at, bytes, seq }
      at += bytes
    }
  }
  return last
}

function flipBit(path: string, at: number): void {
  const fd = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(fd, byte, 0, 1, at)
  byte[0]! ^= 0x10
  writeSync(fd, byte, 0, 1, at)
  closeSync(fd)
}

test('entries survive closing and opening; the epoch grows, the journal id stays', async (t) => {
  const directory = directoryFor(t)
  const first = await openLog(t, directory)
  t.equal(first.log.lastSeq, 0)
  t.equal(first.log.attached, false)
  await fill(first, 500)
  await first.log.markAttached()
  await first.log.close()
  const second = await openLog(t, directory)
  t.equal(second.log.journalId, first.log.journalId)
  t.equal(second.log.epoch, first.log.epoch + 1)
  t.equal(second.log.attached, true)
  t.equal(second.log.syncedSeq, 500)
  t.same(replayed(second.log, 1), range(1, 500))
  t.same(replayed(second.log, 480), range(480, 500))
  t.ok(listSegments(directory).length > 3, 'it went over several segments')
})

test('pages continue each other without a gap, over batches and segments', async (t) => {
  const opened = await openLog(t, directoryFor(t))
  await fill(opened, 600, 7)
  const seqs: number[] = []
  let pages = 0
  for (let from = 1; from <= 600; pages++) {
    const page = await opened.log.read(from, 5000)
    if (page.firstSeq !== from || page.count === 0) throw new Error('a page that does not follow')
    for (let at = 0, index = 0; index < page.count; index++) {
      const bytes = page.frames.readUInt32LE(at)
      const seq = from + index
      if (page.frames.subarray(at + 4, at + 4 + bytes).equals(entry(seq))) seqs.push(seq)
      at += 4 + bytes
    }
    t.ok(page.frames.length <= 5000 || page.count === 1)
    from += page.count
  }
  t.same(seqs, range(1, 600))
  t.ok(pages > 50)
  const one = await opened.log.read(300, 1)
  t.equal(one.count, 1, 'a page has at least one entry')
  t.same(await opened.log.read(601, 5000), { firstSeq: 601, count: 0, frames: Buffer.alloc(0) })
})

test('entries of one turn share a batch, and none is durable before its sync', async (t) => {
  const directory = directoryFor(t)
  const opened = await openLog(t, directory)
  for (let seq = 1; seq <= 50; seq++) t.equal(opened.log.append(entry(seq, 100)), seq)
  t.equal(opened.log.syncedSeq, 0)
  t.equal(opened.log.waiting, 50)
  await opened.settled()
  t.equal(opened.log.syncedSeq, 50)
  t.equal(lastBatch(directory).at, SEGMENT_HEADER_BYTES, 'one batch holds them all')
})

test('writeNow starts a batch before the end of the turn', async (t) => {
  const directory = directoryFor(t)
  const opened = await openLog(t, directory)
  for (let seq = 1; seq <= 3; seq++) opened.log.append(entry(seq, 100))
  opened.log.writeNow()
  opened.log.append(entry(4, 100))
  opened.log.writeNow()
  await opened.settled()
  t.equal(opened.log.syncedSeq, 4)
  t.not(lastBatch(directory).at, SEGMENT_HEADER_BYTES, 'what came later is not in that write')
})

test('closing writes the waiting entries', async (t) => {
  const directory = directoryFor(t)
  const first = await openLog(t, directory)
  for (let seq = 1; seq <= 100; seq++) first.log.append(entry(seq))
  const closed = first.log.close()
  first.log.append(entry(101))
  await closed
  first.log.append(entry(102))
  const second = await openLog(t, directory)
  t.same(replayed(second.log, 1), range(1, 100), 'what came after the close is not in it')
})

test('trimmed segments are reused and never mistaken for new entries', async (t) => {
  const directory = directoryFor(t)
  let opened = await openLog(t, directory)
  for (let round = 0; round < 12; round++) {
    await fill(opened, 450)
    opened.log.trim(opened.log.syncedSeq - 10)
    if (round % 3 === 2) {
      await opened.log.close()
      opened = await openLog(t, directory)
    }
    const { oldestSeq, lastSeq } = opened.log
    t.same(replayed(opened.log, oldestSeq), range(oldestSeq, lastSeq))
    t.ok(lastSeq - oldestSeq < 1000, 'drained segments are gone')
  }
  t.equal(opened.log.lastSeq, 12 * 450)
  await t.rejects(opened.log.read(1, 1000), /no longer in the journal/)
  t.match(
    opened.log.replay(1, () => {}),
    { refused: /snapshot is missing/ },
  )
  const ordinals = listSegments(directory).map((file) => file.ordinal)
  t.ok(ordinals.length <= 16 && ordinals[0]! > 5, 'files are reused, not piled up')
  t.same(opened.failures, [])
})

test('a last batch torn anywhere is discarded whole, and its bytes never return', async (t) => {
  const source = directoryFor(t)
  const opened = await openLog(t, source)
  await fill(opened, 40)
  for (let seq = 41; seq <= 43; seq++) opened.log.append(entry(seq, 60))
  await opened.settled()
  await opened.log.close()
  const torn = lastBatch(source)
  const whole = readFileSync(torn.path)
  const name = torn.path.slice(source.length + 1)
  const wrong: string[] = []
  for (let kept = 0; kept < torn.bytes; kept += kept < BATCH_HEADER_BYTES ? 1 : TORN_STEP) {
    const directory = directoryFor(t)
    cpSync(join(source, 'journal.json'), join(directory, 'journal.json'))
    const bytes = Buffer.from(whole)
    // The device wrote the first bytes; its other sectors keep their earlier contents.
    bytes.fill(kept % 2 === 0 ? 0 : 0xa5, torn.at + kept, torn.at + torn.bytes)
    writeFileSync(join(directory, name), bytes)
    const again = await openLog(t, directory)
    if (again.log.syncedSeq !== 40) wrong.push('kept ' + kept + ': ' + again.log.syncedSeq)
    again.log.append(entry(41, 10))
    await again.log.close()
    const left = readFileSync(join(directory, name)).subarray(torn.at + BATCH_HEADER_BYTES + 14)
    if (left.some((byte) => byte !== 0)) wrong.push('kept ' + kept + ': leftovers')
    rmSync(directory, { recursive: true })
  }
  t.same(wrong, [])
})

test('a flipped bit in the last batch discards it; an earlier one refuses the journal', async (t) => {
  const directory = directoryFor(t)
  const first = await openLog(t, directory)
  await fill(first, 400, 5)
  await first.log.close()
  const before = lastBatch(directory)
  flipBit(before.path, before.at + before.bytes - 3)
  const second = await openLog(t, directory)
  t.equal(second.log.syncedSeq, 395)
  await fill(second, 5, 5)
  await second.log.close()

  const [oldest] = listSegments(directory)
  for (const at of [SEGMENT_HEADER_BYTES + 5, SEGMENT_HEADER_BYTES + 9000]) {
    flipBit(oldest!.path, at)
    const { opened } = await tryOpen(directory)
    t.match(opened, { refused: /damaged in the middle/ })
    flipBit(oldest!.path, at)
  }
  const third = await openLog(t, directory)
  t.equal(third.log.syncedSeq, 400, 'refusing changed nothing')
})

test('a journal without a middle segment, or with its description only, is refused', async (t) => {
  const directory = directoryFor(t)
  const opened = await openLog(t, directory)
  await fill(opened, 600)
  await opened.log.close()
  const files = listSegments(directory)
  const copy = directoryFor(t)
  cpSync(directory, copy, { recursive: true })
  rmSync(listSegments(copy)[1]!.path)
  t.match((await tryOpen(copy)).opened, { refused: /damaged in the middle/ })
  for (const file of listSegments(copy)) rmSync(file.path)
  t.match((await tryOpen(copy)).opened, { refused: /no segment files/ })

  const bare = directoryFor(t)
  for (const file of files) cpSync(file.path, join(bare, file.path.slice(directory.length + 1)))
  t.match((await tryOpen(bare)).opened, { refused: /journal\.json is missing/ })
  t.equal(readdirSync(bare).length, files.length, 'nothing was removed')
})

test('a directory admits one log at a time', async (t) => {
  const directory = directoryFor(t)
  const first = await openLog(t, directory)
  t.match((await tryOpen(directory)).opened, { refused: /held by another engine/ })
  await first.log.close()
  const second = await openLog(t, directory)
  t.equal(second.log.writable, true)
})

const FAULTS: Record<string, { files: JournalFiles; says: RegExp }> = {
  'an error': {
    files: {
      ...systemFiles,
      write: (_fd, _buffer, _place, done) => setImmediate(() => done(new Error('EIO'), 0)),
    },
    says: /write failed: EIO/,
  },
  'a short write': {
    files: {
      ...systemFiles,
      write: (_fd, _buffer, place, done) => setImmediate(() => done(null, place.bytes - 1)),
    },
    says: /was short/,
  },
  'a write that never returns': {
    files: { ...systemFiles, write: () => {} },
    says: /longer than 2000 ms/,
  },
}

for (const [fault, { files, says }] of Object.entries(FAULTS)) {
  test(fault + ' stops the log for good', async (t) => {
    const opened = await openLog(t, directoryFor(t), files)
    opened.log.append(entry(1))
    await until(() => opened.failures.length > 0)
    t.match(opened.failures, [says])
    t.equal(opened.log.writable, false)
    t.equal(opened.log.append(entry(2)), 2, 'a sequence that never becomes durable')
    await sleep(5)
    t.equal(opened.log.syncedSeq, 0)
    t.equal(opened.failures.length, 1, 'told once')
  })
}

test('a full disk makes the log unwritable until there is space, and loses nothing', async (t) => {
  let room = true
  const files: JournalFiles = {
    ...systemFiles,
    fill(handle: FileHandle, chunk: Buffer, at: number) {
      if (room) return systemFiles.fill(handle, chunk, at)
      return Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
    },
  }
  const directory = directoryFor(t)
  const opened = await openLog(t, directory, files)
  const { log } = opened
  await until(() => listSegments(directory).length === 3)
  room = false
  while (log.writable) {
    log.append(entry(log.lastSeq + 1))
    if (log.waiting > 20) await opened.settled()
  }
  const accepted = log.lastSeq
  t.ok(log.waiting === 0 || log.syncedSeq < accepted)
  // Decisions already under way still come, more of them than fit.
  for (let index = 0; index < 100; index++) log.append(entry(log.lastSeq + 1))
  await sleep(20)
  t.ok(log.waiting > 0, 'they wait')
  t.same(opened.failures, [])
  room = true
  await opened.settled()
  await until(() => log.writable)
  t.same(replayed(log, 1), range(1, accepted + 100))
  t.same(opened.failures, [])
})

test('segments made in advance leave the space that a snapshot will need', async (t) => {
  const directory = directoryFor(t)
  let room = 3 * SEGMENT_BYTES - 1
  const files: JournalFiles = { ...systemFiles, roomOn: () => Promise.resolve(room) }
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES,
    clock: systemClock,
    events: { onSynced: () => {}, onFailed: (reason) => t.fail(reason) },
    files,
    reserveBytes: () => 2 * SEGMENT_BYTES,
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const { log } = opened
  while (log.writable) log.append(Buffer.alloc(1000, 1))
  t.equal(listSegments(directory).length, 1, 'one byte is lacking')
  room += 1
  await until(() => log.writable)
  await log.close()
})
