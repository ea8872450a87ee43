// An amount in the message's currency as one in the card's: by the network's cardholder billing amount where it is in the
// card's currency, else by a rate of our own with the program's margin. AUTHORIZATION.md 4.8. Part of gather.
import { AMOUNT_MAX, currencyExponent } from '../../shared/money.ts'
import type { ProgramFact } from '../../shared/wire/facts.ts'
import type {
  AuthorizationRecord,
  FxRecord,
  MessageRecord,
} from '../../shared/wire/journal-entry.ts'
import type { FactsReader } from '../facts/reader.ts'

/** Minor units of the card's currency. `fx` is null where no conversion was needed. */
export interface Converted {
  cardAmountCents: number
  fx: FxRecord | null
}

const RATE_DIGITS = 12
const RATE_ONE = 10n ** BigInt(RATE_DIGITS)
const BPS = 10_000n

/** Null where no rate is known, where it is finer than what we count with, or where the amount would be too large to count. */
export function convert(
  facts: FactsReader,
  message: MessageRecord,
  program: ProgramFact,
  cardCurrency: string,
): Converted | null {
  if (message.currency === cardCurrency) return { cardAmountCents: message.amountCents, fx: null }
  const billed = message.billingCurrency === cardCurrency ? message.billingAmountCents : null
  if (billed !== null)
    return { cardAmountCents: billed, fx: networkRate(message, billed, cardCurrency) }
  const direct = facts.fxRate(message.currency + '/' + cardCurrency)
  const inverse = direct === null ? facts.fxRate(cardCurrency + '/' + message.currency) : null
  const fact = direct ?? inverse
  if (fact === null) return null
  const scaled = scaledRate(fact.rate)
  if (scaled === 0n) return null
  const plain = direct === null ? (RATE_ONE * RATE_ONE) / scaled : scaled
  if (plain === 0n) return null
  // Chosen: the margin is part of the rate, and halves are rounded up, as a cardholder's statement would show them.
  const rate = (plain * (BPS + BigInt(program.fx_margin_bps))) / BPS
  const amount = inCurrency(message, rate, cardCurrency)
  if (amount > BigInt(AMOUNT_MAX)) return null
  return {
    cardAmountCents: Number(amount),
    fx: {
      rate: decimal(rate),
      source: 'internal',
      rateAtMs: fact.rate_at_ms,
      marginBps: program.fx_margin_bps,
      version: fact.version,
    },
  }
}

/**
 * An amount of the card's currency in the message's, in proportion to what was asked. Chosen: a part is rounded down, so that
 * the network never approves more than we do.
 */
export function toMessageCurrency(
  { message, cardAmountCents }: AuthorizationRecord,
  amountCents: number,
): number {
  if (amountCents >= cardAmountCents) return message.amountCents
  return Number((BigInt(amountCents) * BigInt(message.amountCents)) / BigInt(cardAmountCents))
}

/** True for an authorization that gives the cardholder money. Chosen: an increment takes more, whatever type it names. */
export function isCredit({ kind, transactionType }: MessageRecord): boolean {
  if (kind === 'incremental') return false
  return transactionType === 'refund' || transactionType === 'original_credit'
}

function inCurrency(message: MessageRecord, rate: bigint, cardCurrency: string): bigint {
  const shift = currencyExponent(cardCurrency) - currencyExponent(message.currency)
  const numerator = BigInt(message.amountCents) * rate * 10n ** BigInt(Math.max(0, shift))
  const denominator = RATE_ONE * 10n ** BigInt(Math.max(0, -shift))
  return (numerator + denominator / 2n) / denominator
}

/** The rate as the network gave it, else the one its two amounts make. */
function networkRate(message: MessageRecord, billed: number, cardCurrency: string): FxRecord {
  return {
    rate: message.billingRate ?? impliedRate(message, billed, cardCurrency),
    source: 'network',
    rateAtMs: null,
    marginBps: 0,
    version: 0,
  }
}

/** The rate at which a message's amount comes to so many minor units of the card's currency, as a decimal. */
export function impliedRate(
  { amountCents, currency }: MessageRecord,
  cardCents: number,
  cardCurrency: string,
): string {
  if (amountCents === 0) return '0'
  const shift = currencyExponent(currency) - currencyExponent(cardCurrency)
  const numerator = BigInt(cardCents) * RATE_ONE * 10n ** BigInt(Math.max(0, shift))
  return decimal(numerator / (BigInt(amountCents) * 10n ** BigInt(Math.max(0, -shift))))
}

/** A decimal text as units of 10^-12. What is finer is cut off; what is no decimal is 0. */
function scaledRate(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  const digits = whole + fraction.slice(0, RATE_DIGITS).padEnd(RATE_DIGITS, '0')
  return /^\d+$/.test(digits) ? BigInt(digits) : 0n
}

function decimal(scaled: bigint): string {
  const digits = scaled.toString().padStart(RATE_DIGITS + 1, '0')
  const fraction = digits.slice(-RATE_DIGITS).replace(/0+$/, '')
  const whole = digits.slice(0, -RATE_DIGITS)
  return fraction === '' ? whole : whole + '.' + fraction
}
