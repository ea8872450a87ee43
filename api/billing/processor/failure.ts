// The failures of the processor. The SDK throws; this table says how each error is handled.

/** `unknown`: nobody knows whether the call took effect; look before anything is repeated. */
export type ProcessorFailure =
  | { kind: 'declined'; code: string; declineCode: string | null; needsAction: boolean }
  /** The processor refuses the call: go by the state of the object, never by codes. */
  | { kind: 'refused' }
  /** A key was used with other parameters: a mistake of ours. */
  | { kind: 'wrong_key' }
  /** Our credential is not accepted. */
  | { kind: 'closed' }
  | { kind: 'busy'; retryAfterMs: number }
  | { kind: 'unknown'; problem: string }

const RETRY_AFTER_MS = 5000
const RETRY_AFTER_MS_MAX = 300_000
const NEEDS_ACTION = /requires_action|authentication_required/
const CODE = /^[a-z0-9_]{1,64}$/

const BACKOFF_MS_MIN = 1000
const BACKOFF_MS_MAX = 3_600_000
/** Chosen: our credential is not accepted. */
const CLOSED_MS = 300_000

/** The parts of an SDK error that the table reads; its texts are never kept. */
interface Thrown {
  type?: unknown
  code?: unknown
  decline_code?: unknown
  headers?: { readonly [name: string]: unknown }
}

/** Reads an error of the SDK. Every other error is unknown too: the call may have arrived. */
export function failureOf(error: unknown): ProcessorFailure {
  const { type, code, decline_code, headers } = (error ?? {}) as Thrown
  switch (type) {
    case 'StripeCardError': {
      const needsAction = NEEDS_ACTION.test(codeOf(code) ?? '')
      const declineCode = needsAction ? codeOf(decline_code) : declineCodeOf({ decline_code, code })
      return { kind: 'declined', code: codeOf(code) ?? 'card_declined', declineCode, needsAction }
    }
    case 'StripeInvalidRequestError':
      return { kind: 'refused' }
    case 'StripeIdempotencyError':
      return { kind: 'wrong_key' }
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return { kind: 'closed' }
    case 'StripeRateLimitError':
      return { kind: 'busy', retryAfterMs: retryAfterMs(headers?.['retry-after']) }
    default:
      return { kind: 'unknown', problem: typeof type === 'string' ? type : 'no_answer' }
  }
}

/** The reason of a decline. Banks of bank debits give none, then the code of the error is. */
export function declineCodeOf({ decline_code, code }: Pick<Thrown, 'code' | 'decline_code'>) {
  return codeOf(decline_code) ?? codeOf(code)
}

/** A code of the processor; null for every other text, which is never kept. */
function codeOf(text: unknown): string | null {
  return typeof text === 'string' && CODE.test(text) ? text : null
}

function retryAfterMs(header: unknown): number {
  const seconds = typeof header === 'string' && /^\d{1,5}$/.test(header) ? Number(header) : null
  return seconds === null ? RETRY_AFTER_MS : Math.min(seconds * 1000, RETRY_AFTER_MS_MAX)
}

/** Milliseconds until the next try after a failure. */
export function backoffMs(failure: ProcessorFailure, failures: number): number {
  if (failure.kind === 'closed') return CLOSED_MS
  if (failure.kind === 'busy') return failure.retryAfterMs
  return Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures, 20))
}
