// The preview of an invoice: the cost of a change of plan.
import { type Static, Type } from 'typebox'
import { InvoiceLine } from './billing-invoice.ts'

export const InvoicePreview = Type.Object({
  object: Type.Literal('invoice_preview'),
  livemode: Type.Boolean(),
  /** The plan afterwards. */
  plan: Type.Enum(['starter', 'growth', 'enterprise']),
  /** The interval afterwards. */
  interval: Type.Enum(['month', 'year']),
  /** Whether the change holds `now` or at `period_end`. */
  effective: Type.Enum(['now', 'period_end']),
  /** When the change would come into force, Unix seconds. */
  effective_at: Type.Integer(),
  /** Name this moment in the change, within an hour: it then costs the same. Unix seconds. */
  prorate_at: Type.Union([Type.Integer(), Type.Null()]),
  /** Currency of every amount, ISO 4217. */
  currency: Type.Enum(['USD', 'EUR']),
  /** The lines of the base price; usage is billed after its month. */
  lines: Type.Array(InvoiceLine),
  /** Sum of the lines; negative for a credit. */
  net_cents: Type.Integer(),
  /** Total of the invoice, after credit and small totals that were carried on. */
  total_cents: Type.Integer(),
  /** Credit that is left afterwards. */
  credit_cents: Type.Integer(),
})
export type InvoicePreview = Static<typeof InvoicePreview>
