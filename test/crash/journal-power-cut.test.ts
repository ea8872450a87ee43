import { cpSync, mkdtempSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import {
  type JournalFiles,
  listSegments,
  SEGMENT_BYTES_MIN,
  SEGMENT_HEADER_BYTES,
  systemFiles,
} from '../../engine/journal/segment-files.ts'
import type { SegmentLog } from '../../engine/journal/segment-log.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { repeats } from '../harness/long.ts'
import { until } from '../harness/until.ts'

const SECTOR_BYTES = 512
const CUTS = repeats(30, 60)

/** A small generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A device whose next write, once `cut` is set, reaches only some sectors and never comes back. */
function cuttable(random: () => number) {
  const device = { cut: false, hung: false, files: systemFiles }
  const files: JournalFiles = {
    ...systemFiles,
    write(fd, buffer, place, done) {
      if (!device.cut) return systemFiles.write(fd, buffer, place, done)
      const survival = random()
      const end = place.at + place.bytes
      for (let at = place.at; at < end; at = at - (at % SECTOR_BYTES) + SECTOR_BYTES) {
        const next = Math.min(end, at - (at % SECTOR_BYTES) + SECTOR_BYTES)
        if (random() < survival) writeSync(fd, buffer, at - place.at, next - at, at)
      }
      device.hung = true
    },
  }
  return Object.assign(device, { files })
}

function entryOf(seq: number, life: number): Buffer {
  return Buffer.alloc(50 + ((seq * 31) % 900), life + '/' + seq + ' ')
}

async function openOn(t: Test, directory: string, files: JournalFiles): Promise<SegmentLog> {
  const opened = await openSegmentLog({
    directory,
    segmentBytes: SEGMENT_BYTES_MIN,
    clock: systemClock,
    files,
    events: { onSynced: () => {}, onFailed: () => {} },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  t.teardown(() => opened.log.close())
  return opened.log
}

function newDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-journal-cut-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Every entry as text, to compare the end of one life with the beginning of the next. */
function textsOf(log: SegmentLog): Map<number, string> {
  const texts = new Map<number, string>()
  log.replay(log.oldestSeq, (seq, bytes) => texts.set(seq, bytes.toString('latin1')))
  return texts
}

test('a power cut during the last write loses nothing acknowledged, whichever sectors survive', async (t) => {
  const problems: string[] = []
  let directory = newDirectory(t)
  let wholeWrites = 0
  for (let life = 1; life <= CUTS; life++) {
    const random = randomOf(life)
    const device = cuttable(random)
    const log = await openOn(t, directory, device.files)
    const batches = 1 + Math.floor(random() * 40)
    for (let batch = 0; batch < batches; batch++) {
      for (let left = Math.floor(random() * 12); left >= 0; left--)
        log.append(entryOf(log.lastSeq + 1, life))
      await until(() => log.waiting === 0)
      if (random() < 0.3) log.trim(log.syncedSeq - Math.floor(random() * 50))
    }
    const before = textsOf(log)
    const acked = log.syncedSeq
    device.cut = true
    for (let left = Math.floor(random() * 20); left >= 0; left--)
      log.append(entryOf(log.lastSeq + 1, life))
    await until(() => device.hung)
    const asked = log.lastSeq

    const after = newDirectory(t)
    cpSync(directory, after, { recursive: true })
    const next = await openOn(t, after, systemFiles)
    const found = next.syncedSeq
    // All or nothing: the last batch is there whole, or not at all.
    if (found !== acked && found !== asked) problems.push(life + ': ' + acked + ' became ' + found)
    if (found === asked) wholeWrites += 1
    const texts = textsOf(next)
    for (const [seq, text] of before) {
      if (seq >= next.oldestSeq && texts.get(seq) !== text) problems.push(life + ': entry ' + seq)
    }
    await next.close()
    directory = after
  }
  t.same(problems, [])
  t.ok(wholeWrites > 0 && wholeWrites < CUTS, 'both ends of the story were seen: ' + wholeWrites)
})

test('the latest durable entry is kept until a later segment holds one', async (t) => {
  const directory = newDirectory(t)
  const device = { hold: false, held: false }
  const log = await openOn(t, directory, {
    ...systemFiles,
    write(fd, buffer, place, done) {
      // The first batch of the second segment never reaches the device.
      device.held = device.hold && place.at === SEGMENT_HEADER_BYTES
      if (!device.held) systemFiles.write(fd, buffer, place, done)
    },
  })
  await until(() => listSegments(directory).length > 2)
  while (!device.held) {
    log.append(entryOf(log.lastSeq + 1, 1))
    await until(() => log.waiting === 0 || device.held)
    device.hold = true
  }
  const acked = log.syncedSeq
  log.trim(acked)
  t.equal(log.oldestSeq, 1)
  await sleep(20)
  const after = newDirectory(t)
  cpSync(directory, after, { recursive: true })
  const next = await openOn(t, after, systemFiles)
  t.equal(next.syncedSeq, acked)
})
