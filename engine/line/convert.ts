// Converts an amount from the message's currency into the card's: by the network's cardholder
// billing amount if that is in the card's currency, else by a rate of our own with the program's
// margin. Authorization 4.8. Part of gather.
//
// Chosen: a billing amount is compared with our own rate, if there is one, without the margin,
// because a market's rate has none. An authorization request may count the larger of the two
// amounts. A notification reports the cleared amount, which is recorded unchanged. Without a rate
// of our own we believe the network, and the conversion is marked as unverified.
import { AMOUNT_MAX, currencyExponent } from '../../shared/money.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import {
  type FxRateConfig,
  PROGRAM_DEFAULTS,
  type ProgramConfig,
} from '../../shared/wire/config-records.ts'
import type {
  AuthorizationRecord,
  FxRecord,
  MessageRecord,
} from '../../shared/wire/journal-entry.ts'
import type { ConfigReader } from '../config-cache/reader.ts'
import { isBillingTolerable } from '../rules/billing-plausible.ts'
import type { BillingCheck } from '../rules/rule.ts'

/** Minor units of the card's currency. `fx` is null if no conversion was needed. */
export interface Converted {
  cardAmountCents: number
  fx: FxRecord | null
  /** The billing amount beside our own; null where there was nothing to compare. */
  billing: BillingCheck | null
}

const RATE_DIGITS = 12
const RATE_ONE = 10n ** BigInt(RATE_DIGITS)
const BPS = 10_000n

/**
 * Returns null if neither the network nor we know a rate, if our rate has more digits than we count
 * with, or if the amount would be too large to count.
 */
export function convert(
  configCache: ConfigReader,
  message: MessageRecord,
  program: ProgramConfig,
  cardCurrency: string,
): Converted | null {
  const billed = message.billingCurrency === cardCurrency ? message.billingAmountCents : null
  if (message.currency === cardCurrency)
    return {
      cardAmountCents: message.amountCents,
      fx: null,
      billing: billed === null ? null : unconvertedCheck(message, billed),
    }
  if (billed !== null) return billedBy(configCache, { message, billed, program, cardCurrency })
  const ours = ourRate(configCache, message.currency, cardCurrency)
  return ours === null ? null : atOurRate(message, ours, program.fx_margin_bps, cardCurrency)
}

/**
 * Returns the amount that the network billed. If the program counts the larger amount, and the
 * amount by our own rate is larger, it returns that.
 */
function billedBy(
  configCache: ConfigReader,
  known: { message: MessageRecord; billed: number; program: ProgramConfig; cardCurrency: string },
): Converted {
  const { message, billed, program, cardCurrency } = known
  const rate = ourRate(configCache, message.currency, cardCurrency)
  const ours = rate === null ? null : atOurRate(message, rate, 0, cardCurrency)
  if (rate === null || ours === null)
    return {
      cardAmountCents: billed,
      fx: networkRate(known, { version: 0, verified: false }),
      billing: null,
    }
  const billing = billingCheck(program, billed, ours.cardAmountCents)
  const isLarger = billing.isMismatch && billing.action === 'take_larger'
  if (isLarger && ours.cardAmountCents > billed && !isNotification(message.kind))
    return Object.assign({}, ours, { billing })
  const fx = networkRate(known, { version: rate.configRecord.version, verified: true })
  return { cardAmountCents: billed, fx, billing }
}

function billingCheck(program: ProgramConfig, billed: number, expected: number): BillingCheck {
  const { billing_tolerance_bps: toleranceBps, billing_mismatch_action: action } = program
  const isMismatch = !isBillingTolerable(billed, expected, toleranceBps)
  return { billed, expected, toleranceBps, action, isMismatch }
}

/**
 * The check of a notification that needed no conversion but was billed with another amount.
 * Authorization requests of that kind are refused.
 */
function unconvertedCheck({ amountCents }: MessageRecord, billed: number): BillingCheck | null {
  if (billed === amountCents) return null
  const { billing_mismatch_action: action } = PROGRAM_DEFAULTS
  return { billed, expected: amountCents, toleranceBps: 0, action, isMismatch: true }
}

/**
 * Units of the card's currency for one of the message's, in units of 10^-12, and the config record
 * of the rate.
 */
interface OurRate {
  plain: bigint
  configRecord: FxRateConfig
}

/** Returns null if no rate is known, or if it has more digits than we count with. */
function ourRate(configCache: ConfigReader, from: string, to: string): OurRate | null {
  const direct = configCache.fxRate(from + '/' + to)
  const configRecord = direct ?? configCache.fxRate(to + '/' + from)
  if (configRecord === null) return null
  const scaled = scaledRate(configRecord.rate)
  if (scaled === 0n) return null
  const plain = direct === null ? (RATE_ONE * RATE_ONE) / scaled : scaled
  return plain === 0n ? null : { plain, configRecord }
}

/** Null where the amount would be too large to count. */
function atOurRate(
  message: MessageRecord,
  { plain, configRecord }: OurRate,
  marginBps: number,
  cardCurrency: string,
): Converted | null {
  // Chosen: the margin is part of the rate, and halves are rounded up, as on a cardholder's
  // statement.
  const rate = (plain * (BPS + BigInt(marginBps))) / BPS
  const amount = inCurrency(message, rate, cardCurrency)
  if (amount > BigInt(AMOUNT_MAX)) return null
  return {
    cardAmountCents: Number(amount),
    fx: {
      rate: decimal(rate),
      source: 'internal',
      rateAtMs: configRecord.rate_at_ms,
      marginBps,
      version: configRecord.version,
    },
    billing: null,
  }
}

/**
 * Converts an amount of the card's currency to the message's, in proportion to the requested
 * amount. Chosen: a part is rounded down, so the network never approves more than we do.
 */
export function toMessageCurrency(
  { message, cardAmountCents }: AuthorizationRecord,
  amountCents: number,
): number {
  if (amountCents >= cardAmountCents) return message.amountCents
  return Number((BigInt(amountCents) * BigInt(message.amountCents)) / BigInt(cardAmountCents))
}

function inCurrency(message: MessageRecord, rate: bigint, cardCurrency: string): bigint {
  const shift = currencyExponent(cardCurrency) - currencyExponent(message.currency)
  const numerator = BigInt(message.amountCents) * rate * 10n ** BigInt(Math.max(0, shift))
  const denominator = RATE_ONE * 10n ** BigInt(Math.max(0, -shift))
  return (numerator + denominator / 2n) / denominator
}

/** The network's rate, else the rate implied by its two amounts. */
function networkRate(
  known: { message: MessageRecord; billed: number; cardCurrency: string },
  { version, verified }: { version: number; verified: boolean },
): FxRecord {
  const { message, billed, cardCurrency } = known
  const rate = message.billingRate ?? impliedRate(message, billed, cardCurrency)
  return { rate, source: 'network', rateAtMs: null, marginBps: 0, version, verified }
}

/**
 * Returns the rate that turns a message's amount into this many minor units of the card's currency,
 * as a decimal.
 */
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

/**
 * Converts a decimal text to units of 10^-12. Finer digits are cut off; a text that is no decimal
 * gives 0.
 */
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
