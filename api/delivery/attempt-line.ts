// The line of the log about one attempt.
import type { EndedAttempt } from './settle.ts'

/** Whom it went to and how it ended; nothing of the request or the response. */
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
