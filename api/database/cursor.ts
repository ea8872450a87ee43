// A place in a list as opaque text: base64url of version, list, position, CRC-16. The cursor names
// a position and not a row, so it still works when that row is gone. Unsigned: the list's query
// decides whose rows it shows, never a cursor. In a list sorted by a value the cursor also names
// the sort and the value; it fits no other sort.

const VERSION = 1
const SORTED_VERSION = 2
const HEAD_BYTES = 2
const SORTED_HEAD_BYTES = 11
const VALUE_AT = 3
const SEQ_BYTES = 8
const CRC_BYTES = 2
const ID_BYTES_MAX = 64
export const CURSOR_LENGTH_MAX = 128

/** Every list with cursors. A number is never reused for another list; `key` names the ordering. */
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
  spending_control_backtests: { number: 26, key: 'id', prefix: 'bkt_' },
  wallet_tokens: { number: 9, key: 'id', prefix: 'wtok_' },
  // A message has a place in its transaction and no id of its own.
  card_transaction_messages: { number: 20, key: 'seq', prefix: 'txnm_' },
  disputes: { number: 21, key: 'id', prefix: 'dsp_' },
  dispute_evidence: { number: 22, key: 'id', prefix: 'devd_' },
  clearing_files: { number: 23, key: 'id', prefix: 'clf_' },
  fx_tables: { number: 27, key: 'id', prefix: 'fxt_' },
  // An exception has a number and no id.
  clearing_exceptions: { number: 24, key: 'seq', prefix: 'clx_' },
  tenants: { number: 30, key: 'id', prefix: 'ten_' },
  operators: { number: 31, key: 'id', prefix: 'op_' },
  operator_approvals: { number: 86, key: 'id', prefix: 'oap_' },
  people: { number: 32, key: 'id', prefix: 'user_' },
  invitations: { number: 33, key: 'id', prefix: 'ivt_' },
  kyb_applications: { number: 34, key: 'id', prefix: 'kyb_' },
  sanctions_alerts: { number: 25, key: 'id', prefix: 'alert_' },
  webhook_deliveries: { number: 41, key: 'id', prefix: 'dlv_' },
  // An attempt has a place in its delivery and no id.
  delivery_attempts: { number: 42, key: 'seq', prefix: 'att_' },
  recoveries: { number: 43, key: 'id', prefix: 'rcv_' },
  missed_events: { number: 44, key: 'seq', prefix: 'evt_' },
  pass_templates: { number: 60, key: 'id', prefix: 'ptpl_' },
  passes: { number: 61, key: 'id', prefix: 'pass_' },
  scanners: { number: 62, key: 'id', prefix: 'scn_' },
  pass_scans: { number: 63, key: 'id', prefix: 'pscan_' },
  pass_images: { number: 64, key: 'id', prefix: 'pimg_' },
  settlement_accounts: { number: 74, key: 'id', prefix: 'sacc_' },
  settlement_batches: { number: 75, key: 'id', prefix: 'stb_' },
  payment_accounts: { number: 70, key: 'id', prefix: 'pacc_' },
  payments: { number: 71, key: 'id', prefix: 'pay_' },
  billing_quotes: { number: 80, key: 'id', prefix: 'quo_' },
  billing_invoices: { number: 83, key: 'id', prefix: 'inv_' },
  billing_notices: { number: 84, key: 'id', prefix: 'ntc_' },
  billing_exceptions: { number: 85, key: 'id', prefix: 'bex_' },
  payment_mandates: { number: 72, key: 'id', prefix: 'man_' },
  refused_calls: { number: 90, key: 'id', prefix: 'rcl_' },
  payment_withdrawals: { number: 73, key: 'id', prefix: 'wdr_' },
  audit_log: { number: 50, key: 'seq', prefix: 'aud_' },
  api_keys: { number: 51, key: 'id', prefix: 'key_' },
  oauth_clients: { number: 81, key: 'id', prefix: 'oac_' },
  oauth_grants: { number: 82, key: 'id', prefix: 'ogr_' },
} as const satisfies { [list: string]: { number: number; key: 'id' | 'seq'; prefix: string } }

