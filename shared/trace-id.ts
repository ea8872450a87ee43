// Ids of traces and spans, derived from ids that every process knows anyway: no process hands a
// trace context to another, and journal and tables hold none. The trace of a transaction has the
// 16 bytes of its `txn_…`.
import { hash } from 'node:crypto'
import { decodeId } from './id.ts'

const SPAN_DIGITS = 16
const TRACE_DIGITS = 32
/** The last digits of a trace id are random; eight of them decide whether a trace is kept. */
const SHARE_DIGITS = 8
const TRANSACTION_PREFIX = 'txn_'
const SAMPLED = '01'
const UNSAMPLED = '00'

/** Returns the 32 hex digits of a transaction's trace; null for an id of another form. */
export function traceOfTransaction(transactionId: string): string | null {
  if (!transactionId.startsWith(TRANSACTION_PREFIX)) return null
  return decodeId(transactionId.slice(TRANSACTION_PREFIX.length))?.toString('hex') ?? null
}

/** Trace of an event: that of its transaction, or a trace of its own. */
export function traceOfEvent(eventId: string, resourceId: string): string {
  return traceOfTransaction(resourceId) ?? digits('event', eventId, TRACE_DIGITS)
}

/** Span of one message of the network: the authorization has the place 1 in its transaction. */
export function spanOfMessage(transactionId: string, sequence: number): string {
  return digits('message', transactionId + ':' + sequence, SPAN_DIGITS)
}

/** Span of a call of the tenant's real-time endpoint. */
export function spanOfTenantCall(requestId: string): string {
  return digits('call', requestId, SPAN_DIGITS)
}

/** Span in which PostgreSQL took a message and its event. */
export function spanOfEvent(eventId: string): string {
  return digits('drain', eventId, SPAN_DIGITS)
}

/** Span of one attempt of a delivery. */
export function spanOfAttempt(deliveryId: string, cycle: number, attempt: number): string {
  return digits('attempt', [deliveryId, cycle, attempt].join(':'), SPAN_DIGITS)
}

/** The value of a `traceparent` header (W3C Trace Context, version 00). */
export function traceparent(traceId: string, spanId: string, share: number): string {
  return ['00', traceId, spanId, isSampled(traceId, share) ? SAMPLED : UNSAMPLED].join('-')
}

/**
 * Whether a trace is among the `share` (0 to 1) that is kept. Every process decides alike, so a
 * kept trace is whole.
 */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-SHARE_DIGITS), 16) < share * 16 ** SHARE_DIGITS
}

function digits(kind: string, text: string, length: number): string {
  return hash('sha256', kind + ' ' + text, 'hex').slice(0, length)
}
