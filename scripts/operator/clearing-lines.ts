// A clearing file on disk: one entry a line, as JSON. It is read in parts, whatever its size.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { ClearingEntry } from '../../shared/schemas/clearing-file.ts'
import { hasShape, shapeFault } from '../../shared/shape.ts'

/** Entries in a call. */
const PART_MAX = 1000

export interface Part {
  /** From 1. */
  part: number
  entries: ClearingEntry[]
}

/** Empty lines are passed over. Throws a sentence that names the line where one is no entry. */
export async function* givenParts(path: string): AsyncGenerator<Part> {
  let part: Part = { part: 1, entries: [] }
  let number = 0
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Infinity,
  })) {
    number += 1
    if (line.trim() === '') continue
    part.entries.push(entryIn(line, path + ', line ' + number))
    if (part.entries.length < PART_MAX) continue
    yield part
    part = { part: part.part + 1, entries: [] }
  }
  if (part.entries.length > 0) yield part
}

function entryIn(line: string, where: string): ClearingEntry {
  const entry = parsed(line)
  if (hasShape(ClearingEntry, entry)) return entry
  throw new Error(where + ' is no entry: ' + shapeFault(ClearingEntry, entry) + '.')
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Not JSON is one more wrong shape; the check above names the line.
    return undefined
  }
}
