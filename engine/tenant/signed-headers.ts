// The headers of an authorization request that do not depend on its moment of sending.
import type { EventEnvelope } from '../../shared/schemas/event.ts'
import { signatureHeader, standardSignature } from '../../shared/signature.ts'
import { spanOfTenantCall, traceOfTransaction, traceparent } from '../../shared/trace-id.ts'
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

/**
 * The W3C trace context of a request, `share` being the share of traces that are kept. The body is
 * ours: it names the transaction, so the decision thread does nothing for a trace.
 */
export function traceHeaders(
  { body, requestId }: EndpointRequest,
  share: number,
): Record<string, string> {
  const { data } = JSON.parse(body) as EventEnvelope<{ transaction: { id: string } }>
  const traceId = traceOfTransaction(data.transaction.id)
  return traceId === null
    ? {}
    : { traceparent: traceparent(traceId, spanOfTenantCall(requestId), share) }
}
