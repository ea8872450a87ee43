// Keys of the facts in LMDB, a kind and an id: one row per record, and two indexes that point at a card.
import type { FactType } from '../../shared/wire/facts.ts'

/** The row that says how far the facts reach, written in the same batch as the rows it covers. */
export const META_KEY = 'meta'

/** A record, or a pointer from a card's token or a PAN's fingerprint. */
export type RowKind = FactType | 'token' | 'fp'

/** Where a row is. */
export function rowKey(kind: RowKind, id: string): string {
  return kind + ':' + id
}

/** Kind and id of a key that `rowKey` made; null for `META_KEY`. */
export function partsOf(key: string): [kind: RowKind, id: string] | null {
  const colon = key.indexOf(':')
  return colon === -1 ? null : [key.slice(0, colon) as RowKind, key.slice(colon + 1)]
}

/** Where a record is. */
export function factKey(type: FactType, id: string): string {
  return rowKey(type, id)
}

/** Where the pointer from a card's token is. */
export function tokenKey(token: string): string {
  return rowKey('token', token)
}

/** Where the pointer from a PAN's fingerprint is. */
export function fingerprintKey(environment: string, fingerprint: string): string {
  return rowKey('fp', fingerprintId(environment, fingerprint))
}

/** The id of that pointer; the same PAN may be a card of either environment. */
export function fingerprintId(environment: string, fingerprint: string): string {
  return environment + ':' + fingerprint
}
