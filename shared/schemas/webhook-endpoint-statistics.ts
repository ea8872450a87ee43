// The results of an endpoint in the last day, and the deliveries that wait for it now, as its
// tenant sees them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const Milliseconds = Type.Union([Type.Integer(), Type.Null()])

const SUMS = {
  succeeded: Type.Integer(),
  failed: described(Type.Integer(), 'Those that timed out among them.'),
  timed_out: Type.Integer(),
  success_share: described(
    Type.Union([Type.Number(), Type.Null()]),
    'The share of attempts that succeeded, 0 to 1; null without attempts.',
  ),
  first_tries: described(Type.Integer(), 'Deliveries whose first attempt ended.'),
  first_try_share: described(
    Type.Union([Type.Number(), Type.Null()]),
    'The share of them that were delivered by it, 0 to 1; null without one.',
  ),
  answer_ms: described(
    Type.Object({ p50: Milliseconds, p95: Milliseconds, p99: Milliseconds }),
    'Until the first byte of the answer, in milliseconds, of attempts that got one; estimated within powers of two.',
  ),
}

/** Deliveries that wait, counted up to a bound. */
const counted = (most: string) => ({
  pending: described(
    Type.Integer(),
    'Deliveries that wait to be sent, counted up to ' +
      most +
      '; 0 while the endpoint is disabled.',
  ),
  held: described(
    Type.Integer(),
    'Deliveries that wait until the endpoint is enabled, counted up to ' + most + '.',
  ),
})

const WAITING = {
  oldest_age_seconds: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Seconds since the oldest of these was made; null where there is none.',
  ),
  next_attempt_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'When the next attempt is due, in Unix seconds; null where none is waited for.',
  ),
}

export const WebhookEndpointStatistics = Type.Object({
  object: Type.Literal('webhook_endpoint_statistics'),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  total: described(
    Type.Object(SUMS),
    'Attempts of the last 24 hours, the one that has begun included; by real time, whatever a sandbox clock says.',
  ),
  hours: described(
    Type.Array(
      Type.Object({
        hour: described(Type.Integer(), 'When it began, in Unix seconds.'),
        ...SUMS,
      }),
    ),
    'The same hour by hour, oldest first.',
  ),
  ...counted('10,000'),
  ...WAITING,
})
export type WebhookEndpointStatistics = Static<typeof WebhookEndpointStatistics>

/** One endpoint among the others: how it did in the last day, and what waits for it. */
export const WebhookEndpointHealth = Type.Object({
  id: described(Type.String(), 'The id of the endpoint.'),
  object: Type.Literal('webhook_endpoint_health'),
  livemode: Type.Boolean(),
  url: described(Type.String(), 'The address of the endpoint.'),
  status: Type.Enum(['enabled', 'disabled']),
  total: described(Type.Object(SUMS), 'As in the statistics of the endpoint.'),
  ...counted('1,000'),
  ...WAITING,
})
export type WebhookEndpointHealth = Static<typeof WebhookEndpointHealth>
