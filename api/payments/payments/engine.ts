// Messages about a payment for the engine, each under an id of its own: the same message again
// recalls the engine's answer.

import { sleep } from '../../../shared/clock.ts'
import type { PaymentMessage } from '../../../shared/wire/control.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { PaymentDecision } from '../../engine-link/payment-decision.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Payee } from '../settlement-accounts/index.ts'
import type { StoredCapture } from './transfers-store.ts'
import type { PaymentRow } from './view.ts'

/** The engine as payments see it. */
export interface PaymentEnginePort {
  /** Decides or records; rejects only for a mistake of ours. */
  decidePayment(message: PaymentMessage): Promise<PaymentDecision>
}

type Subject = Pick<
  PaymentRow,
  'id' | 'environment' | 'paymentAccountId' | 'amountCents' | 'expiresAt'
>

/** The authorization request of a payment. */
export function authorizationOf(payment: Subject, payee: Payee): PaymentMessage {
  const { id, amountCents, expiresAt } = payment
  return message(payment, payee, { id, kind: 'authorization', amountCents, holdEndsAt: expiresAt })
}

/** A capture is told when it is asked for: its hold cannot expire under a chain transaction. */
export function captureOf(
  payment: Subject,
  payee: Payee,
  capture: Pick<StoredCapture, 'id' | 'amountCents' | 'final'>,
): PaymentMessage {
  const { id, amountCents, final } = capture
  return message(payment, payee, { id, kind: 'capture', amountCents, final })
}

/** Takes a capture back that the engine flagged, or that an operator abandons. */
export function captureReversalOf(
  payment: Subject,
  payee: Payee,
  capture: Pick<StoredCapture, 'id' | 'amountCents'>,
): PaymentMessage {
  const { id, amountCents } = capture
  return message(payment, payee, { id: id + ':back', kind: 'capture_reversal', amountCents })
}

/** Releases what is left; a payment is released once. */
export function reversalOf(payment: Subject, payee: Payee, amountCents: number): PaymentMessage {
  return message(payment, payee, { id: payment.id + ':void', kind: 'reversal', amountCents })
}

interface Content {
  id: string
  kind: PaymentMessage['kind']
  amountCents: number
  final?: boolean
  holdEndsAt?: number
}

function message(payment: Subject, payee: Payee, content: Content): PaymentMessage {
  const { id, name, mcc, country } = payee
  return {
    id: content.id,
    kind: content.kind,
    environment: payment.environment,
    payment_id: payment.id,
    payment_account_id: payment.paymentAccountId,
    amount_cents: content.amountCents,
    merchant: { id, name, mcc, country },
    final: content.final ?? false,
    hold_expires_at_ms: content.holdEndsAt ?? null,
  }
}

/** Milliseconds that a repeat waits for the drain, which brings the entry of a recalled answer. */
const DRAIN_MS_MAX = 2000
const DRAIN_ROUND_MS = 50

/** True as soon as `done` finds the entry applied; false after two seconds. */
export async function drainApplies(
  sql: SqlTag,
  done: (sql: SqlTag) => Promise<boolean>,
): Promise<boolean> {
  for (let waited = 0; waited < DRAIN_MS_MAX; waited += DRAIN_ROUND_MS) {
    if (await done(sql)) return true
    await sleep(DRAIN_ROUND_MS)
  }
  return done(sql)
}

/** The refusal while the engine is away: the call may be repeated, and is done once. */
export function engineAway(id: string): Refusal {
  return new Refusal('dependency_unavailable', {
    message:
      'The payment is stored, but its decision is not known yet. Repeat the call with its Idempotency-Key.',
    extra: { resource_id: id },
  })
}
