// Identifiers: a prefix and 26 Crockford characters of a UUIDv7-like 128-bit value, so that ids sort by creation time.
import { randomBytes, randomFillSync } from 'node:crypto'
import type { EpochMs } from './clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_BYTES = 16
const ID_CHARACTERS = 26
const POOL_BYTES = 4096
const NO_VALUE = -1
/** Chosen: a clock that is put back by more is followed, so that ids never say another time than what is recorded with them. */
const PUT_BACK_MS = 10_000

/** By value the character, and by character the value. */
const CODES = Buffer.from(ALPHABET)
const VALUES = new Int8Array(256).fill(NO_VALUE)
for (let value = 0; value < CODES.length; value++) VALUES[CODES[value] as number] = value
/** Only ever used within one call. */
const encoded = Buffer.alloc(ID_CHARACTERS)

const pool = Buffer.alloc(POOL_BYTES)
let poolUsed = POOL_BYTES
let lastMs = 0
let counter = 0

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

/** Writes the 16 bytes of the id whose text begins at `from` and ends with `text`; false where it is not one. */
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
 * 16 time-sortable bytes: 48 bits of milliseconds, a 12-bit counter within the millisecond, 68 random bits. Each sorts behind the
 * one before, unless the clock was put back by more than ten seconds.
 */
export function newIdBytes(now: EpochMs): Buffer {
  if (now > lastMs || now < lastMs - PUT_BACK_MS) {
    lastMs = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  if (poolUsed + ID_BYTES > POOL_BYTES) {
    randomFillSync(pool)
    poolUsed = 0
  }
  const bytes = Buffer.from(pool.subarray(poolUsed, poolUsed + ID_BYTES))
  poolUsed += ID_BYTES
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes[6] = 0x70 | (counter >>> 8)
  bytes[7] = counter & 255
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  return bytes
}

/** Chosen: `card_01j…`, a prefix and a time-sortable 128-bit id; unique, ordered by `now` within this process. */
export function newId(prefix: string, now: EpochMs): string {
  return prefix + '_' + encodeId(newIdBytes(now))
}

/** Secret text of `bytes` random bytes, base64url. */
export function randomSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
