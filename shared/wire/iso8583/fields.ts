// The fields of ISO 8583:1987, as two tables. FIELDS are read: number → name, length, content.
// PASSED_OVER are the other ones that an acquirer may send: their length is read, their content is
// not, and nothing of it is kept.
//
// The dialect: the MTI is four ASCII digits. Bitmaps are binary, eight bytes; the second is there
// exactly when bit 1 says so. Lengths of variable fields are two or three ASCII digits and count
// bytes. Everything is ASCII except 52, 55, 64 and 128, which are raw bytes. Numbers are filled
// with zeros on the left, text with spaces on the right, to the full length; the codec itself fills
// nothing. Moments are UTC (7, 90) or the terminal's own (12, 13). Track 2 (35) gives the PAN and
// its expiry where 2 and 14 are absent, and goes no further; tracks 1 and 3 are passed over. 60, 61
// and 62 are carried and not read; 48 is ours (private-data.ts). Some acquirers write 127 with a
// length of six digits: it reaches to the end of the message, whatever its length says.
import { berWellFormed } from './ber-tlv.ts'
import {
  ADDITIONAL_AMOUNTS,
  AN,
  ANP,
  ANS,
  type Content,
  MOMENT,
  MONTH_DAY,
  N,
  ORIGINAL_DATA,
  RATE,
  REPLACEMENT_AMOUNTS,
  SIGNED,
  TIME,
  TRACK_2,
  YEAR_MONTH,
} from './content.ts'

export interface Length {
  /** Digits of the length that stands before the value; 0 where the length is fixed. */
  readonly lengthDigits: 0 | 2 | 3
  readonly bytesMin: number
  readonly bytesMax: number
}

interface TextField extends Length {
  readonly kind: 'text'
  readonly name: string
  readonly content: Content
}

interface BytesField extends Length {
  readonly kind: 'bytes'
  readonly name: string
  readonly form: string
  holds(bytes: Buffer): boolean
}

export type Field = TextField | BytesField

function fixed(bytes: number): Length {
  return { lengthDigits: 0, bytesMin: bytes, bytesMax: bytes }
}

function llvar(bytesMin: number, bytesMax: number): Length {
  return { lengthDigits: 2, bytesMin, bytesMax }
}

function lllvar(bytesMin: number, bytesMax: number): Length {
  return { lengthDigits: 3, bytesMin, bytesMax }
}

function text(name: string, length: Length, content: Content): TextField {
  return { kind: 'text', name, ...length, content }
}

function bytes(name: string, length: Length): BytesField {
  return { kind: 'bytes', name, ...length, form: 'bytes', holds: () => true }
}

// biome-ignore-start format: a table reads better in rows.
export const FIELDS = {
  2: text('PAN', llvar(12, 19), N),
  3: text('processing code', fixed(6), N),
  4: text('transaction amount', fixed(12), N),
  5: text('settlement amount', fixed(12), N),
  6: text('cardholder billing amount', fixed(12), N),
  7: text('transmission date and time', fixed(10), MOMENT),
  9: text('settlement conversion rate', fixed(8), RATE),
  10: text('cardholder billing conversion rate', fixed(8), RATE),
  11: text('system trace audit number', fixed(6), N),
  12: text('local transaction time', fixed(6), TIME),
  13: text('local transaction date', fixed(4), MONTH_DAY),
  14: text('expiry', fixed(4), YEAR_MONTH),
  18: text('merchant category', fixed(4), N),
  19: text('acquirer country', fixed(3), N),
  22: text('point of service entry mode', fixed(3), N),
  23: text('card sequence number', fixed(3), N),
  25: text('point of service condition', fixed(2), N),
  28: text('transaction fee', fixed(9), SIGNED),
  32: text('acquirer', llvar(1, 11), N),
  35: text('track 2', llvar(1, 37), TRACK_2),
  37: text('retrieval reference number', fixed(12), ANP),
  38: text('authorization code', fixed(6), ANP),
  39: text('response code', fixed(2), AN),
  41: text('terminal', fixed(8), ANS),
  42: text('merchant', fixed(15), ANS),
  43: text('merchant name and place', fixed(40), ANS),
  44: text('additional response data', llvar(1, 25), ANS),
  48: text('private data', lllvar(1, 999), ANS),
  49: text('transaction currency', fixed(3), N),
  50: text('settlement currency', fixed(3), N),
  51: text('cardholder billing currency', fixed(3), N),
  52: bytes('PIN block', fixed(8)),
  54: text('additional amounts', lllvar(20, 120), ADDITIONAL_AMOUNTS),
  55: { ...bytes('chip data', lllvar(1, 255)), form: 'BER-TLV', holds: berWellFormed },
  60: text('national data', lllvar(1, 999), ANS),
  61: text('point of service data', lllvar(1, 999), ANS),
  62: text('more private data', lllvar(1, 999), ANS),
  63: text('network transaction id', lllvar(1, 128), ANS),
  64: bytes('message authentication code', fixed(8)),
  70: text('network management code', fixed(3), N),
  90: text('original data elements', fixed(42), ORIGINAL_DATA),
  95: text('replacement amounts', fixed(42), REPLACEMENT_AMOUNTS),
  102: text('account from', llvar(1, 28), ANS),
  103: text('account to', llvar(1, 28), ANS),
  128: bytes('message authentication code', fixed(8)),
} as const
// biome-ignore-end format: rows end here.

