// Delivery → HTTP request without its signatures: the event's bytes as they are, and headers that
// name event and attempt.
import { ATTEMPTS_MAX, type ClaimedDelivery, type Posting } from './delivery.ts'

export interface DeliveryRequest {
  url: URL
  headers: { [name: string]: string }
  /** Never parsed or rendered again: the recorded bytes are signed and sent. */
  body: Buffer
}

/** A requested delivery carries a header: a receiver that counts may tell it from a fresh event. */
const CAUSE_HEADERS: Readonly<Record<ClaimedDelivery['cause'], { [name: string]: string }>> = {
  event: {},
  replay: { 'svc-replay': 'true' },
  recovery: { 'svc-replay': 'true' },
  test: { 'svc-test': 'true' },
}

/** Returns the request of an attempt, without its signatures. */
export function composeRequest(
  delivery: Pick<Posting, 'id' | 'eventId' | 'cause' | 'attempt' | 'url' | 'body' | 'traceparent'>,
): DeliveryRequest {
  const { traceparent } = delivery
  return {
    url: new URL(delivery.url),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-event-id': delivery.eventId,
      'svc-delivery-id': delivery.id,
      'svc-attempt': delivery.attempt + '/' + ATTEMPTS_MAX,
      ...CAUSE_HEADERS[delivery.cause],
      ...(traceparent !== undefined && { traceparent }),
    },
    body: delivery.body,
  }
}
