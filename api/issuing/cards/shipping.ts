// The shipment of a physical card to the cardholder. Spec 6.2, card.shipped. Reports come from
// outside: from those who make and ship the cards.
import { isCountry } from '../../../shared/countries.ts'
import type { Card, Shipping } from '../../../shared/schemas/card.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { type CardWorld, lockCardOf, recordCardEvent } from './move.ts'
import { CHANGEABLE_IN, SHIPPING_MOVES } from './states.ts'
import { saveShipping } from './store.ts'
import { type CardRow, cardView } from './view.ts'

/** The address as the caller gives it. */
export interface AddressInput {
  name: string
  line1: string
  line2?: string
  city: string
  state?: string
  postal_code?: string
  country: string
}

const NOWHERE = {
  name: null,
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
}
const NOT_SENT = { status: 'pending', carrier: null, tracking_number: null } as const

/** A shipment that waits to be sent to this address. */
export function shippingTo(address: AddressInput): Shipping {
  if (!isCountry(address.country)) {
    throw new Refusal('parameter_invalid', {
      param: '/shipping/country',
      message: address.country + ' is no country that is known here.',
    })
  }
  return { ...NOWHERE, ...address, ...NOT_SENT }
}

/** The same address, for another card's shipment. */
export function unsent(shipping: Shipping): Shipping {
  return { ...shipping, ...NOT_SENT }
}

export interface WorkerBatch {
  carrier: string
  trackingNumber: string
}

/**
 * Reports that a card was handed to the carrier; once more after a return. Repeating the report
 * changes nothing. Refuses with 409 a card that is virtual, terminated or on its way under another
 * number.
 */
export async function shipCard(
  sql: TxSql,
  world: CardWorld,
  { cardId, carrier, trackingNumber }: WorkerBatch & { cardId: string },
): Promise<Card> {
  const { card, shipping } = await lockShipment(sql, world, cardId)
  const { from, to, event } = SHIPPING_MOVES.ship
  const same = shipping.carrier === carrier && shipping.tracking_number === trackingNumber
  if (shipping.status === to && same) return cardView(card)
  requireState(card.status, CHANGEABLE_IN)
  requireState(shipping.status, from)
  const sent = { ...shipping, status: to, carrier, tracking_number: trackingNumber }
  const shown = cardView(await saveShipping(sql, world.principal, { cardId, shipping: sent }))
  await recordCardEvent(sql, world, event, shown)
  return shown
}

/** Reports that the card arrived, or came back. The specification lists no event for either. */
export async function markParcel(
  sql: TxSql,
  world: CardWorld,
  { cardId, move }: { cardId: string; move: 'deliver' | 'return' },
): Promise<Card> {
  const { card, shipping } = await lockShipment(sql, world, cardId)
  const { from, to } = SHIPPING_MOVES[move]
  if (shipping.status === to) return cardView(card)
  requireState(shipping.status, from)
  const marked = { ...shipping, status: to }
  return cardView(await saveShipping(sql, world.principal, { cardId, shipping: marked }))
}

/**
 * Chosen: a physical card that was created without an address can be shipped too; the shipper knows
 * the address.
 */
async function lockShipment(
  sql: TxSql,
  { principal }: CardWorld,
  cardId: string,
): Promise<{ card: CardRow; shipping: Shipping }> {
  const card = await lockCardOf(sql, principal, cardId)
  if (card.type === 'physical')
    return { card, shipping: card.shipping ?? { ...NOWHERE, ...NOT_SENT } }
  throw new Refusal('invalid_state', {
    message: 'A virtual card is not sent to anybody.',
    extra: { current_status: card.status, allowed_from: [] },
  })
}
