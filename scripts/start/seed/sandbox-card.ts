// One synthetic card: a synthetic PAN, with the ids, the expiry and the secrets of its plan.
import { randomInt } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { isoInstant } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import { newPan } from '../../../shared/pan.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import { type CardPlan, SANDBOX_CURRENCY } from './sandbox-plan.ts'

const VALID_YEARS = 4
const EXPIRED_YEARS = 1
const TOKEN_BYTES = 18
const PIN_DIGITS = 4

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
    currency: plan.currency ?? SANDBOX_CURRENCY,
    ...(plan.pin === true && { pin: newPin() }),
    ...(plan.walletToken !== undefined && { wallet_token_id: newId('wtok', now) }),
    ...(plan.authentication !== undefined && { three_ds_id: newId('tds', now) }),
  }
}

function newPin(): string {
  return String(randomInt(10 ** PIN_DIGITS)).padStart(PIN_DIGITS, '0')
}
