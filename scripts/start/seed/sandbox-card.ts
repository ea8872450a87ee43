// One synthetic card: a PAN of a range no network issues, Luhn-valid, with the ids and the expiry of its plan.
import { randomInt } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { isoInstant } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import { type CardPlan, SANDBOX_CURRENCY } from './sandbox-plan.ts'

/** Chosen: a range that belongs to no issuer. */
const PAN_PREFIX = '999999'
const PAN_RANDOM_DIGITS = 9
const VALID_YEARS = 4
const EXPIRED_YEARS = 1
const TOKEN_BYTES = 18

/** A card as its plan wants it, with everything but the CVC, which the database's derivation root decides. */
export function newSandboxCard(plan: CardPlan, now: EpochMs): SandboxCard {
  const today = isoInstant(now)
  const year = Number(today.slice(0, 4))
  return {
    id: newId('card', now),
    token: 'ctok_' + randomSecret(TOKEN_BYTES),
    pan: newPan(),
    exp_month: Number(today.slice(5, 7)),
    exp_year: plan.expired === true ? year - EXPIRED_YEARS : year + VALID_YEARS,
    cvc: '',
    cardholder_id: newId('ch', now),
    currency: SANDBOX_CURRENCY,
  }
}

function newPan(): string {
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
