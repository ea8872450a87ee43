// The public shape of a payment account.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type {
  PaymentAccount,
  PaymentAccountStatus,
} from '../../../shared/schemas/payment-account.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface PaymentAccountRow {
  id: string
  tenantId: string
  environment: Environment
  programId: string
  cardholderId: string
  status: PaymentAccountStatus
  suspendReason: string | null
  chainId: number
  address: string | null
  recoveryAddress: string | null
  credentialId: Buffer | null
  /** The passkey's point on P-256; null until one is enrolled. */
  publicX: Buffer | null
  publicY: Buffer | null
  enrolledAt: EpochMs | null
  backedUp: boolean | null
  balanceCents: number
  leavingCents: number
  /** Held by payments that may still be captured or released, in US cents. */
  heldCents: number
  /** Captures that have not landed, in US cents. */
  settlingCents: number
  asOfBlock: number | null
  /** The ledger differs from the chain: the account waits for a later block, or an operator. */
  isApart: boolean
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

/** The part of an account that a payment or mandate needs: its sums are not read for each. */
export type Payer = Pick<
  PaymentAccountRow,
  | 'id'
  | 'cardholderId'
  | 'status'
  | 'chainId'
  | 'recoveryAddress'
  | 'credentialId'
  | 'publicX'
  | 'publicY'
>

/** `enrolmentUrl` is shown by the call that made the link, and by no other. */
export function paymentAccountView(
  row: PaymentAccountRow,
  enrolmentUrl: string | null = null,
): PaymentAccount {
  const { balanceCents, leavingCents, heldCents, settlingCents } = row
  return {
    id: row.id,
    object: 'payment_account',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    cardholder_id: row.cardholderId,
    program_id: row.programId,
    status: row.status,
    suspend_reason: row.suspendReason,
    address: row.address,
    chain_id: row.chainId,
    recovery_address: row.recoveryAddress,
    credential: credentialView(row),
    balance_cents: balanceCents,
    held_cents: heldCents,
    leaving_cents: leavingCents,
    available_cents: Math.max(0, balanceCents - leavingCents - heldCents - settlingCents),
    as_of_block: row.asOfBlock,
    enrolment_url: enrolmentUrl,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}

function credentialView(row: PaymentAccountRow): PaymentAccount['credential'] {
  if (row.credentialId === null || row.enrolledAt === null) return null
  return {
    id: row.credentialId.toString('base64url'),
    created: isoInstant(row.enrolledAt),
    backed_up: row.backedUp === true,
  }
}
