// Only this module makes an alert's row public: once for its tenant, once for the reviewing
// operators.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type {
  AlertStatus,
  OperatorSanctionsAlert,
  SanctionsAlert,
  SanctionsHit,
} from '../../../shared/schemas/sanctions-alert.ts'
import type { Owner } from '../../context.ts'

export interface AlertRow extends Owner {
  id: string
  cardholderId: string
  hits: SanctionsHit[]
  listVersion: string
  status: AlertStatus
  reviewedBy: string | null
  reviewedAt: EpochMs | null
  note: string | null
  createdAt: EpochMs
}

export function alertView(row: AlertRow): SanctionsAlert {
  return {
    id: row.id,
    object: 'sanctions_alert',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    cardholder_id: row.cardholderId,
    status: row.status,
    hits: row.hits,
    list_version: row.listVersion,
    reviewed_at: row.reviewedAt === null ? null : unixSeconds(row.reviewedAt),
  }
}

export function operatorAlertView(row: AlertRow): OperatorSanctionsAlert {
  return {
    ...alertView(row),
    tenant_id: row.tenantId,
    reviewed_by: row.reviewedBy,
    note: row.note,
  }
}
