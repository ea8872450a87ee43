// Every call of the processor. Each names what it sends, and checks the shape of the answer.
import type Stripe from 'stripe'
import type { Static, TSchema } from 'typebox'
import type { Owner } from '../../context.ts'
import { declineCodeOf } from './failure.ts'
import { meterCalls } from './meter-calls.ts'
import type { CardMethod, CollectedInvoice, Processor, ProcessorCustomer } from './processor.ts'
import {
  DeletedCustomer,
  idOf,
  ListOf,
  LiveCustomer,
  Method,
  Named,
  PortalSession,
  ProcessorEvent,
  ProcessorInvoice,
  shaped,
  WrongShape,
} from './shapes.ts'
import { openStripe, type StripeCaller, type StripeOptions } from './stripe.ts'

const PAGE = 100
/** Events and invoices of a night at which ten thousand periods end. */
const PAGES_MAX = 1000

export function openProcessor(options: StripeOptions): Processor {
  const caller = openStripe(options)
  return {
    ...customerCalls(caller),
    ...invoiceCalls(caller),
    ...portalCalls(caller),
    ...meterCalls(caller),
    close: caller.close,
  }
}

/** Every row of a list, page by page. */
async function allOf<Schema extends TSchema>(
  item: Schema,
  read: (after: { starting_after?: string }) => Promise<unknown>,
): Promise<Static<Schema>[]> {
  const rows: Static<Schema>[] = []
  let after: { starting_after?: string } = {}
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { data, has_more } = shaped(ListOf(item), await read(after))
    rows.push(...data)
    const last = data.at(-1)
    if (!has_more || last === undefined) return rows
    after = { starting_after: shaped(Named, last).id }
  }
  throw new WrongShape('a list does not end')
}

function ownerName({ tenantId, environment }: Owner): string {
  return tenantId + ' ' + environment
}

function customerOf(answer: unknown): ProcessorCustomer {
  const deleted = answer as { id?: unknown; deleted?: unknown }
  if (deleted?.deleted === true) {
    const { id } = shaped(DeletedCustomer, answer)
    return { id, isDeleted: true, balance: 0, defaultMethod: null }
  }
  const { id, balance, invoice_settings } = shaped(LiveCustomer, answer)
  const chosen = invoice_settings.default_payment_method
  return { id, isDeleted: false, balance, defaultMethod: chosen === null ? null : idOf(chosen) }
}

/** Null: a method that is no card, which we do not show. */
function cardOf({ id, customer, card }: Static<typeof Method>): CardMethod | null {
  if (card === undefined) return null
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card
  return {
    id,
    customer: customer === null ? null : idOf(customer),
    brand,
    last4,
    expMonth,
    expYear,
  }
}

function requiredCard(answer: unknown): CardMethod {
  const card = cardOf(shaped(Method, answer))
  if (card === null) throw new WrongShape('the method is no card')
  return card
}

function customerCalls({ run }: StripeCaller) {
  return {
    createCustomer: (owner, key) =>
      run(async (stripe) => {
        const metadata = { svc_owner: ownerName(owner), svc_customer: key }
        const sent = { name: owner.tenantId, metadata }
        return customerOf(await stripe.customers.create(sent, { idempotencyKey: key }))
      }),
    findCustomer: (key, sinceS) =>
      run(async (stripe) => {
        const rows = await allOf(LiveCustomer, (after) =>
          stripe.customers.list({ limit: PAGE, created: { gte: sinceS }, ...after }),
        )
        const found = rows.find(({ metadata }) => metadata['svc_customer'] === key)
        return found === undefined ? null : customerOf(found)
      }),
    readCustomer: (id) => run(async (stripe) => customerOf(await stripe.customers.retrieve(id))),
    listMethods: (customer) =>
      run(async (stripe) => {
        const rows = await allOf(Method, (after) =>
          stripe.customers.listPaymentMethods(customer, { limit: PAGE, ...after }),
        )
        return rows.map(cardOf).filter((card): card is CardMethod => card !== null)
      }),
    readMethod: (id) =>
      run(async (stripe) => requiredCard(await stripe.paymentMethods.retrieve(id))),
    attachCard: ({ token, customer, key }) =>
      run(async (stripe) => {
        const attached = await stripe.paymentMethods.attach(
          token,
          { customer },
          { idempotencyKey: key + '-attach' },
        )
        const card = requiredCard(attached)
        const invoice_settings = { default_payment_method: card.id }
        const options = { idempotencyKey: key + '-default' }
        customerOf(await stripe.customers.update(customer, { invoice_settings }, options))
        return card
      }),
  } satisfies Partial<Processor>
}

function invoiceOf(answer: unknown): CollectedInvoice {
  const { id, customer, status, currency, total, ...more } = shaped(ProcessorInvoice, answer)
  const { amount_due: amountDue, attempt_count: attempts, hosted_invoice_url: url } = more
  return {
    ...{ id, customer: idOf(customer), status, currency: currency.toUpperCase(), total },
    ...{ amountDue, attempts, ours: more.metadata?.['svc_invoice'] ?? null },
    ...{ hasLines: more.lines.data.length > 0, hostedUrl: url ?? null },
    payment: paymentOf(more.payments?.data ?? []),
  }
}

/** Shows with an invoice the attempts behind its payments. */
const WITH_ATTEMPTS = { expand: ['payments.data.payment.payment_intent'] }

type InvoicePayments = NonNullable<Static<typeof ProcessorInvoice>['payments']>['data']

/** Statuses of an attempt that is over without money; after a failure, or after a cancellation. */
const ENDED = ['canceled', 'requires_payment_method']

