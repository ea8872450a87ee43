// The value of a key: a subject, another config record, a tombstone, a pointer, or the cursor. The
// bytes are msgpack of a positional array. Not lmdb's shared structures: lmdb saves those with a
// synchronous transaction, which between asynchronous commits can be lost at a power cut.
import { Packr } from 'msgpackr'
import type {
  CardConfig,
  CardholderConfig,
  ConfigRecord,
  ControlsConfig,
  ProgramConfig,
} from '../../shared/wire/config-records.ts'
import type { Row } from '../../shared/wire/rows.ts'
import { configOf, configRow, isConfigType } from './record.ts'

/** A deleted config record; its version keeps older ones out. */
export interface Tombstone {
  type: 'removed'
  version: number
}

/**
 * A program, cardholder or card with its controls: a look-up of one is followed by the other. Null:
 * never seen.
 */
export interface Subject {
  type: 'subject'
  own: ProgramConfig | CardholderConfig | CardConfig | Tombstone | null
  controls: ControlsConfig | Tombstone | null
}

/**
 * Null if no card has the token or PAN any more. Never removed: LMDB breaks when pages are freed.
 */
export interface Pointer {
  type: 'pointer'
  cardId: string | null
}

export interface Meta {
  type: 'meta'
  format: number
  cursor: string
  databaseId: string
}

export type Stored = Subject | ConfigRecord | Tombstone | Pointer | Meta

/**
 * Grows where a field is moved, renamed or removed: records of another format are dropped and
 * pushed again. A new field comes last and needs no other format.
 */
export const RECORDS_FORMAT = 5

const packr = new Packr({ useRecords: false, variableMapSize: true })

/** The stored value, if it is of this type. */
export function ofType<Type extends Stored['type']>(
  type: Type,
  stored: Stored | null | undefined,
): Extract<Stored, { type: Type }> | null {
  return stored?.type === type ? (stored as Extract<Stored, { type: Type }>) : null
}

/** The bytes of a row; `decodeStored` gives it back. */
export function encodeStored(value: Stored): Buffer {
  switch (value.type) {
    case 'subject':
      return packr.pack(['subject', partRow(value.own), partRow(value.controls)])
    case 'pointer':
      return packr.pack(['pointer', value.cardId])
    case 'meta':
      return packr.pack(['meta', value.format, value.cursor, value.databaseId])
    default:
      return packr.pack(partRow(value))
  }
}

/** Throws on bytes that no version of the engine wrote: the caller then drops the whole cache. */
export function decodeStored(bytes: Uint8Array): Stored {
  const row = packr.unpack(bytes) as unknown[]
  const [type, first, second, third] = row
  if (type === 'subject')
    return {
      type,
      own: partOf(first) as Subject['own'],
      controls: partOf(second) as Subject['controls'],
    }
  if (type === 'pointer') return { type, cardId: first === null ? null : String(first) }
  if (type === 'meta')
    return { type, format: Number(first), cursor: String(second), databaseId: String(third) }
  return partOf(row) as ConfigRecord | Tombstone
}

function partRow(part: ConfigRecord | Tombstone | null): Row | null {
  if (part === null) return null
  return part.type === 'removed' ? ['removed', part.version] : configRow(part)
}

function partOf(row: unknown): ConfigRecord | Tombstone | null {
  if (row === null) return null
  const [type, version] = row as Row
  if (isConfigType(type)) return configOf(type, row as Row)
  if (type === 'removed') return { type, version: Number(version) }
  throw new Error('a stored config record of an unknown type')
}
