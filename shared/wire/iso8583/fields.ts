// The fields of our ISO 8583:1987 dialect, as a table: number → name, length, content. A field that is not in the table
// is a format error.
//
// The dialect: the MTI is four ASCII digits. Bitmaps are binary, eight bytes; the second is there exactly when bit 1 says
// so. Lengths of variable fields are two or three ASCII digits and count bytes. Everything is ASCII except 52, 55, 64 and
// 128, which are raw bytes. Numbers are filled with zeros on the left, text with spaces on the right, to the full length;
// the codec itself fills nothing. Moments are UTC (7, 90) or the terminal's own (12, 13). Track data (35, 45) is not
// taken: a PAN comes in 2, its expiry in 14. 60, 61 and 62 are carried and not read; 48 is ours (private-data.ts).
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
  YEAR_MONTH,
} from './content.ts'

interface Length {
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

export type FieldNumber = keyof typeof FIELDS

/** The fields a message carries, by number: text without its length, or raw bytes. */
export type Fields = {
  [Number in FieldNumber]?: (typeof FIELDS)[Number] extends BytesField ? Buffer : string
}

/** The row of each number from 0 to 128, or undefined: one look per bit of a bitmap. */
export const FIELD_ROWS: readonly (Field | undefined)[] = Array.from(
  { length: 129 },
  (_, number) => (FIELDS as { readonly [number: number]: Field })[number],
)

/** Every message type of the dialect, requests and answers. A last digit of 1 is a repeat. */
export const MESSAGE_TYPES = [
  '0100', '0101', '0110', '0120', '0121', '0130',
  '0400', '0401', '0410', '0420', '0421', '0430',
  '0800', '0801', '0810',
] as const // biome-ignore format: families stand in rows.
export type MessageType = (typeof MESSAGE_TYPES)[number]

/** Length of the longest message the table allows: a frame that announces more is refused unread. */
export const MESSAGE_BYTES_MAX = FIELD_ROWS.reduce(
  (sum, field) => sum + (field === undefined ? 0 : field.lengthDigits + field.bytesMax),
  4 + 8 + 8,
)
