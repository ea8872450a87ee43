// The entries of a journal that another thread or process is writing: read-only, up to a sequence known to be durable.
import { listSegments, SEGMENT_HEADER_BYTES } from './segment-files.ts'
import { batchAt, eachEntry, windowIfThere } from './walk.ts'

export interface EntryRange {
  directory: string
  journal: Buffer
  fromSeq: number
  /** Durable: the writer said so. */
  untilSeq: number
  visit(seq: number, bytes: Buffer): void
}

/** Visits fromSeq … untilSeq in order and returns the last sequence it reached. */
export function walkEntries(range: EntryRange): number {
  let next = range.fromSeq
  const visit = (seq: number, bytes: Buffer): void => {
    if (seq !== next || seq > range.untilSeq) return
    range.visit(seq, bytes)
    next += 1
  }
  for (const file of listSegments(range.directory)) {
    if (next > range.untilSeq) break
    // Recycled since the listing: it held only entries that a snapshot already covers.
    const window = windowIfThere(file)
    if (window === null) continue
    try {
      let offset = SEGMENT_HEADER_BYTES
      while (next <= range.untilSeq) {
        const batch = batchAt(window, offset, range.journal)
        // A recycled segment goes on with batches of before, which are older than what is wanted.
        if (batch === null || batch.firstSeq > next) break
        eachEntry(batch, next, visit)
        offset += batch.bytes
      }
    } finally {
      window.close()
    }
  }
  return next - 1
}
