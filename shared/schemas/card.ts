// A card as the outside sees it. Spec 2.5. Never a PAN, never a CVC.
import { type Static, Type } from 'typebox'
import { CARD_SUSPENDED_BY } from '../state-reference.ts'
import { SUSPEND_REASON, TERMINATE_REASON } from './explained.ts'
import { OWN_DATA } from './own-data.ts'

export const CARD_STATUSES = ['issued', 'active', 'suspended', 'terminated'] as const
export const LIMIT_INTERVALS = [
  'per_authorization',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'all_time',
] as const
/** The intervals of a calendar and the one that slides. */
const INTERVALS = [...LIMIT_INTERVALS, 'rolling'] as const

export const Limit = Type.Object({
  id: Type.String(),
  /** The holder of the limit. */
  scope: Type.Enum(['program', 'cardholder', 'card']),
  /** The interval of the count; all but rolling begin anew with the calendar, in time_zone. */
  interval: Type.Enum([...INTERVALS]),
  amount_cents: Type.Union([Type.Integer(), Type.Null()]),
  /** How many approved authorizations at most; null where the limit counts none. */
  count: Type.Union([Type.Integer(), Type.Null()]),
  currency: Type.String(),
  time_zone: Type.String(),
  /** How far a rolling limit looks back, in seconds; null of the others. */
  rolling_seconds: Type.Union([Type.Integer(), Type.Null()]),
})
export type Limit = Static<typeof Limit>

const SHIPPING_STATUSES = ['pending', 'shipped', 'delivered', 'returned'] as const
export type ShippingStatus = (typeof SHIPPING_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])

/**
 * The address and the progress of a physical card's shipment. The parts of the address are null if
 * the card was made without one.
 */
export const Shipping = Type.Object({
  /** The name of the recipient. */
  name: TextOrNull,
  line1: TextOrNull,
  line2: TextOrNull,
  city: TextOrNull,
  state: TextOrNull,
  postal_code: TextOrNull,
  country: TextOrNull,
  status: Type.Enum([...SHIPPING_STATUSES]),
  /** The carrier; null until the card was handed over. */
  carrier: TextOrNull,
  /** Spec 2.5: once handed to the carrier. */
  tracking_number: TextOrNull,
})
export type Shipping = Static<typeof Shipping>

export const Card = Type.Object({
  id: Type.String(),
  object: Type.Literal('card'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** Virtual, or physical with a shipment. */
  type: Type.Enum(['virtual', 'physical']),
  status: Type.Enum([...CARD_STATUSES]),
  /** Stands for the card where its number must not: in files of the network and in wallets. */
  token: Type.String(),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  currency: Type.String(),
  program_id: Type.String(),
  cardholder_id: Type.String(),
  ...OWN_DATA,
  /** The name printed on the card; null for the cardholder's own name. */
  name_on_card: TextOrNull,
  /** Null for virtual cards. */
  shipping: Type.Union([Shipping, Type.Null()]),
  /** Every limit that binds the card: its own, its cardholder’s and its program’s. */
  limits: Type.Array(Limit),
  /** Active ones that bind the card: its own, its cardholder's, its program's. */
  spending_control_ids: Type.Array(Type.String()),
  /** The card that this one was issued for, which is terminated. */
  replaces: Type.Union([Type.String(), Type.Null()]),
  /**
   * The party that suspended the card: the tenant, the cardholder or the fraud rules; null while it
   * is not suspended. Spec 6.2.
   */
  suspended_by: Type.Union([
    Type.Enum([...CARD_SUSPENDED_BY], { title: 'CardSuspendedBy' }),
    Type.Null(),
  ]),
  /** Why it was suspended; null while it is not suspended. */
  suspend_reason: Type.Union([SUSPEND_REASON, Type.Null()]),
  /** Why it was terminated; null before. */
  terminate_reason: Type.Union([TERMINATE_REASON, Type.Null()]),
})
export type Card = Static<typeof Card>
