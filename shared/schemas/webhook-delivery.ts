// The delivery of one event to one endpoint, as its tenant sees it, with every attempt.
import { type Static, Type } from 'typebox'
import { MOMENT } from './moment.ts'

export const DELIVERY_STATES = ['pending', 'held', 'succeeded', 'failed', 'canceled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DELIVERY_CAUSES = ['event', 'replay', 'recovery', 'test'] as const
export type DeliveryCause = (typeof DELIVERY_CAUSES)[number]

const MomentOrNull = Type.Union([Type.Integer(), Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const NumberOrNull = Type.Union([Type.Integer(), Type.Null()])

export const WebhookDelivery = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_delivery'),
  /**
   * The time of the fan-out of the event, in Unix seconds. Chosen: deliveries use real time,
   * whatever a sandbox clock says.
   */
  created: Type.Integer(),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  /** The event that is sent. A test’s is none of your events. */
  event_id: Type.String(),
  event_type: Type.String(),
  /**
   * Why it was sent last: because the event happened, or because you asked for it: replay, recovery
   * or test.
   */
  cause: Type.Enum([...DELIVERY_CAUSES]),
  /** The recovery that asked for it; null where none did. */
  recovery_id: TextOrNull,
  /**
   * Pending until an attempt succeeds; held while its endpoint is disabled; canceled when its
   * endpoint was deleted.
   */
  state: Type.Enum([...DELIVERY_STATES]),
  /**
   * 1, and one more each time it is sent again after it ended or after its endpoint was enabled.
   */
  cycle: Type.Integer(),
  /** Attempts of this cycle, at most five; one that is under way is counted. */
  attempts: Type.Integer(),
  /** Unix seconds; null where none is waited for. */
  next_attempt_at: MomentOrNull,
  /** The HTTP status of the latest attempt; null if no answer came. */
  last_status: NumberOrNull,
  /** The reason why the latest attempt failed, as error_class of attempts names it. */
  last_error: TextOrNull,
  finished_at: MomentOrNull,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryAttempt = Type.Object({
  object: Type.Literal('webhook_delivery_attempt'),
  delivery_id: Type.String(),
  cycle: Type.Integer(),
  /** Which attempt of its cycle, 1 to 5. */
  n: Type.Integer(),
  /** Why the delivery was sent when this attempt was made. */
  cause: Type.Enum([...DELIVERY_CAUSES]),
  /** ISO 8601 with milliseconds. */
  started_at: MOMENT,
  /** Milliseconds until it was over. */
  duration_ms: Type.Integer(),
  /**
   * Milliseconds until a fresh connection stood, names and TLS included; null on one that had
   * served before, or where none came about.
   */
  connected_ms: NumberOrNull,
  /** Milliseconds until the first byte of the answer; null where none came. */
  answered_ms: NumberOrNull,
  /** The status of the answer; null where none came. */
  response_status: NumberOrNull,
  /**
   * Null where it succeeded. `http`: another status than 2xx. `interrupted`: we were; it may or may
   * not have reached you.
   */
  error_class: TextOrNull,
  /** The beginning of the answer’s body. Numbers of cards are cut out. */
  response_body: Type.String(),
})
export type WebhookDeliveryAttempt = Static<typeof WebhookDeliveryAttempt>

export const WebhookDeliveryRequest = Type.Object({
  object: Type.Literal('webhook_delivery_request'),
  livemode: Type.Boolean(),
  delivery_id: Type.String(),
  /** Every delivery is a POST. */
  method: Type.Literal('POST'),
  /** The address of the endpoint now. */
  url: Type.String(),
  /**
   * Headers of the latest attempt, or of the first to come, by their names in small letters. Those
   * of the signature are left out: each attempt makes them with the secrets of your endpoint and
   * its own moment.
   */
  headers: Type.Record(Type.String(), Type.String()),
  /** Names of the headers that an attempt adds when it signs. */
  signature_headers: Type.Array(Type.String()),
  /**
   * The text of the body. Its UTF-8 bytes are sent and signed as they stand: parsing and writing it
   * anew gives other bytes. Null where it is no longer kept, as of an ended test.
   */
  body: TextOrNull,
  /** The length of the body in bytes; null where it is no longer kept. */
  body_bytes: NumberOrNull,
})
export type WebhookDeliveryRequest = Static<typeof WebhookDeliveryRequest>
