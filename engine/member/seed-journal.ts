// The journal directory of a member whose disk is empty, or whose journal ends before the oldest
// entry that any member keeps: a snapshot of another member, and the entries from its last one on.
// The directory is built aside and renamed, so a member that ends meanwhile finds the former one.
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Result } from '../../shared/result.ts'
import { BATCH_HEADER_BYTES, Batch, ENTRY_PREFIX_BYTES, nextEntry } from '../journal/batch.ts'
import { writeMeta } from '../journal/meta-file.ts'
import {
  journalBytes,
  openForBatches,
  prewriteSegment,
  SEGMENT_HEADER_BYTES,
  syncDirectory,
  systemFiles,
} from '../journal/segment-files.ts'
import { snapshotIntact, snapshotPath } from '../journal/snapshot-file.ts'
import { writeMemberId } from './member-id.ts'
import type { Peers } from './peer.ts'

const [ASIDE, FORMER] = ['.seed', '.former']
/** One batch: the entries behind it come page by page, as for any member that is behind. */
const FIRST_PAGE_BYTES = 64 * 1024

export interface SeedOptions {
  journalDir: string
  journalId: string
  memberId: string
  segmentBytes: number
  peers: Peers
  /** Address of the member that gives its snapshot. */
  from: string
}

/** Puts back the former directory where a seed was cut short between its two renames. */
export async function finishSeed(journalDir: string): Promise<void> {
  rmSync(journalDir + ASIDE, { recursive: true, force: true })
  if (!existsSync(journalDir + FORMER)) return
  if (existsSync(journalDir)) rmSync(journalDir + FORMER, { recursive: true, force: true })
  else await rename(journalDir + FORMER, journalDir)
}

/** Replaces the directory, which no process holds; its last sequence then, or why not. */
export async function seedJournal(options: SeedOptions): Promise<Result<number, string>> {
  const { journalDir, journalId, memberId, peers, from } = options
  const aside = journalDir + ASIDE
  const journal = journalBytes(journalId)
  if (journal === null) return { ok: false, error: journalId + ' is not a journal id.' }
  rmSync(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const seq = await fetchSnapshot(options, aside)
  if (seq === null) return { ok: false, error: 'the snapshot of ' + from + ' did not come whole' }
  const wanted = { journalId, fromSeq: seq, bytesMax: FIRST_PAGE_BYTES }
  const page = await peers.page(from, wanted)
  if (page === null || page === 'gone' || page.count === 0)
    return { ok: false, error: 'the entries behind the snapshot of ' + from + ' did not come' }
  await writeFirstSegment(aside, journal, options.segmentBytes, { seq, frames: page.frames })
  await writeMeta(aside, { journalId, epoch: 1, attached: false })
  await writeMemberId(aside, memberId)
  const former = journalDir + FORMER
  rmSync(former, { recursive: true, force: true })
  await rename(journalDir, former)
  await rename(aside, journalDir)
  await syncDirectory(dirname(journalDir))
  rmSync(former, { recursive: true, force: true })
  return { ok: true, value: seq }
}

async function fetchSnapshot(
  { peers, from, journalId }: SeedOptions,
  directory: string,
): Promise<number | null> {
  const draft = join(directory, 'snapshot.draft')
  const fd = openSync(draft, 'w', 0o600)
  let seq: number | null
  try {
    seq = await peers.snapshot(from, (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    })
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  if (seq === null || !snapshotIntact(draft, journalId, seq)) return null
  await rename(draft, snapshotPath(directory, seq))
  return seq
}

async function writeFirstSegment(
  directory: string,
  journal: Buffer,
  segmentBytes: number,
  { seq, frames }: { seq: number; frames: Buffer },
): Promise<void> {
  const pace = (): Promise<boolean> => Promise.resolve(true)
  const bytes = Math.max(segmentBytes, SEGMENT_HEADER_BYTES + frames.length + BATCH_HEADER_BYTES)
  const draft = { directory, ordinal: 1, bytes, journal, files: systemFiles, pace }
  const file = await prewriteSegment(draft)
  if (file === null) return
  const batch = new Batch(BATCH_HEADER_BYTES + frames.length)
  batch.begin(seq, 0)
  for (let at = 0; at < frames.length; ) {
    const next = nextEntry(frames, at)
    batch.add(frames.subarray(at + ENTRY_PREFIX_BYTES, next))
    at = next
  }
  batch.seal(journal, 1)
  const handle = await openForBatches(file.path)
  try {
    await handle.write(batch.buffer, 0, batch.bytes, SEGMENT_HEADER_BYTES)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
