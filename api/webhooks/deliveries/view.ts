// Only this module makes a delivery's row, or an attempt's, public.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type { DeliveryError } from '../../../shared/delivery-reference.ts'
import type {
  DeliveryCause,
  DeliveryState,
  WebhookDelivery,
  WebhookDeliveryAttempt,
} from '../../../shared/schemas/webhook-delivery.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface DeliveryRow {
  id: string
  environment: Environment
  eventId: string
  endpointId: string
  type: string
  cause: DeliveryCause
  recoveryId: string | null
  state: DeliveryState
  cycle: number
  attempts: number
  /** Null while an attempt is under way, and for ended deliveries. */
  dueAt: EpochMs | null
  lastStatus: number | null
  lastError: DeliveryError | null
  createdAt: EpochMs
  finishedAt: EpochMs | null
}

export function deliveryView(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    object: 'webhook_delivery',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    endpoint_id: row.endpointId,
    event_id: row.eventId,
    event_type: row.type,
    cause: row.cause,
    recovery_id: row.recoveryId,
    state: row.state,
    cycle: row.cycle,
    attempts: row.attempts,
    next_attempt_at: row.state === 'pending' ? secondsOrNull(row.dueAt) : null,
    last_status: row.lastStatus,
    last_error: row.lastError,
    finished_at: secondsOrNull(row.finishedAt),
  }
}

export interface AttemptRow {
  /** Index among the attempts of its delivery. */
  place: number
  deliveryId: string
  cycle: number
  n: number
  cause: DeliveryCause
  startedAt: EpochMs
  durationMs: number
  connectedMs: number | null
  answeredMs: number | null
  status: number | null
  errorClass: DeliveryError | null
  body: string
}

export function attemptView(row: AttemptRow): WebhookDeliveryAttempt {
  return {
    object: 'webhook_delivery_attempt',
    delivery_id: row.deliveryId,
    cycle: row.cycle,
    n: row.n,
    cause: row.cause,
    started_at: isoInstant(row.startedAt),
    duration_ms: row.durationMs,
    connected_ms: row.connectedMs,
    answered_ms: row.answeredMs,
    response_status: row.status,
    error_class: row.errorClass,
    response_body: row.body,
  }
}

function secondsOrNull(moment: EpochMs | null): number | null {
  return moment === null ? null : unixSeconds(moment)
}
