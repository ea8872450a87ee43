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
