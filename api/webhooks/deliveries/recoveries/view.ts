// Only this module makes a recovery's row public.
import { type EpochMs, isoInstant, unixSeconds } from '../../../../shared/clock.ts'
import type { Metadata } from '../../../../shared/schemas/tenant-fields.ts'
import type {
  CancelReason,
  Recovered,
  WebhookRecovery,
} from '../../../../shared/schemas/webhook-recovery.ts'
import type { Environment } from '../../../../shared/wire/config-records.ts'

export type RecoveryStatus = WebhookRecovery['status']

export interface RecoveryRow {
  id: string
  environment: Environment
  endpointId: string
  which: Recovered
  eventTypes: string[] | null
  since: EpochMs
  until: EpochMs
  status: RecoveryStatus
  cancelReason: CancelReason | null
  matched: number
  createdAt: EpochMs
  finishedAt: EpochMs | null
  externalId: string | null
  metadata: Metadata
}

export function recoveryView(row: RecoveryRow): WebhookRecovery {
  return {
    id: row.id,
    object: 'webhook_recovery',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    endpoint_id: row.endpointId,
    which: row.which,
    event_types: row.eventTypes,
    since: isoInstant(row.since),
    until: isoInstant(row.until),
    status: row.status,
    cancel_reason: row.cancelReason,
    matched: row.matched,
    finished_at: row.finishedAt === null ? null : unixSeconds(row.finishedAt),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
