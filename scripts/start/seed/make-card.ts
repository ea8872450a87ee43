// One card of the sandbox with everything that belongs to it, from its plan: cardholder, limits,
// controls, PIN, wallet token, a result of 3DS. The card is active or issued; finish-card.ts makes
// the later changes.
import { randomInt } from 'node:crypto'
import { type Card, SvcError } from '../../../client/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import { type Callers, madeOnce, once } from './callers.ts'
import type { CardPlan } from './sandbox-plan.ts'

const CURRENCY = 'USD'
const PIN_DIGITS = 4
const PROVIDER = 'apple_pay'
const SHIPPING = {
  name: 'Sandbox',
  line1: '1 Main St',
  city: 'Portland',
  postal_code: '97201',
  country: 'US',
}
/** As long as networks let a result stand. */
const AUTHENTICATION_S = 90 * 86_400

export interface CardInput {
  /** An external id of this card alone. */
  externalId: string
  cardholderId: string
  plan: CardPlan
}

/**
 * Returns the card that the API made, with its number if a card of this plan is used by number. An
 * earlier start may have made the card without writing down its number. If it is terminated by now,
 * its number cannot be revealed any more, and another card is made in its place.
 */
export async function makeCard(callers: Callers, invocation: CardInput): Promise<SandboxCard> {
  const card = await issue(callers, invocation)
  try {
    return await complete(callers, invocation, card)
  } catch (error) {
    const ended = error instanceof SvcError && error.detail['current_status'] === 'terminated'
    if (!ended) throw error
    return makeCard(callers, {
      ...invocation,
      externalId: invocation.externalId + ' after ' + card.id,
    })
  }
}

async function complete(callers: Callers, invocation: CardInput, card: Card): Promise<SandboxCard> {
  const { externalId, cardholderId, plan } = invocation
  if (plan.type === 'physical' && plan.status !== 'issued') await activate(callers, card)
  const { controls, cardholderControls } = plan
  if (controls !== undefined)
    await bind(callers, { scope: 'card', subject_id: card.id, external_id: externalId }, controls)
  if (cardholderControls !== undefined) {
    const subject = { scope: 'cardholder' as const, subject_id: cardholderId }
    await bind(callers, { ...subject, external_id: externalId }, cardholderControls)
  }
  const number = plan.byToken === true ? { pan: '', cvc: '' } : await reveal(callers, card.id)
  return {
    id: card.id,
    token: card.token,
    ...number,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    cardholder_id: cardholderId,
    currency: card.currency,
    ...(plan.pin === true && { pin: await setPin(callers, card.id) }),
    ...(plan.walletToken !== undefined && {
      wallet_token_id: await makeWalletToken(callers, card.id, externalId),
    }),
    ...(plan.authentication !== undefined && {
      three_ds_id: await authenticate(callers, card.id, plan.authentication),
    }),
    unfinished: true,
  }
}

async function issue(
  callers: Callers,
  { externalId, cardholderId, plan }: CardInput,
): Promise<Card> {
  const { tenant, signal } = callers
  const { currency = CURRENCY, limits = [] } = plan
  const input = {
    cardholder_id: cardholderId,
    type: plan.type ?? ('virtual' as const),
    external_id: externalId,
    currency,
    limits: limits.map((limit) => ({ ...limit, currency })),
    ...(plan.type === 'physical' && { shipping: SHIPPING }),
  }
  return madeOnce(
    () => tenant.createCard(input, once(callers, 'createCard', input)),
    (id) => tenant.getCard({ id }, { signal }),
  )
}

/** A card that was made before may be beyond it. */
async function activate({ tenant, signal }: Callers, { id, last4 }: Card): Promise<void> {
  const { status } = await tenant.getCard({ id }, { signal })
  if (status === 'issued') await tenant.activateCard({ id, last4 }, { signal })
}

async function bind(
  callers: Callers,
  subject: { scope: 'card' | 'cardholder'; subject_id: string; external_id: string },
  terms: NonNullable<CardPlan['controls']>,
): Promise<void> {
  const { tenant, signal } = callers
  const input = { ...subject, ...terms }
  await madeOnce(
    () => tenant.createSpendingControl(input, once(callers, 'createSpendingControl', input)),
    (id) => tenant.getSpendingControl({ id }, { signal }),
  )
}

/** The token works once and not for long, so every start asks for one of its own. */
async function reveal(
  { tenant, signal }: Callers,
  id: string,
): Promise<{ pan: string; cvc: string }> {
  const { token } = await tenant.createCardRevealToken({ id }, { signal })
  const { pan, cvc } = await tenant.createCardReveal({ token }, { signal })
  return { pan: pan ?? '', cvc: cvc ?? '' }
}

async function setPin({ tenant, signal }: Callers, id: string): Promise<string> {
  const pin = String(randomInt(10 ** PIN_DIGITS)).padStart(PIN_DIGITS, '0')
  await tenant.setCardPin({ id, pin }, { signal })
  return pin
}

async function makeWalletToken(
  callers: Callers,
  cardId: string,
  externalId: string,
): Promise<string> {
  const { tenant, signal } = callers
  const input = { card_id: cardId, provider: PROVIDER, external_id: externalId }
  const { id } = await madeOnce(
    () => tenant.createWalletToken(input, once(callers, 'createWalletToken', input)),
    (known) => tenant.getWalletToken({ id: known }, { signal }),
  )
  return id
}

/** The id of the 3DS transaction. A result counts for a while, so each has an id of its own. */
export async function authenticate(
  { tenant, signal }: Callers,
  cardId: string,
  result: NonNullable<CardPlan['authentication']>,
): Promise<string> {
  const id = newId('tds', systemClock.nowMs())
  await tenant.createAuthentication(
    {
      three_ds_transaction_id: id,
      card_id: cardId,
      result,
      valid_seconds: AUTHENTICATION_S,
    },
    { signal },
  )
  return id
}
