// The meaning and the remedy of the ways in which an attempt of a webhook fails, for the reference.
// A failure without a row here does not compile.
import type { ValueExplanation } from './value-explanation.ts'

const ROWS = {
  http: {
    meaning: 'The answer had a status outside 200 to 299; `response_status` says which.',
    remedy: 'Answer 200 once the event is stored. Redirects are not followed.',
  },
  dns: {
    meaning: 'The host of the URL has no address.',
    remedy: 'Correct the URL or the DNS record of its host.',
  },
  blocked_address: {
    meaning: 'The host of the URL leads to a private or reserved address, which is never called.',
    remedy: 'Give the endpoint a public address.',
  },
  connect: {
    meaning: 'No connection to your server came about.',
    remedy: 'Look at firewalls, load balancers and the port of the URL.',
  },
  tls: {
    meaning: 'The TLS handshake failed.',
    remedy: 'Renew the certificate; serve its whole chain and the name of the URL.',
  },
  timeout: {
    meaning: 'The attempt took longer than 15 seconds.',
    remedy: 'Store the event, answer, and work afterwards.',
  },
  reset: {
    meaning: 'The connection broke before an answer was there.',
    remedy: 'Look at restarts and idle timeouts of your server and its load balancer.',
  },
  invalid_response: {
    meaning: 'The answer was no HTTP that can be read.',
    remedy: 'Let a web server or a library write the answer.',
  },
  invalid_url: {
    meaning: 'The URL cannot be called.',
    remedy: 'Change `url` of the endpoint.',
  },
  interrupted: {
    meaning: 'The service was interrupted; the attempt may have reached you.',
    remedy: 'Nothing is to be done: the next attempt has the same `Svc-Event-Id`.',
  },
  expired: {
    meaning: 'The event is kept no longer, so it cannot be sent; the delivery has failed.',
    remedy: 'Read the resource itself; enable an endpoint again before its events expire.',
  },
  endpoint_deleted: {
    meaning: 'The endpoint was deleted before the delivery succeeded; the delivery is canceled.',
    remedy: 'Read the event with `GET /v1/events`, or replay it to another endpoint.',
  },
} as const satisfies { readonly [name: string]: ValueExplanation }

export type DeliveryError = keyof typeof ROWS
export const DELIVERY_ERROR_REFERENCE: { readonly [Name in DeliveryError]: ValueExplanation } = ROWS
