// Converts ISO 8583 messages to bytes and back by the table of fields.ts. Every deviation from the
// table is a format error that names the field: cut, too long, left over, unknown, or of other
// characters. Nothing throws, nothing is guessed.
import {
  FIELD_ROWS,
  type Field,
  type Fields,
  LAST_PRIVATE_FIELD,
  type Length,
  MESSAGE_TYPES,
  type MessageType,
  type PassedOver,
} from './fields.ts'

export interface IsoMessage {
  mti: MessageType
  fields: Fields
}

/** Why bytes are no message, or a message has no bytes. */
export interface FormatError {
  /** The field at fault: 0 is the MTI, 1 a bitmap, null the bytes behind the last field. */
  field: number | null
  /** Without the value, which may be a PAN. */
  reason: string
  /** Null if not even the type can be read, and the message gets no answer. */
  mti: MessageType | null
  /** The fields that were whole and well-formed, so an answer can say which message it means. */
  fields: Fields
}

const MTI_BYTES = 4
const BITMAP_BYTES = 8
const ZERO = 48
const TYPES: ReadonlySet<string> = new Set(MESSAGE_TYPES)

/**
 * The state of a decoder. The first problem stands; a field of known length with bad content is
 * passed over.
 */
interface Reading {
  bytes: Buffer
  at: number
  fields: { [number: number]: string | Buffer }
  field: number | null
  reason: string | null
}

/** Returns the message, or the problem of the bytes. Fields of raw bytes are views into `bytes`. */
export function decodeMessage(bytes: Buffer): IsoMessage | FormatError {
  const mti = bytes.toString('latin1', 0, MTI_BYTES)
  if (!isMessageType(mti)) {
    return { field: 0, reason: 'is no message type of ours', mti: null, fields: {} }
  }
  const reading: Reading = { bytes, at: MTI_BYTES, fields: {}, field: null, reason: null }
  const bitmapBytes = ((bytes[MTI_BYTES] ?? 0) & 0x80) === 0 ? BITMAP_BYTES : 2 * BITMAP_BYTES
  reading.at += bitmapBytes
  const whole =
    reading.at > bytes.length
      ? fail(reading, 1, 'is cut')
      : readFields(reading, MTI_BYTES, bitmapBytes)
  if (whole && reading.at < bytes.length) fail(reading, null, 'bytes behind the last field')
  const { fields, field, reason } = reading
  return reason === null ? { mti, fields } : { field, reason, mti, fields }
}

/** Reads the fields of all bits in ascending order; false where it could not read on to the end. */
function readFields(reading: Reading, bitmapAt: number, bitmapBytes: number): boolean {
  for (let index = 0; index < bitmapBytes; index++) {
    const octet = reading.bytes[bitmapAt + index] ?? 0
    for (let bit = 0; octet !== 0 && bit < 8; bit++) {
      const number = index * 8 + bit + 1
      const field = FIELD_ROWS[number]
      if ((octet & (0x80 >> bit)) === 0 || field === undefined) continue
      if (!readField(reading, number, field)) return false
    }
  }
  return true
}

function readField(reading: Reading, number: number, field: Field | PassedOver): boolean {
  if (number === LAST_PRIVATE_FIELD) {
    reading.at = reading.bytes.length
    return true
  }
  const length = readLength(reading, number, field)
  if (length === -1) return false
  const end = reading.at + length
  if (end > reading.bytes.length) return fail(reading, number, 'is cut')
  if (field.kind === 'passed over') {
    reading.at = end
    return true
  }
  const value =
    field.kind === 'text'
      ? reading.bytes.toString('latin1', reading.at, end)
      : reading.bytes.subarray(reading.at, end)
  reading.at = end
  const problem = problemOf(field, value)
  if (problem === null) reading.fields[number] = value
  else fail(reading, number, problem)
  return true
}

