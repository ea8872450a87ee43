// Invoices: drafts that take lines, then open ones that are paid, voided or given up.
import { type CustomerWorld, liveCustomer, methodsOf, storyOf } from './customers.ts'
import type { Faults, OrderedFault } from './faults.ts'
import { type Form, formIn, integerIn, itemsIn, metadataIn, textIn } from './form.ts'
import type { Invoice, InvoiceStatus, Line, PaymentAttempt, PaymentMethod } from './objects.ts'
import { declined, invalid, refused } from './problem.ts'

const TOTAL_CENTS_MIN = 50
const LINES_MAX = 250

export interface InvoiceWorld extends CustomerWorld {
  faults: Faults
  /** Address of the processor's pages. */
  url: string
}

export function createInvoice({ store, emit }: InvoiceWorld, form: Form): Invoice {
  const customer = liveCustomer(store, textIn(form, 'customer') ?? '')
  const currency = textIn(form, 'currency')?.toLowerCase() ?? customer.currency ?? 'usd'
  const collection = textIn(form, 'collection_method') ?? 'charge_automatically'
  if (collection !== 'charge_automatically' && collection !== 'send_invoice')
    throw invalid('Invalid collection_method', 'collection_method')
  if (!/^[a-z]{3}$/.test(currency)) throw invalid('Invalid currency', 'currency')
  const invoice = store.put('invoice', {
    ...{ id: store.newId('in'), object: 'invoice', created: store.nowS, livemode: false },
    ...{ customer: customer.id, currency, status: 'draft', metadata: metadataIn(form) },
    auto_advance: textIn(form, 'auto_advance') === 'true',
    ...{ collection_method: collection, days_until_due: integerIn(form, 'days_until_due') },
    ...{ description: textIn(form, 'description'), due_date: null, number: null },
    ...{ hosted_invoice_url: null, subtotal: 0, total: 0, starting_balance: 0, amount_due: 0 },
    ...{ amount_paid: 0, amount_remaining: 0, attempt_count: 0, attempted: false, lines: [] },
    status_transitions: {
      ...{ finalized_at: null, paid_at: null, voided_at: null, marked_uncollectible_at: null },
    },
  })
  emit('invoice.created', shown(invoice))
  return invoice
}

export function addLines({ store, emit }: InvoiceWorld, id: string, form: Form): Invoice {
  const invoice = store.get('invoice', id)
  requireStatus(invoice, ['draft'])
  const lines = itemsIn(form, 'lines').map((item) => {
    if (typeof item === 'string') throw invalid('Invalid line', 'lines')
    const amount = integerIn(item, 'amount')
    if (amount === null) throw invalid('Invalid integer', 'lines[amount]')
    return lineOf(store.newId('il'), invoice.currency, { item, amount })
  })
  const all = [...invoice.lines, ...lines]
  if (lines.length === 0 || all.length > LINES_MAX) throw invalid('Invalid lines', 'lines')
  const total = all.reduce((sum, line) => sum + line.amount, 0)
  const next = store.put('invoice', { ...invoice, lines: all, ...sums(total) })
  emit('invoice.updated', shown(next))
  return next
}

function lineOf(
  id: string,
  currency: string,
  { item, amount }: { item: Form; amount: number },
): Line {
  const period = formIn(item, 'period')
  return {
    ...{ id, object: 'line_item', amount, currency, description: textIn(item, 'description') },
    ...{ metadata: metadataIn(item), quantity: integerIn(item, 'quantity') },
    period: { start: integerIn(period, 'start') ?? 0, end: integerIn(period, 'end') ?? 0 },
  }
}

function sums(
  total: number,
): Pick<Invoice, 'subtotal' | 'total' | 'amount_due' | 'amount_remaining'> {
  return { subtotal: total, total, amount_due: total, amount_remaining: total }
}

/**
 * Opens a draft. The customer's balance changes the amount due; an amount below the minimum charge
 * moves into that balance, and the invoice is paid without a charge.
 */
