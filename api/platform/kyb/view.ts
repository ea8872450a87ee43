// Only this module makes an application public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type {
  KybApplication,
  KybInput,
  WaitingKybApplication,
} from '../../../shared/schemas/kyb.ts'

export interface KybRow {
  id: string
  tenantId: string
  details: KybInput
  submittedBy: string
  createdAt: EpochMs
  /** Null: an operator has not decided. */
  decision: 'approved' | 'rejected' | null
  reason: string | null
  decidedAt: EpochMs | null
}

export function kybView(row: KybRow): KybApplication {
  return {
    id: row.id,
    object: 'kyb_application',
    created: unixSeconds(row.createdAt),
    status: row.decision ?? 'submitted',
    ...row.details,
    submitted_by: row.submittedBy,
    reason: row.reason,
    decided_at: row.decidedAt === null ? null : unixSeconds(row.decidedAt),
  }
}

/** The application as a list over all tenants shows it. */
export function waitingView(row: KybRow): WaitingKybApplication {
  return { ...kybView(row), tenant_id: row.tenantId }
}
