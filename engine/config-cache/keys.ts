// Keys of the config cache in LMDB, a kind and an id: one row for records that are looked up
// together, and two ways to find a card.
import type { ConfigType } from '../../shared/wire/config-records.ts'

/** The row with the cursor of the config cache, written in the same batch as the rows it covers. */
export const META_KEY = 'meta'

/**
 * A subject is a program, cardholder or card. `token` and `fp` find a card by its token and by its
 * PAN's fingerprint.
 */
export type RowKind = 'subject' | 'token' | 'fp' | Exclude<ConfigType, SubjectType>
type SubjectType = 'program' | 'cardholder' | 'card' | 'controls'

/** The key of a row. */
export function rowKey(kind: RowKind, id: string): string {
  return kind + ':' + id
}

/** Kind and id of a key that `rowKey` made; null for `META_KEY`. */
export function partsOf(key: string): [kind: RowKind, id: string] | null {
  const colon = key.indexOf(':')
  return colon === -1 ? null : [key.slice(0, colon) as RowKind, key.slice(colon + 1)]
}

/** The key of a config record; a subject and its controls share one row. */
export function configKey(type: ConfigType, id: string): string {
  return rowKey(isOfSubject(type) ? 'subject' : type, id)
}

/** True for records that share a row with others of their id. */
export function isOfSubject(type: ConfigType): type is SubjectType {
  return type === 'program' || type === 'cardholder' || type === 'card' || type === 'controls'
}

/** The key by which a token finds its card. */
export function tokenKey(token: string): string {
  return rowKey('token', token)
}

/** The key by which a PAN's fingerprint finds its card. */
export function fingerprintKey(environment: string, fingerprint: string): string {
  return rowKey('fp', fingerprintId(environment, fingerprint))
}

/** The id of a fingerprint's row; the same PAN may be a card of either environment. */
export function fingerprintId(environment: string, fingerprint: string): string {
  return environment + ':' + fingerprint
}
