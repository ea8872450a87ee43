// The results of an endpoint in the last day, and the deliveries that wait for it now, as its
// tenant sees them.
import { type Static, Type } from 'typebox'

const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

const SUMS = {
  succeeded: Type.Integer(),
  /** Those that timed out among them. */
  failed: Type.Integer(),
  timed_out: Type.Integer(),
  /** The share of attempts that succeeded, 0 to 1; null without attempts. */
  success_share: Type.Union([Type.Number(), Type.Null()]),
  /** Deliveries whose first attempt was made. */
  first_tries: Type.Integer(),
  /** The share of them that were delivered by it, 0 to 1; null without one. */
  first_try_share: Type.Union([Type.Number(), Type.Null()]),
  /**
   * Until the first byte of the answer, in milliseconds, of attempts that got one; estimated within
   * powers of two.
   */
  answer_ms: Type.Object({ p50: Milliseconds, p95: Milliseconds, p99: Milliseconds }),
}

const WAITING = {
  /** Deliveries that wait to be sent, counted up to 10,000; 0 while the endpoint is disabled. */
  pending: Type.Integer(),
  /** Deliveries that wait until the endpoint is enabled, counted up to 10,000. */
  held: Type.Integer(),
  /** Seconds since the oldest of these was made; null where there is none. */
  oldest_age_seconds: Type.Union([Type.Integer(), Type.Null()]),
  /** When the next attempt is due, in Unix seconds; null where none is waited for. */
  next_attempt_at: Type.Union([Type.Integer(), Type.Null()]),
}

export const WebhookEndpointStatistics = Type.Object({
  object: Type.Literal('webhook_endpoint_statistics'),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  /**
   * Attempts of the last 24 hours, the one that has begun included; by real time, whatever a
   * sandbox clock says.
   */
  total: Type.Object(SUMS),
  /** The same hour by hour, oldest first. */
  hours: Type.Array(
    Type.Object({
      /** When it began, in Unix seconds. */
      hour: Type.Integer(),
      ...SUMS,
    }),
  ),
  ...WAITING,
})
export type WebhookEndpointStatistics = Static<typeof WebhookEndpointStatistics>

/** One endpoint among the others: how it did in the last day, and what waits for it. */
export const WebhookEndpointHealth = Type.Object({
  /** The id of the endpoint. */
  id: Type.String(),
  object: Type.Literal('webhook_endpoint_health'),
  livemode: Type.Boolean(),
  /** The address of the endpoint. */
  url: Type.String(),
  status: Type.Enum(['enabled', 'disabled']),
  /** As in the statistics of the endpoint. */
  total: Type.Object(SUMS),
  ...WAITING,
})
export type WebhookEndpointHealth = Static<typeof WebhookEndpointHealth>
