// The objects of the processor, with the fields that its clients read.

export interface PeerObject {
  id: string
  object: string
  /** Unix seconds by the processor's clock. */
  created: number
  livemode: boolean
}

export interface Customer extends PeerObject {
  object: 'customer'
  /** Cents that a later invoice takes up: positive adds to it. */
  balance: number
  currency: string | null
  email: string | null
  name: string | null
  metadata: { [name: string]: string }
  invoice_settings: { default_payment_method: string | null }
  deleted?: true
}

/** The way a card behaves when it is charged. */
export type CardStory = 'paid' | 'declined' | 'authentication' | 'lost'

export interface PaymentMethod extends PeerObject {
  object: 'payment_method'
  type: 'card'
  card: { brand: string; last4: string; exp_month: number; exp_year: number; funding: 'credit' }
  customer: string | null
  metadata: { [name: string]: string }
}

export interface Line {
  id: string
  object: 'line_item'
  amount: number
  currency: string
  description: string | null
  metadata: { [name: string]: string }
  period: { start: number; end: number }
  quantity: number | null
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

export interface Invoice extends PeerObject {
  object: 'invoice'
  customer: string
  currency: string
  status: InvoiceStatus
  auto_advance: boolean
  collection_method: 'charge_automatically' | 'send_invoice'
  days_until_due: number | null
  description: string | null
  due_date: number | null
  metadata: { [name: string]: string }
  number: string | null
  hosted_invoice_url: string | null
  subtotal: number
  total: number
  starting_balance: number
  amount_due: number
  amount_paid: number
  amount_remaining: number
  attempt_count: number
  attempted: boolean
  status_transitions: {
    finalized_at: number | null
    paid_at: number | null
    voided_at: number | null
    marked_uncollectible_at: number | null
  }
  lines: Line[]
  /** The last attempt; shown where a request expands it. */
  attempt?: PaymentAttempt
}

export interface PaymentAttempt {
  id: string
  status: 'processing' | 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  /** Only issuers of cards give a `decline_code`. */
  last_payment_error: { code: string; decline_code?: string } | null
}

/** Money that moved; each is a charge of a card. */
export interface Charge extends PeerObject {
  object: 'charge'
  invoice: string
  customer: string
  amount: number
  currency: string
  payment_method: string
}

export interface Meter extends PeerObject {
  object: 'billing.meter'
  display_name: string
  event_name: string
  event_time_window: 'day' | 'hour' | null
  status: 'active'
  customer_mapping: { type: 'by_id'; event_payload_key: string }
  default_aggregation: { formula: 'sum' }
  value_settings: { event_payload_key: string }
}

export interface MeterEvent extends PeerObject {
  object: 'billing.meter_event'
  event_name: string
  identifier: string
  payload: { [name: string]: string }
  timestamp: number
}

export interface PortalConfiguration extends PeerObject {
  object: 'billing_portal.configuration'
  active: true
  metadata: { [name: string]: string }
  features: { [name: string]: { enabled: boolean } }
}

export interface PortalSession extends PeerObject {
  object: 'billing_portal.session'
  customer: string
  configuration: string
  return_url: string | null
  /** The last part of its page's address. */
  secret: string
}

export interface PeerEvent extends PeerObject {
  object: 'event'
  api_version: string
  type: string
  data: { object: object }
  request: { id: null; idempotency_key: string | null }
  pending_webhooks: number
}
