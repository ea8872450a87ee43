// What travels through one attempt: the claimed delivery in, the outcome out. Plain data, so that a worker thread can
// hold either.
import type { EpochMs } from '../../shared/clock.ts'

/** Spec 6.1: the endpoint is disabled after so many failed attempts of one delivery. */
export const ATTEMPTS_MAX = 5

export interface ClaimedDelivery {
  id: string
  eventId: string
  /** What the event is about: the correlation id of the logs. */
  resourceId: string
  endpointId: string
  tenantId: string
  environment: string
  /** Why it is sent: the event itself, or somebody asked for it again. */
  cause: 'event' | 'replay' | 'recovery' | 'test'
  cycle: number
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

/** What the sending of a delivery needs to know of it. */
export interface Posting
  extends Pick<
    ClaimedDelivery,
    'id' | 'eventId' | 'tenantId' | 'environment' | 'cause' | 'attempt' | 'url' | 'body' | 'secrets'
  > {
  /** The end of its permit by this machine's clock, see pace.ts. Past it nothing is sent: the outcome is `too_late`. */
  sendBy: EpochMs
}

export type ErrorClass =
  | 'http'
  | 'dns'
  | 'blocked_address'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'invalid_response'
  | 'invalid_url'
  | 'interrupted'
  // Never written: the attempt is given back.
  | 'too_late'

export interface AttemptOutcome {
  startedAt: EpochMs
  durationMs: number
  /** Until a fresh connection was ready, names and TLS included; null on a reused one and when there was none. */
  connectedMs: number | null
  /** Until the head of the response arrived; null when none did. */
  answeredMs: number | null
  /** Null when no response head arrived. */
  status: number | null
  /** Null for a success. */
  errorClass: ErrorClass | null
  /** How long a 429 or 503 asked to be left alone (Retry-After, from when it arrived); null when it did not say. */
  retryAfterMs: number | null
  /** The start of the response body, for the attempt log. */
  body: string
}

/** Makes one attempt. Every failure of the world is an outcome; it never rejects. */
export type Send = (delivery: ClaimedDelivery & Posting) => Promise<AttemptOutcome>

/** The outcome of an attempt that ended before it could meet the receiver, or of which nothing is known. */
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
