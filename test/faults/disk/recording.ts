// The shim's record of a process and its disk, in order: every change of a file or a name, every
// sync, every answer.
import { readFileSync } from 'node:fs'

/** Kinds in the numbering of shim.c. */
const KINDS = [
  'none',
  'created',
  'truncated',
  'write_begins',
  'write_ends',
  'synced',
  'renamed',
  'removed',
  'directory_synced',
  'answered',
] as const
const HEAD_BYTES = 24

export interface Recorded {
  kind: (typeof KINDS)[number]
  /** The file; 0 if the record is not about an open file. */
  inode: bigint
  at: number
  /** A path, or `sync` if a write returns only when it is on the device. */
  name: string
  data: Buffer
}

export function readRecording(path: string): Recorded[] {
  const bytes = readFileSync(path)
  const records: Recorded[] = []
  for (let from = 0; from + HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32LE(from)
    const nameEnd = bytes.indexOf(0, from + HEAD_BYTES)
    records.push({
      kind: KINDS[bytes.readUInt32LE(from + 4)] ?? 'none',
      inode: bytes.readBigUInt64LE(from + 8),
      at: Number(bytes.readBigUInt64LE(from + 16)),
      name: bytes.toString('utf8', from + HEAD_BYTES, nameEnd),
      data: bytes.subarray(nameEnd + 1, from + length),
    })
    from += length
  }
  return records
}
