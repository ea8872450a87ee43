// The bytes of a batch in the agreement store: a header under a checksum, then the entries
// deflated.
//
// 0 crc32 of all that follows | 4 format | 8 epoch | 12 count | 16 first sequence (u64) | 24 bytes
// of the entries | 28 the entries, `u32 length, bytes` each, deflated (all little-endian)
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Result } from '../../shared/result.ts'
import { BATCH_BYTES_MAX } from '../journal/batch.ts'
import type { Frame } from './store.ts'

const HEADER_BYTES = 28
const FORMAT = 1
const [FORMAT_AT, EPOCH_AT, COUNT_AT, FIRST_AT, BYTES_AT] = [4, 8, 12, 16, 24]
/** Level 1 takes a tenth of the time of level 6 for entries of a kilobyte. */
const DEFLATE = { level: 1 }

/** Returns the bytes of a frame; the same frame always gives the same bytes. */
export function encodeFrame({ epoch, first, count, entries }: Frame): Buffer {
  const deflated = deflateRawSync(entries, DEFLATE)
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES + deflated.length)
  bytes.writeUInt32LE(FORMAT, FORMAT_AT)
  bytes.writeUInt32LE(epoch, EPOCH_AT)
  bytes.writeUInt32LE(count, COUNT_AT)
  bytes.writeBigUInt64LE(BigInt(first), FIRST_AT)
  bytes.writeUInt32LE(entries.length, BYTES_AT)
  bytes.set(deflated, HEADER_BYTES)
  bytes.writeUInt32LE(crc32(bytes.subarray(FORMAT_AT)), 0)
  return bytes
}

/** Returns the frame, or a sentence about why its bytes cannot be used. */
export function decodeFrame(bytes: Buffer): Result<Frame, string> {
  if (bytes.length < HEADER_BYTES) return refused('is shorter than its header')
  if (crc32(bytes.subarray(FORMAT_AT)) !== bytes.readUInt32LE(0))
    return refused('does not match its checksum')
  const format = bytes.readUInt32LE(FORMAT_AT)
  if (format !== FORMAT)
    return refused('has format ' + format + ': start the version that wrote it')
  const length = bytes.readUInt32LE(BYTES_AT)
  if (length > BATCH_BYTES_MAX) return refused('is larger than a batch can be')
  const entries = inflated(bytes.subarray(HEADER_BYTES), length)
  const count = bytes.readUInt32LE(COUNT_AT)
  if (entries === null || countOf(entries) !== count)
    return refused('does not hold the entries that its header names')
  const first = Number(bytes.readBigUInt64LE(FIRST_AT))
  return { ok: true, value: { epoch: bytes.readUInt32LE(EPOCH_AT), first, count, entries } }
}

function inflated(bytes: Buffer, length: number): Buffer | null {
  try {
    const entries = inflateRawSync(bytes, { maxOutputLength: Math.max(1, length) })
    return entries.length === length ? entries : null
  } catch {
    return null
  }
}

/** Number of entries, or -1 where a length points beyond the end. */
function countOf(entries: Buffer): number {
  let count = 0
  let at = 0
  for (; at + 4 <= entries.length; count++) at += 4 + entries.readUInt32LE(at)
  return at === entries.length ? count : -1
}

function refused(problem: string): { ok: false; error: string } {
  return { ok: false, error: 'A batch in the agreement store ' + problem + '.' }
}

/** Visits the entries of a frame in order. */
export function eachFrameEntry(frame: Frame, visit: (seq: number, bytes: Buffer) => void): void {
  let at = 0
  for (let index = 0; index < frame.count; index++) {
    const end = at + 4 + frame.entries.readUInt32LE(at)
    visit(frame.first + index, frame.entries.subarray(at + 4, end))
    at = end
  }
}
