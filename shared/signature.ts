// `Svc-Signature: t=<unix>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 over `<t>.<raw body>`. Spec 6.1.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { hmacKeyOf } from './hmac-key.ts'

const SIGNATURE_TOLERANCE_S = 300
const SIGNATURE_TOLERANCE_MAX_S = 600
const HEADER_CHARACTERS_MAX = 1024
const SIGNATURES_MAX = 8

export type SignatureProblem =
  | 'malformed_header'
  | 'invalid_signature'
  | 'timestamp_out_of_tolerance'

/** A secret made ready for many signatures. */
export interface SigningKey {
  /** For `Svc-Signature`. */
  whole: KeyObject
  /** For `webhook-signature`. */
  decoded: KeyObject
}

/**
 * Chosen: keyed by the UTF-8 bytes of the whole secret as shown, and by the base64-decoded part of
 * the same `whsec_…`.
 */
export function signingKey(secret: string): SigningKey {
  return {
    whole: createSecretKey(Buffer.from(secret)),
    decoded: createSecretKey(decodedPart(secret)),
  }
}

function decodedPart(secret: string): Buffer {
  return Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
}

/**
 * Lower-case hex HMAC-SHA256 over `<timestamp>.<body>`, keyed by the UTF-8 bytes of the whole
 * secret.
 */
function signatureOf(
  secret: string | KeyObject,
  timestamp: number,
  body: Uint8Array | string,
): string {
  return createHmac('sha256', secret)
    .update(timestamp + '.')
    .update(body)
    .digest('hex')
}

/** The header value; one v1 per secret (or its `whole` key), old first. Spec 6.1. */
export function signatureHeader(
  secrets: readonly (string | KeyObject)[],
  timestamp: number,
  body: Uint8Array | string,
): string {
  let header = 't=' + timestamp
  for (const secret of secrets) header += ',v1=' + signatureOf(secret, timestamp, body)
  return header
}

/** The `webhook-signature` of Standard Webhooks, for a secret or its `decoded` key. */
export function standardSignature(
  secret: string | KeyObject,
  id: string,
  timestamp: number,
  body: Uint8Array | string,
): string {
  const key = typeof secret === 'string' ? decodedPart(secret) : secret
  return (
    'v1,' +
    createHmac('sha256', key)
      .update(id + '.' + timestamp + '.')
      .update(body)
      .digest('base64')
  )
}

/**
 * Where in the header each signature begins: 64 lower-case hex digits. Only ever used within one
 * call.
 */
const signaturesAt = new Int32Array(SIGNATURES_MAX)

/**
 * The header's time, with its signatures in `signaturesAt`. Strict: exactly one `t` of 1 to 12
 * digits, at least one `v1` of 64 lower-case hex digits; other schemes are skipped.
 */
function parseSignature(header: string): { timestamp: number; signatures: number } | null {
  if (header.length === 0 || header.length > HEADER_CHARACTERS_MAX) return null
  let timestamp = -1
  let signatures = 0
  for (let from = 0; from <= header.length; ) {
    const comma = header.indexOf(',', from)
    const end = comma === -1 ? header.length : comma
    const equals = header.indexOf('=', from)
    if (equals <= from || equals >= end) return null
    const valueAt = equals + 1
    if (equals - from === 1 && header.startsWith('t', from)) {
      if (timestamp !== -1) return null
      timestamp = timestampIn(header, valueAt, end)
      if (timestamp === -1) return null
    } else if (equals - from === 2 && header.startsWith('v1', from)) {
      if (signatures === SIGNATURES_MAX || !isHexDigest(header, valueAt, end)) return null
      signaturesAt[signatures++] = valueAt
    }
    from = end + 1
  }
  return timestamp === -1 || signatures === 0 ? null : { timestamp, signatures }
}

/**
 * The number of 1 to 12 digits that stands there, or -1. Character by character, like the rest:
 * nothing is cut out.
 */
function timestampIn(header: string, from: number, to: number): number {
  if (from === to || to - from > TIMESTAMP_DIGITS_MAX) return -1
  let timestamp = 0
  for (let at = from; at < to; at++) {
    const digit = header.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return -1
    timestamp = timestamp * 10 + digit
  }
  return timestamp
}

function isHexDigest(header: string, from: number, to: number): boolean {
  if (to - from !== DIGEST_CHARACTERS) return false
  for (let at = from; at < to; at++) {
    const code = header.charCodeAt(at)
    if (!((code >= ZERO && code <= NINE) || (code >= LOWER_A && code <= LOWER_F))) return false
  }
  return true
}

const TIMESTAMP_DIGITS_MAX = 12
const DIGEST_CHARACTERS = 64
const ZERO = 0x30
const NINE = 0x39
const LOWER_A = 0x61
const LOWER_F = 0x66

/**
 * Compares every character of a digest with the header, wherever they differ first, and branches on
 * none. Both are 64 characters of ASCII, so the time depends neither on their length nor on their
 * content.
 */
function standsInConstantTime(digest: string, header: string, from: number): boolean {
  let differing = 0
  for (let at = 0; at < DIGEST_CHARACTERS; at++)
    differing |= digest.charCodeAt(at) ^ header.charCodeAt(from + at)
  return differing === 0
}

export interface VerifyInput {
  header: string
  body: Uint8Array
  secrets: readonly string[]
  /** The receiver's clock, Unix seconds. */
  nowS: number
  toleranceS?: number
}

/**
 * Null when any v1 matches any secret and the time is near enough; else the reason of Spec 6.1.
 * Constant time per pair.
 */
export function verifySignature(input: VerifyInput): SignatureProblem | null {
  const parsed = parseSignature(input.header)
  if (parsed === null) return 'malformed_header'
  let matched = false
  for (const secret of input.secrets) {
    const expected = hmacKeyOf(secret).hex(parsed.timestamp + '.', input.body)
    for (let index = 0; index < parsed.signatures; index++) {
      const same = standsInConstantTime(expected, input.header, signaturesAt[index] as number)
      if (same) matched = true
    }
  }
  if (!matched) return 'invalid_signature'
  const toleranceS = Math.min(input.toleranceS ?? SIGNATURE_TOLERANCE_S, SIGNATURE_TOLERANCE_MAX_S)
  return Math.abs(input.nowS - parsed.timestamp) > toleranceS ? 'timestamp_out_of_tolerance' : null
}
