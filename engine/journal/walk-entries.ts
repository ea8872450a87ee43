// Reads the entries of a journal that another thread or process is writing: read-only, up to a
// sequence that is durable.
import { listSegments, SEGMENT_HEADER_BYTES } from './segment-files.ts'
import { batchAt, eachEntry, windowIfThere } from './walk.ts'

export interface EntryRange {
  directory: string
  journal: Buffer
  fromSeq: number
  /** Last durable sequence, as reported by the writer. */
  untilSeq: number
  visit(seq: number, bytes: Buffer): void
}

/** Visits fromSeq … untilSeq in order and returns the last sequence reached. */
export function walkEntries(range: EntryRange): number {
  let next = range.fromSeq
  const visit = (seq: number, bytes: Buffer): void => {
    if (seq !== next || seq > range.untilSeq) return
    range.visit(seq, bytes)
    next += 1
  }
  for (const file of listSegments(range.directory)) {
    if (next > range.untilSeq) break
    // A segment recycled since the listing held only entries that a snapshot already covers.
    const window = windowIfThere(file)
    if (window === null) continue
    try {
      let offset = SEGMENT_HEADER_BYTES
      while (next <= range.untilSeq) {
        const batch = batchAt(window, offset, range.journal)
        // A recycled segment still holds earlier batches, which are older than the requested
        // entries.
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
