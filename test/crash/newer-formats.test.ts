// Downgrade: a file that a newer version wrote is read as far as its format is known, or refused
// with a sentence; never misread. Each newer format here is today's number plus one.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { Packr } from 'msgpackr'
import { type Test, test } from 'tap'
import { openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { openGeneration } from '../../engine/config-cache/generation.ts'
import { META_KEY } from '../../engine/config-cache/keys.ts'
import { readPointer } from '../../engine/config-cache/pointer.ts'
import { RECORDS_FORMAT, type Stored } from '../../engine/config-cache/stored.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import {
  listSnapshots,
  readLatestSnapshot,
  writeSnapshot,
} from '../../engine/journal/snapshot-file.ts'
import { systemClock } from '../../shared/clock.ts'
import { type DecisionEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { RELEASE_SEGMENT_BYTES, recovered } from '../faults/kept-state.ts'
import { type Release, unpackRelease } from '../faults/releases.ts'
import { startEngine } from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { decisionEntry, lateReplyEntry } from '../harness/entries.ts'

const NAME = 'journal-1'
const FORMAT_AT = 8
const SEGMENT_CRC_AT = 28
const SNAPSHOT_CRC_AT = 36
const HEAD_TAG = 1

const packr = new Packr({ useRecords: false })

function unpacked(t: Test): Release & { journal: string } {
  const release = unpackRelease(t, NAME)
  return { ...release, journal: join(release.directory, 'journal') }
}

/** Raises the format number in a file's header by one and corrects the checksum. */
function raiseFormat(path: string, crcAt: number): void {
  const bytes = readFileSync(path)
  bytes.writeUInt32LE(bytes.readUInt32LE(FORMAT_AT) + 1, FORMAT_AT)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, crcAt)), crcAt)
  writeFileSync(path, bytes)
}

test('a segment, or the directory, of a newer format is refused', async (t) => {
  const one = unpacked(t)
  raiseFormat(join(one.journal, '0000000002.segment'), SEGMENT_CRC_AT)
  await t.rejects(recovered(one.journal, systemClock), /has format 2; this version reads format 1/)
  const other = unpacked(t)
  const path = join(other.journal, 'journal.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), format: 2 }))
  await t.rejects(recovered(other.journal, systemClock), /cannot be read by this version/)
})

test('the engine skips a snapshot of a newer format and takes the one before', async (t) => {
  const { journal, state: kept } = unpacked(t)
  const [latest, before] = listSnapshots(journal)
  t.ok(latest !== undefined && before !== undefined)
  raiseFormat(latest?.path ?? '', SNAPSHOT_CRC_AT)
  const { state, snapshotSeq } = await recovered(journal, systemClock)
  t.equal(snapshotSeq, before?.seq)
  t.equal(state.seq, kept.entries)
})

/** Writes the latest snapshot again after changing each of its chunks. */
function rewriteSnapshot(journal: string, change: (chunk: Buffer) => Buffer): void {
  const { journal_id: journalId } = JSON.parse(readFileSync(join(journal, 'journal.json'), 'utf8'))
  const snapshot = readLatestSnapshot(journal, journalId)
  if (snapshot === null) throw new Error('a release has a snapshot')
  const chunks = [...snapshot.chunks].map((chunk) => change(Buffer.from(chunk)))
  writeSnapshot(journal, { seq: snapshot.seq, journalId, chunks })
}

test('the engine refuses a state of a newer format or with an unknown part', async (t) => {
  const one = unpacked(t)
  rewriteSnapshot(one.journal, (chunk) => {
    if (chunk[0] !== HEAD_TAG) return chunk
    const head = packr.unpack(chunk.subarray(1))
    return Buffer.concat([chunk.subarray(0, 1), packr.pack({ ...head, format: head.format + 1 })])
  })
  const wanted = /holds a snapshot of an unknown format, 3: start the version that wrote it/
  await t.rejects(recovered(one.journal, systemClock), wanted)
  const other = unpacked(t)
  rewriteSnapshot(other.journal, (chunk) =>
    chunk[0] === HEAD_TAG ? chunk : Buffer.concat([Buffer.of(99), chunk.subarray(1)]),
  )
  await t.rejects(recovered(other.journal, systemClock), /a part of an unknown kind, 99/)
})

test('an engine refuses to start on entries of a newer format and names the format', async (t) => {
  const { journal, directory } = unpacked(t)
  const opened = await openSegmentLog({
    directory: journal,
    segmentBytes: RELEASE_SEGMENT_BYTES,
    clock: systemClock,
    events: { onSynced: () => {}, onFailed: (reason) => t.fail(reason) },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const [kind, format, ...rows] = packr.unpack(encodeEntry(lateReplyEntry({})))
  opened.log.append(packr.pack([kind, format + 1, ...rows]))
  await opened.log.close()
  await t.rejects(
    startEngine(t, { directory }),
    /holds a journal entry of an unknown format, 2: start the version that wrote it/,
  )
})

/**
 * Appends a decision as a newer version might write it: with one more field at the end of its head.
 */
async function appendNewer(t: Test, journal: string, change: Partial<DecisionEntry>) {
  const opened = await openSegmentLog({
    directory: journal,
    segmentBytes: RELEASE_SEGMENT_BYTES,
    clock: systemClock,
    events: { onSynced: () => {}, onFailed: (reason) => t.fail(reason) },
  })
  if ('refused' in opened) throw new Error(opened.refused)
  const [kind, format, head, ...rows] = packr.unpack(encodeEntry(decisionEntry(change)))
  opened.log.append(packr.pack([kind, format, [...head, 'more'], ...rows]))
  await opened.log.close()
}

test('a refusal caused by fields of a newer version names that version and the problem', async (t) => {
  const newer = /holds journal entries of a newer version, .* start the version that wrote them\./
  const ahead = unpacked(t)
  await appendNewer(t, ahead.journal, { receivedAtMs: systemClock.nowMs() + 3_600_000 })
  const refused = await t.rejects(startEngine(t, { directory: ahead.directory }), newer)
  t.match(String(refused), /Read without those fields: The clock is more than a minute behind/)
  const asserted = unpacked(t)
  const { effect } = decisionEntry({})
  if (effect === null) throw new Error('the entry of a test has an effect')
  await appendNewer(t, asserted.journal, { effect: { ...effect, sequence: 2 } })
  await t.rejects(recovered(asserted.journal, systemClock), newer)
  const harmless = unpacked(t)
  await appendNewer(t, harmless.journal, {})
  const { state } = await recovered(harmless.journal, systemClock)
  t.equal(state.seq, harmless.state.entries + 1, 'what is only more is left behind')
})

test('the config cache drops records of a newer format, which are then pushed again', async (t) => {
  const { directory } = unpacked(t)
  const configCache = join(directory, 'facts')
  const name = readPointer(configCache) ?? ''
  const generation = openGeneration(join(configCache, name), name, systemClock)
  const meta = { ...(generation.get(META_KEY) as Stored), format: RECORDS_FORMAT + 1 } as Stored
  await generation.write(new Map([[META_KEY, meta]]))
  await generation.close()
  const opened = openConfigCache({
    directory: configCache,
    clock: systemClock,
    log: silentLog,
    onFailed: (reason) => t.fail(reason),
  })
  t.teardown(() => opened.close())
  t.equal(opened.cursor, null)
  t.equal(opened.card('card_1'), null)
})
