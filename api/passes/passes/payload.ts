// The payload that a scanner reads from a pass: `P1`, the 26 characters of its id and 16 of a keyed
// check, all in capitals. 44 characters fit every symbology and an NFC message, and a QR code
// writes them in its dense alphabet. The number after the P is the version: another key or another
// form needs another number.
import { timingSafeEqual } from 'node:crypto'
import type { PassKeys } from '../../database/derivation.ts'

const PREFIX = 'pass_'
const VERSION = 'P1'
/**
 * The payload may be anywhere in the scanned text: a barcode may have a tenant's own text around
 * it.
 */
const FORM = /(?<![0-9a-z])p1([0-9a-hjkmnp-tv-z]{26})([0-9a-hjkmnp-tv-z]{16})(?![0-9a-z])/i

export function payloadOf(keys: PassKeys, passId: string): string {
  return (VERSION + passId.slice(PREFIX.length) + keys.payloadCheck(passId)).toUpperCase()
}

export interface ReadPayload {
  /** Id of the named pass. */
  passId: string
  /** True if this installation made the payload. */
  authentic: boolean
}

/** Returns null if the text contains no payload. Case does not matter. */
export function readPayload(keys: PassKeys, text: string): ReadPayload | null {
  const [, id, check] = FORM.exec(text) ?? []
  if (id === undefined || check === undefined) return null
  const passId = PREFIX + id.toLowerCase()
  const own = Buffer.from(keys.payloadCheck(passId))
  return { passId, authentic: timingSafeEqual(own, Buffer.from(check.toLowerCase())) }
}
