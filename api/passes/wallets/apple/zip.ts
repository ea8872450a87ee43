// A ZIP archive of uncompressed files: images are compressed already, and the other files of a pass
// are small. The same files always give the same bytes.
import { crc32 } from 'node:zlib'

const VERSION = 20
/** Names are UTF-8. */
const FLAGS = 0x0800
const STORED = 0
/**
 * 1980-01-01, midnight: the first moment of the format. The signature of the manifest has the
 * pass's date.
 */
const DATE = 0x21

export interface ArchiveFile {
  name: string
  bytes: Buffer
}

/**
 * Writes the files in this order; names are unique. At most 65,535 files and 4 GiB together, which
 * is far from any pass.
 */
export function zip(files: readonly ArchiveFile[]): Buffer {
  const bodies: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of files) {
    const nameBytes = Buffer.from(name)
    const facts = factsOf(nameBytes, bytes)
    const header = Buffer.concat([u32(0x04034b50), facts, nameBytes])
    entries.push(centralEntry(facts, nameBytes, offset))
    bodies.push(header, bytes)
    offset += header.length + bytes.length
  }
  const directory = Buffer.concat(entries)
  return Buffer.concat([...bodies, directory, endOf(files.length, directory.length, offset)])
}

/** The fields common to a file's header and its directory entry. */
function factsOf(name: Buffer, bytes: Buffer): Buffer {
  return Buffer.concat([
    u16(VERSION),
    u16(FLAGS),
    u16(STORED),
    u16(0),
    u16(DATE),
    u32(crc32(bytes)),
    u32(bytes.length),
    u32(bytes.length),
    u16(name.length),
    u16(0),
  ])
}

function centralEntry(facts: Buffer, name: Buffer, offset: number): Buffer {
  // No comment, first disk, binary content, no attributes.
  const rest = Buffer.concat([u16(0), u16(0), u16(0), u32(0), u32(offset)])
  return Buffer.concat([u32(0x02014b50), u16(VERSION), facts, rest, name])
}

function endOf(files: number, directoryBytes: number, offset: number): Buffer {
  return Buffer.concat([
    u32(0x06054b50),
    u16(0),
    u16(0),
    u16(files),
    u16(files),
    u32(directoryBytes),
    u32(offset),
    u16(0),
  ])
}

function u16(number: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(number)
  return bytes
}

function u32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number >>> 0)
  return bytes
}
