// A tenant's webhook endpoint as the outside sees it. Spec 2.9. Its secrets are never in it.
import { type Static, Type } from 'typebox'

export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_endpoint'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  url: Type.String(),
  description: Type.String(),
  /** Null: every type. */
  event_types: Type.Union([Type.Array(Type.String()), Type.Null()]),
  status: Type.Enum(['enabled', 'disabled']),
  disabled_reason: Type.Optional(Type.String()),
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>
