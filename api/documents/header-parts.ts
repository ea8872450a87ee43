// Headers of requests, answers and deliveries, and the credentials, as parts that operations of a
// document refer to.
import { KEY_SCOPES } from '../../shared/api-key.ts'
import type { AnyRoute } from '../http/route.ts'
import { API_VERSIONS } from '../http/versions/chain.ts'

/** The credential of a tenant's or of an operator's calls. */
export function securitySchemeOf(audience: AnyRoute['caller']): { [name: string]: unknown } {
  return audience === 'tenant'
    ? {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key of the tenant: svc_sk_sandbox_… or svc_sk_live_…. Its scope is ' +
            KEY_SCOPES.join(', ') +
            '; `x-svc-scope` of an operation names the scope that it needs.',
        },
      }
    : {
        operatorKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The credential of an operator of the installation: svc_op_….',
        },
      }
}

export const ANSWER_HEADER_PARTS: { [name: string]: unknown } = Object.fromEntries(
  (
    [
      ['Request-Id', 'string', 'Names the request in our log.'],
      ['Svc-Version', 'string', 'The version that the answer is in.'],
      ['X-RateLimit-Limit', 'integer', 'Calls a minute in this bucket; bursts may be twice that.'],
      ['X-RateLimit-Remaining', 'integer', 'Calls of the limit that are left now.'],
      ['X-RateLimit-Reset', 'integer', 'Unix second at which the whole limit is there again.'],
      ['X-RateLimit-Resource', 'string', 'The bucket.'],
      ['Svc-Billing-Status', 'string', 'While you owe: `past_due`, `restricted` or `suspended`.'],
      ['Retry-After', 'integer', 'Seconds to wait before the next attempt.'],
      ['Idempotent-Replayed', 'string', '`true`: the answer of the first call under this key.'],
    ] as const
  ).map(([name, type, description]) => [name, { description, schema: { type } }]),
)

export const PARAMETER_PARTS: { [name: string]: unknown } = {
  SvcVersion: header(
    'Svc-Version',
    'Shows this answer in another version than your pinned one, which is the default.',
    { enum: [...API_VERSIONS] },
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Of your choice, up to 255 characters: a call that is repeated under it within 24 hours is carried out once. Without one every repetition is a new call.',
    { maxLength: 255 },
  ),
  SvcFactor: header(
    'Svc-Factor',
    'The token of an approved challenge: the proof of a fresh second factor for this very call. Without one the call is refused with `factor_required`.',
  ),
  'Svc-Signature': header(
    'Svc-Signature',
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed by the endpoint’s secret; one v1 per active secret.',
  ),
  'Svc-Event-Id': header('Svc-Event-Id', 'The id of the event, the same at every attempt.'),
  'Svc-Delivery-Id': header('Svc-Delivery-Id', 'The id of the delivery to this endpoint.'),
  'Svc-Attempt': header('Svc-Attempt', 'The number of this attempt of five, as `2/5`.'),
  'Svc-Replay': header('Svc-Replay', '`true` where you asked for the delivery again.'),
  'Svc-Test': header('Svc-Test', '`true` where you asked for a test.'),
  'webhook-id': header('webhook-id', 'The event’s id (Standard Webhooks).'),
  'webhook-timestamp': header('webhook-timestamp', 'When it was signed (Standard Webhooks).'),
  'webhook-signature': header(
    'webhook-signature',
    'The signature as Standard Webhooks defines it.',
  ),
  'Svc-Deadline-Ms': header('Svc-Deadline-Ms', 'Milliseconds that are left for the whole answer.'),
}

function header(name: string, description: string, bounds: object = {}) {
  return { name, in: 'header', required: false, description, schema: { type: 'string', ...bounds } }
}
