// The portal on which a person looks after cards and invoices, and the page of one invoice.
import { type Html, html, url } from '../../shared/html.ts'
import { addTypedCard, detachMethod, liveCustomer, makeDefault, methodsOf } from './customers.ts'
import { type Form, formIn, integerIn, metadataIn, textIn } from './form.ts'
import { type InvoiceWorld, payInvoice } from './invoices.ts'
import type { Invoice, PaymentMethod, PortalConfiguration, PortalSession } from './objects.ts'
import { invalid, missing, Problem } from './problem.ts'
import type { PeerStore } from './store.ts'

const SESSION_S = 3600
const RETURN_URL = /^(https:\/\/|http:\/\/(localhost|127\.[\d.]+)(?=[:/]|$))\S+$/

export function createConfiguration(store: PeerStore, form: Form): PortalConfiguration {
  const features = formIn(form, 'features')
  if (features === null) throw invalid('Missing required param', 'features')
  const names = Object.keys(features).map((name) => {
    const isEnabled = textIn(formIn(features, name), 'enabled') === 'true'
    return [name, { enabled: isEnabled }] as const
  })
  return store.put('portal_configuration', {
    ...{ id: store.newId('bpc'), object: 'billing_portal.configuration', active: true },
    ...{ created: store.nowS, livemode: false, features: Object.fromEntries(names) },
    metadata: metadataIn(form),
  })
}

export function createSession({ store, url: own }: InvoiceWorld, form: Form): object {
  const return_url = textIn(form, 'return_url')
  if (return_url !== null && !RETURN_URL.test(return_url))
    throw invalid('Not a valid URL', 'return_url')
  const customer = liveCustomer(store, textIn(form, 'customer') ?? '')
  const configuration = store.get('portal_configuration', textIn(form, 'configuration') ?? '')
  const session = store.put('portal_session', {
    ...{ id: store.newId('bps'), object: 'billing_portal.session', created: store.nowS },
    ...{ livemode: false, customer: customer.id, configuration: configuration.id },
    ...{ return_url, secret: store.newId('portal') },
  })
  const { secret, ...open } = session
  return { ...open, url: own + '/p/session/' + secret }
}

/** A session by the secret in its address, while it lasts. */
function sessionOf(store: PeerStore, secret: string): PortalSession {
  const session = store.all('portal_session').find((one) => one.secret === secret)
  if (session === undefined || store.nowS - session.created > SESSION_S)
    throw missing('portal session', 'of this address')
  return session
}

/** The page of a session; `form` is what a person sent. */
export function portalPage(world: InvoiceWorld, secret: string, form: Form | null): string {
  const { store } = world
  const session = sessionOf(store, secret)
  const notice = form === null ? null : act(world, session, form)
  const customer = liveCustomer(store, session.customer)
  const chosen = customer.invoice_settings.default_payment_method
  const methods = methodsOf(store, customer.id)
  const invoices = store.all('invoice').filter((one) => one.customer === customer.id)
  const back = session.return_url
  return page(
    'Billing portal',
    html`${notice === null ? null : html`<p role="status">${notice}</p>`}
      <h2>Payment methods</h2>
      <ul>${methods.map((method) => methodRow(method, method.id === chosen))}</ul>
      <form method="post" id="card">
        <input type="hidden" name="action" value="add">
        <label>Card number <input name="number" required></label>
        <label>Month <input name="exp_month" required></label>
        <label>Year <input name="exp_year" required></label>
        <label>CVC <input name="cvc" required></label>
        <button>Add card</button>
      </form>
      <h2>Invoices</h2>
      <ul>${invoices.map(invoiceRow)}</ul>
      ${back === null ? null : html`<p><a href="${url(back)}">Return</a></p>`}`,
  )
}

/** Does the action of the person; returns a sentence about it. */
function act(world: InvoiceWorld, { customer }: PortalSession, form: Form): string {
  const id = textIn(form, 'payment_method') ?? ''
  const action = textIn(form, 'action')
  try {
    if (action === 'add') {
      addTypedCard(world, customer, typedIn(form))
      return 'The card was added.'
    }
    if (!methodsOf(world.store, customer).some((method) => method.id === id))
      return 'There is no such card.'
    if (action === 'default') makeDefault(world, customer, id)
    else if (action === 'remove') detachMethod(world, id)
    return 'Saved.'
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

function typedIn(form: Form): { number: string; expMonth: number; expYear: number } {
  return {
    number: textIn(form, 'number') ?? '',
    expMonth: integerIn(form, 'exp_month') ?? 0,
    expYear: integerIn(form, 'exp_year') ?? 0,
  }
}

/** The hosted page of an invoice, on which its customer pays it with the default card. */
export function invoicePage(world: InvoiceWorld, id: string, isPaying: boolean): string {
  const { store } = world
  const { status: before } = store.get('invoice', id)
  if (before === 'draft') throw missing('invoice', id)
  if (isPaying && isPayable(before)) payByPerson(world, id)
  const { status, amount_due, currency, number } = store.get('invoice', id)
  const button = html`<form method="post"><button>Pay</button></form>`
  return page(
    'Invoice ' + (number ?? ''),
    html`<p>${amount_due} cents ${currency}</p>
      <p role="status">${status}</p>
      ${isPayable(status) ? button : null}`,
  )
}

/** A person may pay an invoice that was given up too. */
function isPayable(status: Invoice['status']): boolean {
  return status === 'open' || status === 'uncollectible'
}

/** A decline leaves the invoice open, and the page says so. The person passes an authentication. */
function payByPerson(world: InvoiceWorld, id: string): void {
  try {
    payInvoice(world, { id, methodId: null, isPresent: true })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

function methodRow({ id, card }: PaymentMethod, isDefault: boolean): Html {
  const { brand, last4, exp_month, exp_year } = card
  const choose = html`<button name="action" value="default">Make default</button>`
  return html`<li>${brand} •••• ${last4} ${exp_month}/${exp_year}${isDefault ? ' (default)' : ''}
    <form method="post">
      <input type="hidden" name="payment_method" value="${id}">
      ${isDefault ? null : choose}
      <button name="action" value="remove">Remove</button>
    </form></li>`
}

function invoiceRow({ number, total, currency, status }: Invoice): Html {
  return html`<li>${number ?? 'draft'}: ${total} cents ${currency}, ${status}</li>`
}

function page(title: string, content: Html): string {
  return html`<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>
    <h1>${title}</h1>
    ${content}`.text
}
