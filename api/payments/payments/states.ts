// The states of a payment. Its status follows from its decision, its confirmation and its sums, in
// this one function; a move only changes these. Spec 3 and 6.2.
import type { EventType } from '../../../shared/event-catalog.ts'
import type { PaymentStatus, VoidCause } from '../../../shared/schemas/payment.ts'

/** A payment that the engine has not answered yet is `deciding`, and is not shown. */
export type StoredStatus = PaymentStatus | 'deciding'

/** Sums of a payment, in US cents. */
export interface PaymentSums {
  amountCents: number
  capturedCents: number
  capturePendingCents: number
  /** Captures that failed and are neither tried again nor abandoned. */
  captureFailedCents: number
  refundedCents: number
  refundPendingCents: number
  voidedCents: number
}

export interface PaymentFacts extends PaymentSums {
  decision: 'deciding' | 'declined' | 'approved'
  /** Whether a mandate covers it, so that the holder approved before. */
  covered: boolean
  confirmed: boolean
}

/** The cents that may still be captured or released. */
export function capturableCents(sums: PaymentSums): number {
  const { amountCents, capturedCents, capturePendingCents, captureFailedCents, voidedCents } = sums
  return amountCents - capturedCents - capturePendingCents - captureFailedCents - voidedCents
}

/** The cents that landed and may still be refunded. */
export function refundableCents(sums: PaymentSums): number {
  return sums.capturedCents - sums.refundedCents - sums.refundPendingCents
}

/** The status of a payment by what happened to it. */
export function statusOf(facts: PaymentFacts): StoredStatus {
  if (facts.decision === 'deciding') return 'deciding'
  if (facts.decision === 'declined') return 'risk_declined'
  if (facts.capturePendingCents > 0) return 'capture_pending'
  if (facts.captureFailedCents > 0) return 'failed'
  if (facts.capturedCents > 0) return landedStatus(facts)
  if (facts.voidedCents === facts.amountCents) return 'voided'
  if (facts.confirmed) return 'confirmed'
  return facts.covered ? 'authorized' : 'needs_confirmation'
}

/** Chosen: a payment is `refunded` only when nothing of it can be captured any more. */
function landedStatus(facts: PaymentFacts): PaymentStatus {
  const rest = capturableCents(facts)
  if (facts.refundedCents > 0) {
    return facts.refundedCents === facts.capturedCents && rest === 0
      ? 'refunded'
      : 'partially_refunded'
  }
  return rest > 0 ? 'partially_captured' : 'captured'
}

/** A move of a payment: where it starts, where it may end, and its events in their order. */
interface PaymentMove {
  from: readonly StoredStatus[]
  to: readonly StoredStatus[]
  events: readonly EventType[]
}

const UNTOUCHED = ['authorized', 'needs_confirmation', 'confirmed'] as const
/** Chosen: a refund of what landed does not end the right to capture or release the rest. */
const RELEASABLE = ['partially_captured', 'partially_refunded'] as const
const RELEASED = ['captured', 'partially_refunded', 'refunded'] as const

/** Every move of a payment. */
export const PAYMENT_MOVES = {
  approve_covered: { from: ['deciding'], to: ['authorized'], events: ['payment.authorized'] },
  approve: {
    from: ['deciding'],
    to: ['needs_confirmation'],
    events: ['payment.authorized', 'payment.needs_confirmation'],
  },
  decline: { from: ['deciding'], to: ['risk_declined'], events: ['payment.risk_declined'] },
  confirm: { from: ['needs_confirmation'], to: ['confirmed'], events: ['payment.confirmed'] },
  deny: { from: ['needs_confirmation'], to: ['voided'], events: ['payment.voided'] },
  void: {
    from: [...UNTOUCHED, ...RELEASABLE],
    to: ['voided', ...RELEASED],
    events: ['payment.voided'],
  },
  /** The rest may also end while a part of the payment is in flight, or has failed. */
  expire: {
    from: [...UNTOUCHED, ...RELEASABLE, 'capture_pending', 'failed'],
    to: ['voided', ...RELEASED, 'capture_pending', 'failed'],
    events: ['payment.voided'],
  },
  capture: {
    from: ['authorized', 'confirmed', 'capture_pending', ...RELEASABLE],
    to: ['capture_pending'],
    events: [],
  },
  /** The engine's answer to a capture: another one may have failed since it was asked for. */
  record_capture: {
    from: ['authorized', 'confirmed', 'capture_pending', 'failed', ...RELEASABLE],
    to: ['capture_pending'],
    events: [],
  },
  land: {
    from: ['capture_pending'],
    to: [
      'capture_pending',
      'failed',
      'captured',
      'partially_captured',
      'partially_refunded',
      'refunded',
    ],
    events: ['payment.captured'],
  },
  fail: {
    from: ['capture_pending'],
    to: ['capture_pending', 'failed'],
    events: ['payment.failed'],
  },
  retry: {
    from: ['failed'],
    to: ['capture_pending'],
    events: ['payment.settlement_retry_requested'],
  },
  abandon: {
    from: ['failed'],
    to: ['voided', ...RELEASED],
    events: ['payment.voided'],
  },
  refund: {
    from: ['captured', 'partially_captured', 'partially_refunded', 'capture_pending', 'failed'],
    to: ['captured', 'partially_captured', 'partially_refunded', 'capture_pending', 'failed'],
    events: [],
  },
  land_refund: {
    from: ['captured', 'partially_captured', 'partially_refunded', 'capture_pending', 'failed'],
    to: ['partially_refunded', 'refunded', 'capture_pending', 'failed'],
    events: ['payment.refunded'],
  },
} as const satisfies Record<string, PaymentMove>
export type PaymentMoveName = keyof typeof PAYMENT_MOVES

/** The move that releases what is left, by its cause. */
export const RELEASE_MOVES: { readonly [Cause in VoidCause]: PaymentMoveName } = {
  requested: 'void',
  holder_denied: 'deny',
  confirmation_expired: 'deny',
  authorization_expired: 'expire',
  settlement_abandoned: 'abandon',
}
