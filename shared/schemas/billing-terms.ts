// Plans of billing and the terms of an agreement, as the API shows and takes them.
import { type Static, Type } from 'typebox'

const CENTS_MAX = 100_000_000_000
const Cents = Type.Integer({ minimum: 0, maximum: CENTS_MAX })

const MeterPrice = Type.Object(
  {
    /** Units of a whole month that the base price contains. */
    included: Type.Integer({ minimum: 0, maximum: CENTS_MAX }),
    /** Cents for 1,000 units more. */
    per_thousand_cents: Cents,
  },
  { additionalProperties: false },
)

/** Prices by meter. */
export const MeterPrices = Type.Object(
  {
    /** Authorizations, approved and declined. */
    authorizations: MeterPrice,
    /** Cards issued. */
    cards_issued: MeterPrice,
    /** Passes issued. */
    passes_issued: MeterPrice,
    /** Physical cards handed to the carrier. */
    physical_cards: MeterPrice,
    /** Identity checks with a result. */
    identity_checks: MeterPrice,
  },
  { additionalProperties: false },
)
export type MeterPrices = Static<typeof MeterPrices>

export const BillingPlan = Type.Object({
  object: Type.Literal('billing_plan'),
  /** The plan. */
  key: Type.Enum(['starter', 'growth']),
  /** Date of the catalogue that the prices are from. */
  version: Type.String(),
  /** Cents of a month, in the currency of the subscription. */
  month_cents: Type.Integer(),
  /** Cents of a year, in the currency of the subscription. */
  year_cents: Type.Integer(),
  /** The price of usage, by meter. */
  meters: MeterPrices,
  /** Whether real-time authorization belongs to the plan. */
  realtime: Type.Boolean(),
  /** Factor of the rate limits. */
  rate_factor: Type.Integer(),
  /** The largest number of webhook endpoints. */
  endpoints_max: Type.Integer(),
})
export type BillingPlan = Static<typeof BillingPlan>

/** All plans that a tenant can choose by itself. */
export const BillingPlans = Type.Object({
  /** The plans, the lowest first. */
  data: Type.Array(BillingPlan),
})

export const AGREED_TERMS = {
  /** Interval of the base price. */
  interval: Type.Enum(['month', 'year']),
  /** Currency of every amount, ISO 4217. */
  currency: Type.Enum(['USD', 'EUR']),
  /** Cents of a whole interval. */
  base_cents: Cents,
  /** The price of usage, by meter. */
  meters: MeterPrices,
  /** Whether real-time authorization belongs to the plan. */
  realtime: Type.Boolean(),
  /** Factor of the rate limits. */
  rate_factor: Type.Integer({ minimum: 1, maximum: 20 }),
  /** The largest number of webhook endpoints. */
  endpoints_max: Type.Integer({ minimum: 1, maximum: 20 }),
  /** Days from an invoice to its due date. */
  net_days: Type.Integer({ minimum: 1, maximum: 90 }),
}

/** The terms of an enterprise plan: offered in a quote, or named by a contract. */
export const AgreedTerms = Type.Object(AGREED_TERMS, { additionalProperties: false })
export type AgreedTerms = Static<typeof AgreedTerms>
