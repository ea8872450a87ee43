// A range of events that is sent to one endpoint again, as its tenant sees it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const RECOVERED = ['failed', 'missed', 'all'] as const
export type Recovered = (typeof RECOVERED)[number]

const CANCEL_REASONS = ['asked', 'endpoint_disabled'] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]

export const WebhookRecovery = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook_recovery'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  which: described(
    Type.Enum([...RECOVERED]),
    'The events to send again: those whose delivery failed or was canceled, those that came while the endpoint was disabled, or all that it takes.',
  ),
  event_types: described(
    Type.Union([Type.Array(Type.String()), Type.Null()]),
    'Only these types; null for all.',
  ),
  since: described(MOMENT, 'Events created at or after this moment, ISO 8601.'),
  until: described(MOMENT, 'Events created at or before this moment, ISO 8601.'),
  status: described(
    Type.Enum(['running', 'completed', 'canceled']),
    'Running until every matching event was handed out. Its deliveries go on by themselves.',
  ),
  cancel_reason: described(
    Type.Union([Type.Enum([...CANCEL_REASONS]), Type.Null()]),
    'asked: a call canceled it. endpoint_disabled: its endpoint was disabled; make another one once the endpoint is enabled. Null where it was not canceled.',
  ),
  matched: described(Type.Integer(), 'Events found so far.'),
  finished_at: Type.Union([Type.Integer(), Type.Null()]),
  ...TENANT_FIELDS,
})
export type WebhookRecovery = Static<typeof WebhookRecovery>

/** The response to a dry run, which makes nothing. */
export const WebhookRecoveryCount = Type.Object({
  object: Type.Literal('webhook_recovery_count'),
  livemode: Type.Boolean(),
  endpoint_id: Type.String(),
  matched: described(Type.Integer(), 'Events that the recovery would send, counted up to 10,000.'),
  at_least: described(Type.Boolean(), 'True if there may be more than the number in matched.'),
})
export type WebhookRecoveryCount = Static<typeof WebhookRecoveryCount>