/** Bytes of the value that comes next, or -1 where they cannot be known. */
function readLength(reading: Reading, number: number, field: Length): number {
  if (field.lengthDigits === 0) return field.bytesMax
  const from = reading.at
  reading.at += field.lengthDigits
  if (reading.at > reading.bytes.length) {
    fail(reading, number, 'is cut')
    return -1
  }
  let length = 0
  for (let at = from; at < reading.at; at++) {
    const digit = (reading.bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) {
      fail(reading, number, 'has a length that is no number')
      return -1
    }
    length = length * 10 + digit
  }
  return length
}

/** Notes a problem unless there is one already; false, for the reader that cannot go on. */
function fail(reading: Reading, field: number | null, reason: string): false {
  if (reading.reason === null) {
    reading.field = field
    reading.reason = reason
  }
  return false
}

/** Returns why a value does not fit its field, or null. */
function problemOf(field: Field, value: string | Buffer): string | null {
  if (value.length < field.bytesMin || value.length > field.bytesMax) {
    return field.bytesMin === field.bytesMax
      ? 'must have the length ' + field.bytesMax
      : 'must have a length from ' + field.bytesMin + ' to ' + field.bytesMax
  }
  if (field.kind === 'text') {
    return typeof value === 'string' && field.content.holds(value)
      ? null
      : 'must be ' + field.content.form
  }
  return typeof value !== 'string' && field.holds(value) ? null : 'must be ' + field.form
}

/**
 * The bytes of a message, or the first field they cannot be made of. `decodeMessage` gives the
 * message back. `headBytes` bytes are left free in front.
 */
export function encodeMessage(message: IsoMessage, headBytes = 0): Buffer | FormatError {
  const { mti, fields } = message
  const start = headBytes + MTI_BYTES
  let length = 0
  let last = 0
  // Looked up by number: the keys of an object are text, which would be made for each message.
  for (let number = 1; number < FIELD_ROWS.length; number++) {
    const value = fields[number as keyof Fields]
    if (value === undefined) continue
    const field = FIELD_ROWS[number]
    const problem =
      field === undefined || field.kind === 'passed over'
        ? 'is not a field of ours'
        : problemOf(field, value)
    if (problem !== null) return { field: number, reason: problem, mti, fields: {} }
    last = number
    length += (field?.lengthDigits ?? 0) + value.length
  }
  const bitmapBytes = last > 64 ? 2 * BITMAP_BYTES : BITMAP_BYTES
  const bytes = Buffer.allocUnsafe(start + bitmapBytes + length)
  writeText(bytes, headBytes, mti)
  for (let at = start; at < start + bitmapBytes; at++) bytes[at] = 0
  if (bitmapBytes > BITMAP_BYTES) setBit(bytes, start, 1)
  let at = start + bitmapBytes
  for (let number = 1; number <= last; number++) {
    const value = fields[number as keyof Fields]
    if (value === undefined) continue
    setBit(bytes, start, number)
    at = writeField(bytes, at, FIELD_ROWS[number]?.lengthDigits ?? 0, value)
  }
  return bytes
}

function setBit(bytes: Buffer, bitmapAt: number, number: number): void {
  const at = bitmapAt + ((number - 1) >> 3)
  bytes[at] = (bytes[at] ?? 0) | (0x80 >> ((number - 1) & 7))
}

function writeField(
  bytes: Buffer,
  from: number,
  lengthDigits: number,
  value: string | Buffer,
): number {
  const at = from + lengthDigits
  let rest = value.length
  for (let digit = at - 1; digit >= from; digit--) {
    bytes[digit] = ZERO + (rest % 10)
    rest = Math.trunc(rest / 10)
  }
  return typeof value === 'string' ? writeText(bytes, at, value) : at + value.copy(bytes, at)
}

/** Short text, a character a byte: a call of `write` costs more than its characters. */
function writeText(bytes: Buffer, from: number, text: string): number {
  for (let index = 0; index < text.length; index++) bytes[from + index] = text.charCodeAt(index)
  return from + text.length
}

function isMessageType(text: string): text is MessageType {
  return TYPES.has(text)
}
