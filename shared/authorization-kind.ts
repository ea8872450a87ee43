// The kind of an authorization in one word: the public `authorization_request.kind`. Controls and
// stand-in policies name these words to allow or exclude a kind. Authorization 1.
import type { MessageRecord } from './wire/decision-record.ts'

export const AUTHORIZATION_KINDS = [
  'initial',
  'incremental',
  'account_verification',
  'balance_inquiry',
  'refund',
  'cash_withdrawal',
  'cash_advance',
  'quasi_cash',
  'account_funding',
  'original_credit',
  'bill_payment',
  'fuel_dispenser',
] as const
export type AuthorizationKind = (typeof AUTHORIZATION_KINDS)[number]

/** Kinds that a control may name: a payment shares the controls of its program and cardholder. */
export const CONTROL_KINDS = [...AUTHORIZATION_KINDS, 'payment'] as const
export type ControlKind = (typeof CONTROL_KINDS)[number]

/**
 * Returns the kind of a message. Chosen: the form of the request comes before the type of the
 * purchase; a purchase, a payment and an unknown type are `initial`. A notification has the kind of
 * its transaction.
 */
export function authorizationKind(
  message: Pick<MessageRecord, 'kind' | 'transactionType'>,
): AuthorizationKind {
  const { kind, transactionType } = message
  if (kind === 'incremental' || kind === 'account_verification' || kind === 'balance_inquiry')
    return kind
  if (kind === 'refund' || kind === 'refund_reversal') return 'refund'
  switch (transactionType) {
    case 'purchase':
    case 'payment':
    case 'unknown':
      return 'initial'
    default:
      return transactionType
  }
}

/** True for a message of the network of payments. */
export function isPayment({ transactionType }: Pick<MessageRecord, 'transactionType'>): boolean {
  return transactionType === 'payment'
}

/** Returns the kind of a message as controls name it: every message of a payment is a `payment`. */
export function controlKind(message: Pick<MessageRecord, 'kind' | 'transactionType'>): ControlKind {
  return isPayment(message) ? 'payment' : authorizationKind(message)
}

/**
 * True for an authorization that gives the cardholder money. Chosen: an increment takes more,
 * whatever type it names.
 */
export function isCredit({
  kind,
  transactionType,
}: Pick<MessageRecord, 'kind' | 'transactionType'>): boolean {
  if (kind === 'incremental') return false
  return transactionType === 'refund' || transactionType === 'original_credit'
}
