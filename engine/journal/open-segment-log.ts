// Opens the journal directory: takes the lock, reads the segments, repairs them, raises the epoch,
// and only then returns a log that accepts entries.
import { mkdir, rm } from 'node:fs/promises'
import { type Clock, sleep } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { DecisionLogEvents } from './decision-log.ts'
import { type DirectoryLock, lockDirectory } from './lock.ts'
import { type JournalMeta, readMeta, writeMeta } from './meta-file.ts'
import { holdsEntries, type Recovery, readSegments, repairTail } from './recover.ts'
import type { Segment } from './segment.ts'
import {
  type JournalFiles,
  journalBytes,
  listSegments,
  openForBatches,
  prewriteSegment,
  removeDrafts,
  SEGMENT_BYTES_MIN,
  syncDirectory,
  systemFiles,
} from './segment-files.ts'
import { SegmentLog } from './segment-log.ts'
import { SpareSegments } from './spare-segments.ts'

export interface SegmentLogOptions {
  directory: string
  /** Size of a segment made from now on; those that exist keep theirs. */
  segmentBytes: number
  events: DecisionLogEvents
  clock: Clock
  /** The id of a journal made by this call; random when absent. */
  journalId?: string
  /** Replaced by fault tests. */
  files?: JournalFiles
  /** Bytes of the device that segments leave alone; absent: none. */
  reserveBytes?: () => number
  /** Milliseconds to wait for the process that holds the directory; absent: not at all. */
  heldMsMax?: number
}

/**
 * Milliseconds between two looks whether the directory is free. A take-over adds them to the time
 * without an answer.
 */
const HELD_POLL_MS = 2

type Opened = { log: SegmentLog } | { refused: string }

/**
 * The decision log of a directory, made at the first call. `refused` is a sentence for the
 * operator: held by another process, damaged, of another format, or the file system refused.
 * Nothing is accepted before the tail is durable.
 */
export async function openSegmentLog(options: SegmentLogOptions): Promise<Opened> {
  const { directory } = options
  let lock: DirectoryLock | null = null
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    lock = await lockInTime(options)
    if (lock === null)
      return { refused: directory + ' is held by another engine; stop that one first.' }
    const opened = await openLocked(options, lock)
    if ('refused' in opened) await lock.release()
    return opened
  } catch (error) {
    await lock?.release()
    return { refused: 'The journal in ' + directory + ' cannot be opened: ' + String(error) }
  }
}

async function lockInTime(options: SegmentLogOptions): Promise<DirectoryLock | null> {
  const { directory, clock, heldMsMax = 0 } = options
  const sinceNs = clock.monotonicNs()
  for (;;) {
    const lock = await lockDirectory(directory)
    if (lock !== null || (clock.monotonicNs() - sinceNs) / 1e6 >= heldMsMax) return lock
    await sleep(HELD_POLL_MS)
  }
}

async function openLocked(options: SegmentLogOptions, lock: DirectoryLock): Promise<Opened> {
  const { directory, segmentBytes } = options
  if (segmentBytes < SEGMENT_BYTES_MIN)
    return { refused: 'A journal segment must have at least ' + SEGMENT_BYTES_MIN + ' bytes.' }
  removeDrafts(directory)
  const found = readMeta(directory)
  if (!found.ok) return { refused: found.error + '.' }
  const before = found.value ?? (await createJournal(options))
  if ('refused' in before) return before
  const journal = journalBytes(before.journalId)
  if (journal === null) return { refused: before.journalId + ' is not a journal id.' }
  const recovery = readSegments(listSegments(directory), journal)
  if ('refused' in recovery) return recovery
  if (recovery.epoch > before.epoch)
    return { refused: directory + '/journal.json is older than the segments beside it.' }
  await repairTail(recovery)
  // Only after the repair: should it fail, the next start finds the same directory.
  const meta = { ...before, epoch: before.epoch + 1 }
  await writeMeta(directory, meta)
  return { log: await buildLog(options, { lock, journal, meta, recovery }) }
}

/**
 * A new journal: its first segment, then `journal.json`, so that the file never names a journal
 * without segments.
 */
async function createJournal(
  options: SegmentLogOptions,
): Promise<JournalMeta | { refused: string }> {
  const { directory, segmentBytes, clock, files = systemFiles } = options
  const remains = listSegments(directory)
  if (holdsEntries(remains))
    return { refused: directory + ' holds journal segments, but journal.json is missing.' }
  // An earlier first start was cut short: nothing was accepted yet.
  for (const file of remains) await rm(file.path)
  await syncDirectory(directory)
  const journalId = options.journalId ?? newId('jrn', clock.nowMs())
  const journal = journalBytes(journalId)
  if (journal === null) return { refused: journalId + ' is not a journal id.' }
  const pace = (): Promise<boolean> => Promise.resolve(true)
  await prewriteSegment({ directory, ordinal: 1, bytes: segmentBytes, journal, files, pace })
  const meta = { journalId, epoch: 0, attached: false }
  return meta
}

interface Ready {
  lock: DirectoryLock
  journal: Buffer
  meta: JournalMeta
  recovery: Recovery
}

async function buildLog(options: SegmentLogOptions, ready: Ready): Promise<SegmentLog> {
  const { directory, segmentBytes, events, clock, files = systemFiles } = options
  const { lock, journal, meta, recovery } = ready
  const { segments, lastSeq } = recovery
  const active: Segment = segments.at(-1) ?? segments[0]
  const handle = await openForBatches(active.path)
  const log = new SegmentLog({
    directory,
    segmentBytes,
    journal,
    meta,
    segments,
    handle,
    lastSeq,
    lock,
    files,
    events,
    clock,
  })
  const spares = new SpareSegments({
    directory,
    segmentBytes,
    journal,
    files,
    clock,
    reserveBytes: options.reserveBytes ?? (() => 0),
    ordinalNext: Math.max(active.ordinal, ...recovery.spares.map((spare) => spare.ordinal)) + 1,
    onReady: () => log.resume(),
    onFailed: (reason) => log.fail(reason),
  })
  for (const spare of recovery.spares) {
    if (spare.bytes === segmentBytes) await spares.adopt(spare)
    else await rm(spare.path)
  }
  await syncDirectory(directory)
  log.begin(spares)
  return log
}