export function finalizeInvoice(world: InvoiceWorld, id: string): Invoice {
  const { store, emit, faults, url } = world
  const draft = store.get('invoice', id)
  requireStatus(draft, ['draft'])
  const customer = liveCustomer(store, draft.customer)
  const wrong = faults.take(['wrong_total'], id) === null ? 0 : 100
  const total = draft.total + wrong
  const owed = total + customer.balance
  const isSmall = owed < TOTAL_CENTS_MIN
  const isTaken = customer.balance !== 0 || isSmall
  if (isTaken) store.put('customer', { ...customer, balance: isSmall ? owed : 0 })
  const amount_due = isSmall ? 0 : owed
  const days = draft.days_until_due
  const finalized = store.put('invoice', {
    ...{ ...draft, ...sums(total), amount_due, amount_remaining: amount_due },
    ...{ starting_balance: customer.balance, status: amount_due === 0 ? 'paid' : 'open' },
    due_date: days === null ? null : store.nowS + days * 86_400,
    number: 'PEER-' + id.slice(-8).toUpperCase(),
    hosted_invoice_url: url + '/i/' + id,
    status_transitions: {
      ...draft.status_transitions,
      finalized_at: store.nowS,
      paid_at: amount_due === 0 ? store.nowS : null,
    },
  })
  emit('invoice.finalized', shown(finalized))
  if (amount_due === 0) emit('invoice.paid', shown(finalized))
  return finalized
}

export interface Payment {
  id: string
  /** Null: the customer's default. */
  methodId: string | null
  /** The person is at the page, and passes an authentication. */
  isPresent: boolean
}

/** Charges a card. A paid invoice is never charged. */
export function payInvoice(world: InvoiceWorld, payment: Payment): Invoice {
  const { store, emit, faults } = world
  const { id, methodId, isPresent } = payment
  const invoice = store.get('invoice', id)
  if (invoice.status === 'paid') throw refused('Invoice is already paid', 'invoice_already_paid')
  requireStatus(invoice, ['open', 'uncollectible'])
  const customer = liveCustomer(store, invoice.customer)
  const chosen = methodId ?? customer.invoice_settings.default_payment_method
  const method = methodsOf(store, customer.id).find((one) => one.id === chosen)
  if (method === undefined)
    throw refused('The customer has no default payment method.', 'invoice_no_payment_method')
  const ordered = faults.take(['decline', 'processing'], id)
  const attempt = { attempt_count: invoice.attempt_count + 1, attempted: true }
  const failure = ordered === null ? failureOf(method, isPresent) : failureBy(ordered)
  const attempted = store.put('invoice', {
    ...{ ...invoice, ...attempt },
    attempt: attemptOf(invoice.attempt?.id ?? store.newId('pi'), ordered, failure),
  })
  if (ordered?.kind === 'processing') return attempted
  if (failure === null) return settleInvoice(world, attempted, method)
  if (failure.declineCode === null) {
    emit('invoice.payment_action_required', shown(attempted))
    throw declined('invoice_payment_intent_requires_action', null)
  }
  emit('invoice.payment_failed', shown(attempted))
  throw declined('card_declined', failure.declineCode)
}

function attemptOf(
  id: string,
  ordered: OrderedFault | null,
  failure: Failure | null,
): PaymentAttempt {
  if (ordered?.kind === 'processing') return { id, status: 'processing', last_payment_error: null }
  if (failure === null) return { id, status: 'succeeded', last_payment_error: null }
  const { declineCode: decline_code } = failure
  if (decline_code === null) return { id, status: 'requires_action', last_payment_error: null }
  const last_payment_error = { code: 'card_declined', decline_code }
  return { id, status: 'requires_payment_method', last_payment_error }
}

/** The answer of the bank; without a field it pays. */
export interface ProcessingEnd {
  /** The processor's invoice. */
  invoice: string
  /** The issuer of a card declines. */
  decline_code?: string
  /** The bank of a bank debit declines. */
  code?: string
  /** The attempt ends without an error. */
  status?: 'canceled' | 'requires_payment_method'
}

