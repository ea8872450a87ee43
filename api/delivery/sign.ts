// Signs one attempt with the moment it leaves. Retries carry identical bytes under a fresh timestamp. Spec 6.1.
import { type EpochMs, unixSeconds } from '../../shared/clock.ts'
import { signatureHeader, standardSignature } from '../../shared/signature.ts'
import type { DeliveryRequest } from './compose.ts'

export interface SigningInput {
  eventId: string
  /** Old first: receivers still on the old secret stop at the first match. */
  secrets: readonly string[]
  now: EpochMs
}

/** Adds `Svc-Signature` and the three Standard Webhooks headers, so that existing verifiers work unchanged. */
export function signRequest(request: DeliveryRequest, input: SigningInput): DeliveryRequest {
  const { eventId, secrets } = input
  const timestamp = unixSeconds(input.now)
  return {
    ...request,
    headers: {
      ...request.headers,
      'svc-signature': signatureHeader(secrets, timestamp, request.body),
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets
        .map((secret) => standardSignature(secret, eventId, timestamp, request.body))
        .join(' '),
    },
  }
}
