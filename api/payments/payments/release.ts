// Releases what is left of a payment: voided by the tenant, denied by the holder, or too late. The
// release is committed as begun, the engine gives the hold back, and one transaction concludes.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Payment, VoidCause } from '../../../shared/schemas/payment.ts'
import type { Context } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { isAnswered, write } from '../../write/write.ts'
import { noteExhausted } from '../payment-mandates/index.ts'
import { findPayee } from '../settlement-accounts/index.ts'
import { concludeRelease, failedCaptures } from './conclude.ts'
import { captureReversalOf, engineAway, type PaymentEnginePort, reversalOf } from './engine.ts'
import { requirePaymentMove } from './move.ts'
import { requirePayment } from './require.ts'
import { capturableCents, RELEASE_MOVES } from './states.ts'
import { findAnyPayment, lockAnyPayment, savePayment } from './store.ts'
import { deleteCapture } from './transfers-store.ts'
import { type PaymentRow, paymentView } from './view.ts'

/**
 * Refuses with 409 while a capture is in flight, and once nothing is left. A repeat of a call that
 * was cut off goes on with the release that was begun.
 */
export async function voidPayment(
  context: Context,
  id: string,
  port: PaymentEnginePort,
): Promise<Payment> {
  const { sql, principal, now, wait } = context
  const answered = await isAnswered(sql, context)
  if (!answered) {
    await tx(
      sql,
      async (inner) => {
        const payment = await requirePayment(inner, principal, id)
        if (payment.releasing !== 'requested') await begin(inner, payment, 'requested', now)
      },
      { safeToRepeat: true, wait },
    )
  }
  const released = answered || (await releaseHold(sql, id, port))
  return write(context, async (inner) => {
    const payment = await requirePayment(inner, principal, id)
    if (!released) throw engineAway(id)
    return paymentView(
      payment.releasing === null ? payment : await concludeRelease(inner, payment, now),
    )
  })
}

/** The payment is locked. From now on nothing of it is captured or confirmed. */
export async function begin(
  sql: TxSql,
  payment: PaymentRow,
  cause: VoidCause,
  now: EpochMs,
): Promise<void> {
  requirePaymentMove(payment, RELEASE_MOVES[cause])
  const change = { releasing: cause, releasingSince: now }
  await savePayment(sql, { id: payment.id, status: payment.status, change })
}

/**
 * The payment is locked. Forgets a capture that the engine has taken back. The engine refuses one
 * only where its hold has ended: the rest, which no other entry would release, ends as well.
 */
export async function forgetCapture(
  sql: TxSql,
  payment: PaymentRow,
  captureId: string,
): Promise<void> {
  if (!(await deleteCapture(sql, captureId))) return
  if (payment.mandateId !== null) await noteExhausted(sql, [payment.mandateId])
  const isLeft = capturableCents(payment) > 0 && payment.askingCents === 0
  if (isLeft && payment.releasing === null)
    await begin(sql, payment, 'authorization_expired', payment.expiresAt)
}

/**
 * True once the engine has given the hold back, now or before, and the failed captures of an
 * abandoned payment with it; false while it is away.
 */
export async function releaseHold(sql: Sql, id: string, port: PaymentEnginePort): Promise<boolean> {
  const payment = await findAnyPayment(sql, id)
  assert(payment !== null, 'a begun release has its payment')
  if (payment.releasing === null) return true
  const payee = await findPayee(sql, payment, payment.settlementAccountId)
  assert(payee !== null, 'a payment names a settlement account')
  const rest = capturableCents(payment)
  if (payment.releasing === 'settlement_abandoned') {
    for (const capture of failedCaptures(payment)) {
      const back = await port.decidePayment(captureReversalOf(payment, payee, capture))
      if (back.state === 'away') return false
    }
    if (rest === 0) return true
  }
  return (await port.decidePayment(reversalOf(payment, payee, rest))).state !== 'away'
}

/** Finishes a release that was begun; false while the engine is away. */
export async function finishRelease(
  sql: Sql,
  id: string,
  { port, now }: { port: PaymentEnginePort; now: EpochMs },
): Promise<boolean> {
  if (!(await releaseHold(sql, id, port))) return false
  await tx(sql, async (inner) => {
    const payment = await lockAnyPayment(inner, id)
    if (payment === null || payment.releasing === null) return
    await concludeRelease(inner, payment, now + payment.clockOffsetMs)
  })
  return true
}
