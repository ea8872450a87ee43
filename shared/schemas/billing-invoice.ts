// An invoice of a subscription with its lines.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

const INVOICE_KINDS = ['period', 'change', 'final'] as const
export type InvoiceKind = (typeof INVOICE_KINDS)[number]

const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

const LINE_KINDS = ['base', 'usage', 'late', 'correction', 'credit'] as const
export type LineKind = (typeof LINE_KINDS)[number]

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

export const InvoiceLine = Type.Object({
  kind: described(
    Type.Enum([...LINE_KINDS]),
    'Base price, usage, usage that arrived late, correction of usage, or credit.',
  ),
  plan: described(
    orNull(Type.Enum(['starter', 'growth', 'enterprise'])),
    'The plan of a base price, or of its unused time; null for other lines.',
  ),
  meter: described(
    orNull(Type.String()),
    'The counted thing; null for other lines than those of usage.',
  ),
  quantity: described(
    orNull(Type.Integer()),
    'Units that the price was computed from: all of the period so far.',
  ),
  period: described(
    Type.Object({
      from: described(Type.Integer(), 'The beginning, Unix seconds.'),
      until: described(Type.Integer(), 'The end, Unix seconds.'),
    }),
    'The stretch of time that the line is about.',
  ),
  amount_cents: described(Type.Integer(), 'Cents; negative for credits.'),
})

export const Invoice = Type.Object({
  id: Type.String(),
  object: Type.Literal('invoice'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  subscription_id: described(Type.String(), 'The subscription that the invoice bills.'),
  kind: described(
    Type.Enum([...INVOICE_KINDS]),
    'Period at a boundary, change of the plan, or final after the last period.',
  ),
  ordinal: described(
    Type.Integer(),
    'Number of the boundary, or of the change, within the subscription.',
  ),
  currency: described(Type.Enum(['USD', 'EUR']), 'Currency of every amount, ISO 4217.'),
  status: described(
    Type.Enum([...INVOICE_STATUSES]),
    'A draft waits for the usage of its period and has no lines yet.',
  ),
  total_cents: described(Type.Integer(), 'Sum of the lines; never negative.'),
  due_at: described(
    orNull(Type.Integer()),
    'When a sent invoice is due, Unix seconds; null where the payment method is charged.',
  ),
  finalized_at: described(orNull(Type.Integer()), 'When the lines were fixed, Unix seconds.'),
  paid_at: described(orNull(Type.Integer()), 'When it was paid, Unix seconds.'),
  attempts: described(Type.Integer(), 'Attempts to collect so far.'),
  next_attempt_at: described(
    orNull(Type.Integer()),
    'When the next attempt is made, Unix seconds.',
  ),
  hosted_url: described(
    orNull(Type.String()),
    'The processor’s page on which the invoice can be paid.',
  ),
  lines: described(Type.Array(InvoiceLine), 'The lines; their amounts add up to the total.'),
})
export type Invoice = Static<typeof Invoice>
