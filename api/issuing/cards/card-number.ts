// A fresh number for a card, and the stored values: sealed, keyed or the last four digits, never in
// clear.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import { type Derivation, SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import { newPan } from '../../../shared/pan.ts'
import type { Context } from '../../context.ts'

/** Chosen: a card is valid for four years, to the end of the month it was issued in. */
const VALID_YEARS = 4
const TOKEN_BYTES = 18

export interface CardNumber {
  token: string
  /** Keyed hash of the number. */
  fingerprint: string
  sealedPan: string
  last4: string
  expMonth: number
  expYear: number
  cvcVerifier: string
}

/** `derivation` belongs to the database. */
export function newCardNumber(
  { seal }: Pick<Context, 'seal'>,
  derivation: Derivation,
  now: EpochMs,
): CardNumber {
  const today = isoInstant(now)
  const expMonth = Number(today.slice(5, 7))
  const expYear = Number(today.slice(0, 4)) + VALID_YEARS
  const pan = newPan()
  const fingerprint = derivation.fingerprint(pan)
  return {
    token: 'ctok_' + randomSecret(TOKEN_BYTES),
    fingerprint,
    sealedPan: seal(SEAL_CONTEXTS.pan, pan),
    last4: pan.slice(-4),
    expMonth,
    expYear,
    cvcVerifier: derivation.cvcVerifier(fingerprint, derivation.cvc(pan, expMonth, expYear)),
  }
}
