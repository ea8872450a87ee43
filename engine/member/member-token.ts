// The proof that a caller of the member link belongs to the installation: a keyed hash under a
// master key. Certificates prove it beyond one machine; on loopback every user can connect.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { MasterKeys } from '../../shared/keyring.ts'

const SCHEME = 'Bearer '

/** Returns the header of a caller: the hash under the current master key. */
export function memberAuthorization(keys: MasterKeys): string {
  return SCHEME + tokenOf(keys[0].bytes)
}

/** True where the header was made under one of the master keys. */
export function isMember(keys: MasterKeys, authorization: string | undefined): boolean {
  const shown = Buffer.from(authorization ?? '')
  return keys.some(({ bytes }) => {
    const expected = Buffer.from(SCHEME + tokenOf(bytes))
    return shown.length === expected.length && timingSafeEqual(shown, expected)
  })
}

function tokenOf(key: Buffer): string {
  return createHmac('sha256', key).update('member-link').digest('base64url')
}
