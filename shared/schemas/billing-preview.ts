// The preview of an invoice: the cost of a change of plan.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { InvoiceLine } from './billing-invoice.ts'
import { described } from './described.ts'

export const InvoicePreview = Type.Object({
  object: Type.Literal('invoice_preview'),
  livemode: Type.Boolean(),
  plan: described(Type.Enum(['starter', 'growth', 'enterprise']), 'The plan afterwards.'),
  interval: described(Type.Enum(['month', 'year']), 'The interval afterwards.'),
  effective: described(
    Type.Enum(['now', 'period_end']),
    'Whether the change holds now or at period_end.',
  ),
  effective_at: described(Type.Integer(), 'When the change would come into force, Unix seconds.'),
  prorate_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Name this moment in the change, within an hour: it then costs the same. Unix seconds.',
  ),
  currency: described(Type.Enum(['USD', 'EUR']), 'Currency of every amount, ISO 4217.'),
  lines: described(
    Type.Array(InvoiceLine),
    'The lines of the base price; usage is billed after its month.',
  ),
  net_cents: described(Type.Integer(), 'Sum of the lines; negative for a credit.'),
  total_cents: described(
    Type.Integer(),
    'Total of the invoice, after credit and small totals that were carried on.',
  ),
  credit_cents: described(Type.Integer(), 'Credit that is left afterwards.'),
})
export type InvoicePreview = Static<typeof InvoicePreview>
