// The data of one attempt: the claimed delivery as input, the outcome as output. Plain data, so
// that both can cross to a worker thread.
import type { EpochMs } from '../../../shared/clock.ts'
import type { DeliveryError } from '../../../shared/delivery-reference.ts'

/** Spec 6.1: this many failed attempts of one delivery disable the endpoint. */
export const ATTEMPTS_MAX = 5

export interface ClaimedDelivery {
  id: string
  eventId: string
  /** Resource of the event: the correlation id of the logs. */
  resourceId: string
  endpointId: string
  tenantId: string
  environment: string
  /** Reason for sending: the event itself, or a request to send it again. */
  cause: 'event' | 'replay' | 'recovery' | 'test'
  cycle: number
  /** No attempt of the delivery has ended before, in any cycle; a cut-off one has no end. */
  isUntried: boolean
  /** 1 to ATTEMPTS_MAX; already counted in the database. */
  attempt: number
  /** The endpoint's enabled_epoch when the delivery was addressed or resumed. */
  epoch: number
  /** Names this lease: a result that does not carry it is a zombie's and is dropped. */
  leaseToken: string
  url: string
  /** The event's bytes, as its first delivery sent them. */
  body: Buffer
  /** Plain secrets, old first. Never logged. */
  secrets: readonly string[]
}

/** The fields of a delivery that the sender needs. */
export interface Posting
  extends Pick<
    ClaimedDelivery,
    'id' | 'eventId' | 'tenantId' | 'environment' | 'cause' | 'attempt' | 'url' | 'body' | 'secrets'
  > {
  /**
   * The end of its permit by this machine's clock, see pace.ts. Past it nothing is sent: the
   * outcome is `too_late`.
   */
  sendBy: EpochMs
  /** W3C trace context for the receiver; absent while traces are off. */
  traceparent?: string
}

export type ErrorClass =
  | DeliveryError
  // Never written: the attempt is given back.
  | 'too_late'

export interface AttemptOutcome {
  startedAt: EpochMs
  durationMs: number
  /**
   * Milliseconds until a fresh connection was ready, names and TLS included; null on a reused
   * connection and when there was none.
   */
  connectedMs: number | null
  /** Milliseconds until the head of the response arrived; null when none did. */
  answeredMs: number | null
  /** Null when no response head arrived. */
  status: number | null
  /** Null for a success. */
  errorClass: ErrorClass | null
  /**
   * Milliseconds that a 429 or 503 asked us to wait (Retry-After, from its arrival); null when it
   * asked for none.
   */
  retryAfterMs: number | null
  /** The start of the response body, for the attempt log. */
  body: string
}

/** Makes one attempt. Every external failure is an outcome; the promise never rejects. */
export type Send = (delivery: ClaimedDelivery & Posting) => Promise<AttemptOutcome>

/**
 * The outcome of an attempt that ended before it reached the receiver, or whose result is unknown.
 */
export function notSent(
  errorClass: ErrorClass,
  startedAt: EpochMs,
  durationMs = 0,
): AttemptOutcome {
  return {
    startedAt,
    durationMs,
    connectedMs: null,
    answeredMs: null,
    status: null,
    errorClass,
    retryAfterMs: null,
    body: '',
  }
}
