// Takes a .pkpass apart as a telephone does: the archive, its manifest, and their agreement on the
// files. The code follows the description of the format alone and shares nothing with the code that
// makes archives.
import { createHash } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50
const HEADER = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const HEADER_BYTES = 30
const DEFLATED = 8

/** The files by name; throws with a sentence where the archive is not one. */
export function filesIn(archive: Buffer): Map<string, Buffer> {
  let end = archive.length - END_BYTES
  while (end >= 0 && archive.readUInt32LE(end) !== END) end -= 1
  if (end < 0) throw new Error('it is no ZIP archive')
  const count = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  const files = new Map<string, Buffer>()
  for (let index = 0; index < count; index++) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('its directory is damaged')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number]
    const name = archive.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes)
    if (files.has(name)) throw new Error(name + ' stands in it twice')
    files.set(name, contentOf(archive, at, name))
    at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes
  }
  return files
}

function contentOf(archive: Buffer, entry: number, name: string): Buffer {
  const [method, check] = [archive.readUInt16LE(entry + 10), archive.readUInt32LE(entry + 16)]
  const [packed, bytes] = [archive.readUInt32LE(entry + 20), archive.readUInt32LE(entry + 24)]
  const header = archive.readUInt32LE(entry + 42)
  if (archive.readUInt32LE(header) !== HEADER) throw new Error(name + ' is not where it should be')
  const start =
    header + HEADER_BYTES + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
  const stored = archive.subarray(start, start + packed)
  const content = method === DEFLATED ? inflateRawSync(stored) : stored
  if (content.length !== bytes || crc32(content) !== check) throw new Error(name + ' is damaged')
  return content
}

/** The fields of a pass that a device needs. */
export interface PassSaid {
  passTypeIdentifier: string
  serialNumber: string
  authenticationToken: string
  webServiceURL: string
  voided?: boolean
}

/**
 * Returns pass.json of a signed archive whose manifest names all of its files with their hashes;
 * throws for any other.
 */
export function readPass(archive: Buffer): PassSaid {
  const files = filesIn(archive)
  const manifest = JSON.parse(textOf(files, 'manifest.json')) as { [name: string]: string }
  const named = Object.keys(manifest).sort()
  const held = [...files.keys()].filter((name) => !['manifest.json', 'signature'].includes(name))
  if (JSON.stringify(held.sort()) !== JSON.stringify(named))
    throw new Error('the manifest names other files than there are')
  for (const name of named) {
    const digest = createHash('sha1')
      .update(files.get(name) ?? '')
      .digest('hex')
    if (digest !== manifest[name]) throw new Error(name + ' is not what the manifest says')
  }
  if ((files.get('signature')?.length ?? 0) === 0) throw new Error('it is not signed')
  if (!files.has('icon.png')) throw new Error('it has no icon')
  return JSON.parse(textOf(files, 'pass.json')) as PassSaid
}

function textOf(files: Map<string, Buffer>, name: string): string {
  const file = files.get(name)
  if (file === undefined) throw new Error('it has no ' + name)
  return file.toString('utf8')
}
