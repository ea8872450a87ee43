// Only this module makes rows of disputes and evidence public: GET, list and every event use it.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type {
  Dispute,
  DisputeEvidence,
  DisputeOutcome,
  DisputeReason,
  DisputeStatus,
  EvidenceFields,
  EvidenceKind,
} from '../../../shared/schemas/dispute.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface DisputeRow {
  id: string
  environment: Environment
  transactionId: string
  cardId: string
  cardholderId: string
  amountCents: number
  currency: string
  reason: DisputeReason
  explanation: string | null
  status: DisputeStatus
  outcome: DisputeOutcome | null
  evidenceDueBy: EpochMs
  evidenceRequested: string | null
  evidenceCount: number
  submittedAt: EpochMs | null
  resolvedAt: EpochMs | null
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

export function disputeView(row: DisputeRow): Dispute {
  return {
    id: row.id,
    object: 'dispute',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    transaction_id: row.transactionId,
    card_id: row.cardId,
    cardholder_id: row.cardholderId,
    amount_cents: row.amountCents,
    currency: row.currency,
    reason: row.reason,
    explanation: row.explanation,
    status: row.status,
    outcome: row.outcome,
    evidence_due_by: isoInstant(row.evidenceDueBy),
    evidence_requested: row.evidenceRequested,
    evidence_count: row.evidenceCount,
    submitted_at: row.submittedAt === null ? null : isoInstant(row.submittedAt),
    resolved_at: row.resolvedAt === null ? null : isoInstant(row.resolvedAt),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}

export interface EvidenceRow {
  id: string
  environment: Environment
  disputeId: string
  kind: EvidenceKind
  text: string | null
  fields: EvidenceFields
  createdAt: EpochMs
}

export function evidenceView(row: EvidenceRow): DisputeEvidence {
  return {
    id: row.id,
    object: 'dispute_evidence',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    dispute_id: row.disputeId,
    kind: row.kind,
    text: row.text,
    fields: { ...row.fields },
  }
}
