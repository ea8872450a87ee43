// Delivery → HTTP request without its signatures: the stored bytes as they are, and headers that name event and attempt.
import { ATTEMPTS_MAX, type ClaimedDelivery } from './delivery.ts'

export interface DeliveryRequest {
  url: URL
  headers: { [name: string]: string }
  /** Never parsed or rendered again: what was stored is what is signed and sent. */
  body: Buffer
}

export function composeRequest(delivery: ClaimedDelivery): DeliveryRequest {
  return {
    url: new URL(delivery.url),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-event-id': delivery.eventId,
      'svc-delivery-id': delivery.id,
      'svc-attempt': delivery.attempt + '/' + ATTEMPTS_MAX,
    },
    body: delivery.body,
  }
}
