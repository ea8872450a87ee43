// An invoice of a subscription with its lines.
import { type Static, Type } from 'typebox'

const INVOICE_KINDS = ['period', 'change', 'final'] as const
export type InvoiceKind = (typeof INVOICE_KINDS)[number]

const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

const LINE_KINDS = ['base', 'usage', 'late', 'correction', 'credit'] as const
export type LineKind = (typeof LINE_KINDS)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

export const InvoiceLine = Type.Object({
  /** Base price, usage, usage that arrived late, correction of usage, or credit. */
  kind: Type.Enum([...LINE_KINDS]),
  /** The plan of a base price, or of its unused time; null for other lines. */
  plan: orNull(Type.Enum(['starter', 'growth', 'enterprise'])),
  /** The counted thing; null for other lines than those of usage. */
  meter: orNull(Type.String()),
  /** Units that the price was computed from: all of the period so far. */
  quantity: orNull(Type.Integer()),
  /** The stretch of time that the line is about. */
  period: Type.Object({
    /** The beginning, Unix seconds. */
    from: Type.Integer(),
    /** The end, Unix seconds. */
    until: Type.Integer(),
  }),
  /** Cents; negative for credits. */
  amount_cents: Type.Integer(),
})

export const Invoice = Type.Object({
  id: Type.String(),
  object: Type.Literal('invoice'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** The subscription that the invoice bills. */
  subscription_id: Type.String(),
  /** `period` at a boundary, `change` of the plan, or `final` after the last period. */
  kind: Type.Enum([...INVOICE_KINDS]),
  /** Number of the boundary, or of the change, within the subscription. */
  ordinal: Type.Integer(),
  /** Currency of every amount, ISO 4217. */
  currency: Type.Enum(['USD', 'EUR']),
  /** A `draft` waits for the usage of its period and has no lines yet. */
  status: Type.Enum([...INVOICE_STATUSES]),
  /** Sum of the lines; never negative. */
  total_cents: Type.Integer(),
  /** When a sent invoice is due, Unix seconds; null where the payment method is charged. */
  due_at: orNull(Type.Integer()),
  /** When the lines were fixed, Unix seconds. */
  finalized_at: orNull(Type.Integer()),
  /** When it was paid, Unix seconds. */
  paid_at: orNull(Type.Integer()),
  /** Attempts to collect so far. */
  attempts: Type.Integer(),
  /** When the next attempt is made, Unix seconds. */
  next_attempt_at: orNull(Type.Integer()),
  /** The processor’s page on which the invoice can be paid. */
  hosted_url: orNull(Type.String()),
  /** The lines; their amounts add up to the total. */
  lines: Type.Array(InvoiceLine),
})
export type Invoice = Static<typeof Invoice>