/** The bank behind an attempt that is processing answers. */
export function endProcessing(world: InvoiceWorld, end: ProcessingEnd): Invoice {
  const { store, emit } = world
  const invoice = store.get('invoice', end.invoice)
  if (invoice.attempt?.status !== 'processing') throw refused('No attempt is processing.', 'none')
  const attempt = endedAttempt(invoice.attempt.id, end)
  const ended = store.put('invoice', { ...invoice, attempt })
  const customer = liveCustomer(store, invoice.customer)
  const method = methodsOf(store, customer.id)[0]
  if (attempt.status === 'succeeded' && method !== undefined)
    return settleInvoice(world, ended, method)
  emit('invoice.payment_failed', shown(ended))
  return ended
}

function endedAttempt(id: string, { decline_code, code, status }: ProcessingEnd): PaymentAttempt {
  if (status !== undefined) return { id, status, last_payment_error: null }
  if (code !== undefined)
    return { id, status: 'requires_payment_method', last_payment_error: { code } }
  return attemptOf(id, null, decline_code === undefined ? null : { declineCode: decline_code })
}

interface Failure {
  /** Null: the person has to authenticate. */
  declineCode: string | null
}

function failureBy({ decline_code = 'generic_decline' }: OrderedFault): Failure {
  return { declineCode: decline_code }
}

function failureOf(method: PaymentMethod, isPresent: boolean): Failure | null {
  const story = storyOf(method)
  if (story === 'paid') return null
  if (story === 'authentication') return isPresent ? null : { declineCode: null }
  return { declineCode: story === 'lost' ? 'lost_card' : 'generic_decline' }
}

/** Moves the money; `method` is the card that paid. */
function settleInvoice(
  { store, emit }: InvoiceWorld,
  invoice: Invoice,
  method: PaymentMethod,
): Invoice {
  const { id, customer, currency, amount_due: amount } = invoice
  store.put('charge', {
    ...{ id: store.newId('ch'), object: 'charge', created: store.nowS, livemode: false },
    ...{ invoice: id, customer, amount, currency, payment_method: method.id },
  })
  const status_transitions = { ...invoice.status_transitions, paid_at: store.nowS }
  const paid = store.put('invoice', {
    ...{ ...invoice, status: 'paid', amount_paid: amount, amount_remaining: 0 },
    status_transitions,
  })
  emit('invoice.paid', shown(paid))
  emit('invoice.payment_succeeded', shown(paid))
  return paid
}

const ENDS: {
  readonly [status in 'void' | 'uncollectible']: {
    from: readonly InvoiceStatus[]
    at: 'voided_at' | 'marked_uncollectible_at'
    event: string
  }
} = {
  void: { from: ['open', 'uncollectible'], at: 'voided_at', event: 'invoice.voided' },
  uncollectible: {
    ...{ from: ['open'], at: 'marked_uncollectible_at' },
    event: 'invoice.marked_uncollectible',
  },
}

export function endInvoice(
  { store, emit }: InvoiceWorld,
  id: string,
  status: keyof typeof ENDS,
): Invoice {
  const invoice = store.get('invoice', id)
  const { from, at, event } = ENDS[status]
  requireStatus(invoice, from)
  const status_transitions = { ...invoice.status_transitions, [at]: store.nowS }
  const ended = store.put('invoice', { ...invoice, status, status_transitions })
  emit(event, shown(ended))
  return ended
}

function requireStatus({ status }: Invoice, allowed: readonly InvoiceStatus[]): void {
  if (!allowed.includes(status)) throw refused('The invoice is ' + status + '.', 'invoice_not_open')
}

const ATTEMPTS = 'payments.data.payment.payment_intent'

/** An invoice as answers show it: with the first ten lines, and its payments where asked for. */
export function shown(invoice: Invoice, expand: readonly unknown[] = []): object {
  const { lines, attempt, ...same } = invoice
  const payment = { type: 'payment_intent', payment_intent: attempt }
  const payments = {
    ...{ object: 'list', has_more: false, url: '/v1/invoice_payments' },
    data: attempt === undefined ? [] : [{ object: 'invoice_payment', is_default: true, payment }],
  }
  const data = lines.slice(0, 10)
  const list = { object: 'list', data, has_more: lines.length > data.length }
  const shownLines = { ...list, url: '/v1/invoices/' + invoice.id + '/lines' }
  return { ...same, lines: shownLines, ...(expand.includes(ATTEMPTS) && { payments }) }
}
