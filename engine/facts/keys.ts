// Keys of the facts in LMDB, a kind and an id: one row per record, and two indexes that point at a card.
import type { FactType } from '../../shared/wire/facts.ts'

/** The row that says how far the facts reach, written in the same batch as the rows it covers. */
export const META_KEY = 'meta'

/** A record, or a pointer from a card's token or a PAN's fingerprint. */
export type RowKind = FactType | 'token' | 'fp'

/** Before an id whose rows stand together: no kind begins with it. */
const SUBJECT = '@'

/** Where a row is. The controls of a subject stand beside it: who has read one finds the other on the same page. */
export function rowKey(kind: RowKind, id: string): string {
  return isOfSubject(kind) ? SUBJECT + id + ':' + kind : kind + ':' + id
}

/** Kind and id of a key that `rowKey` made; null for `META_KEY`. */
export function partsOf(key: string): [kind: RowKind, id: string] | null {
  if (key.startsWith(SUBJECT)) {
    const colon = key.lastIndexOf(':')
    return [key.slice(colon + 1) as RowKind, key.slice(SUBJECT.length, colon)]
  }
  const colon = key.indexOf(':')
  return colon === -1 ? null : [key.slice(0, colon) as RowKind, key.slice(colon + 1)]
}

function isOfSubject(kind: RowKind): boolean {
  return kind === 'card' || kind === 'cardholder' || kind === 'program' || kind === 'controls'
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
