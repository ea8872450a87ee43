// What stands behind a key: a fact, the tombstone of one, a pointer of an index, or how far the facts reach. The bytes are
// msgpack of a positional array. Not lmdb's shared structures: it saves those with a synchronous transaction of its own, and
// such a one between asynchronous commits can be lost when the power fails (RELIABILITY 1.4).
import { Packr } from 'msgpackr'
import type { Fact } from '../../shared/wire/facts.ts'
import { factOf, factRow, isFactType } from './record.ts'

/** A fact that is gone; its version keeps older ones out. */
export interface Tombstone {
  type: 'removed'
  version: number
}

/** Null where no card has the token or PAN any more. Never removed: freeing pages is where LMDB breaks. */
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

export type Stored = Fact | Tombstone | Pointer | Meta

/** Grows with every change of a record's fields: facts of another format are thrown away and pushed again. */
export const FACTS_FORMAT = 4

const packr = new Packr({ useRecords: false, variableMapSize: true })

/** The bytes of a row; `decodeStored` gives it back. */
export function encodeStored(value: Stored): Buffer {
  switch (value.type) {
    case 'removed':
      return packr.pack(['removed', value.version])
    case 'pointer':
      return packr.pack(['pointer', value.cardId])
    case 'meta':
      return packr.pack(['meta', value.format, value.cursor, value.databaseId])
    default:
      return packr.pack(factRow(value))
  }
}

/** Throws on bytes that no version of the engine wrote: the caller then drops the whole cache. */
export function decodeStored(bytes: Uint8Array): Stored {
  const row = packr.unpack(bytes) as unknown[]
  const [type, first, second, third] = row
  if (isFactType(type)) return factOf(type, row)
  if (type === 'removed') return { type, version: Number(first) }
  if (type === 'pointer') return { type, cardId: first === null ? null : String(first) }
  if (type === 'meta')
    return { type, format: Number(first), cursor: String(second), databaseId: String(third) }
  throw new Error('a stored fact of an unknown type')
}
