// Counted usage of a month with its price so far.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const BillingPeriod = Type.Object({
  from: described(Type.Integer(), 'The beginning, Unix seconds.'),
  until: described(Type.Integer(), 'The end, Unix seconds.'),
})

const UsageDay = Type.Object({
  day: described(Type.Integer(), 'Start of the day in UTC, Unix seconds.'),
  quantity: described(Type.Integer(), 'Counted units of the day.'),
  late: described(Type.Integer(), 'Units of them that arrived after the invoice of their period.'),
})

const UsageOfMeter = Type.Object({
  meter: described(
    Type.Enum([
      'authorizations',
      'cards_issued',
      'passes_issued',
      'physical_cards',
      'identity_checks',
    ]),
    'The counted thing.',
  ),
  plan: described(Type.Enum(['starter', 'growth', 'enterprise']), 'The plan that prices it.'),
  period: described(
    BillingPeriod,
    'The stretch of the month in which these terms hold; a change of plan cuts the month.',
  ),
  quantity: described(Type.Integer(), 'Units so far, corrections included.'),
  late: described(Type.Integer(), 'Units of them that arrived after the invoice of their period.'),
  adjusted: described(Type.Integer(), 'Sum of the corrections by operators.'),
  included: described(Type.Integer(), 'Units that the base price contains.'),
  over: described(Type.Integer(), 'Units above.'),
  amount_cents: described(Type.Integer(), 'Price of the units above, in cents.'),
  days: described(Type.Array(UsageDay), 'The counted units by day; days without any are left out.'),
})

export const BillingUsage = Type.Object({
  object: Type.Literal('billing_usage'),
  livemode: Type.Boolean(),
  subscription_id: described(orNull(Type.String()), 'The subscription; null without one.'),
  month: described(
    orNull(Type.Integer()),
    'Number of the month within the subscription; null in a trial.',
  ),
  period: described(orNull(BillingPeriod), 'The month of usage, or the trial.'),
  as_of: described(
    Type.Integer(),
    'Every event that was recorded before this moment is counted, Unix seconds.',
  ),
  data: described(Type.Array(UsageOfMeter), 'Usage by meter and stretch of terms.'),
})
export type BillingUsage = Static<typeof BillingUsage>
