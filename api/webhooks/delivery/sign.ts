// Signs one attempt with the moment of its sending. Retries carry identical bytes under a fresh
// timestamp. Spec 6.1.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import {
  type SigningKey,
  signatureHeader,
  signingKey,
  standardSignature,
} from '../../../shared/signature.ts'
import type { DeliveryRequest } from './compose.ts'
import { createRecent } from './recent.ts'

/** Keys cached per thread: a secret is decoded once, not per attempt. */
const KEYS_MAX = 4096
const KEYS = createRecent<SigningKey>(KEYS_MAX)

/** Headers that `signRequest` adds. */
export const SIGNATURE_HEADERS = [
  'svc-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const

export interface SigningInput {
  eventId: string
  /** Oldest first: receivers still on the old secret stop at the first match. */
  secrets: readonly string[]
  now: EpochMs
}

/**
 * Adds `Svc-Signature` and the three Standard Webhooks headers, so that existing verifiers work
 * unchanged.
 */
export function signRequest(request: DeliveryRequest, input: SigningInput): DeliveryRequest {
  const { eventId } = input
  const timestamp = unixSeconds(input.now)
  const keys = input.secrets.map(keyOf)
  const whole = keys.map((key) => key.whole)
  return {
    ...request,
    headers: {
      ...request.headers,
      'svc-signature': signatureHeader(whole, timestamp, request.body),
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': keys
        .map(({ decoded }) => standardSignature(decoded, eventId, timestamp, request.body))
        .join(' '),
    },
  }
}

function keyOf(secret: string): SigningKey {
  const known = KEYS.get(secret)
  if (known !== undefined) return known
  const key = signingKey(secret)
  KEYS.keep(secret, key)
  return key
}
