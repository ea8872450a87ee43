// Pages of durable entries for the drain: read from the segment file beside the decision thread's
// own work.
import { type FileHandle, open } from 'node:fs/promises'
import {
  BATCH_BYTES_MAX,
  BATCH_HEADER_BYTES,
  batchIntact,
  nextEntry,
  readBatchHeader,
} from './batch.ts'
import { INDEX_STRIDE_BYTES, type Segment } from './segment.ts'

/** A page is never larger than asked for plus one entry, and never asked for larger than this. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024

export interface Page {
  firstSeq: number
  count: number
  /** `u32 LE length, bytes` per entry. */
  frames: Buffer
}

/**
 * A page that begins with `fromSeq`, which must be in the segment and durable. Rejects when the
 * file is damaged.
 */
export async function readPage(
  segment: Segment,
  journal: Buffer,
  range: { fromSeq: number; bytesMax: number },
): Promise<Page> {
  const handle = await open(segment.path, 'r')
  try {
    return await collect(handle, segment, journal, range)
  } finally {
    await handle.close()
  }
}

async function collect(
  handle: FileHandle,
  segment: Segment,
  journal: Buffer,
  range: { fromSeq: number; bytesMax: number },
): Promise<Page> {
  // The next page takes the entries that are appended from now on.
  const end = segment.endBytes
  const bytesMax = Math.max(1, Math.min(range.bytesMax, PAGE_BYTES_MAX))
  const page = new PageBuilder(range.fromSeq, bytesMax)
  let offset = segment.offsetBefore(range.fromSeq)
  let wanted = INDEX_STRIDE_BYTES + bytesMax
  while (offset < end && !page.full) {
    const bytes = Math.min(wanted, end - offset)
    const view = await readFully(handle, offset, bytes)
    if (view.length < bytes) throw damaged(segment, offset + view.length)
    let at = 0
    while (!page.full) {
      const header = readBatchHeader(view, at, journal)
      if (header === null || at + header.bytes > view.length) break
      const wantedBatch = header.firstSeq + header.count > range.fromSeq
      if (wantedBatch && !batchIntact(view, at, header.bytes)) throw damaged(segment, offset + at)
      if (wantedBatch) page.take(view, at, header)
      at += header.bytes
    }
    // A page that has something need not be filled to the brim by a second read.
    if (page.count > 0) break
    if (at === 0 && view.length >= Math.min(BATCH_BYTES_MAX, end - offset))
      throw damaged(segment, offset)
    offset += at
    wanted = BATCH_BYTES_MAX + bytesMax
  }
  if (page.count === 0) throw damaged(segment, offset)
  return page.finish()
}

async function readFully(handle: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  let done = 0
  while (done < bytes) {
    const { bytesRead } = await handle.read(buffer, done, bytes - done, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return buffer.subarray(0, done)
}

function damaged(segment: Segment, offset: number): Error {
  return new Error(segment.path + ' is damaged at byte ' + offset)
}

class PageBuilder {
  readonly #fromSeq: number
  readonly #bytesMax: number
  readonly #slices: Buffer[] = []
  #bytes = 0
  count = 0
  full = false

  constructor(fromSeq: number, bytesMax: number) {
    this.#fromSeq = fromSeq
    this.#bytesMax = bytesMax
  }

  /** Adds the batch's entries from `fromSeq` on, as one slice, as far as the page has room. */
  take(view: Buffer, at: number, batch: { firstSeq: number; count: number }): void {
    let entryAt = at + BATCH_HEADER_BYTES
    let begin = entryAt
    for (let index = 0; index < batch.count; index++) {
      const next = nextEntry(view, entryAt)
      if (batch.firstSeq + index < this.#fromSeq) {
        begin = next
      } else if (this.count > 0 && this.#bytes + (next - begin) > this.#bytesMax) {
        this.full = true
        break
      } else {
        this.count += 1
      }
      entryAt = next
    }
    this.#slices.push(view.subarray(begin, entryAt))
    this.#bytes += entryAt - begin
    if (this.#bytes >= this.#bytesMax) this.full = true
  }

  finish(): Page {
    const [only] = this.#slices
    const frames =
      only !== undefined && this.#slices.length === 1 ? only : Buffer.concat(this.#slices)
    return { firstSeq: this.#fromSeq, count: this.count, frames }
  }
}
