// Card numbers of our own: synthetic, of a range that no network routes, and Luhn-valid.
import { randomInt } from 'node:crypto'

/** Chosen: a range that belongs to no issuer, until a program has one of its own. */
const PAN_PREFIX = '999999'
const PAN_RANDOM_DIGITS = 9
/** The code of the character `0`. */
const ZERO = 48

/** Sixteen fresh digits. Two results may be equal, so the caller stores a unique fingerprint. */
export function newPan(): string {
  const middle = String(randomInt(10 ** PAN_RANDOM_DIGITS)).padStart(PAN_RANDOM_DIGITS, '0')
  const body = PAN_PREFIX + middle
  return body + luhnDigit(body)
}

/** The digit that makes `body` plus itself Luhn-valid. */
export function luhnDigit(body: string): number {
  let sum = 0
  for (let index = 0; index < body.length; index++) {
    const digit = body.charCodeAt(body.length - 1 - index) - ZERO
    const doubled = index % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return (10 - (sum % 10)) % 10
}

export const CARD_BRANDS = ['visa', 'mastercard', 'amex', 'discover', 'unknown'] as const
export type CardBrand = (typeof CARD_BRANDS)[number]

/**
 * Known ranges of the first six digits, each with its brand and the lengths that its numbers have.
 * The first fitting row counts. Maestro and RuPay count as `unknown`, and so does the range of our
 * own.
 *
 * Chosen: Maestro's numbers of 12 digits are left out, because telephone numbers of three countries
 * look the same.
 */
const RANGES: readonly (readonly [
  brand: CardBrand,
  from: number,
  to: number,
  lengths: readonly number[],
])[] = [
  ['visa', 400000, 499999, [13, 16, 19]],
  ['mastercard', 510000, 559999, [16]],
  ['mastercard', 222100, 272099, [16]],
  ['amex', 340000, 349999, [15]],
  ['amex', 370000, 379999, [15]],
  ['discover', 601100, 601199, [16, 17, 18, 19]],
  ['discover', 644000, 659999, [16, 17, 18, 19]],
  // Diners Club, JCB, UnionPay, Mir.
  ['unknown', 300000, 305999, [14, 16, 19]],
  ['unknown', 309500, 309599, [14, 16, 19]],
  ['unknown', 360000, 369999, [14, 16, 19]],
  ['unknown', 380000, 399999, [14, 16, 19]],
  ['unknown', 352800, 358999, [16, 17, 18, 19]],
  ['unknown', 620000, 629999, [16, 17, 18, 19]],
  ['unknown', 810000, 817199, [16, 17, 18, 19]],
  ['unknown', 220000, 220499, [16, 17, 18, 19]],
  // Maestro, RuPay.
  ['unknown', 500000, 509999, [13, 14, 15, 16, 17, 18, 19]],
  ['unknown', 560000, 589999, [13, 14, 15, 16, 17, 18, 19]],
  ['unknown', 630000, 639999, [13, 14, 15, 16, 17, 18, 19]],
  ['unknown', 670000, 679999, [13, 14, 15, 16, 17, 18, 19]],
  ['unknown', 600000, 609999, [16]],
  ['unknown', Number(PAN_PREFIX), Number(PAN_PREFIX), [PAN_PREFIX.length + PAN_RANDOM_DIGITS + 1]],
]
/** The fewest and the most digits of a number in a known range. */
export const KNOWN_DIGITS_MIN = 13
export const KNOWN_DIGITS_MAX = 19

type Range = (typeof RANGES)[number]

/** The ranges that begin with each pair of digits. */
const RANGES_OF_PAIR: readonly (readonly Range[])[] = Array.from({ length: 100 }, (_, pair) =>
  RANGES.filter(([, from, to]) => pair >= Math.floor(from / 1e4) && pair <= Math.floor(to / 1e4)),
)

function rangeAt(text: string, at: number): Range | undefined {
  let head = 0
  for (let index = at; index < at + 6; index++) head = head * 10 + text.charCodeAt(index) - ZERO
  for (const range of RANGES_OF_PAIR[Math.floor(head / 1e4)] ?? [])
    if (head >= range[1] && head <= range[2]) return range
  return undefined
}

/** The network of a number of at least six digits. */
export function brandOf(pan: string): CardBrand {
  return rangeAt(pan, 0)?.[0] ?? 'unknown'
}

/** True where the digits at `at`, at least six, are in a known range. */
export function beginsKnownPan(digits: string, at = 0): boolean {
  return rangeAt(digits, at) !== undefined
}

/** True for digits of a known range that have a length of that range and the right Luhn digit. */
export function isKnownPan(digits: string): boolean {
  return rangeAt(digits, 0)?.[3].includes(digits.length) === true && isPan(digits)
}

/** True if the last digit is the Luhn digit of the others. */
export function isPan(digits: string): boolean {
  return luhnDigit(digits.slice(0, -1)) === Number(digits.slice(-1))
}