export type CursorList = keyof typeof CURSOR_LISTS
/** An id in lists ordered by id, a sequence number in lists ordered by sequence. */
export type Position = string | number

/** A sort of a list (its number is never reused within the list), and the value at the place. */
export interface SortedPlace {
  sort: number
  value: number
}

export function encodeCursor(list: CursorList, position: Position): string {
  return sealed(Buffer.of(VERSION, CURSOR_LISTS[list].number), position)
}

export function encodeSortedCursor(
  list: CursorList,
  { sort, value }: SortedPlace,
  position: Position,
): string {
  const head = Buffer.alloc(SORTED_HEAD_BYTES)
  head.set([SORTED_VERSION, CURSOR_LISTS[list].number, sort])
  head.writeBigInt64BE(BigInt(value), VALUE_AT)
  return sealed(head, position)
}

/**
 * Returns the position, or null for a cursor of another list or sort, a damaged cursor, or text
 * that never was one.
 */
export function decodeCursor(list: CursorList, text: string): Position | null {
  const bytes = opened(text)
  if (bytes === null || bytes[0] !== VERSION || bytes[1] !== CURSOR_LISTS[list].number) return null
  return positionIn(list, bytes.subarray(HEAD_BYTES))
}

/**
 * Returns the value and the position among equal values; null for the same reasons as
 * `decodeCursor`.
 */
export function decodeSortedCursor(
  list: CursorList,
  sort: number,
  text: string,
): { value: number; position: Position } | null {
  const bytes = opened(text)
  if (bytes === null || bytes.length <= SORTED_HEAD_BYTES) return null
  const { number } = CURSOR_LISTS[list]
  if (bytes[0] !== SORTED_VERSION || bytes[1] !== number || bytes[2] !== sort) return null
  const value = Number(bytes.readBigInt64BE(VALUE_AT))
  const position = positionIn(list, bytes.subarray(SORTED_HEAD_BYTES))
  return position === null || !Number.isSafeInteger(value) ? null : { value, position }
}

function sealed(head: Buffer, position: Position): string {
  const place = typeof position === 'number' ? Buffer.alloc(SEQ_BYTES) : Buffer.from(position)
  if (typeof position === 'number') place.writeBigUInt64BE(BigInt(position))
  const bytes = Buffer.concat([head, place, Buffer.alloc(CRC_BYTES)])
  bytes.writeUInt16BE(crc16(bytes.subarray(0, -CRC_BYTES)), bytes.length - CRC_BYTES)
  return bytes.toString('base64url')
}

/** Returns the bytes before the checksum when the checksum matches. */
function opened(text: string): Buffer | null {
  if (text.length > CURSOR_LENGTH_MAX) return null
  const bytes = Buffer.from(text, 'base64url')
  // Buffer ignores characters outside base64url and the last character's spare bits; a cursor has
  // one spelling.
  if (bytes.toString('base64url') !== text || bytes.length <= HEAD_BYTES + CRC_BYTES) return null
  const checked = bytes.subarray(0, -CRC_BYTES)
  return bytes.readUInt16BE(checked.length) === crc16(checked) ? checked : null
}

function positionIn(list: CursorList, place: Buffer): Position | null {
  if (place.length < 1 || place.length > ID_BYTES_MAX) return null
  if (CURSOR_LISTS[list].key === 'id') {
    return isIdOf(list, place.toString()) ? place.toString() : null
  }
  const seq = place.length === SEQ_BYTES ? Number(place.readBigUInt64BE()) : Number.NaN
  return Number.isSafeInteger(seq) ? seq : null
}

/** Returns true for text that can be an id of the list's own rows. */
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
