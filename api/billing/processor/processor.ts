// The payment processor as the rest of billing sees it. Every call returns its outcome; none
// rejects for a failure of the outside world.
import type { Result } from '../../../shared/result.ts'
import type { Owner } from '../../context.ts'
import type { ProcessorFailure } from './failure.ts'

export type Outcome<Value> = Promise<Result<Value, ProcessorFailure>>

export interface ProcessorCustomer {
  id: string
  isDeleted: boolean
  /** Cents that the processor would add to the next invoice; ours always expect 0. */
  balance: number
  defaultMethod: string | null
}

export interface CardMethod {
  id: string
  /** Null: detached. */
  customer: string | null
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

export interface CollectedInvoice {
  id: string
  customer: string
  /** The id of our invoice in its metadata; null: an invoice that we did not make. */
  ours: string | null
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Upper case. */
  currency: string
  total: number
  amountDue: number
  attempts: number
  hasLines: boolean
  hostedUrl: string | null
  /** The last attempt waits for a bank, or it failed; null: neither is known. */
  payment: { isProcessing: boolean; declineCode: string | null } | null
}

/** Cents; seconds since the epoch. */
export interface SentLine {
  amount: number
  description: string
  from: number
  until: number
}

export interface NewInvoice {
  ours: string
  customer: string
  currency: string
  /** Null: the payment method is charged. */
  netDays: number | null
}

export interface SeenEvent {
  id: string
  type: string
  /** Unix seconds. */
  created: number
  objectId: string | null
}

export interface DayTotal {
  eventName: string
  customer: string
  /** Unix seconds of the day's first moment. */
  day: number
  total: number
  identifier: string
}

/** `key` is the Idempotency-Key; the same key is the same call for 24 hours. */
export interface Processor {
  createCustomer(owner: Owner, key: string): Outcome<ProcessorCustomer>
  /** The customer that an earlier call with this key made since `sinceS`; null: none. */
  findCustomer(key: string, sinceS: number): Outcome<ProcessorCustomer | null>
  readCustomer(id: string): Outcome<ProcessorCustomer>
  listMethods(customer: string): Outcome<CardMethod[]>
  readMethod(id: string): Outcome<CardMethod>
  /** Attaches a test card and makes it the default: the sandbox's simulated portal. */
  attachCard(input: { token: string; customer: string; key: string }): Outcome<CardMethod>
  createInvoice(invoice: NewInvoice, key: string): Outcome<CollectedInvoice>
  addLines(id: string, lines: readonly SentLine[], key: string): Outcome<CollectedInvoice>
  finalizeInvoice(id: string, key: string): Outcome<CollectedInvoice>
  payInvoice(id: string, key: string): Outcome<CollectedInvoice>
  voidInvoice(id: string, key: string): Outcome<CollectedInvoice>
  markUncollectible(id: string, key: string): Outcome<CollectedInvoice>
  readInvoice(id: string): Outcome<CollectedInvoice>
  /** The invoice of a customer that names ours, by listing; searching lags. */
  findInvoice(customer: string, ours: string): Outcome<CollectedInvoice | null>
  /** Invoices of the account from a moment on, Unix seconds. */
  listInvoices(sinceS: number): Outcome<CollectedInvoice[]>
  openPortal(input: {
    customer: string
    returnUrl: string
    key: string
  }): Outcome<{ id: string; url: string }>
  /** Events of these types since a moment, oldest first. */
  listEvents(types: readonly string[], sinceS: number): Outcome<SeenEvent[]>
  sendTotal(total: DayTotal): Outcome<null>
  /** Totals by the first second of each day. */
  dayTotals(input: {
    eventName: string
    customer: string
    fromS: number
    untilS: number
  }): Outcome<Map<number, number>>
  close(): Promise<void>
}
