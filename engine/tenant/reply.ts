// Converts the status and bytes of a tenant's reply to an answer, or to a kind of silence. Pure;
// never throws. Authorization 2.
import { TENANT_REPLY_BYTES_MAX } from '../../shared/limits.ts'
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'
import type { TenantAnswer } from './caller.ts'
import { approveValues } from './duplicate-approve-check.ts'

const REASON_CHARACTERS_MAX = 64
const METADATA_KEYS_MAX = 20
const METADATA_BYTES_MAX = 2048

export interface ReadReply {
  outcome: TenantOutcome
  /** Present with answered_approve and answered_decline. */
  answer: TenantAnswer | null
}

type JsonObject = { readonly [name: string]: unknown }

const HTTP_STATUS: ReadReply = { outcome: 'http_status', answer: null }
const OVERSIZED: ReadReply = { outcome: 'oversized', answer: null }
const MALFORMED_JSON: ReadReply = { outcome: 'malformed_json', answer: null }
const MALFORMED_SCHEMA: ReadReply = { outcome: 'malformed_schema', answer: null }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a whole reply. `requestId` is the required value of an echoed `request_id`. */
export function readReply(status: number, bytes: Uint8Array, requestId: string): ReadReply {
  if (status < 200 || status > 299) return HTTP_STATUS
  // Chosen: 204 has no content, so it is malformed.
  if (status === 204) return MALFORMED_SCHEMA
  if (bytes.length > TENANT_REPLY_BYTES_MAX) return OVERSIZED
  const text = decodeText(bytes)
  const body = text === null ? undefined : parseJson(text)
  if (text === null || body === undefined) return MALFORMED_JSON
  if (!isObject(body)) return MALFORMED_SCHEMA
  // Chosen: `approve: false` declines, whatever else the body holds.
  const said = approveValues(text)
  if (said.includes('false')) {
    return { outcome: 'answered_decline', answer: answerOf(false, body, requestId) }
  }
  // Chosen: a repeated `approve` approves only if every value is true.
  if (said.length === 0 || said.includes('other')) return MALFORMED_SCHEMA
  return { outcome: 'answered_approve', answer: answerOf(true, body, requestId) }
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    // Not UTF-8.
    return null
  }
}

/** Undefined if the text is not JSON: no JSON text means undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Optional fields: null counts as absent, a bad one is dropped and named in `dropped`. */
function answerOf(approve: boolean, body: JsonObject, requestId: string): TenantAnswer {
  const dropped: string[] = []
  const take = <Value>(name: string, accepts: (value: unknown) => value is Value): Value | null => {
    const value = body[name]
    if (value === undefined || value === null) return null
    if (accepts(value)) return value
    dropped.push(name)
    return null
  }
  const reason = take('decline_reason', isReason)
  const approvedAmountCents = take('approved_amount_cents', isAmount)
  const metadata = take('metadata', isMetadata)
  take('request_id', (value): value is string => value === requestId)
  return { approve, reason, approvedAmountCents, metadata, dropped }
}

/**
 * One line of text. Postgres would refuse ill-formed UTF-16 and NUL long after the answer was
 * given.
 */
function isReason(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= REASON_CHARACTERS_MAX &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value)
  )
}

/** The engine checks it against the requested amount. */
function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

function isMetadata(value: unknown): value is { readonly [name: string]: string } {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  if (entries.length > METADATA_KEYS_MAX) return false
  let bytes = 0
  for (const [name, text] of entries) {
    // Chosen: a name that later copies of the object could mistake for its prototype is a bad name.
    if (name === '__proto__' || !isStorable(name)) return false
    if (typeof text !== 'string' || !isStorable(text)) return false
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text)
  }
  return bytes <= METADATA_BYTES_MAX
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
