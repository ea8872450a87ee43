// A dispute of a captured card transaction, and the evidence for it. Spec 3, 6.2.
import type { Static, TObject } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT, MOMENT_OR_NULL } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

/** Why the cardholder does not accept the charge. */
export const DISPUTE_REASONS = [
  'fraudulent',
  'not_received',
  'duplicate',
  'product_unacceptable',
  'credit_not_processed',
  'canceled',
  'other',
] as const
export type DisputeReason = (typeof DISPUTE_REASONS)[number]

/** Spec 3; chosen: a dispute whose window closed is `expired`, and lost. */
export const DISPUTE_STATUSES = ['needs_response', 'submitted', 'won', 'lost', 'expired'] as const
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number]

export const DISPUTE_OUTCOMES = ['won', 'lost'] as const
export type DisputeOutcome = (typeof DISPUTE_OUTCOMES)[number]

const NullableText = Type.Union([Type.String(), Type.Null()])
const NullableOutcome = Type.Union([Type.Enum([...DISPUTE_OUTCOMES]), Type.Null()])

export const Dispute = Type.Object({
  id: Type.String(),
  object: Type.Literal('dispute'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  transaction_id: Type.String(),
  card_id: Type.String(),
  cardholder_id: Type.String(),
  amount_cents: described(Type.Integer(), "Minor units of currency, which is the card's."),
  currency: Type.String(),
  reason: described(
    Type.Enum([...DISPUTE_REASONS]),
    'Why the cardholder does not accept the charge.',
  ),
  explanation: described(NullableText, "The cardholder's explanation; null without one."),
  status: Type.Enum([...DISPUTE_STATUSES]),
  outcome: described(NullableOutcome, 'How the network decided; null before.'),
  evidence_due_by: described(MOMENT, 'When the latest response was or is due.'),
  evidence_requested: described(
    NullableText,
    'The latest request of the sponsor bank for evidence, in its words.',
  ),
  evidence_count: described(Type.Integer(), 'How many pieces of evidence were given.'),
  submitted_at: described(
    MOMENT_OR_NULL,
    'When it was submitted to the network, ISO 8601; null before.',
  ),
  resolved_at: described(MOMENT_OR_NULL, 'When it was won or lost, ISO 8601; null before.'),
  ...TENANT_FIELDS,
})
export type Dispute = Static<typeof Dispute>

export const EVIDENCE_KINDS = [
  'statement',
  'receipt',
  'correspondence',
  'shipping',
  'cancellation',
  'credit_promise',
  'other',
] as const
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]

const Day = Type.Optional(Type.String({ format: 'date-time', maxLength: 40 }))
const Line = Type.Optional(
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
)

/**
 * Evidence that networks ask for by name, whatever the reason of the dispute. Dates are ISO 8601.
 */
export const EVIDENCE_FIELDS = {
  product: described(Line, 'The goods or service that was bought.'),
  expected_at: described(Day, 'When it was to arrive.'),
  received_at: described(Day, 'When it arrived.'),
  returned_at: described(Day, 'When it was sent back.'),
  canceled_at: described(Day, 'When it was canceled.'),
  merchant_contacted_at: described(Day, 'When the cardholder spoke to the merchant.'),
  carrier: described(Line, 'The carrier of the shipment.'),
  tracking_number: described(Line, 'By which the carrier finds it.'),
  duplicate_of: described(
    Type.Optional(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })),
    'The transaction that this one repeats.',
  ),
  credit_expected_cents: described(
    Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    "The amount that the merchant promised to refund, in minor units of the dispute's currency.",
  ),
}

export type EvidenceFields = Static<TObject<typeof EVIDENCE_FIELDS>>

const Value = Type.Union([Type.String(), Type.Integer()])

export const DisputeEvidence = Type.Object({
  id: Type.String(),
  object: Type.Literal('dispute_evidence'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  dispute_id: described(Type.String(), 'The dispute it is evidence for.'),
  kind: described(Type.Enum([...EVIDENCE_KINDS]), 'The kind of the evidence.'),
  text: described(NullableText, 'In your words; null where there are only fields.'),
  fields: described(
    Type.Record(Type.String(), Value),
    'Evidence by name, for example received_at.',
  ),
})
export type DisputeEvidence = Static<typeof DisputeEvidence>

/** Chosen: a transaction shows its latest disputes; all of them are listed by `transaction_id`. */
export const DISPUTES_SHOWN_MAX = 20

/** A dispute as its transaction shows it. */
export interface DisputeSummary {
  id: string
  /** Minor units of the card's currency. */
  amountCents: number
  status: DisputeStatus
  outcome: DisputeOutcome | null
  createdAtMs: number
}
