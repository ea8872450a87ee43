// The frame of one write: a header, then the entries, each behind its length. The whole batch
// stands under one checksum, because the sectors of a write that was not synced persist in any
// order: entries of the last batch cannot be judged alone.
//
// 0 crc32 of all that follows | 4 bytes of the batch | 8 journal id (16) | 24 epoch | 28 count | 32
// first sequence (u64)
// 40 entries: u32 length, bytes … (all little-endian)
import { crc32 } from 'node:zlib'
import { assert } from '../../shared/assert.ts'

export const BATCH_HEADER_BYTES = 40
export const ENTRY_PREFIX_BYTES = 4
/** The largest write, header included. */
export const BATCH_BYTES_MAX = 1024 * 1024
/** Where the journal id stands in the header: recovery searches for it. */
export const BATCH_JOURNAL_AT = 8

const LENGTH_AT = 4
const EPOCH_AT = 24
const COUNT_AT = 28
const SEQ_AT = 32
const JOURNAL_BYTES = 16
const TWO_TO_32 = 2 ** 32

export interface BatchHeader {
  /** Header and entries. */
  bytes: number
  epoch: number
  count: number
  firstSeq: number
}

/** A batch while it collects; its buffer is used again and again. */
export class Batch {
  readonly buffer: Buffer
  readonly #bytesMax: number
  bytes = BATCH_HEADER_BYTES
  count = 0
  firstSeq = 0
  /** The arrival of the first entry, for the age of the batch. */
  sinceNs = 0

  constructor(bytesMax: number) {
    assert(bytesMax <= BATCH_BYTES_MAX, 'a batch larger than BATCH_BYTES_MAX')
    this.buffer = Buffer.allocUnsafeSlow(bytesMax)
    this.#bytesMax = bytesMax
  }

  begin(firstSeq: number, nowNs: number): void {
    this.bytes = BATCH_HEADER_BYTES
    this.count = 0
    this.firstSeq = firstSeq
    this.sinceNs = nowNs
  }

  fits(entryBytes: number): boolean {
    return this.bytes + ENTRY_PREFIX_BYTES + entryBytes <= this.#bytesMax
  }

  add(entry: Buffer): void {
    this.buffer.writeUInt32LE(entry.length, this.bytes)
    this.buffer.set(entry, this.bytes + ENTRY_PREFIX_BYTES)
    this.bytes += ENTRY_PREFIX_BYTES + entry.length
    this.count += 1
  }

  /** Completes the header and the checksum; nothing may be added afterwards. */
  seal(journal: Buffer, epoch: number): void {
    const { buffer } = this
    buffer.writeUInt32LE(this.bytes, LENGTH_AT)
    buffer.set(journal, BATCH_JOURNAL_AT)
    buffer.writeUInt32LE(epoch, EPOCH_AT)
    buffer.writeUInt32LE(this.count, COUNT_AT)
    buffer.writeUInt32LE(this.firstSeq % TWO_TO_32, SEQ_AT)
    buffer.writeUInt32LE(Math.floor(this.firstSeq / TWO_TO_32), SEQ_AT + 4)
    buffer.writeUInt32LE(crc32(buffer.subarray(LENGTH_AT, this.bytes)), 0)
  }
}

/**
 * Returns the header at `at`, or null if no header of this journal can be there. The checksum is
 * not checked.
 */
export function readBatchHeader(view: Buffer, at: number, journal: Buffer): BatchHeader | null {
  if (view.length - at < BATCH_HEADER_BYTES) return null
  const bytes = view.readUInt32LE(at + LENGTH_AT)
  if (bytes <= BATCH_HEADER_BYTES || bytes > BATCH_BYTES_MAX) return null
  const journalAt = at + BATCH_JOURNAL_AT
  if (view.compare(journal, 0, JOURNAL_BYTES, journalAt, journalAt + JOURNAL_BYTES) !== 0)
    return null
  const count = view.readUInt32LE(at + COUNT_AT)
  const firstSeq = view.readUInt32LE(at + SEQ_AT + 4) * TWO_TO_32 + view.readUInt32LE(at + SEQ_AT)
  if (count === 0 || firstSeq === 0) return null
  if (count * ENTRY_PREFIX_BYTES > bytes - BATCH_HEADER_BYTES) return null
  return { bytes, epoch: view.readUInt32LE(at + EPOCH_AT), count, firstSeq }
}

/** True if the `bytes` from `at` on match the checksum with which they were sealed. */
export function batchIntact(view: Buffer, at: number, bytes: number): boolean {
  return crc32(view.subarray(at + LENGTH_AT, at + bytes)) === view.readUInt32LE(at)
}

/** Where the entry behind the one at `at` begins. */
export function nextEntry(view: Buffer, at: number): number {
  return at + ENTRY_PREFIX_BYTES + view.readUInt32LE(at)
}
