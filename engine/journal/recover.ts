// Start-up: which batches of the segment files count, where the next one goes, and whether
// something is wrong in the middle. A bad last batch was never answered for and is discarded whole.
// A good batch behind a bad one is corruption: refuse.
import { assert } from '../../shared/assert.ts'
import { Segment } from './segment.ts'
import {
  headerJournal,
  headerProblem,
  openForBatches,
  SEGMENT_HEADER_BYTES,
  type SegmentFile,
  zeroRange,
} from './segment-files.ts'
import { batchAt, FileWindow, findBatchFrom, type WalkedBatch, zeroFrom } from './walk.ts'

export interface Recovery {
  /** Oldest first; the last one is active. */
  segments: [Segment, ...Segment[]]
  /** Files behind the active one. */
  spares: SegmentFile[]
  lastSeq: number
  /** The epoch of the latest batch; 0 without any. */
  epoch: number
  /** The latest batch, when there is one. */
  lastBatch: { path: string; offset: number; bytes: number } | null
  /** Byte ranges of discarded batches. They are zeroed before anything is accepted. */
  leftovers: { path: string; from: number; to: number }[]
}

/**
 * Reads the segments and changes nothing. `files` oldest first. With `grows` an engine writes
 * beside the reader: the next batch behind the last one came meanwhile, and is no damage.
 */
export function readSegments(
  files: readonly SegmentFile[],
  journal: Buffer,
  { grows = false }: { grows?: boolean } = {},
): Recovery | { refused: string } {
  for (const file of files) {
    const problem = headerProblem(readHeader(file), journal)
    if (problem !== null) return { refused: file.path + ' ' + problem + '.' }
  }
  const chain = walkChain(files, journal)
  const [oldest] = files
  if (oldest === undefined) return { refused: 'The journal has no segment files.' }
  const [first = emptySegment(oldest), ...rest] = chain.segments
  const segments: [Segment, ...Segment[]] = [first, ...rest]
  const active = rest.at(-1) ?? first
  const spares = files.filter((file) => file.ordinal > active.ordinal)

  const behind = [{ file: fileOf(active), from: active.endBytes }]
  for (const spare of spares) behind.push({ file: spare, from: SEGMENT_HEADER_BYTES })
  const leftovers: Recovery['leftovers'] = []
  for (const { file, from } of behind) {
    if (file.ordinal !== active.ordinal && holdsDrainedEntries(file, journal, chain.lastSeq))
      continue
    // Most files end in zeros, which hold no batch: they are read once, without a search.
    if (zeroFrom(file, from)) continue
    const stray = findBatchFrom(file, from, { journal, seqMin: chain.lastSeq + 1 })
    if (stray !== null && !(grows && isNext(chain, { active, file, stray })))
      return { refused: corruption(active, chain.lastSeq, { file, stray }) }
    leftovers.push({ path: file.path, from, to: file.bytes })
  }
  const { lastSeq, epoch, lastBatch } = chain
  return { segments, spares, lastSeq, epoch, lastBatch, leftovers }
}

interface Chain {
  segments: Segment[]
  lastSeq: number
  epoch: number
  lastBatch: Recovery['lastBatch']
}

/** Follows the batches from the oldest segment on, as long as each continues the one before. */
function walkChain(files: readonly SegmentFile[], journal: Buffer): Chain {
  const chain: Chain = { segments: [], lastSeq: 0, epoch: 0, lastBatch: null }
  for (const file of files) {
    const segment = emptySegment(file)
    const window = new FileWindow(file.path, file.bytes)
    try {
      for (;;) {
        const batch = batchAt(window, segment.endBytes, journal)
        if (batch === null || !continues(chain, batch)) break
        chain.lastBatch = { path: file.path, offset: batch.offset, bytes: batch.bytes }
        chain.epoch = batch.epoch
        segment.note(batch)
        chain.lastSeq = segment.lastSeq
      }
    } finally {
      window.close()
    }
    if (segment.lastSeq === 0) break
    chain.segments.push(segment)
  }
  return chain
}

/**
 * The oldest batch may begin anywhere, for drained segments are gone; every other one follows
 * without a gap.
 */
function continues(chain: Chain, batch: WalkedBatch): boolean {
  if (chain.lastSeq === 0) return true
  return batch.firstSeq === chain.lastSeq + 1 && batch.epoch >= chain.epoch
}

/** The batch that an engine writes next after the chain: behind it, or in the next segment. */
function isNext(
  chain: Chain,
  { active, file, stray }: { active: Segment; file: SegmentFile; stray: WalkedBatch },
): boolean {
  const isBehind = file.ordinal === active.ordinal && stray.offset === active.endBytes
  const isFirst = file.ordinal === active.ordinal + 1 && stray.offset === SEGMENT_HEADER_BYTES
  return (isBehind || isFirst) && continues(chain, stray)
}

/** A recycled segment still begins with an old batch; one that was used again since does not. */
function holdsDrainedEntries(file: SegmentFile, journal: Buffer, lastSeq: number): boolean {
  const window = new FileWindow(file.path, file.bytes)
  try {
    const batch = batchAt(window, SEGMENT_HEADER_BYTES, journal)
    return batch !== null && batch.firstSeq <= lastSeq
  } finally {
    window.close()
  }
}

function corruption(
  active: Segment,
  lastSeq: number,
  found: { file: SegmentFile; stray: WalkedBatch },
): string {
  return (
    'The journal is damaged in the middle: ' +
    active.path +
    ' is not readable at byte ' +
    active.endBytes +
    ' (after entry ' +
    lastSeq +
    '), yet entry ' +
    found.stray.firstSeq +
    ' follows in ' +
    found.file.path +
    ' at byte ' +
    found.stray.offset +
    '. Nothing was changed. Restore the directory from a copy, or rebuild the engine from PostgreSQL.'
  )
}

/**
 * Makes the entries that were read durable before anything builds on them. The last batch is
 * written again, because after a failed sync the kernel may report pages as clean that never
 * reached the device. Leftovers of a discarded batch become zeros.
 */
export async function repairTail(recovery: Recovery): Promise<void> {
  const { lastBatch } = recovery
  if (lastBatch !== null) {
    const handle = await openForBatches(lastBatch.path)
    try {
      const bytes = Buffer.alloc(lastBatch.bytes)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, lastBatch.offset)
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, lastBatch.offset)
      assert(bytesRead === bytes.length && bytesWritten === bytes.length, 'a batch cut short')
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  for (const { path, from, to } of recovery.leftovers) await zeroRange(path, from, to)
}

/** True when any file holds an intact batch of the journal its own header names. */
export function holdsEntries(files: readonly SegmentFile[]): boolean {
  return files.some((file) => {
    const target = { journal: headerJournal(readHeader(file)), seqMin: 1 }
    return findBatchFrom(file, SEGMENT_HEADER_BYTES, target) !== null
  })
}

function readHeader(file: SegmentFile): Buffer {
  const window = new FileWindow(file.path, Math.min(file.bytes, SEGMENT_HEADER_BYTES))
  try {
    return window.view(0, SEGMENT_HEADER_BYTES)
  } finally {
    window.close()
  }
}

function emptySegment(file: SegmentFile): Segment {
  return new Segment({ ...file, beginsAt: SEGMENT_HEADER_BYTES })
}

function fileOf(segment: Segment): SegmentFile {
  return { ordinal: segment.ordinal, path: segment.path, bytes: segment.bytesMax }
}
