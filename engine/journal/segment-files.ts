// Segment files: their names, their header, and how one is written in advance so that a batch never
// has to grow a file. Segments are ordered by a number in the name; a spare already has its number,
// so rotation renames nothing.
import { constants, type PathLike, readdirSync, rmSync, statSync, write } from 'node:fs'
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { decodeId, encodeId } from '../../shared/id.ts'

export const SEGMENT_HEADER_BYTES = 64
const SEGMENT_FORMAT = 1
/** Below this a segment could not hold one large entry. */
export const SEGMENT_BYTES_MIN = 64 * 1024
/** One chunk of zeros; between two chunks the active segment's syncs go first. */
const FILL_CHUNK_BYTES = 512 * 1024

const SUFFIX = '.segment'
const DRAFT_SUFFIX = '.segment.tmp'
const MAGIC = Buffer.from('svcjrnl\n')
const FORMAT_AT = 8
const JOURNAL_AT = 12
const CRC_AT = 28
const JOURNAL_PREFIX = 'jrn_'
const ZEROS = Buffer.alloc(FILL_CHUNK_BYTES)

export interface SegmentFile {
  ordinal: number
  path: string
  bytes: number
}

/** The two writes that fault tests replace. */
export interface JournalFiles {
  /** One batch at its place, through a descriptor opened with O_DSYNC. */
  write(
    fd: number,
    buffer: Buffer,
    place: { bytes: number; at: number },
    done: (error: Error | null, written: number) => void,
  ): void
  /** A chunk of a segment made in advance. */
  fill(handle: FileHandle, chunk: Buffer, at: number): Promise<void>
  /** Bytes that may still be written on the directory's device. */
  roomOn(directory: string): Promise<number>
}

export const systemFiles: JournalFiles = {
  write(fd, buffer, place, done) {
    write(fd, buffer, 0, place.bytes, place.at, done)
  },
  async fill(handle, chunk, at) {
    let done = 0
    while (done < chunk.length) {
      const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, at + done)
      done += bytesWritten
    }
    await handle.datasync()
  },
  async roomOn(directory) {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  },
}

/** Path of a segment; names sort as their ordinals do. */
export function segmentPath(directory: string, ordinal: number): string {
  return join(directory, String(ordinal).padStart(10, '0') + SUFFIX)
}

/** Every segment and spare of the directory, oldest first. */
export function listSegments(directory: string): SegmentFile[] {
  const files: SegmentFile[] = []
  for (const name of readdirSync(directory)) {
    if (!/^\d{10}\.segment$/.test(name)) continue
    const path = join(directory, name)
    // Renamed since the directory was read: a running engine uses it again.
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats !== undefined)
      files.push({ ordinal: Number(name.slice(0, 10)), path, bytes: stats.size })
  }
  return files.sort((former, latter) => former.ordinal - latter.ordinal)
}

/** Removes segments a crash left half made. */
export function removeDrafts(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.endsWith(DRAFT_SUFFIX)) rmSync(join(directory, name))
  }
}

/** `jrn_…` as the 16 bytes that stand in every header, or null where it is none. */
export function journalBytes(journalId: string): Buffer | null {
  return journalId.startsWith(JOURNAL_PREFIX)
    ? decodeId(journalId.slice(JOURNAL_PREFIX.length))
    : null
}

function segmentHeader(journal: Buffer): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES)
  MAGIC.copy(header)
  header.writeUInt32LE(SEGMENT_FORMAT, FORMAT_AT)
  journal.copy(header, JOURNAL_AT)
  header.writeUInt32LE(crc32(header.subarray(0, CRC_AT)), CRC_AT)
  return header
}

/** The journal a header names; meaningful where the header has no problem. */
export function headerJournal(header: Buffer): Buffer {
  return header.subarray(JOURNAL_AT, CRC_AT)
}

/** Why a file that begins with `header` is no segment of this journal, or null. */
export function headerProblem(header: Buffer, journal: Buffer): string | null {
  if (header.length < SEGMENT_HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC))
    return 'is not a journal segment'
  if (header.readUInt32LE(CRC_AT) !== crc32(header.subarray(0, CRC_AT)))
    return 'has a damaged header'
  const format = header.readUInt32LE(FORMAT_AT)
  if (format !== SEGMENT_FORMAT)
    return 'has format ' + format + '; this version reads format ' + SEGMENT_FORMAT
  const owner = headerJournal(header)
  return owner.equals(journal)
    ? null
    : 'belongs to another journal, ' + JOURNAL_PREFIX + encodeId(owner)
}

export interface SegmentDraft {
  directory: string
  ordinal: number
  bytes: number
  journal: Buffer
  files: JournalFiles
  /** Awaited between two chunks; false gives the segment up. */
  pace(): Promise<boolean>
}

/**
 * Writes a segment full of zeros aside, syncs it, renames it into place and syncs the directory.
 * Null when it was given up; rejects with the system's error, and then nothing is left behind.
 */
export async function prewriteSegment(draft: SegmentDraft): Promise<SegmentFile | null> {
  const path = segmentPath(draft.directory, draft.ordinal)
  const aside = path + '.tmp'
  const handle = await open(aside, 'w', 0o600)
  let complete = false
  try {
    await draft.files.fill(handle, segmentHeader(draft.journal), 0)
    let at = SEGMENT_HEADER_BYTES
    while (at < draft.bytes) {
      const bytes = Math.min(ZEROS.length, draft.bytes - at)
      await draft.files.fill(handle, ZEROS.subarray(0, bytes), at)
      at += bytes
      if (!(await draft.pace())) return null
    }
    await handle.sync()
    complete = true
  } finally {
    await handle.close()
    if (!complete) await rm(aside, { force: true })
  }
  await rename(aside, path)
  await syncDirectory(draft.directory)
  return { ordinal: draft.ordinal, path, bytes: draft.bytes }
}

/** Makes renames and removals in the directory durable. */
export async function syncDirectory(directory: PathLike): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A segment opened for batches: every write returns when it is on the device. */
export function openForBatches(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_DSYNC)
}

/** Overwrites a part of a file with zeros, durably. */
export async function zeroRange(path: string, from: number, to: number): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    for (let at = from; at < to; at += ZEROS.length) {
      await systemFiles.fill(handle, ZEROS.subarray(0, Math.min(ZEROS.length, to - at)), at)
    }
  } finally {
    await handle.close()
  }
}

/** The system's error for "no room", raised before the last of it is used. */
export function noRoom(): Error {
  return Object.assign(new Error('the room that is left is kept for a snapshot'), {
    code: 'ENOSPC',
  })
}

/** True for "no room": the one failure that waits instead of stopping the engine. */
export function isNoRoom(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'ENOSPC' || code === 'EDQUOT'
}
