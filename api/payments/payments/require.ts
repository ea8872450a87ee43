// Requirements on a payment before a call changes it.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requirePaymentMove } from './move.ts'
import { lockPayment } from './store.ts'
import type { PaymentRow } from './view.ts'

/** Locks the payment; refuses with 404 an unknown one. */
export async function requirePayment(sql: TxSql, owner: Owner, id: string): Promise<PaymentRow> {
  const payment = await lockPayment(sql, owner, id)
  if (payment === null) throw new Refusal('resource_missing')
  return payment
}

/**
 * Refuses with 409 a payment that the holder cannot approve: another state, or too late, even if no
 * job has run yet.
 */
export function requireConfirmable(payment: PaymentRow, now: EpochMs): void {
  requirePaymentMove(payment, 'confirm')
  const { confirmationExpiresAt: until } = payment
  if (until !== null && until > now) return
  throw new Refusal('invalid_state', {
    extra: { current_status: 'voided', allowed_from: ['needs_confirmation'] },
  })
}

/** The chain refuses captures after the end of the approval, so they are refused here first. */
export function requireApproval({ approvalValidUntil }: PaymentRow, now: EpochMs): void {
  if ((approvalValidUntil ?? 0) * 1000 <= now) throw new Refusal('approval_expired')
}
