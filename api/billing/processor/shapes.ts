// The shapes of the processor's answers. The SDK checks none: an empty answer would pass for a
// success. Unknown fields are ignored.
import type { Static, TSchema } from 'typebox'
import { Type } from '../../../shared/schema-builders.ts'
import { hasShape } from '../../../shared/shape.ts'

const Id = Type.String({ pattern: '^[A-Za-z0-9_]{1,255}$' })
const Cents = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})
const Seconds = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000 })
const Metadata = Type.Record(Type.String(), Type.String())
const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** A reference that may be expanded. */
const Reference = Type.Union([Id, Type.Object({ id: Id })])

export const DeletedCustomer = Type.Object({ id: Id, deleted: Type.Literal(true) })
export const LiveCustomer = Type.Object({
  id: Id,
  object: Type.Literal('customer'),
  balance: Cents,
  metadata: Metadata,
  invoice_settings: Type.Object({ default_payment_method: Nullable(Reference) }),
})

export const Method = Type.Object({
  id: Id,
  object: Type.Literal('payment_method'),
  type: Type.String({ maxLength: 64 }),
  customer: Nullable(Reference),
  card: Type.Optional(
    Type.Object({
      brand: Type.String({ pattern: '^[a-z0-9_]{1,32}$' }),
      last4: Type.String({ pattern: '^[0-9]{4}$' }),
      exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
      exp_year: Type.Integer({ minimum: 1970, maximum: 9999 }),
    }),
  ),
})

/** The attempt behind a payment; only its id where it was not expanded. */
const PaymentIntent = Type.Object({
  id: Id,
  status: Type.String({ pattern: '^[a-z_]{1,64}$' }),
  last_payment_error: Type.Optional(
    Nullable(
      Type.Object({
        code: Type.Optional(Nullable(Type.String())),
        decline_code: Type.Optional(Nullable(Type.String())),
      }),
    ),
  ),
})

const InvoicePayment = Type.Object({
  payment: Type.Object({ payment_intent: Type.Optional(Type.Union([Id, PaymentIntent])) }),
})

export const ProcessorInvoice = Type.Object({
  id: Id,
  object: Type.Literal('invoice'),
  customer: Reference,
  currency: Type.String({ pattern: '^[a-z]{3}$' }),
  status: Type.Enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
  total: Cents,
  amount_due: Cents,
  attempt_count: Type.Integer({ minimum: 0 }),
  metadata: Nullable(Metadata),
  hosted_invoice_url: Type.Optional(Nullable(Type.String({ maxLength: 5000 }))),
  lines: Type.Object({ data: Type.Array(Type.Unknown()), has_more: Type.Boolean() }),
  payments: Type.Optional(Type.Object({ data: Type.Array(InvoicePayment) })),
})

export const PortalSession = Type.Object({
  id: Id,
  object: Type.Literal('billing_portal.session'),
  url: Type.String({ pattern: '^https?://[^\\s]{1,4000}$' }),
})

export const ProcessorEvent = Type.Object({
  id: Id,
  object: Type.Literal('event'),
  type: Type.String({ pattern: '^[a-z0-9_.]{1,128}$' }),
  created: Seconds,
  data: Type.Object({ object: Type.Object({ id: Type.Optional(Id) }) }),
})

export const Meter = Type.Object({
  id: Id,
  object: Type.Literal('billing.meter'),
  event_name: Type.String({ maxLength: 100 }),
})

export const MeterEvent = Type.Object({
  object: Type.Literal('billing.meter_event'),
  identifier: Type.String(),
})

export const MeterSummary = Type.Object({
  aggregated_value: Type.Number(),
  start_time: Seconds,
})

export const Named = Type.Object({ id: Id })

export function ListOf<Schema extends TSchema>(item: Schema) {
  return Type.Object({ data: Type.Array(item), has_more: Type.Boolean() })
}

/** The error of an answer that is none of ours to read. */
export class WrongShape extends Error {}

/** The answer, or throws where its shape is another. */
export function shaped<Schema extends TSchema>(schema: Schema, answer: unknown): Static<Schema> {
  if (!hasShape(schema, answer)) throw new WrongShape('an answer has another shape')
  return answer as Static<Schema>
}

/** The id of a reference. */
export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id
}
