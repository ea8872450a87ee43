// Checks a data file before LMDB opens it: a zeroed, random or truncated file does not fail to
// open, it kills the process (lmdb 3.5.6: SIGSEGV or SIGBUS). Broken pages further in are found
// when they are read.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Two meta pages begin the file; a page header of 24 bytes stands before each meta. */
const META_AT = 24
const META_MAGIC = 0xbeefc0de
const META_BYTES = 136
const PAGE_BYTES_AT = 24
const LAST_PAGE_AT = 120
const TRANSACTION_AT = 128

interface Head {
  pageBytes: number
  lastPage: bigint
  transaction: bigint
}

/**
 * True if both meta pages are LMDB's and the file is as long as the newer page states. Throws if
 * the file cannot be read.
 */
export function hasWholeHead(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const first = readHead(file, 0)
    const second = first === null ? null : readHead(file, first.pageBytes)
    if (first === null || second === null) return false
    const newer = second.transaction > first.transaction ? second : first
    return BigInt(fstatSync(file).size) >= (newer.lastPage + 1n) * BigInt(first.pageBytes)
  } finally {
    closeSync(file)
  }
}

function readHead(file: number, at: number): Head | null {
  const meta = Buffer.alloc(META_BYTES)
  if (readSync(file, meta, 0, META_BYTES, at + META_AT) < META_BYTES) return null
  if (meta.readUInt32LE(0) !== META_MAGIC) return null
  const pageBytes = meta.readUInt32LE(PAGE_BYTES_AT)
  if (pageBytes < 512 || pageBytes > 65_536) return null
  return {
    pageBytes,
    lastPage: meta.readBigUInt64LE(LAST_PAGE_AT),
    transaction: meta.readBigUInt64LE(TRANSACTION_AT),
  }
}
