// Snapshots of the decision state as files: the writer fills a temporary file, syncs it, renames it
// and syncs the directory. The engine keeps the last two, and the one before them as space for the
// next: overwriting a file allocates no blocks, so its sync never makes a journal entry wait for
// the file system's own journal. Synchronous on purpose: the writer runs in a thread of another
// process, and the reader runs before the engine serves.
//
// header: magic (8) | format u32 | journal id (16) | sequence u64 | crc32 of the header
// chunks: length u32 | crc32 u32, chained from the chunk before | bytes …
// end:    0xFFFFFFFF | the last crc32
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { assert } from '../../shared/assert.ts'
import { journalBytes } from './segment-files.ts'

const SNAPSHOT_FORMAT = 1
const SNAPSHOTS_KEPT = 2
const SPARE = 'snapshot.spare'
/** Limit of one chunk; a larger chunk is a bug of the writer. */
const SNAPSHOT_CHUNK_BYTES_MAX = 64 * 1024 * 1024
/**
 * Chosen: the writer syncs in small steps, so the journal's syncs never wait behind a whole
 * snapshot.
 */
const SYNC_EVERY_BYTES = 256 * 1024

const MAGIC = Buffer.from('svcsnap\n')
const HEADER_BYTES = 40
const FORMAT_AT = 8
const JOURNAL_AT = 12
const SEQ_AT = 28
const CRC_AT = 36
const CHUNK_HEADER_BYTES = 8
const END_MARK = 0xffffffff

export interface SnapshotToWrite {
  /** Sequence of the last entry in the state. The caller guarantees that this entry is synced. */
  seq: number
  journalId: string
  chunks: Iterable<Buffer>
  /**
   * Called after every synced step with the bytes written so far; the callback may pause the
   * thread.
   */
  pace?: (bytes: number) => void
}

export interface Snapshot {
  seq: number
  /** Chunks, read during iteration; every chunk was already verified once. */
  chunks: Iterable<Buffer>
}

/** Throws the system's error when the write fails; earlier snapshots then stay. */
export function writeSnapshot(directory: string, snapshot: SnapshotToWrite): void {
  const path = snapshotPath(directory, snapshot.seq)
  const aside = path + '.tmp'
  takeSpare(directory, aside)
  const fd = openSync(aside, constants.O_WRONLY | constants.O_CREAT, 0o600)
  try {
    ftruncateSync(fd, writeBody(fd, snapshot))
    fsyncSync(fd)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
  renameSync(aside, path)
  syncDirectorySync(directory)
  removeOld(directory, snapshot.journalId)
}

/** Takes the spare file, so the new snapshot overwrites its bytes. */
function takeSpare(directory: string, aside: string): void {
  const spare = join(directory, SPARE)
  if (existsSync(spare)) renameSync(spare, aside)
}

/** Returns the bytes written. */
function writeBody(fd: number, snapshot: SnapshotToWrite): number {
  let written = 0
  let unsynced = 0
  const put = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length; ) {
      const step = Math.min(bytes.length - at, SYNC_EVERY_BYTES - unsynced)
      const done = writeSync(fd, bytes, at, step)
      at += done
      written += done
      unsynced += done
      if (unsynced >= SYNC_EVERY_BYTES) {
        fdatasyncSync(fd)
        unsynced = 0
        snapshot.pace?.(written)
      }
    }
  }
  const header = snapshotHeader(snapshot)
  put(header)
  let crc = header.readUInt32LE(CRC_AT)
  for (const chunk of snapshot.chunks) {
    assert(chunk.length <= SNAPSHOT_CHUNK_BYTES_MAX, 'a snapshot chunk is too large')
    crc = crc32(chunk, crc)
    put(mark(chunk.length, crc))
    put(chunk)
  }
  put(mark(END_MARK, crc))
  return written
}

function snapshotHeader(snapshot: SnapshotToWrite): Buffer {
  const journal = journalBytes(snapshot.journalId)
  assert(journal !== null, 'a snapshot belongs to a journal')
  const header = Buffer.alloc(HEADER_BYTES)
  MAGIC.copy(header)
  header.writeUInt32LE(SNAPSHOT_FORMAT, FORMAT_AT)
  journal.copy(header, JOURNAL_AT)
  header.writeBigUInt64LE(BigInt(snapshot.seq), SEQ_AT)
  header.writeUInt32LE(crc32(header.subarray(0, CRC_AT)), CRC_AT)
  return header
}

function mark(length: number, crc: number): Buffer {
  const bytes = Buffer.alloc(CHUNK_HEADER_BYTES)
  bytes.writeUInt32LE(length, 0)
  bytes.writeUInt32LE(crc, 4)
  return bytes
}

