// Concludes what was begun with the engine's journal entry, whether the call, the drain or the
// job brings it: the state of the row makes each happen once.
import type { EpochMs } from '../../../shared/clock.ts'
import { traceSteps } from '../../../shared/rule-catalog.ts'
import { TRANSACTION_FLAGS } from '../../../shared/transaction-sums.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import { sentTogether } from '../../database/sent-together.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  type LedgerEntry,
  recordAbandonment,
  recordCapture,
  recordHold,
  recordRelease,
} from '../ledger/index.ts'
import { movePayment } from './move.ts'
import { capturableCents, RELEASE_MOVES } from './states.ts'
import { savePayment } from './store.ts'
import { type StoredCapture, saveCapture } from './transfers-store.ts'
import type { MovingPayment, PaymentRow } from './view.ts'

/** The engine took a capture only under protest: its hold had ended, or was smaller. */
const REFUSED_FLAGS =
  TRANSACTION_FLAGS.force_post |
  TRANSACTION_FLAGS.captured_after_expiry |
  TRANSACTION_FLAGS.captured_after_reversal |
  TRANSACTION_FLAGS.captured_after_decline |
  TRANSACTION_FLAGS.over_captured

/**
 * The payment is locked and `deciding`. `now` is by the tenant's clock. `link`: the hash of the
 * hosted page's secret, for a payment that has to be approved there.
 */
export async function concludeAuthorization(
  sql: TxSql,
  payment: MovingPayment,
  entry: DecisionEntry,
  { now, link = null }: { now: EpochMs; link?: Buffer | null },
): Promise<PaymentRow> {
  const { transactionId } = entry
  const { approved, declineReason, declineDetail } = entry.decision
  const decision = { detail: declineDetail, trace: [...traceSteps(entry.trace)] }
  const move = payment.mandateId === null ? 'approve' : 'approve_covered'
  const held = approved ? cents(payment, payment.amountCents) : null
  const linked = link !== null && approved && move === 'approve'
  const [, concluded] = await sentTogether([
    held === null ? NOTHING_MOVED : recordHold(sql, ledgerOf(payment, now), held),
    movePayment(sql, payment, {
      move: approved ? move : 'decline',
      change: {
        ...{ decision, transactionId },
        ...(approved ? {} : { declineReason }),
        ...(linked ? { confirmationHash: '\\x' + link.toString('hex') } : {}),
      },
      now,
    }),
  ])
  return concluded
}

const NOTHING_MOVED = Promise.resolve()

/** True where the engine refuses the capture that the entry reports. */
export function isCaptureRefused({ effect }: Pick<DecisionEntry, 'effect'>): boolean {
  return ((effect?.flags ?? 0) & REFUSED_FLAGS) !== 0
}

/**
 * The payment is locked and the capture `asking`. A final capture releases the rest at once. A
 * refused one is `refusing` until the engine has taken it back.
 */
export async function concludeCapture(
  sql: TxSql,
  payment: PaymentRow,
  { capture, refused, now }: { capture: StoredCapture; refused: boolean; now: EpochMs },
): Promise<PaymentRow> {
  const { id, amountCents, final } = capture
  if (refused) {
    await saveCapture(sql, { id, status: 'refusing' })
    return payment
  }
  const capturePendingCents = payment.capturePendingCents + amountCents
  const rest = capturableCents(payment) - amountCents - (payment.askingCents - amountCents)
  const released = final && rest > 0 ? { voidedCents: payment.voidedCents + rest } : {}
  const at = ledgerOf(payment, now)
  const [, , , captured] = await sentTogether([
    saveCapture(sql, { id, status: 'pending' }),
    recordCapture(sql, at, cents(payment, amountCents, id)),
    final && rest > 0 ? recordRelease(sql, at, cents(payment, rest, id)) : NOTHING_MOVED,
    movePayment(sql, payment, {
      move: 'record_capture',
      change: { capturePendingCents, ...released },
      now,
    }),
  ])
  return captured
}

/**
 * The payment is locked. Releases what is left after the engine's reversal or expiry; nothing left
 * means that another entry released it before.
 */
export async function concludeRelease(
  sql: TxSql,
  payment: PaymentRow,
  now: EpochMs,
): Promise<PaymentRow> {
  const rest = capturableCents(payment) - payment.askingCents
  const cause = payment.releasing ?? 'authorization_expired'
  // The engine refuses the capture that it was not told of before: then all of it is released.
  if (cause === 'authorization_expired' && payment.askingCents > 0) return payment
  const begun = { releasing: null, releasingSince: null }
  const abandoned = cause === 'settlement_abandoned' ? await abandon(sql, payment, now) : 0
  if (rest + abandoned <= 0)
    return savePayment(sql, { id: payment.id, status: payment.status, change: begun })
  if (rest > 0) await recordRelease(sql, ledgerOf(payment, now), cents(payment, rest))
  return movePayment(sql, payment, {
    move: RELEASE_MOVES[cause],
    change: {
      ...begun,
      voidCause: cause,
      voidedCents: payment.voidedCents + rest + abandoned,
      captureFailedCents: payment.captureFailedCents - abandoned,
    },
    now,
  })
}

/** Gives the holder back the cents of captures that failed; returns how many. */
async function abandon(sql: TxSql, payment: PaymentRow, now: EpochMs): Promise<number> {
  const failed = failedCaptures(payment)
  for (const { id, amountCents } of failed)
    await recordAbandonment(sql, ledgerOf(payment, now), cents(payment, amountCents, id))
  return failed.reduce((sum, { amountCents }) => sum + amountCents, 0)
}

/** Captures that failed and are neither tried again nor abandoned. */
export function failedCaptures({ captures, captureFailedCents }: PaymentRow) {
  return captureFailedCents === 0 ? [] : captures.filter(({ status }) => status === 'failed')
}

/** The batches in which captures of the payment failed. */
export function failedBatchIds(payment: PaymentRow): string[] {
  return failedCaptures(payment).flatMap(({ batchId }) => (batchId === null ? [] : [batchId]))
}

function ledgerOf({ chainId, environment, tenantId }: MovingPayment, now: EpochMs): LedgerEntry {
  return { chainId, environment, tenantId, now }
}

/** A payment is held once and released once, and each of its captures moves once. */
function cents({ id, paymentAccountId }: MovingPayment, amount: number, causeId = id) {
  return { paymentAccountId, cents: amount, causeId }
}
