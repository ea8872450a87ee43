// A card as the outside sees it. Spec 2.5. Never a PAN, never a CVC.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { CARD_SUSPENDED_BY } from '../state-reference.ts'
import { described } from './described.ts'
import { SUSPEND_REASON, TERMINATE_REASON } from './explained.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

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
  scope: described(Type.Enum(['program', 'cardholder', 'card']), 'The holder of the limit.'),
  interval: described(
    Type.Enum([...INTERVALS]),
    'The interval of the count; all but rolling begin anew with the calendar, in time_zone.',
  ),
  amount_cents: Type.Union([Type.Integer(), Type.Null()]),
  count: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'How many approved authorizations at most; null where the limit counts none.',
  ),
  currency: Type.String(),
  time_zone: Type.String(),
  rolling_seconds: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'How far a rolling limit looks back, in seconds; null of the others.',
  ),
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
  name: described(TextOrNull, 'The name of the recipient.'),
  line1: TextOrNull,
  line2: TextOrNull,
  city: TextOrNull,
  state: described(TextOrNull, 'State, province or region; null where there is none.'),
  postal_code: TextOrNull,
  country: TextOrNull,
  status: Type.Enum([...SHIPPING_STATUSES]),
  carrier: described(TextOrNull, 'The carrier; null until the card was handed over.'),
  // Spec 2.5.
  tracking_number: described(TextOrNull, 'Once handed to the carrier.'),
})
export type Shipping = Static<typeof Shipping>

export const Card = Type.Object({
  id: Type.String(),
  object: Type.Literal('card'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  type: described(Type.Enum(['virtual', 'physical']), 'Virtual, or physical with a shipment.'),
  status: Type.Enum([...CARD_STATUSES]),
  token: described(
    Type.String(),
    'Stands for the card where its number must not: in files of the network and in wallets.',
  ),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  currency: Type.String(),
  program_id: Type.String(),
  cardholder_id: Type.String(),
  ...TENANT_FIELDS,
  name_on_card: described(
    TextOrNull,
    "The name printed on the card; null for the cardholder's own name.",
  ),
  shipping: described(Type.Union([Shipping, Type.Null()]), 'Null for virtual cards.'),
  limits: described(
    Type.Array(Limit),
    'Every limit that binds the card: its own, its cardholder’s and its program’s.',
  ),
  spending_control_ids: described(
    Type.Array(Type.String()),
    "Active ones that bind the card: its own, its cardholder's, its program's.",
  ),
  replaces: described(
    Type.Union([Type.String(), Type.Null()]),
    'The card that this one was issued for, which is terminated.',
  ),
  // Spec 6.2.
  suspended_by: described(
    Type.Union([Type.Enum([...CARD_SUSPENDED_BY], { title: 'CardSuspendedBy' }), Type.Null()]),
    'The party that suspended the card: the tenant, the cardholder or the fraud rules; null while it is not suspended.',
  ),
  suspend_reason: described(
    Type.Union([SUSPEND_REASON, Type.Null()]),
    'Why it was suspended; null while it is not suspended.',
  ),
  terminate_reason: described(
    Type.Union([TERMINATE_REASON, Type.Null()]),
    'Why it was terminated; null before.',
  ),
})
export type Card = Static<typeof Card>
