// Every entry again, in order, when the engine starts: checksums verified, at the speed of the file
// cache.

import type { Segment } from './segment.ts'
import { batchAt, eachEntry, FileWindow } from './walk.ts'

export type Replay = { replayed: number } | { refused: string }

/** Visits the durable entries from `fromSeq` on; refused when they are not all there. */
export function replayEntries(
  segments: readonly Segment[],
  journal: Buffer,
  input: { fromSeq: number; visit: (seq: number, bytes: Buffer) => void },
): Replay {
  const oldestSeq = segments[0]?.firstSeq ?? 0
  const { fromSeq, visit } = input
  if (oldestSeq > fromSeq) {
    return {
      refused:
        'The journal begins with entry ' +
        oldestSeq +
        ', but entries from ' +
        fromSeq +
        ' on are needed: a snapshot is missing or too old.',
    }
  }
  let replayed = 0
  const count = (seq: number, bytes: Buffer): void => {
    replayed += 1
    visit(seq, bytes)
  }
  for (const segment of segments) {
    if (segment.firstSeq === 0 || segment.lastSeq < fromSeq) continue
    const window = new FileWindow(segment.path, segment.bytesMax)
    try {
      let offset = segment.offsetBefore(fromSeq)
      while (offset < segment.endBytes) {
        const batch = batchAt(window, offset, journal)
        if (batch === null) return { refused: segment.path + ' is damaged at byte ' + offset + '.' }
        eachEntry(batch, fromSeq, count)
        offset += batch.bytes
      }
    } finally {
      window.close()
    }
  }
  return { replayed }
}
