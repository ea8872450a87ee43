// Applies changes to locked payments: derives their status, saves them and records the events of
// the move. Every change of a payment goes through these functions.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { laneOf } from '../../../shared/event-catalog.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvents } from '../../webhooks/events/index.ts'
import { requireState } from '../../write/move.ts'
import {
  PAYMENT_MOVES,
  type PaymentFacts,
  type PaymentMoveName,
  type StoredStatus,
  statusOf,
} from './states.ts'
import { type PaymentChange, savePayments } from './store.ts'
import { type MovingPayment, type PaymentRow, paymentView } from './view.ts'

export interface PaymentMoved {
  move: PaymentMoveName
  /** The moment by the tenant's clock. */
  now: EpochMs
}

/** Call it near the end: it records events. */
export async function movePayment(
  sql: TxSql,
  payment: MovingPayment,
  { change, ...moved }: PaymentMoved & { change: PaymentChange },
): Promise<PaymentRow> {
  const [row] = await movePayments(sql, [{ payment, change }], moved)
  assert(row !== undefined, 'a locked payment does not vanish')
  return row
}

/**
 * Moves different payments of one owner at once, by the order of their ids. Their changes have the
 * same fields.
 */
export async function movePayments(
  sql: TxSql,
  changes: readonly { payment: MovingPayment; change: PaymentChange }[],
  { move, now }: PaymentMoved,
): Promise<readonly PaymentRow[]> {
  const { from, to, events } = PAYMENT_MOVES[move]
  const saved = changes.map(({ payment, change }) => {
    const status = statusOf(factsAfter(payment, change, move))
    assert(isAmong(payment.status, from), move + ' starts in ' + payment.status)
    assert(isAmong(status, to), move + ' ends in ' + status)
    return { id: payment.id, status, change }
  })
  const rows = await savePayments(sql, saved)
  const [first] = rows
  if (first === undefined) return rows
  const { tenantId, environment } = first
  const told = rows.map((row) => ({ resourceId: row.id, data: { payment: paymentView(row) } }))
  const [type] = events
  if (type === undefined) return rows
  const all = events.flatMap((each) => told.map((event) => ({ ...event, type: each })))
  await recordEvents(sql, { tenantId, environment, type, now, lane: laneOf(type), events: all })
  return rows
}

/** Refuses with 409 where the move cannot start; a begun release counts as one that was made. */
export function requirePaymentMove(payment: PaymentRow, move: PaymentMoveName): void {
  const { status, releasing, askingCents } = payment
  const from = PAYMENT_MOVES[move].from.filter((each) => each !== 'deciding')
  if (releasing !== null)
    throw new Refusal('invalid_state', { extra: { current_status: 'voided', allowed_from: from } })
  const inFlight = askingCents > 0 && (move === 'void' || move === 'abandon')
  requireState<StoredStatus>(inFlight ? 'capture_pending' : status, from)
}

function isAmong(status: StoredStatus, among: readonly StoredStatus[]): boolean {
  return among.includes(status)
}

function factsAfter(
  payment: MovingPayment,
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