/**
 * Returns the newest intact snapshot of this journal, or null. Damaged files and files of other
 * journals are skipped.
 */
export function readLatestSnapshot(directory: string, journalId: string): Snapshot | null {
  for (const { seq } of listSnapshots(directory)) {
    const snapshot = readSnapshot(directory, journalId, seq)
    if (snapshot !== null) return snapshot
  }
  return null
}

/**
 * Returns the snapshot taken after an entry; null if it is damaged or belongs to another journal.
 */
export function readSnapshot(directory: string, journalId: string, seq: number): Snapshot | null {
  const path = snapshotPath(directory, seq)
  return snapshotIntact(path, journalId, seq) ? { seq, chunks: chunksOf(path) } : null
}

/** Every snapshot file, newest first. */
export function listSnapshots(directory: string): { seq: number; path: string }[] {
  return readdirSync(directory)
    .filter((name) => /^snapshot-\d{16}$/.test(name))
    .map((name) => ({ seq: Number(name.slice('snapshot-'.length)), path: join(directory, name) }))
    .sort((former, latter) => latter.seq - former.seq)
}

/** True when the header, every chunk and the end mark are intact. */
export function snapshotIntact(path: string, journalId: string, seq: number): boolean {
  const fd = openSync(path, 'r')
  try {
    const header = readExactly(fd, HEADER_BYTES)
    if (header === null || !headerFits(header, journalId, seq)) return false
    let crc = header.readUInt32LE(CRC_AT)
    for (;;) {
      const next = readExactly(fd, CHUNK_HEADER_BYTES)
      if (next === null) return false
      const length = next.readUInt32LE(0)
      if (length === END_MARK) return next.readUInt32LE(4) === crc
      const chunk = length > SNAPSHOT_CHUNK_BYTES_MAX ? null : readExactly(fd, length)
      if (chunk === null) return false
      crc = crc32(chunk, crc)
      if (next.readUInt32LE(4) !== crc) return false
    }
  } finally {
    closeSync(fd)
  }
}

function headerIntact(path: string, journalId: string, seq: number): boolean {
  const fd = openSync(path, 'r')
  try {
    const header = readExactly(fd, HEADER_BYTES)
    return header !== null && headerFits(header, journalId, seq)
  } finally {
    closeSync(fd)
  }
}

function headerFits(header: Buffer, journalId: string, seq: number): boolean {
  const journal = journalBytes(journalId)
  return (
    journal !== null &&
    header.subarray(0, MAGIC.length).equals(MAGIC) &&
    header.readUInt32LE(FORMAT_AT) === SNAPSHOT_FORMAT &&
    header.subarray(JOURNAL_AT, SEQ_AT).equals(journal) &&
    header.readBigUInt64LE(SEQ_AT) === BigInt(seq) &&
    header.readUInt32LE(CRC_AT) === crc32(header.subarray(0, CRC_AT))
  )
}

function* chunksOf(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r')
  try {
    assert(readExactly(fd, HEADER_BYTES) !== null, 'a verified snapshot has a header')
    for (;;) {
      const next = readExactly(fd, CHUNK_HEADER_BYTES)
      assert(next !== null, 'a verified snapshot has an end mark')
      const length = next.readUInt32LE(0)
      if (length === END_MARK) return
      const chunk = readExactly(fd, length)
      assert(chunk !== null, 'a verified snapshot holds its chunks')
      yield chunk
    }
  } finally {
    closeSync(fd)
  }
}

function readExactly(fd: number, bytes: number): Buffer | null {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  let done = 0
  while (done < bytes) {
    const read = readSync(fd, buffer, done, bytes - done, null)
    if (read === 0) return null
    done += read
  }
  return buffer
}

/** Path of the snapshot after an entry. */
export function snapshotPath(directory: string, seq: number): string {
  return join(directory, 'snapshot-' + String(seq).padStart(16, '0'))
}

/**
 * Keeps the newest snapshots. Snapshots of another journal stay, because an operator may have put
 * them there.
 */
function removeOld(directory: string, journalId: string): void {
  const own = listSnapshots(directory).filter(({ seq, path }) => headerIntact(path, journalId, seq))
  for (const { path } of own.slice(SNAPSHOTS_KEPT)) renameSync(path, join(directory, SPARE))
  for (const name of readdirSync(directory)) {
    if (/^snapshot-\d{16}\.tmp$/.test(name)) rmSync(join(directory, name))
  }
}

function syncDirectorySync(directory: string): void {
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
