// Reads segment files batch by batch through a window that is refilled during the walk.
// Synchronous: it serves start-up, replay and the operator's tools, never the decision thread while
// it answers.
import { closeSync, openSync, readSync } from 'node:fs'
import {
  BATCH_BYTES_MAX,
  BATCH_HEADER_BYTES,
  BATCH_JOURNAL_AT,
  type BatchHeader,
  batchIntact,
  ENTRY_PREFIX_BYTES,
  nextEntry,
  readBatchHeader,
} from './batch.ts'

const WINDOW_BYTES = 4 * BATCH_BYTES_MAX
const JOURNAL_BYTES = 16
const ZEROS = Buffer.alloc(WINDOW_BYTES)

/** A moving view of one file. */
export class FileWindow {
  readonly bytes: number
  readonly #fd: number
  readonly #buffer: Buffer
  #from = 0
  #to = 0

  constructor(path: string, bytes: number) {
    this.#fd = openSync(path, 'r')
    this.bytes = bytes
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(WINDOW_BYTES, bytes)))
  }

  /**
   * Returns up to `bytes` from `offset` on, fewer only at the end of the file. Valid until the next
   * call.
   */
  view(offset: number, bytes: number): Buffer {
    const to = Math.min(offset + bytes, this.bytes)
    if (offset < this.#from || to > this.#to) this.#fill(offset)
    return this.#buffer.subarray(offset - this.#from, Math.min(to, this.#to) - this.#from)
  }

  #fill(offset: number): void {
    this.#from = offset
    this.#to = offset
    const end = Math.min(offset + this.#buffer.length, this.bytes)
    while (this.#to < end) {
      const read = readSync(this.#fd, this.#buffer, this.#to - offset, end - this.#to, this.#to)
      if (read === 0) return
      this.#to += read
    }
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/**
 * Opens a window on a file that a running engine may just have renamed; null if the file is gone.
 */
export function windowIfThere(file: { path: string; bytes: number }): FileWindow | null {
  try {
    return new FileWindow(file.path, file.bytes)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

export interface WalkedBatch extends BatchHeader {
  offset: number
  /** Header and entries; valid until the next call on the window. */
  view: Buffer
}

/** Returns the batch of this journal at `offset` if its checksum is right, or null. */
export function batchAt(window: FileWindow, offset: number, journal: Buffer): WalkedBatch | null {
  const header = readBatchHeader(window.view(offset, BATCH_HEADER_BYTES), 0, journal)
  if (header === null) return null
  const view = window.view(offset, header.bytes)
  if (view.length < header.bytes || !batchIntact(view, 0, header.bytes)) return null
  return { ...header, offset, view }
}

/**
 * Returns the first intact batch of this journal at or after `offset` that holds `seqMin` or a
 * later entry, or null. Older batches in a recycled segment have lower sequences and are skipped.
 */
export function findBatchFrom(
  file: { path: string; bytes: number },
  offset: number,
  target: { journal: Buffer; seqMin: number },
): WalkedBatch | null {
  const search = new FileWindow(file.path, file.bytes)
  const check = new FileWindow(file.path, file.bytes)
  try {
    let from = offset
    for (;;) {
      const view = search.view(from, WINDOW_BYTES)
      for (let at = view.indexOf(target.journal); at >= 0; ) {
        const begin = from + at - BATCH_JOURNAL_AT
        const found = begin < offset ? null : batchAt(check, begin, target.journal)
        if (found !== null && found.firstSeq >= target.seqMin)
          return { ...found, view: Buffer.from(found.view) }
        at = view.indexOf(target.journal, at + 1)
      }
      if (from + view.length >= file.bytes || view.length < JOURNAL_BYTES) return null
      // The windows overlap, so an id across two windows is found.
      from += view.length - JOURNAL_BYTES + 1
    }
  } finally {
    search.close()
    check.close()
  }
}

/** True when the file holds only zeros from `offset` on. */
export function zeroFrom(file: { path: string; bytes: number }, offset: number): boolean {
  const window = new FileWindow(file.path, file.bytes)
  try {
    for (let at = offset; at < file.bytes; ) {
      const view = window.view(at, WINDOW_BYTES)
      if (view.length === 0 || ZEROS.compare(view, 0, view.length, 0, view.length) !== 0)
        return false
      at += view.length
    }
    return true
  } finally {
    window.close()
  }
}

/**
 * Calls `visit` for every entry of an intact batch from `fromSeq` on; the bytes are valid during
 * the call only.
 */
export function eachEntry(
  batch: WalkedBatch,
  fromSeq: number,
  visit: (seq: number, bytes: Buffer) => void,
): void {
  const { view, firstSeq, count } = batch
  let at = BATCH_HEADER_BYTES
  for (let index = 0; index < count; index++) {
    const next = nextEntry(view, at)
    if (firstSeq + index >= fromSeq)
      visit(firstSeq + index, view.subarray(at + ENTRY_PREFIX_BYTES, next))
    at = next
  }
}
