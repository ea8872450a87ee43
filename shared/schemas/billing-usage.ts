// Counted usage of a month with its price so far.
import { type Static, Type } from 'typebox'

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const BillingPeriod = Type.Object({
  /** The beginning, Unix seconds. */
  from: Type.Integer(),
  /** The end, Unix seconds. */
  until: Type.Integer(),
})

const UsageDay = Type.Object({
  /** Start of the day in UTC, Unix seconds. */
  day: Type.Integer(),
  /** Counted units of the day. */
  quantity: Type.Integer(),
  /** Units of them that arrived after the invoice of their period. */
  late: Type.Integer(),
})

const UsageOfMeter = Type.Object({
  /** The counted thing. */
  meter: Type.Enum([
    'authorizations',
    'cards_issued',
    'passes_issued',
    'physical_cards',
    'identity_checks',
  ]),
  /** The plan that prices it. */
  plan: Type.Enum(['starter', 'growth', 'enterprise']),
  /** The stretch of the month in which these terms hold; a change of plan cuts the month. */
  period: BillingPeriod,
  /** Units so far, corrections included. */
  quantity: Type.Integer(),
  /** Units of them that arrived after the invoice of their period. */
  late: Type.Integer(),
  /** Sum of the corrections by operators. */
  adjusted: Type.Integer(),
  /** Units that the base price contains. */
  included: Type.Integer(),
  /** Units above. */
  over: Type.Integer(),
  /** Price of the units above, in cents. */
  amount_cents: Type.Integer(),
  /** The counted units by day; days without any are left out. */
  days: Type.Array(UsageDay),
})

export const BillingUsage = Type.Object({
  object: Type.Literal('billing_usage'),
  livemode: Type.Boolean(),
  /** The subscription; null without one. */
  subscription_id: orNull(Type.String()),
  /** Number of the month within the subscription; null in a trial. */
  month: orNull(Type.Integer()),
  /** The month of usage, or the trial. */
  period: orNull(BillingPeriod),
  /** Every event that was recorded before this moment is counted, Unix seconds. */
  as_of: Type.Integer(),
  /** Usage by meter and stretch of terms. */
  data: Type.Array(UsageOfMeter),
})
export type BillingUsage = Static<typeof BillingUsage>
