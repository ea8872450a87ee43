// Applies a change to a locked payment: derives its status, saves it and records the events of the
// move. Every change of a payment goes through this function.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { requireState } from '../../write/move.ts'
import {
  PAYMENT_MOVES,
  type PaymentFacts,
  type PaymentMoveName,
  type StoredStatus,
  statusOf,
} from './states.ts'
import { type PaymentChange, savePayment } from './store.ts'
import { type PaymentRow, paymentView } from './view.ts'

/** `now` is the moment by the tenant's clock. Call it near the end: it records events. */
export async function movePayment(
  sql: TxSql,
  payment: PaymentRow,
  { move, change, now }: { move: PaymentMoveName; change: PaymentChange; now: EpochMs },
): Promise<PaymentRow> {
  const { from, to, events } = PAYMENT_MOVES[move]
  const status = statusOf(factsAfter(payment, change, move))
  assert(isAmong(payment.status, from), move + ' starts in ' + payment.status)
  assert(isAmong(status, to), move + ' ends in ' + status)
  const moved = await savePayment(sql, { id: payment.id, status, change })
  const { id: resourceId, tenantId, environment } = moved
  const data = { payment: paymentView(moved) }
  for (const type of events)
    await recordEvent(sql, { tenantId, environment, type, data, resourceId, now })
  return moved
}

/** Refuses with 409 where the move cannot start; a begun release counts as one that was made. */
export function requirePaymentMove(payment: PaymentRow, move: PaymentMoveName): void {
  const { status, releasing, askingCents } = payment
  const from = PAYMENT_MOVES[move].from.filter((each) => each !== 'deciding')
  if (releasing !== null)
    throw new Refusal('invalid_state', { extra: { current_status: 'voided', allowed_from: from } })
  const inFlight = askingCents > 0 && move === 'void'
  requireState<StoredStatus>(inFlight ? 'capture_pending' : status, from)
}

function isAmong(status: StoredStatus, among: readonly StoredStatus[]): boolean {
  return among.includes(status)
}

function factsAfter(
  payment: PaymentRow,
  change: PaymentChange,
  move: PaymentMoveName,
): PaymentFacts {
  return {
    amountCents: payment.amountCents,
    capturedCents: change.capturedCents ?? payment.capturedCents,
    capturePendingCents: change.capturePendingCents ?? payment.capturePendingCents,
    captureFailedCents: change.captureFailedCents ?? payment.captureFailedCents,
    refundedCents: change.refundedCents ?? payment.refundedCents,
    refundPendingCents: change.refundPendingCents ?? payment.refundPendingCents,
    voidedCents: change.voidedCents ?? payment.voidedCents,
    decision: move === 'decline' ? 'declined' : 'approved',
    covered: payment.mandateId !== null,
    confirmed: (change.confirmedAt ?? payment.confirmedAt) !== null,
  }
}
