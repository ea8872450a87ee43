// The legal moves of a card, of its shipment, and the parties that may lift a suspension. Spec 3.
import type { Card, ShippingStatus } from '../../../shared/schemas/card.ts'
import type { CardStatus } from '../../../shared/wire/config-records.ts'
import type { Move } from '../../write/move.ts'

export const CARD_MOVES = {
  activate: { from: ['issued'], to: 'active', event: 'card.activated' },
  suspend: { from: ['active'], to: 'suspended', event: 'card.suspended' },
  /** The tenant takes over a cardholder's suspension. */
  take_over: { from: ['suspended'], to: 'suspended', event: 'card.suspended' },
  resume: { from: ['suspended'], to: 'active', event: 'card.resumed' },
  terminate: {
    from: ['issued', 'active', 'suspended'],
    to: 'terminated',
    event: 'card.terminated',
  },
} as const satisfies Record<string, Move<CardStatus>>

/**
 * States in which a card's own limits and its PIN may be replaced, and in which it may be shipped
 * and revealed.
 */
export const CHANGEABLE_IN = [
  'issued',
  'active',
  'suspended',
] as const satisfies readonly CardStatus[]

// The specification lists an event for the first only.
export const SHIPPING_MOVES = {
  ship: { from: ['pending', 'returned'], to: 'shipped', event: 'card.shipped' },
  deliver: { from: ['shipped'], to: 'delivered', event: null },
  return: { from: ['shipped', 'delivered'], to: 'returned', event: null },
} as const satisfies Record<string, Move<ShippingStatus>>

export type SuspendedBy = NonNullable<Card['suspended_by']>
/** The party behind a call: the tenant itself, or the cardholder, for whom the tenant speaks. */
export type Party = Exclude<SuspendedBy, 'fraud_rule'>

/**
 * The parties that may lift a suspension, by its author. Chosen: a cardholder cannot lift the
 * tenant's suspension; the tenant lifts that of a fraud rule by acknowledging it, whatever the
 * scope of its key.
 */
export const RESUMED_BY: {
  readonly [by in SuspendedBy]: { parties: readonly Party[]; acknowledged: boolean }
} = {
  cardholder: { parties: ['cardholder', 'tenant'], acknowledged: false },
  tenant: { parties: ['tenant'], acknowledged: false },
  fraud_rule: { parties: ['tenant'], acknowledged: true },
}