/** A field whose content is not read. */
export interface PassedOver extends Length {
  readonly kind: 'passed over'
  readonly name: string
}

function over(name: string, length: Length): PassedOver {
  return { kind: 'passed over', name, ...length }
}

/** Rows from `first` to `last` of one name and length. */
function overAll(first: number, last: number, name: string, length: Length) {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return Object.fromEntries(numbers.map((number) => [number, over(name, length)]))
}

// biome-ignore-start format: a table reads better in rows.
export const PASSED_OVER: { readonly [number: number]: PassedOver } = {
  8: over('cardholder billing fee', fixed(8)),
  15: over('settlement date', fixed(4)),
  16: over('conversion date', fixed(4)),
  17: over('capture date', fixed(4)),
  20: over('country of the PAN', fixed(3)),
  21: over('country of the forwarding institution', fixed(3)),
  24: over('network international identifier', fixed(3)),
  26: over('PIN capture code', fixed(2)),
  27: over('length of the authorization code', fixed(1)),
  29: over('settlement fee', fixed(9)),
  30: over('transaction processing fee', fixed(9)),
  31: over('settlement processing fee', fixed(9)),
  33: over('forwarding institution', llvar(0, 99)),
  34: over('extended PAN', llvar(0, 99)),
  36: over('track 3', lllvar(0, 999)),
  40: over('service restriction code', fixed(3)),
  45: over('track 1', llvar(0, 99)),
  46: over('additional data, ISO', lllvar(0, 999)),
  47: over('additional data, national', lllvar(0, 999)),
  53: over('security control information', fixed(16)),
  56: over('reserved, ISO', lllvar(0, 999)),
  ...overAll(57, 59, 'reserved, national', lllvar(0, 999)),
  65: over('third bitmap', fixed(8)),
  66: over('settlement code', fixed(1)),
  67: over('extended payment code', fixed(2)),
  68: over('country of the receiving institution', fixed(3)),
  69: over('country of the settlement institution', fixed(3)),
  71: over('message number', fixed(4)),
  72: over('last message number', fixed(4)),
  73: over('action date', fixed(6)),
  ...overAll(74, 81, 'number of settlement messages', fixed(10)),
  ...overAll(82, 85, 'settlement fees', fixed(12)),
  ...overAll(86, 89, 'settlement amounts', fixed(16)),
  91: over('file update code', fixed(1)),
  92: over('file security code', fixed(2)),
  93: over('response indicator', fixed(5)),
  94: over('service indicator', fixed(7)),
  96: over('message security code', fixed(8)),
  97: over('net settlement amount', fixed(17)),
  98: over('payee', fixed(25)),
  99: over('settlement institution', llvar(0, 99)),
  100: over('receiving institution', llvar(0, 99)),
  101: over('file name', llvar(0, 99)),
  104: over('transaction description', lllvar(0, 999)),
  ...overAll(105, 111, 'reserved, ISO', lllvar(0, 999)),
  ...overAll(112, 119, 'reserved, national', lllvar(0, 999)),
  ...overAll(120, 127, 'reserved, private', lllvar(0, 999)),
}
// biome-ignore-end format: rows end here.

export type FieldNumber = keyof typeof FIELDS

/** The fields a message carries, by number: text without its length, or raw bytes. */
export type Fields = {
  [Number in FieldNumber]?: (typeof FIELDS)[Number] extends BytesField ? Buffer : string
}

/** The row of each number from 0 to 128, or undefined: one look per bit of a bitmap. */
export const FIELD_ROWS: readonly (Field | PassedOver | undefined)[] = Array.from(
  { length: 129 },
  (_, number) => (FIELDS as { readonly [number: number]: Field })[number] ?? PASSED_OVER[number],
)

/** The field that reaches to the end of the message. */
export const LAST_PRIVATE_FIELD = 127

/** Every message type of the dialect, requests and answers. A last digit of 1 is a repeat. */
export const MESSAGE_TYPES = [
  '0100', '0101', '0110', '0120', '0121', '0130',
  '0400', '0401', '0410', '0420', '0421', '0430',
  '0800', '0801', '0810',
] as const // biome-ignore format: families stand in rows.
export type MessageType = (typeof MESSAGE_TYPES)[number]

/**
 * Length of the longest message the table allows: a frame that announces more is refused unread.
 */
export const MESSAGE_BYTES_MAX = FIELD_ROWS.reduce(
  (sum, field) => sum + (field === undefined ? 0 : field.lengthDigits + field.bytesMax),
  4 + 8 + 8,
)
