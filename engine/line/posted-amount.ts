// The amount a notification moves, in the card's currency. A reversal uses the rate of the
// transaction's authorization, whatever today's rates are, so a full reversal leaves nothing held;
// any other notification uses that rate if today has none.
import { isCredit } from '../../shared/authorization-kind.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import type { AuthorizationRecord, MessageRecord } from '../../shared/wire/journal-entry.ts'
import { approvedOf, awaitsOriginal } from '../lifecycle/change.ts'
import { isBillingTolerable } from '../rules/billing-plausible.ts'
import type { Judged } from '../rules/rule.ts'
import type { TransactionState } from '../state/transactions.ts'
import { impliedRate } from './convert.ts'

/** Minor units of the card's currency; null if no rate is known. */
export function postedCents(judged: Judged, transaction: TransactionState | null): number | null {
  const { message, convertible, cardAmountCents } = judged
  if (isWithoutAmount(message, transaction)) return 0
  const known = convertible ? cardAmountCents : null
  if (message.kind === 'reversal') return givenBackCents(message, transaction) ?? known
  return wholeOriginal(judged, transaction, known) ?? known ?? atItsRate(message, transaction)
}

/**
 * Returns the rest of the capture or refund if the converted reversal exceeds that rest by no more
 * than a moved rate explains; else null.
 */
function wholeOriginal(
  { message, program, fx }: Judged,
  transaction: TransactionState | null,
  cents: number | null,
): number | null {
  if (transaction === null || cents === null || fx === null) return null
  const { captured, captureReversed, refunded, refundReversed } = transaction.sums
  const isOfCapture = message.kind === 'capture_reversal'
  if (!isOfCapture && message.kind !== 'refund_reversal') return null
  const left = isOfCapture ? captured - captureReversed : refunded - refundReversed
  if (left <= 0 || cents <= left) return null
  const toleranceBps = program.billing_tolerance_bps
  return isBillingTolerable(cents, left, toleranceBps) ? left : null
}

/** Marks the record of a notification that was converted by the rate of its own transaction. */
export function convertedAtItsRate(
  record: AuthorizationRecord,
  { convertible, message, card }: Judged,
  booked: number | null,
): AuthorizationRecord {
  if (convertible || message.kind === 'reversal' || booked === null || booked === 0) return record
  const rate = impliedRate(message, booked, card.currency)
  const fx = { rate, source: 'authorization', rateAtMs: null, marginBps: 0, version: 0 } as const
  return Object.assign({}, record, { cardAmountCents: booked, fx })
}

/**
 * Declined advices, credits to the cardholder, and reversals without a known transaction move
 * nothing; and zero is zero in any currency.
 */
function isWithoutAmount(message: MessageRecord, transaction: TransactionState | null): boolean {
  if (message.amountCents === 0) return true
  if (message.kind === 'advice') return message.advice?.approved === false || isCredit(message)
  return message.kind === 'reversal' && (transaction === null || awaitsOriginal(transaction))
}

/** Null if the transaction was not authorized in the message's currency. */
function givenBackCents(
  message: MessageRecord,
  transaction: TransactionState | null,
): number | null {
  if (transaction?.asked?.currency !== message.currency) return null
  // An uncountable amount is more than the hold.
  return atItsRate(message, transaction) ?? AMOUNT_MAX
}

/** Null also if the amount would be too large to count. */
function atItsRate(message: MessageRecord, transaction: TransactionState | null): number | null {
  const asked = transaction?.asked ?? null
  if (transaction === null || asked === null || asked.currency !== message.currency) return null
  const part = BigInt(message.amountCents) * BigInt(approvedOf(transaction))
  const cents = (part + BigInt(asked.cents) / 2n) / BigInt(asked.cents)
  return cents > BigInt(AMOUNT_MAX) ? null : Number(cents)
}
