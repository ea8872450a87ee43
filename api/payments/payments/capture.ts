// Captures a payment, or a part of it: the engine is told when the capture is asked for, and the
// settler lands it on the chain.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Payment } from '../../../shared/schemas/payment.ts'
import type { PaymentMessage } from '../../../shared/wire/control.ts'
import type { Context } from '../../context.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { sentTogether } from '../../database/sent-together.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { isAnswered, write } from '../../write/write.ts'
import { CAPTURES_MAX } from '../chain/terms.ts'
import { lockCover, noteExhausted } from '../payment-mandates/index.ts'
import { findPayee, type Payee } from '../settlement-accounts/index.ts'
import { findEarlier, markOf } from './begun-call.ts'
import { concludeCapture, isCaptureRefused } from './conclude.ts'
import {
  captureOf,
  captureReversalOf,
  drainApplies,
  engineAway,
  type PaymentEnginePort,
} from './engine.ts'
import { requirePaymentMove } from './move.ts'
import { forgetCapture } from './release.ts'
import { requireApproval, requirePayment } from './require.ts'
import { capturableCents, PAYMENT_MOVES } from './states.ts'
import { findAnyPayment, lockAnyPayment } from './store.ts'
import { findCapture, insertCapture, isFinalAsked } from './transfers-store.ts'
import { type PaymentRow, paymentView } from './view.ts'

export interface CaptureInput {
  id: string
  /** Null for everything that is left. */
  amountCents: number | null
  /** Releases the rest at once. */
  final: boolean
}

/**
 * The payment is `capture_pending` until the capture has landed. Refuses with 409 more than is
 * left, also among calls at once, and a capture that the engine refuses because its hold has ended.
 */
export async function capturePayment(
  context: Context,
  input: CaptureInput,
  port: PaymentEnginePort,
): Promise<Payment> {
  const { sql, principal, now } = context
  const begun = await begin(context, input)
  const refused = begun === null ? null : await tellEngine(sql, begun, port)
  return write(context, async (inner) => {
    const [payment, capture] = await sentTogether([
      requirePayment(inner, principal, input.id),
      begun === null ? NO_CAPTURE : findCapture(inner, begun.id),
    ])
    if (capture === null || refused === true) throw ended(payment)
    if (capture.status !== 'asking') return paymentView(payment)
    if (refused === null) throw engineAway(payment.id)
    return paymentView(await concludeCapture(inner, payment, { capture, refused, now }))
  })
}

const NO_CAPTURE = Promise.resolve(null)

/** Chosen: a payment whose hold ended at the engine answers as voided; the drain voids it next. */
function ended({ status }: PaymentRow): Refusal {
  const current_status = status === 'capture_pending' ? status : 'voided'
  return new Refusal('invalid_state', {
    extra: { current_status, allowed_from: ['authorized', 'confirmed', 'partially_captured'] },
  })
}

interface Begun {
  id: string
  /** The message for the engine; null for a capture that an earlier call began. */
  message: PaymentMessage | null
}

/** Commits the capture, or finds that of an earlier call with this key; null: it was answered. */
async function begin(context: Context, { id, ...input }: CaptureInput): Promise<Begun | null> {
  const { principal, now, wait } = context
  const mark = markOf(context)
  return tx(
    context.sql,
    async (sql) => {
      const [answered, payment, earlier] = await sentTogether([
        isAnswered(sql, context),
        requirePayment(sql, principal, id),
        findEarlier(sql, 'payment_captures', { mark, now }),
      ])
      if (answered) return null
      if (earlier !== null) return { id: earlier, message: null }
      requirePaymentMove(payment, 'capture')
      requireApproval(payment, now)
      const left = await leftOf(sql, payment)
      const amountCents = input.amountCents ?? left
      const capturesLeft = await lockApproval(sql, payment)
      if (amountCents <= 0 || amountCents > left || capturesLeft <= 0)
        throw new Refusal('amount_not_capturable', {
          param: 'amount_cents',
          extra: { capturable_cents: Math.max(0, left) },
        })
      const { final } = input
      if (final && payment.askingCents > 0) throw unanswered()
      const captureId = context.newId('cap')
      const capture = {
        id: captureId,
        paymentId: id,
        approvalId: payment.mandateId ?? id,
        amountCents,
        final,
        call: mark,
        createdAt: now,
      }
      const [, payee] = await sentTogether([
        insertCapture(sql, principal, capture),
        requirePayeeOf(sql, payment),
      ])
      if (payment.mandateId !== null && capturesLeft === 1)
        await noteExhausted(sql, [payment.mandateId])
      return { id: captureId, message: captureOf(payment, payee, capture) }
    },
    { safeToRepeat: mark !== null, wait },
  )
}

