// A tenant's webhook endpoint as the outside sees it. Spec 2.9. Its secrets are never in it.
import type { Static } from 'typebox'
import { EVENT_TYPE_NAMES } from '../event-catalog.ts'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { DISABLED_REASON } from './explained.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_endpoint'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  url: described(Type.String(), 'Where events are sent, with POST.'),
  description: described(Type.String(), 'The purpose of the endpoint, in your words.'),
  event_types: described(Type.Union([Type.Array(Type.String()), Type.Null()]), 'Null: every type.'),
  status: Type.Enum(['enabled', 'disabled']),
  realtime: described(
    Type.Object({
      is_realtime: described(
        Type.Boolean(),
        'True of the one endpoint per tenant and environment that is asked before an authorization is approved.',
      ),
      breaker: described(
        Type.Union([
          Type.Object({
            state: described(
              Type.Enum(['closed', 'open', 'half_open', 'unknown']),
              'closed: it is asked. open: it is not, because it failed too often. half_open: it is tried again.',
            ),
            since: described(
              Type.Union([Type.Integer(), Type.Null()]),
              'Unix seconds when it last opened or closed; null where it never opened since the engine started.',
            ),
            opened_count: described(
              Type.Union([Type.Integer(), Type.Null()]),
              'How often it opened since the engine started; null where that is not known.',
            ),
          }),
          Type.Null(),
        ]),
        'For the real-time endpoint: whether it is asked. unknown while the engine is away.',
      ),
    }),
    'Whether it is asked before an authorization is approved.',
  ),
  disabled_reason: described(
    Type.Optional(DISABLED_REASON),
    'Why it was disabled; absent while it is enabled.',
  ),
  disabled_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds; null while it is enabled.',
  ),
  signing_secrets: described(
    Type.Array(
      Type.Object({
        id: Type.String(),
        created: Type.Integer(),
        expires_at: described(
          Type.Union([Type.Integer(), Type.Null()]),
          'The time of the automatic revocation, in Unix seconds of your clock; null without one.',
        ),
      }),
    ),
    'Every active one signs each delivery, the older first. Two while one replaces the other.',
  ),
  ...TENANT_FIELDS,
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** With a fresh secret, which is shown this once. */
export const SecretEndpoint = Type.Object({ ...WebhookEndpoint.properties, secret: Type.String() })
export type SecretEndpoint = Static<typeof SecretEndpoint>

export const DeletedEndpoint = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_endpoint'),
  deleted: Type.Literal(true),
})
export type DeletedEndpoint = Static<typeof DeletedEndpoint>

/** The fields of an endpoint that a caller may set, beside its address. */
export const ENDPOINT_INPUT = {
  description: Type.Optional(
    Type.String({ maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
  ),
  event_types: described(
    Type.Optional(
      Type.Union([
        Type.Array(Type.Enum(EVENT_TYPE_NAMES), {
          minItems: 1,
          maxItems: EVENT_TYPE_NAMES.length,
          uniqueItems: true,
        }),
        Type.Null(),
      ]),
    ),
    'Types that are sent to it; null for every type, also of those to come.',
  ),
}
