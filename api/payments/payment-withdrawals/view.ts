// The public shape of a withdrawal, for GET and lists.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type {
  PaymentWithdrawal,
  PaymentWithdrawalStatus,
  WithdrawalFailure,
} from '../../../shared/schemas/payment-withdrawal.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

/** The states of the table: `checking` is shown as pending, `expired` follows from the time. */
export type StoredStatus = Exclude<PaymentWithdrawalStatus, 'expired'> | 'checking'

export interface WithdrawalRow {
  id: string
  tenantId: string
  environment: Environment
  paymentAccountId: string
  cardholderId: string
  chainId: number
  status: StoredStatus
  amountCents: number
  recipient: string
  nonce: number
  hash: Buffer
  confirmationExpiresAt: EpochMs
  confirmedAt: EpochMs | null
  transactionHash: Buffer | null
  blockNumber: number | null
  failure: WithdrawalFailure | null
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
  /** Milliseconds that the tenant's clock is ahead. */
  clockOffsetMs: number
}

/** The status at a moment by the tenant's clock. */
export function statusAt(
  { status, confirmationExpiresAt }: Pick<WithdrawalRow, 'status' | 'confirmationExpiresAt'>,
  now: EpochMs,
): PaymentWithdrawalStatus {
  if (status === 'checking') return 'pending'
  return status === 'needs_confirmation' && confirmationExpiresAt <= now ? 'expired' : status
}

/** `url` is the link to the hosted page, shown by the call that made it and by no other. */
export function withdrawalView(
  row: WithdrawalRow,
  now: EpochMs,
  url: string | null = null,
): PaymentWithdrawal {
  const { confirmedAt, transactionHash } = row
  return {
    id: row.id,
    object: 'payment_withdrawal',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: statusAt(row, now),
    payment_account_id: row.paymentAccountId,
    amount_cents: row.amountCents,
    to_address: row.recipient,
    chain_id: row.chainId,
    confirmation: {
      url,
      expires_at: isoInstant(row.confirmationExpiresAt),
      confirmed_at: confirmedAt === null ? null : isoInstant(confirmedAt),
    },
    withdrawal_hash: '0x' + row.hash.toString('hex'),
    transaction_hash: transactionHash === null ? null : '0x' + transactionHash.toString('hex'),
    block_number: row.blockNumber,
    failure: row.failure,
    external_id: row.externalId,
    metadata: row.metadata,
  }
}
