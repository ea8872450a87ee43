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
  realtime: Type.Object({
    /** True of the one endpoint per tenant and environment that is asked before an authorization is approved. */
    is_realtime: Type.Boolean(),
    /** Of that one: whether it is asked. `unknown` while the engine is away. */
    breaker: Type.Union([
      Type.Object({
        state: Type.Enum(['closed', 'open', 'half_open', 'unknown']),
        /** Unix seconds when it last opened or closed; null where it never opened since the engine started. */
        since: Type.Union([Type.Integer(), Type.Null()]),
        opened_count: Type.Union([Type.Integer(), Type.Null()]),
      }),
      Type.Null(),
    ]),
  }),
  disabled_reason: Type.Optional(Type.String()),
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>
