// The log line of one attempt.
import type { EndedAttempt } from './settle.ts'

/** Log fields of an attempt: identifiers and result, never the contents of request or response. */
export function describeAttempt({ delivery, outcome }: EndedAttempt) {
  const { id, eventId, resourceId, endpointId, attempt } = delivery
  const { status, errorClass, durationMs } = outcome
  return {
    correlation_id: resourceId,
    event_id: eventId,
    endpoint_id: endpointId,
    delivery_id: id,
    attempt,
    status,
    errorClass,
    durationMs,
  }
}
