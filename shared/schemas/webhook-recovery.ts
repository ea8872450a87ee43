// A range of events that is sent to one endpoint again, as its tenant sees it.
import { type Static, Type } from 'typebox'
import { MOMENT } from './moment.ts'
import { OWN_DATA } from './own-data.ts'

export const RECOVERED = ['failed', 'missed', 'all'] as const
export type Recovered = (typeof RECOVERED)[number]

export const WebhookRecovery = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_recovery'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  /**
   * The events to send again: those whose delivery failed or was canceled, those that came while
   * the endpoint was disabled, or all that it takes.
   */
  which: Type.Enum([...RECOVERED]),
  /** Only these types; null for all. */
  event_types: Type.Union([Type.Array(Type.String()), Type.Null()]),
  /** Events created at or after this moment, ISO 8601. */
  since: MOMENT,
  /** Events created at or before this moment, ISO 8601. */
  until: MOMENT,
  /** Running until every matching event was handed out. Its deliveries go on by themselves. */
  status: Type.Enum(['running', 'completed', 'canceled']),
  /** Why it was canceled: `asked` or `endpoint_disabled`; null where it was not. */
  cancel_reason: Type.Union([Type.String(), Type.Null()]),
  /** Events found so far. */
  matched: Type.Integer(),
  finished_at: Type.Union([Type.Integer(), Type.Null()]),
  ...OWN_DATA,
})
export type WebhookRecovery = Static<typeof WebhookRecovery>

/** The response to a dry run, which makes nothing. */
export const WebhookRecoveryCount = Type.Object({
  object: Type.Literal('webhook_recovery_count'),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  /** Events that the recovery would send, counted up to 10,000. */
  matched: Type.Integer(),
  /** True if there may be more than the number in matched. */
  at_least: Type.Boolean(),
})
export type WebhookRecoveryCount = Static<typeof WebhookRecoveryCount>
