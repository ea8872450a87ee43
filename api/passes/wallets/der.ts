// The small part of ASN.1's distinguished encoding (X.690) that certificates and signatures need:
// values are written from the inside out, and read only as far as taking a certificate apart
// requires.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'

const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const

const CONTEXT = 0x80
const CONSTRUCTED = 0x20
/** UTCTime has two digits for the year; RFC 5280 4.1.2.5 requires the other form from here on. */
const UTC_TIME_END = Date.UTC(2050, 0, 1)

/** A value: its tag, its length, its content. */
function value(tag: number, content: Buffer): Buffer {
  const length = content.length
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const bytes = minimal(length)
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content])
}

/** A number without leading zero bytes. */
function minimal(number: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(number, 0, 6)
  const first = bytes.findIndex((byte) => byte !== 0)
  return bytes.subarray(first < 0 ? bytes.length - 1 : first)
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return value(TAGS.sequence, Buffer.concat(parts))
}

/** Sorted, as DER requires: verifiers encode the set again. */
export function setOf(...parts: readonly Buffer[]): Buffer {
  return value(TAGS.set, Buffer.concat([...parts].sort(Buffer.compare)))
}

/** A positive number, or the big-endian bytes of one. */
export function integer(number: number | Buffer): Buffer {
  const bytes = typeof number === 'number' ? minimal(number) : number
  const signed = (bytes[0] ?? 0) >= 0x80
  return value(TAGS.integer, signed ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes)
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return value(TAGS.oid, Buffer.from([40 * first + second, ...rest.flatMap(base128)]))
}

function base128(number: number): number[] {
  const digits = [number & 0x7f]
  for (let left = number >>> 7; left > 0; left >>>= 7) digits.unshift(0x80 | (left & 0x7f))
  return digits
}

export function octets(bytes: Buffer): Buffer {
  return value(TAGS.octetString, bytes)
}

/** Whole bytes only, unless `unusedBits` gives the unused bits of the last byte. */
export function bits(bytes: Buffer, unusedBits = 0): Buffer {
  return value(TAGS.bitString, Buffer.concat([Buffer.from([unusedBits]), bytes]))
}

export function truth(): Buffer {
  return value(TAGS.boolean, Buffer.from([0xff]))
}

export function nothing(): Buffer {
  return value(TAGS.null, Buffer.alloc(0))
}

export function utf8(text: string): Buffer {
  return value(TAGS.utf8, Buffer.from(text))
}

/** Rounded to the second. */
export function time(moment: EpochMs): Buffer {
  const digits = new Date(moment)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
  return moment < UTC_TIME_END
    ? value(TAGS.utcTime, Buffer.from(digits.slice(2)))
    : value(TAGS.generalizedTime, Buffer.from(digits))
}

/** `[number]` around whole values. */
export function tagged(number: number, ...parts: readonly Buffer[]): Buffer {
  return value(CONTEXT | CONSTRUCTED | number, Buffer.concat(parts))
}

/** `[number]` in place of a simple value's own tag. */
export function simply(number: number, content: Buffer): Buffer {
  return value(CONTEXT | number, content)
}

/** The same value under another tag. */
export function retagged(number: number, encoded: Buffer): Buffer {
  return Buffer.concat([Buffer.from([CONTEXT | CONSTRUCTED | number]), encoded.subarray(1)])
}

/**
 * Returns the parts of a value, each with its own tag and length. Only for values already parsed by
 * OpenSSL.
 */
export function partsOf(encoded: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  const { start, end } = contentOf(encoded, 0)
  for (let at = start; at < end; ) {
    const { end: next } = contentOf(encoded, at)
    parts.push(encoded.subarray(at, next))
    at = next
  }
  return parts
}

function contentOf(bytes: Buffer, at: number): { start: number; end: number } {
  const first = bytes[at + 1]
  assert(first !== undefined, 'a value has a length')
  if (first < 0x80) return { start: at + 2, end: at + 2 + first }
  const count = first & 0x7f
  const start = at + 2 + count
  return { start, end: start + bytes.readUIntBE(at + 2, count) }
}
