// A place in a list as opaque text: base64url of version, list, position, CRC-16. It names a position and not a row, so it
// still works when that row is gone. Unsigned: whose rows a list shows is decided by its query, never by a cursor.

const VERSION = 1
const HEAD_BYTES = 2
const SEQ_BYTES = 8
const CRC_BYTES = 2
const ID_BYTES_MAX = 64
export const CURSOR_LENGTH_MAX = 128

/** Every list with cursors. Numbers are never given to another list; `key` says what orders it. */
export const CURSOR_LISTS = {
  cards: { number: 1, key: 'id', prefix: 'card_' },
  cardholders: { number: 2, key: 'id', prefix: 'ch_' },
  card_transactions: { number: 3, key: 'seq', prefix: 'txn_' },
  events: { number: 4, key: 'seq', prefix: 'evt_' },
  webhook_endpoints: { number: 5, key: 'id', prefix: 'we_' },
  programs: { number: 6, key: 'id', prefix: 'prog_' },
  spending_controls: { number: 7, key: 'seq', prefix: 'ctl_' },
  // A version has a number and no id.
  spending_control_versions: { number: 8, key: 'seq', prefix: 'ctlv_' },
  certifications: { number: 40, key: 'id', prefix: 'cert_' },
  wallet_tokens: { number: 9, key: 'id', prefix: 'wtok_' },
  // A message has a place in its transaction and no id of its own.
  card_transaction_messages: { number: 20, key: 'seq', prefix: 'txnm_' },
} as const satisfies { [list: string]: { number: number; key: 'id' | 'seq'; prefix: string } }

export type CursorList = keyof typeof CURSOR_LISTS
/** An id in lists ordered by id, a sequence number in lists ordered by sequence. */
export type Position = string | number

export function encodeCursor(list: CursorList, position: Position): string {
  const place = typeof position === 'number' ? Buffer.alloc(SEQ_BYTES) : Buffer.from(position)
  if (typeof position === 'number') place.writeBigUInt64BE(BigInt(position))
  const bytes = Buffer.concat([
    Buffer.of(VERSION, CURSOR_LISTS[list].number),
    place,
    Buffer.alloc(CRC_BYTES),
  ])
  bytes.writeUInt16BE(crc16(bytes.subarray(0, -CRC_BYTES)), bytes.length - CRC_BYTES)
  return bytes.toString('base64url')
}

/** The position, or null for a cursor of another list, a damaged one, or text that never was one. */
export function decodeCursor(list: CursorList, text: string): Position | null {
  if (text.length > CURSOR_LENGTH_MAX) return null
  const bytes = Buffer.from(text, 'base64url')
  // Buffer ignores what is not base64url and the last character's spare bits; a cursor has one spelling.
  if (bytes.toString('base64url') !== text) return null
  const placeBytes = bytes.length - HEAD_BYTES - CRC_BYTES
  if (placeBytes < 1 || placeBytes > ID_BYTES_MAX) return null
  const checked = bytes.subarray(0, -CRC_BYTES)
  if (bytes.readUInt16BE(checked.length) !== crc16(checked)) return null
  const { number, key } = CURSOR_LISTS[list]
  if (bytes[0] !== VERSION || bytes[1] !== number) return null
  const place = checked.subarray(HEAD_BYTES)
  if (key === 'id') return isIdOf(list, place.toString()) ? place.toString() : null
  const seq = placeBytes === SEQ_BYTES ? Number(place.readBigUInt64BE()) : Number.NaN
  return Number.isSafeInteger(seq) ? seq : null
}

/** True for text that can be an id of the list's own rows. */
export function isIdOf(list: CursorList, text: string): boolean {
  const { prefix } = CURSOR_LISTS[list]
  return text.startsWith(prefix) && /^[0-9a-z]{26}$/.test(text.slice(prefix.length))
}

/** CRC-16/CCITT: finds every damage within one character. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
    }
  }
  return crc & 0xffff
}
