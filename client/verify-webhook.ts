// Verifies that a webhook is from svc: the signature covers the bytes as they came, and its time is
// near.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookEvent } from './generated.ts'

export type WebhookProblem = 'malformed_header' | 'invalid_signature' | 'timestamp_out_of_tolerance'

const SENTENCES: { readonly [Problem in WebhookProblem]: string } = {
  malformed_header: 'The Svc-Signature header cannot be parsed.',
  invalid_signature: 'No signature matches the body.',
  timestamp_out_of_tolerance: 'The signature is too old or too new.',
}

/** The webhook is not authentic; `code` is the reason. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookProblem

  constructor(code: WebhookProblem) {
    super(SENTENCES[code])
    this.code = code
  }
}

const TOLERANCE_S = 300
const TOLERANCE_MAX_S = 600
const HEADER_CHARACTERS_MAX = 1024
const SIGNATURES_MAX = 8

/**
 * Returns the event if a signature of the header matches one of the secrets and its time is within
 * `toleranceS` (default 300, at most 600 seconds) of `nowS`, Unix seconds. Throws a WebhookError
 * otherwise; a RangeError or TypeError on a wrong call: another tolerance, or an empty secret, with
 * which anybody could sign. Pass the raw body: a parsed and rewritten body has another signature.
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  header: string | readonly string[] | null | undefined,
  secrets: string | readonly string[],
  options: { toleranceS?: number; nowS?: number } = {},
): WebhookEvent {
  const { toleranceS = TOLERANCE_S, nowS = Math.floor(Date.now() / 1000) } = options
  if (!(toleranceS >= 0 && toleranceS <= TOLERANCE_MAX_S))
    throw new RangeError('toleranceS must be 0 to ' + TOLERANCE_MAX_S)
  const keys = typeof secrets === 'string' ? [secrets] : secrets
  if (keys.some((secret) => typeof secret !== 'string' || secret === ''))
    throw new TypeError('a secret is missing')
  const parsed = typeof header === 'string' ? parseHeader(header) : null
  if (parsed === null) throw new WebhookError('malformed_header')
  // Every pair is compared, so the time reveals nothing.
  let matched = false
  for (const secret of keys) {
    const expected = createHmac('sha256', secret)
      .update(parsed.timestamp + '.')
      .update(rawBody)
      .digest()
    for (const signature of parsed.signatures) {
      if (timingSafeEqual(expected, signature)) matched = true
    }
  }
  if (!matched) throw new WebhookError('invalid_signature')
  // A timestamp that is not a number is also out of tolerance.
  if (!(Math.abs(nowS - Number(parsed.timestamp)) <= toleranceS))
    throw new WebhookError('timestamp_out_of_tolerance')
  return JSON.parse(typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString('utf8'))
}

/**
 * Parts `name=value` between commas: exactly one `t` of 1 to 12 digits, written as numbers are, and
 * 1 to 8 `v1` of 64 hex digits in small letters. Other schemes are skipped. A space anywhere is
 * malformed, and so is a header that came twice.
 */
function parseHeader(header: string): { timestamp: string; signatures: Buffer[] } | null {
  if (header.length > HEADER_CHARACTERS_MAX || !/^[\x21-\x7e]+$/.test(header)) return null
  let timestamp: string | null = null
  const signatures: Buffer[] = []
  for (const part of header.split(',')) {
    const equals = part.indexOf('=')
    if (equals < 1) return null
    const [name, value] = [part.slice(0, equals), part.slice(equals + 1)]
    if (name === 't') {
      if (timestamp !== null || !/^(0|[1-9]\d{0,11})$/.test(value)) return null
      timestamp = value
    } else if (name === 'v1') {
      if (signatures.length === SIGNATURES_MAX || !/^[0-9a-f]{64}$/.test(value)) return null
      signatures.push(Buffer.from(value, 'hex'))
    }
  }
  return timestamp === null || signatures.length === 0 ? null : { timestamp, signatures }
}
