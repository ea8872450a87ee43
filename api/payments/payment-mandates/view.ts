// The public shape of a payment mandate, for GET and lists.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type {
  PaymentMandate,
  PaymentMandateStatus,
} from '../../../shared/schemas/payment-mandate.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface MandateRow {
  id: string
  tenantId: string
  environment: Environment
  paymentAccountId: string
  settlementAccountId: string
  cardholderId: string
  /** At the moment of the read. */
  status: PaymentMandateStatus
  description: string | null
  limitCents: number
  perPaymentCents: number
  /** Payments under it that have not landed, in US cents. */
  reservedCents: number
  /** Captures under it that landed, in US cents. */
  usedCents: number
  expiresAt: EpochMs
  approvalHash: Buffer
  /** Unix seconds. */
  approvalValidUntil: number
  confirmationExpiresAt: EpochMs
  confirmedAt: EpochMs | null
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
  /** Milliseconds that the tenant's clock is ahead. */
  clockOffsetMs: number
}

/** `url` is the link to the hosted page, shown by the call that made it and by no other. */
export function mandateView(row: MandateRow, url: string | null = null): PaymentMandate {
  const { confirmedAt } = row
  return {
    id: row.id,
    object: 'payment_mandate',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: row.status,
    payment_account_id: row.paymentAccountId,
    settlement_account_id: row.settlementAccountId,
    description: row.description,
    limit_cents: row.limitCents,
    per_payment_cents: row.perPaymentCents,
    reserved_cents: row.reservedCents,
    used_cents: row.usedCents,
    expires_at: isoInstant(row.expiresAt),
    confirmation: {
      url,
      expires_at: isoInstant(row.confirmationExpiresAt),
      confirmed_at: confirmedAt === null ? null : isoInstant(confirmedAt),
    },
    approval_hash: '0x' + row.approvalHash.toString('hex'),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