function paymentOf(payments: InvoicePayments): CollectedInvoice['payment'] {
  const attempts = payments
    .map(({ payment }) => payment.payment_intent)
    .filter((attempt) => attempt !== undefined && typeof attempt !== 'string')
  if (attempts.some(({ status }) => status === 'processing'))
    return { isProcessing: true, declineCode: null }
  const failed = attempts.find(({ last_payment_error }) => (last_payment_error ?? null) !== null)
  if (failed !== undefined)
    return { isProcessing: false, declineCode: declineCodeOf(failed.last_payment_error ?? {}) }
  const isEnded = attempts.length > 0 && attempts.every(({ status }) => ENDED.includes(status))
  return isEnded ? { isProcessing: false, declineCode: null } : null
}

function invoiceCalls({ run }: StripeCaller) {
  const list = (
    stripe: Stripe,
    params: Stripe.InvoiceListParams,
  ): Promise<Static<typeof ProcessorInvoice>[]> =>
    allOf(ProcessorInvoice, (after) => stripe.invoices.list({ limit: PAGE, ...params, ...after }))
  return {
    createInvoice: ({ ours, customer, currency, netDays }, key) =>
      run(async (stripe) => {
        const collection =
          netDays === null
            ? ({ collection_method: 'charge_automatically' } as const)
            : ({ collection_method: 'send_invoice', days_until_due: netDays } as const)
        const sent = {
          ...{ customer, currency: currency.toLowerCase(), auto_advance: false, ...collection },
          ...({
            pending_invoice_items_behavior: 'exclude',
            metadata: { svc_invoice: ours },
          } as const),
        }
        return invoiceOf(await stripe.invoices.create(sent, { idempotencyKey: key }))
      }),
    addLines: (id, lines, key) =>
      run(async (stripe) => {
        const sent = lines.map(({ amount, description, from, until }) => ({
          ...{ amount, description, period: { start: from, end: until } },
        }))
        return invoiceOf(
          await stripe.invoices.addLines(id, { lines: sent }, { idempotencyKey: key }),
        )
      }),
    finalizeInvoice: (id, key) =>
      run(async (stripe) => {
        const sent = { auto_advance: false }
        return invoiceOf(await stripe.invoices.finalizeInvoice(id, sent, { idempotencyKey: key }))
      }),
    payInvoice: (id, key) =>
      run(async (stripe) =>
        invoiceOf(await stripe.invoices.pay(id, { off_session: true }, { idempotencyKey: key })),
      ),
    voidInvoice: (id, key) =>
      run(async (stripe) =>
        invoiceOf(await stripe.invoices.voidInvoice(id, {}, { idempotencyKey: key })),
      ),
    markUncollectible: (id, key) =>
      run(async (stripe) =>
        invoiceOf(await stripe.invoices.markUncollectible(id, {}, { idempotencyKey: key })),
      ),
    readInvoice: (id) =>
      run(async (stripe) => invoiceOf(await stripe.invoices.retrieve(id, WITH_ATTEMPTS))),
    findInvoice: (customer, ours) =>
      run(async (stripe) => {
        const rows = (await list(stripe, { customer })).map(invoiceOf)
        return rows.find((row) => row.ours === ours) ?? null
      }),
    listInvoices: (sinceS) =>
      run(async (stripe) => (await list(stripe, { created: { gte: sinceS } })).map(invoiceOf)),
  } satisfies Partial<Processor>
}

/** Cards, invoices and the address; plans are changed and cancelled here alone. */
const PORTAL_FEATURES = {
  customer_update: { enabled: true, allowed_updates: ['address', 'email'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: false },
  subscription_update: { enabled: false },
} as const satisfies Stripe.BillingPortal.ConfigurationCreateParams.Features

function portalCalls({ run }: StripeCaller) {
  let configuration: string | null = null
  const ensureConfiguration = async (stripe: Stripe): Promise<string> => {
    if (configuration !== null) return configuration
    const metadata = { svc: 'portal-1' }
    const known = await allOf(Named, (after) =>
      stripe.billingPortal.configurations.list({ limit: PAGE, active: true, ...after }),
    )
    const ours = known.find((row) => isOurs(row, metadata.svc))
    const sent = { features: { ...PORTAL_FEATURES, customer_update: customerUpdate() }, metadata }
    const options = { idempotencyKey: 'svc-portal-1' }
    const made = ours ?? (await stripe.billingPortal.configurations.create(sent, options))
    configuration = shaped(Named, made).id
    return configuration
  }
  return {
    openPortal: ({ customer, returnUrl: return_url, key }) =>
      run(async (stripe) => {
        const sent = { customer, return_url, configuration: await ensureConfiguration(stripe) }
        const made = await stripe.billingPortal.sessions.create(sent, { idempotencyKey: key })
        const { id, url } = shaped(PortalSession, made)
        return { id, url }
      }),
    listEvents: (types, sinceS) =>
      run(async (stripe) => {
        const rows = await allOf(ProcessorEvent, (after) =>
          stripe.events.list({
            limit: PAGE,
            types: [...types],
            created: { gte: sinceS },
            ...after,
          }),
        )
        return rows.reverse().map(({ id, type, created, data }) => ({
          ...{ id, type, created, objectId: data.object.id ?? null },
        }))
      }),
  } satisfies Partial<Processor>
}

function customerUpdate(): { enabled: true; allowed_updates: ('address' | 'email')[] } {
  return { enabled: true, allowed_updates: [...PORTAL_FEATURES.customer_update.allowed_updates] }
}

function isOurs(row: object, name: string): boolean {
  return (row as { metadata?: { svc?: unknown } }).metadata?.svc === name
}
