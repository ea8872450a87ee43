// The delivery of one event to one endpoint, as its tenant sees it, with every attempt.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DELIVERY_ERROR } from './explained.ts'
import { MOMENT } from './moment.ts'

export const DELIVERY_STATES = ['pending', 'held', 'succeeded', 'failed', 'canceled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DELIVERY_CAUSES = ['event', 'replay', 'recovery', 'test'] as const
export type DeliveryCause = (typeof DELIVERY_CAUSES)[number]

const MomentOrNull = Type.Union([Type.Integer(), Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const ErrorOrNull = Type.Union([DELIVERY_ERROR, Type.Null()])
const NumberOrNull = Type.Union([Type.Integer(), Type.Null()])

export const WebhookDelivery = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_delivery'),
  created: described(
    Type.Integer(),
    'The time of the fan-out of the event, in Unix seconds. Deliveries use real time, whatever a sandbox clock says.',
  ),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  event_id: described(Type.String(), 'The event that is sent. A test’s is none of your events.'),
  event_type: Type.String(),
  cause: described(
    Type.Enum([...DELIVERY_CAUSES]),
    'Why it was sent last: because the event happened, or because you asked for it: replay, recovery or test.',
  ),
  recovery_id: described(TextOrNull, 'The recovery that asked for it; null where none did.'),
  state: described(
    Type.Enum([...DELIVERY_STATES]),
    'Pending until an attempt succeeds; held while its endpoint is disabled; canceled when its endpoint was deleted.',
  ),
  cycle: described(
    Type.Integer(),
    '1, and one more each time it is sent again after it ended or after its endpoint was enabled.',
  ),
  attempts: described(
    Type.Integer(),
    'Attempts of this cycle, at most five; one that is under way is counted.',
  ),
  next_attempt_at: described(MomentOrNull, 'Unix seconds; null where none is waited for.'),
  last_status: described(
    NumberOrNull,
    'The HTTP status of the latest attempt; null if no answer came.',
  ),
  last_error: described(
    ErrorOrNull,
    'The reason why the latest attempt failed, as error_class of attempts names it.',
  ),
  finished_at: MomentOrNull,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryAttempt = Type.Object({
  object: Type.Literal('webhook_delivery_attempt'),
  delivery_id: Type.String(),
  cycle: described(
    Type.Integer(),
    '1, and one more each time it is sent again after it ended or after its endpoint was enabled.',
  ),
  n: described(Type.Integer(), 'Which attempt of its cycle, 1 to 5.'),
  cause: described(
    Type.Enum([...DELIVERY_CAUSES]),
    'Why the delivery was sent when this attempt was made.',
  ),
  started_at: described(MOMENT, 'ISO 8601 with milliseconds.'),
  duration_ms: described(Type.Integer(), 'Milliseconds until it was over.'),
  connected_ms: described(
    NumberOrNull,
    'Milliseconds until a fresh connection stood, names and TLS included; null on one that had served before, or where none came about.',
  ),
  answered_ms: described(
    NumberOrNull,
    'Milliseconds until the first byte of the answer; null where none came.',
  ),
  response_status: described(NumberOrNull, 'The status of the answer; null where none came.'),
  error_class: described(ErrorOrNull, 'The reason of the failure; null where it succeeded.'),
  response_body: described(
    Type.String(),
    'The beginning of the answer’s body. Numbers of cards are cut out.',
  ),
})
export type WebhookDeliveryAttempt = Static<typeof WebhookDeliveryAttempt>

export const WebhookDeliveryRequest = Type.Object({
  object: Type.Literal('webhook_delivery_request'),
  livemode: Type.Boolean(),
  delivery_id: Type.String(),
  method: described(Type.Literal('POST'), 'Every delivery is a POST.'),
  url: described(Type.String(), 'The address of the endpoint now.'),
  headers: described(
    Type.Record(Type.String(), Type.String()),
    'Headers of the latest attempt, or of the first to come, by their names in small letters. Those of the signature are left out: each attempt makes them with the secrets of your endpoint and its own moment.',
  ),
  signature_headers: described(
    Type.Array(Type.String()),
    'Names of the headers that an attempt adds when it signs.',
  ),
  body: described(
    TextOrNull,
    'The text of the body. Its UTF-8 bytes are sent and signed as they stand: parsing and writing it anew gives other bytes. Null where it is no longer kept, as of an ended test.',
  ),
  body_bytes: described(
    NumberOrNull,
    'The length of the body in bytes; null where it is no longer kept.',
  ),
})
export type WebhookDeliveryRequest = Static<typeof WebhookDeliveryRequest>
