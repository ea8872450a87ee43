// What a fact moves, in the card's currency. A reversal gives back at the rate the transaction was authorized at, whatever rates
// are today, so that giving everything back leaves nothing held; any other fact is converted by that rate where today knows none.
import { AMOUNT_MAX } from '../../shared/money.ts'
import type { AuthorizationRecord, MessageRecord } from '../../shared/wire/journal-entry.ts'
import { approvedOf, awaitsOriginal } from '../lifecycle/change.ts'
import type { Judged } from '../rules/rule.ts'
import type { Standing } from '../state/transactions.ts'
import { impliedRate, isCredit } from './convert.ts'

/** Minor units of the card's currency; null where nobody knows them. */
export function bookedCents(
  { message, convertible, cardAmountCents }: Judged,
  standing: Standing | null,
): number | null {
  if (isWithoutAmount(message, standing)) return 0
  const known = convertible ? cardAmountCents : null
  if (message.kind === 'reversal') return givenBackCents(message, standing) ?? known
  return known ?? atItsRate(message, standing)
}

/** The record of a fact that was converted by the rate of its own transaction says so. */
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
 * What the network declined, what gives the cardholder money, and what takes back nothing we know move nothing; and nothing is
 * nothing in any currency.
 */
function isWithoutAmount(message: MessageRecord, standing: Standing | null): boolean {
  if (message.amountCents === 0) return true
  if (message.kind === 'advice') return message.advice?.approved === false || isCredit(message)
  return message.kind === 'reversal' && (standing === null || awaitsOriginal(standing))
}

/** Null where the transaction was not authorized in the message's currency. */
function givenBackCents(message: MessageRecord, standing: Standing | null): number | null {
  if (standing?.asked?.currency !== message.currency) return null
  // More than can be counted is more than was held.
  return atItsRate(message, standing) ?? AMOUNT_MAX
}

/** Null also where it would be more than can be counted. */
function atItsRate(message: MessageRecord, standing: Standing | null): number | null {
  const asked = standing?.asked ?? null
  if (standing === null || asked === null || asked.currency !== message.currency) return null
  const part = BigInt(message.amountCents) * BigInt(approvedOf(standing))
  const cents = (part + BigInt(asked.cents) / 2n) / BigInt(asked.cents)
  return cents > BigInt(AMOUNT_MAX) ? null : Number(cents)
}
