// The headers of an authorization request that do not depend on its moment of sending.
import { signatureHeader, standardSignature } from '../../shared/signature.ts'
import type { EndpointRequest } from './caller.ts'

/**
 * Both signatures, each by every secret, old first: `Svc-Signature` and the three headers of
 * Standard Webhooks.
 */
export function signedHeaders(request: EndpointRequest, timestamp: number): Record<string, string> {
  const { body, requestId, secrets } = request
  const standard = secrets.map((secret) => standardSignature(secret, requestId, timestamp, body))
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Realtime/1',
    'Svc-Event-Id': requestId,
    'Svc-Signature': signatureHeader(secrets, timestamp, body),
    'webhook-id': requestId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}
