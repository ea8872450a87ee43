// Takes a card's details and returns a token for them. Spec 5.1: a publishable key may do this,
// from a browser.
import type { EpochMs } from '../../../shared/clock.ts'
import { brandOf, isPan } from '../../../shared/pan.ts'
import {
  CARD_TOKEN_TTL_MS,
  type CardDetails,
  type CardToken,
} from '../../../shared/schemas/card-token.ts'
import type { Context } from '../../context.ts'
import { openDerivation } from '../../database/derivation.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { insertCardToken } from './store.ts'
import { cardTokenView } from './view.ts'

/**
 * Stores only keyed hashes of number and CVC, which are useless without the master keys; the CVC's
 * goes with the first use. Chosen: this call does not look for such a card, therefore neither the
 * answer nor its time tells a browser whether it exists.
 */
export async function createCardToken(context: Context, details: CardDetails): Promise<CardToken> {
  const { principal, now } = context
  const { pan, exp_month: expMonth, exp_year: expYear, cvc } = details
  refuseImpossible(details, now)
  return write(context, async (sql) => {
    const derivation = await openDerivation(sql, context)
    const fingerprint = derivation.fingerprint(pan)
    const row = await insertCardToken(sql, principal, {
      id: context.newId('tok'),
      fingerprint,
      cvcVerifier: cvc === undefined ? null : derivation.cvcVerifier(fingerprint, cvc),
      brand: brandOf(pan),
      last4: pan.slice(-4),
      expMonth,
      expYear,
      createdAt: now,
      expiresAt: now + CARD_TOKEN_TTL_MS,
    })
    return cardTokenView(row)
  })
}

/** Refuses details that no card can have: a number with a wrong check digit, a past month. */
function refuseImpossible({ pan, exp_month, exp_year }: CardDetails, now: EpochMs): void {
  if (!isPan(pan)) {
    throw new Refusal('parameter_invalid', {
      param: '/card/pan',
      message: 'This field is no card number: its last digit does not fit.',
    })
  }
  if (Date.UTC(exp_year, exp_month) > now) return
  throw new Refusal('parameter_invalid', {
    param: '/card/exp_year',
    message: 'The card has expired.',
  })
}
