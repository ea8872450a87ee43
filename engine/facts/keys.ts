// Keys of the facts in LMDB: one row per record, and two indexes that point at a card.
import type { FactType } from '../../shared/wire/facts.ts'

/** The row that says how far the facts reach, written in the same batch as the rows it covers. */
export const META_KEY = 'meta'

/** Where a record is. */
export function factKey(type: FactType, id: string): string {
  return type + ':' + id
}

/** Where the pointer from a card's token is. */
export function tokenKey(token: string): string {
  return 'token:' + token
}

/** Where the pointer from a PAN's fingerprint is; the same PAN may be a card of either environment. */
export function fingerprintKey(environment: string, fingerprint: string): string {
  return 'fp:' + environment + ':' + fingerprint
}
