// The span of one attempt, in the trace of the transaction that the event tells of. An event about
// anything else has a trace of its own, which holds its attempts.
import {
  spanOfAttempt,
  spanOfEvent,
  traceOfEvent,
  traceOfTransaction,
  traceparent,
} from '../../../shared/trace-id.ts'
import type { SpanRecord } from '../../tracing/span.ts'
import type { ClaimedDelivery } from './delivery.ts'
import type { EndedAttempt } from './settle.ts'

type Attempt = Pick<ClaimedDelivery, 'id' | 'cycle' | 'attempt' | 'eventId' | 'resourceId'>

/** The `traceparent` that the request carries; `share` is the share of traces that are kept. */
export function attemptTraceparent(attempt: Attempt, share: number): string {
  const { id, cycle, attempt: number, eventId, resourceId } = attempt
  const spanId = spanOfAttempt(id, cycle, number)
  return traceparent(traceOfEvent(eventId, resourceId), spanId, share)
}

/** Ids and result of an attempt, never the contents of request or response. */
export function attemptSpan({ delivery, outcome, verdict }: EndedAttempt): SpanRecord {
  const { id, cycle, attempt, eventId, resourceId } = delivery
  const { status, errorClass, startedAt, durationMs } = outcome
  return {
    service: 'svc-dispatcher',
    name: 'webhook',
    kind: 'client',
    traceId: traceOfEvent(eventId, resourceId),
    spanId: spanOfAttempt(id, cycle, attempt),
    parentId: traceOfTransaction(resourceId) === null ? null : spanOfEvent(eventId),
    startedAtMs: startedAt,
    endedAtMs: startedAt + durationMs,
    attributes: {
      'svc.event_id': eventId,
      'svc.delivery_id': id,
      'svc.endpoint_id': delivery.endpointId,
      'svc.tenant_id': delivery.tenantId,
      'svc.environment': delivery.environment,
      'svc.cause': delivery.cause,
      'svc.attempt': attempt,
      'svc.verdict': verdict.kind,
      ...(status !== null && { 'http.response.status_code': status }),
      ...(errorClass !== null && { 'error.type': errorClass }),
    },
    failed: errorClass !== null,
  }
}
