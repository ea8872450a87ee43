// Identifiers: a prefix and 26 Crockford characters of a UUIDv7-like 128-bit value, so that ids
// sort by creation time.
import { randomBytes, randomFillSync } from 'node:crypto'
import type { EpochMs } from './clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_BYTES = 16
const ID_CHARACTERS = 26
const POOL_BYTES = 4096
const NO_VALUE = -1
const COUNTER_MAX = 0xfff
/**
 * Chosen: ids follow a clock that is set back by more than this, so they always agree with the
 * recorded times.
 */
const PUT_BACK_MS = 300_000

/** By value the character, and by character the value. */
const CODES = Buffer.from(ALPHABET)
const VALUES = new Int8Array(256).fill(NO_VALUE)
for (let value = 0; value < CODES.length; value++) VALUES[CODES[value] as number] = value
/** Only ever used within one call. */
const encoded = Buffer.alloc(ID_CHARACTERS)

const pool = Buffer.alloc(POOL_BYTES)
let poolUsed = POOL_BYTES
/** How far the ids by one clock have come. Ids by two clocks that differ have one each. */
export class IdCourse {
  lastMs = 0
  /** Within that millisecond. */
  counter = 0
}

/** The course of this process's clock; a test whose clock begins anew resets it. */
export const OWN_COURSE = new IdCourse()

/** 26 characters for 16 bytes, most significant first: text order is byte order. */
export function encodeId(bytes: Uint8Array): string {
  let at = 0
  let carry = 0
  let bits = 2 // 130 bits of text for 128 of data: two leading zero bits.
  for (let index = 0; index < ID_BYTES; index++) {
    carry = (carry << 8) | (bytes[index] as number)
    bits += 8
    while (bits >= 5) {
      bits -= 5
      encoded[at++] = CODES[(carry >>> bits) & 31] as number
    }
    carry &= (1 << bits) - 1
  }
  return encoded.toString('latin1')
}

/** The 16 bytes of an id's text (without prefix), or null where it is not one. */
export function decodeId(id: string): Buffer | null {
  const bytes = Buffer.allocUnsafe(ID_BYTES)
  return decodeIdInto(bytes, id, 0) ? bytes : null
}

/**
 * Writes the 16 bytes of the id whose text begins at `from` and ends with `text`; false for a text
 * that is no id.
 */
export function decodeIdInto(bytes: Uint8Array, text: string, from: number): boolean {
  if (text.length !== from + ID_CHARACTERS) return false
  let carry = 0
  let bits = -2
  let index = 0
  for (let at = 0; at < ID_CHARACTERS; at++) {
    const value = VALUES[text.charCodeAt(from + at)] ?? NO_VALUE
    if (value === NO_VALUE) return false
    carry = (carry << 5) | value
    bits += 5
    if (at === 0 && value > 7) return false
    if (bits >= 8) {
      bits -= 8
      bytes[index++] = (carry >>> bits) & 255
      carry &= (1 << bits) - 1
    }
  }
  return true
}

/**
 * 16 time-sortable bytes: 48 bits of milliseconds, a 12-bit counter within the millisecond, 62
 * random bits and the marks of a UUID version 7. Each sorts after the one before by the same clock,
 * unless the clock was set back by more than five minutes.
 */
export function newIdBytes(now: EpochMs, course = OWN_COURSE): Buffer {
  const isPutBack = now < course.lastMs - PUT_BACK_MS
  if (now > course.lastMs) {
    course.lastMs = now
    course.counter = 0
  } else if (++course.counter > COUNTER_MAX) {
    if (!isPutBack) course.lastMs += 1
    course.counter = 0
  }
  if (poolUsed + ID_BYTES > POOL_BYTES) {
    randomFillSync(pool)
    poolUsed = 0
  }
  const bytes = Buffer.allocUnsafe(ID_BYTES)
  // A loop: for so few of them a view and a copy cost more.
  for (let index = 0; index < ID_BYTES; index++) bytes[index] = pool[poolUsed + index] as number
  poolUsed += ID_BYTES
  bytes.writeUIntBE(isPutBack ? now : course.lastMs, 0, 6)
  bytes[6] = 0x70 | (course.counter >>> 8)
  bytes[7] = course.counter & 255
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  return bytes
}

/**
 * Chosen: `card_01j…`, a prefix and a time-sortable 128-bit id; unique, ordered by `now` within
 * this process and course.
 */
export function newId(prefix: string, now: EpochMs, course = OWN_COURSE): string {
  return prefix + '_' + encodeId(newIdBytes(now, course))
}

/** Secret text of `bytes` random bytes, base64url. */
export function randomSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
