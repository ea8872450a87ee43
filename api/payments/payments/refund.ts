// Refunds what landed, or a part of it. The refund lands with a batch; the engine has no part in
// it, for no limit grows by a refund before it is there.
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { REFUNDS_MAX } from '../chain/terms.ts'
import { lockRefundsOf } from '../payment-mandates/index.ts'
import { movePayment, requirePaymentMove } from './move.ts'
import { requirePayment } from './require.ts'
import { refundableCents } from './states.ts'
import { insertRefund } from './transfers-store.ts'
import { type PaymentRow, paymentView } from './view.ts'

/** Refuses with 409 more than landed and was not refunded, and a 65th refund under one approval. */
export async function refundPayment(
  context: Context,
  { id, amountCents: asked }: { id: string; amountCents: number | null },
): Promise<Payment> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const payment = await requirePayment(sql, principal, id)
    requirePaymentMove(payment, 'refund')
    const left = refundableCents(payment)
    const amountCents = asked ?? left
    const refundsLeft = await lockRefunds(sql, payment)
    if (amountCents <= 0 || amountCents > left || refundsLeft <= 0)
      throw new Refusal('amount_not_refundable', {
        param: 'amount_cents',
        extra: { refundable_cents: left },
      })
    const refundId = context.newId('ref')
    const approvalId = payment.mandateId ?? id
    const refund = { id: refundId, paymentId: id, approvalId, amountCents, createdAt: now }
    await insertRefund(sql, principal, refund)
    const refundPendingCents = payment.refundPendingCents + amountCents
    const moved = await movePayment(sql, payment, {
      move: 'refund',
      change: { refundPendingCents },
      now,
    })
    return paymentView(moved)
  })
}

/** How many refunds the approval has left; payments under one mandate wait for each other. */
async function lockRefunds(sql: TxSql, { mandateId, refunds }: PaymentRow): Promise<number> {
  const taken = mandateId === null ? refunds.length : await lockRefundsOf(sql, mandateId)
  return REFUNDS_MAX - taken
}
