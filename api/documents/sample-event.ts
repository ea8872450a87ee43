// A sample event of a type, with invented values: the data that a test sends. It has the shape that
// the documents show.
import type { TSchema } from 'typebox'
import { EVENT_TYPES, type EventType } from '../../shared/event-catalog.ts'
import { ApiKey } from '../../shared/schemas/api-key.ts'
import { PaymentMethod, PortalSession } from '../../shared/schemas/billing-payment-method.ts'
import { Quote } from '../../shared/schemas/billing-quote.ts'
import { Addon, Subscription } from '../../shared/schemas/billing-subscription.ts'
import { Card } from '../../shared/schemas/card.ts'
import { CardTransactionShape } from '../../shared/schemas/card-transaction-shape.ts'
import { Cardholder } from '../../shared/schemas/cardholder.ts'
import { Dispute } from '../../shared/schemas/dispute.ts'
import { Pass } from '../../shared/schemas/pass.ts'
import { PassScan } from '../../shared/schemas/pass-scan.ts'
import { PassTemplate } from '../../shared/schemas/pass-template.ts'
import { Payment } from '../../shared/schemas/payment.ts'
import { Program } from '../../shared/schemas/program.ts'
import { SettlementBatch } from '../../shared/schemas/settlement-batch.ts'
import { exampleOf } from './example.ts'
import { plainData } from './schemas.ts'
import { ENDPOINT_DISABLED } from './webhooks.ts'

type Resource = Exclude<(typeof EVENT_TYPES)[EventType]['resource'], 'endpoint'>

const RESOURCES: { readonly [Name in Resource]: { schema: TSchema; prefix: string | null } } = {
  card: { schema: Card, prefix: 'card' },
  transaction: { schema: CardTransactionShape, prefix: 'txn' },
  dispute: { schema: Dispute, prefix: 'dsp' },
  payment: { schema: Payment, prefix: 'pay' },
  settlement_batch: { schema: SettlementBatch, prefix: 'stb' },
  subscription: { schema: Subscription, prefix: 'sub' },
  payment_method: { schema: PaymentMethod, prefix: 'bpm' },
  portal_session: { schema: PortalSession, prefix: 'bps' },
  addon: { schema: Addon, prefix: null },
  quote: { schema: Quote, prefix: 'quo' },
  program: { schema: Program, prefix: 'prog' },
  cardholder: { schema: Cardholder, prefix: 'ch' },
  api_key: { schema: ApiKey, prefix: 'key' },
  pass_template: { schema: PassTemplate, prefix: 'ptpl' },
  pass: { schema: Pass, prefix: 'pass' },
  scan: { schema: PassScan, prefix: 'pscan' },
}

/**
 * Returns the data of such an event in the newest version: the resource under its name, valid by
 * its schema.
 */
export function sampleData(type: EventType): { readonly [name: string]: unknown } {
  const { resource } = EVENT_TYPES[type]
  const whole = { sent: false, operation: type }
  if (resource === 'endpoint') return exampleOf(ENDPOINT_DISABLED, {}, whole) as object as Sample
  const { schema, prefix } = RESOURCES[resource]
  const example = exampleOf(plainData(schema), {}, whole) as object
  // The id of an add-on is its key.
  if (prefix === null) return { [resource]: example }
  return { [resource]: { ...example, id: prefix + '_01m7wdgzf0fs28n3488hcbjt71' } }
}

interface Sample {
  readonly [name: string]: unknown
}
