// An authorization request as one HTTP request: signed like a real one, or signed wrongly on
// purpose. Both signatures, the service's own and that of Standard Webhooks, are always right or
// wrong together: a tenant may verify either.
import { type EpochMs, unixSeconds } from '../../../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../../../shared/limits.ts'
import { signatureHeader, standardSignature } from '../../../../shared/signature.ts'

export interface ProbeRequest {
  method: 'POST' | 'GET' | 'HEAD'
  headers: Readonly<Record<string, string>>
  /** Empty for GET and HEAD. */
  body: string
  /** Number of pieces of the body, and the pause before each. */
  pieces: number
  pauseMs: number
}

export interface Signing {
  secrets: readonly string[]
  requestId: string
  now: EpochMs
  /** Names the certification to the tenant, who can leave it out of its books. */
  certificationId: string
}

/** Returns a body with its signatures by every secret, made `ageS` seconds ago. */
export function signedRequest(body: string, signing: Signing, ageS = 0): ProbeRequest {
  const { secrets, requestId } = signing
  const timestamp = unixSeconds(signing.now) - ageS
  const standard = secrets.map((secret) => standardSignature(secret, requestId, timestamp, body))
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Svc-Realtime/1',
      'svc-certification': signing.certificationId,
      'svc-event-id': requestId,
      'svc-deadline-ms': String(AUTH_BUDGET_MS),
      'svc-signature': signatureHeader(secrets, timestamp, body),
      'webhook-id': requestId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standard.join(' '),
    },
    body,
    pieces: 1,
    pauseMs: 0,
  }
}

/** Returns the same request with some headers changed. */
export function withHeaders(
  request: ProbeRequest,
  change: Readonly<Record<string, string>>,
): ProbeRequest {
  return { ...request, headers: { ...request.headers, ...change } }
}

/** Returns the same request without any signature. */
export function unsigned(request: ProbeRequest): ProbeRequest {
  const { 'svc-signature': _ours, 'webhook-signature': _standard, ...headers } = request.headers
  return { ...request, headers }
}

/** Changes one digit of every signature. */
export function altered(request: ProbeRequest): ProbeRequest {
  const { 'svc-signature': ours = '', 'webhook-signature': standard = '' } = request.headers
  return withHeaders(request, {
    'svc-signature': ours.replaceAll(/(?<=v1=[0-9a-f]{63})./g, (digit) =>
      digit === '0' ? '1' : '0',
    ),
    // The change is in the second character, because the last one is padding.
    'webhook-signature': standard.replaceAll(/(?<=v1,.)./g, (one) => (one === 'A' ? 'B' : 'A')),
  })
}