/** The cents that a capture may ask for: beside a final one that is asked for, none. */
async function leftOf(sql: TxSql, payment: PaymentRow): Promise<number> {
  const { id, askingCents } = payment
  if (askingCents > 0 && (await isFinalAsked(sql, id))) return 0
  return capturableCents(payment) - askingCents
}

/** A final capture gives the rest back at the engine, also what another capture asks for there. */
function unanswered(): Refusal {
  return new Refusal('invalid_state', {
    message: 'Another capture of the payment is not answered yet. Repeat the call.',
    extra: { current_status: 'capture_pending', allowed_from: [...PAYMENT_MOVES.capture.from] },
  })
}

/** How many captures the approval has left; payments under one mandate wait for each other. */
async function lockApproval(sql: TxSql, { id, mandateId, captureCount }: PaymentRow) {
  return mandateId === null
    ? CAPTURES_MAX - captureCount
    : lockCover(sql, { mandateId, paymentId: id })
}

/**
 * True where the engine refused the capture, which it has then taken back; null while the answer is
 * not known.
 */
async function tellEngine(
  sql: Sql,
  { id: captureId, message: own }: Begun,
  port: PaymentEnginePort,
): Promise<boolean | null> {
  const message = own ?? (await messageOf(sql, captureId))
  if (message === 'gone') return true
  if (message === 'refusing') return takeBack(sql, captureId, port)
  if (message === 'concluded') return false
  const answer = await port.decidePayment(message)
  if (answer.state === 'away') return null
  if (answer.state === 'decided') {
    if (!isCaptureRefused(answer.entry)) return false
    await tx(sql, (inner) => refuse(inner, captureId))
    return takeBack(sql, captureId, port)
  }
  const applied = async (tag: SqlTag): Promise<boolean> =>
    (await findCapture(tag, captureId))?.status !== 'asking'
  if (!(await drainApplies(sql, applied))) return null
  const status = (await findCapture(sql, captureId))?.status
  return status === 'refusing' ? takeBack(sql, captureId, port) : status === undefined
}

/** The message of a capture that the engine has not answered; otherwise how the capture stands. */
async function messageOf(
  sql: Sql,
  captureId: string,
): Promise<PaymentMessage | 'gone' | 'refusing' | 'concluded'> {
  const capture = await findCapture(sql, captureId)
  if (capture === null) return 'gone'
  if (capture.status === 'refusing') return 'refusing'
  if (capture.status !== 'asking') return 'concluded'
  const { payment, payee } = await partiesOf(sql, capture.paymentId)
  return captureOf(payment, payee, capture)
}

async function partiesOf(sql: Sql, paymentId: string) {
  const payment = await findAnyPayment(sql, paymentId)
  assert(payment !== null, 'a capture has its payment')
  return { payment, payee: await requirePayeeOf(sql, payment) }
}

async function requirePayeeOf(sql: SqlTag, payment: PaymentRow): Promise<Payee> {
  const payee = await findPayee(sql, payment, payment.settlementAccountId)
  assert(payee !== null, 'a payment names a settlement account')
  return payee
}

async function refuse(sql: TxSql, captureId: string): Promise<void> {
  const capture = await findCapture(sql, captureId)
  const payment = capture === null ? null : await lockAnyPayment(sql, capture.paymentId)
  if (capture?.status !== 'asking' || payment === null) return
  await concludeCapture(sql, payment, { capture, refused: true, now: 0 })
}

/** The engine gives the refused capture back; then it is forgotten, and the rest is released. */
async function takeBack(
  sql: Sql,
  captureId: string,
  port: PaymentEnginePort,
): Promise<boolean | null> {
  const capture = await findCapture(sql, captureId)
  if (capture === null) return true
  const { payment, payee } = await partiesOf(sql, capture.paymentId)
  const answer = await port.decidePayment(captureReversalOf(payment, payee, capture))
  if (answer.state === 'away') return null
  await tx(sql, async (inner) => {
    const locked = await lockAnyPayment(inner, payment.id)
    if (locked !== null) await forgetCapture(inner, locked, captureId)
  })
  return true
}

/** Finishes a capture that a crash left between its begin and its conclusion. */
export async function finishCapture(
  sql: Sql,
  captureId: string,
  { port, now }: { port: PaymentEnginePort; now: EpochMs },
): Promise<void> {
  const refused = await tellEngine(sql, { id: captureId, message: null }, port)
  if (refused !== false) return
  await tx(sql, async (inner) => {
    const found = await findCapture(inner, captureId)
    const payment = found === null ? null : await lockAnyPayment(inner, found.paymentId)
    const capture = await findCapture(inner, captureId)
    if (payment === null || capture?.status !== 'asking') return
    const tenantNow = now + payment.clockOffsetMs
    await concludeCapture(inner, payment, { capture, refused, now: tenantNow })
  })
}
