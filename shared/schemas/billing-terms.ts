// Plans of billing and the terms of an agreement, as the API shows and takes them.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const CENTS_MAX = 100_000_000_000
const Cents = Type.Integer({ minimum: 0, maximum: CENTS_MAX })

const MeterPrice = Type.Object(
  {
    included: described(
      Type.Integer({ minimum: 0, maximum: CENTS_MAX }),
      'Units of a whole month that the base price contains.',
    ),
    per_thousand_cents: described(Cents, 'Cents for 1,000 units more.'),
  },
  { additionalProperties: false },
)

/** Prices by meter. */
export const MeterPrices = Type.Object(
  {
    authorizations: described(MeterPrice, 'Authorizations, approved and declined.'),
    cards_issued: described(MeterPrice, 'Cards issued.'),
    passes_issued: described(MeterPrice, 'Passes issued.'),
    physical_cards: described(MeterPrice, 'Physical cards handed to the carrier.'),
    identity_checks: described(MeterPrice, 'Identity checks with a result.'),
  },
  { additionalProperties: false },
)
export type MeterPrices = Static<typeof MeterPrices>

export const BillingPlan = Type.Object({
  object: Type.Literal('billing_plan'),
  key: described(Type.Enum(['starter', 'growth']), 'The plan.'),
  version: described(Type.String(), 'Date of the catalogue that the prices are from.'),
  month_cents: described(Type.Integer(), 'Cents of a month, in the currency of the subscription.'),
  year_cents: described(Type.Integer(), 'Cents of a year, in the currency of the subscription.'),
  meters: described(MeterPrices, 'The price of usage, by meter.'),
  realtime: described(Type.Boolean(), 'Whether real-time authorization belongs to the plan.'),
  rate_factor: described(Type.Integer(), 'Factor of the rate limits.'),
  endpoints_max: described(Type.Integer(), 'The largest number of webhook endpoints.'),
})
export type BillingPlan = Static<typeof BillingPlan>

/** All plans that a tenant can choose by itself. */
export const BillingPlans = Type.Object({
  data: described(Type.Array(BillingPlan), 'The plans, the lowest first.'),
})

export const AGREED_TERMS = {
  interval: described(Type.Enum(['month', 'year']), 'Interval of the base price.'),
  currency: described(Type.Enum(['USD', 'EUR']), 'Currency of every amount, ISO 4217.'),
  base_cents: described(Cents, 'Cents of a whole interval.'),
  meters: described(MeterPrices, 'The price of usage, by meter.'),
  realtime: described(Type.Boolean(), 'Whether real-time authorization belongs to the plan.'),
  rate_factor: described(Type.Integer({ minimum: 1, maximum: 20 }), 'Factor of the rate limits.'),
  endpoints_max: described(
    Type.Integer({ minimum: 1, maximum: 20 }),
    'The largest number of webhook endpoints.',
  ),
  net_days: described(
    Type.Integer({ minimum: 1, maximum: 90 }),
    'Days from an invoice to its due date.',
  ),
}

/** The terms of an enterprise plan: offered in a quote, or named by a contract. */
export const AgreedTerms = Type.Object(AGREED_TERMS, { additionalProperties: false })
export type AgreedTerms = Static<typeof AgreedTerms>
