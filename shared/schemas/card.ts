// A card as the outside sees it. Spec 2.5. Never a PAN, never a CVC.
import { type Static, Type } from 'typebox'

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
  scope: Type.Enum(['program', 'cardholder', 'card']),
  interval: Type.Enum([...INTERVALS]),
  amount_cents: Type.Union([Type.Integer(), Type.Null()]),
  count: Type.Union([Type.Integer(), Type.Null()]),
  currency: Type.String(),
  time_zone: Type.String(),
  rolling_seconds: Type.Union([Type.Integer(), Type.Null()]),
})
export type Limit = Static<typeof Limit>

export const Card = Type.Object({
  id: Type.String(),
  object: Type.Literal('card'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  type: Type.Enum(['virtual', 'physical']),
  status: Type.Enum([...CARD_STATUSES]),
  token: Type.String(),
  last4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  currency: Type.String(),
  program_id: Type.String(),
  cardholder_id: Type.String(),
  limits: Type.Array(Limit),
  /** Active ones that bind the card: its own, its cardholder's, its program's. */
  spending_control_ids: Type.Array(Type.String()),
  /** The card that this one was issued for, which is terminated. */
  replaces: Type.Optional(Type.String()),
  /** Who suspended it. Spec 6.2: the tenant, the cardholder or fraud rules. */
  suspended_by: Type.Optional(Type.Enum(['tenant', 'cardholder', 'fraud_rule'])),
  suspend_reason: Type.Optional(Type.String()),
  terminate_reason: Type.Optional(Type.String()),
})
export type Card = Static<typeof Card>
