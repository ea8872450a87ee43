// Card numbers of our own: synthetic, of a range that no network routes, and Luhn-valid.
import { randomInt } from 'node:crypto'

/** Chosen: a range that belongs to no issuer, until a program has one of its own. */
const PAN_PREFIX = '999999'
const PAN_RANDOM_DIGITS = 9

/** Sixteen fresh digits. Two may be equal: whoever keeps them has a unique fingerprint. */
export function newPan(): string {
  const middle = String(randomInt(10 ** PAN_RANDOM_DIGITS)).padStart(PAN_RANDOM_DIGITS, '0')
  const body = PAN_PREFIX + middle
  return body + luhnDigit(body)
}

/** The digit that makes `body` plus itself Luhn-valid. */
export function luhnDigit(body: string): number {
  let sum = 0
  for (let index = 0; index < body.length; index++) {
    const digit = Number(body[body.length - 1 - index])
    const doubled = index % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return (10 - (sum % 10)) % 10
}

export const CARD_BRANDS = ['visa', 'mastercard', 'amex', 'discover', 'unknown'] as const
export type CardBrand = (typeof CARD_BRANDS)[number]

/** By their first digits; a range of our own has none. */
const BRAND_RANGES: readonly [brand: CardBrand, from: number, to: number][] = [
  ['visa', 400000, 499999],
  ['mastercard', 510000, 559999],
  ['mastercard', 222100, 272099],
  ['amex', 340000, 349999],
  ['amex', 370000, 379999],
  ['discover', 601100, 601199],
  ['discover', 644000, 659999],
]

/** Whose network a number of at least six digits belongs to. */
export function brandOf(pan: string): CardBrand {
  const head = Number(pan.slice(0, 6))
  return BRAND_RANGES.find(([, from, to]) => head >= from && head <= to)?.[0] ?? 'unknown'
}

/** True for digits whose last one is the Luhn digit of those before it. */
export function isPan(digits: string): boolean {
  return luhnDigit(digits.slice(0, -1)) === Number(digits.slice(-1))
}
