// The paths of the processor that this peer knows; every other one is 404.
import {
  attachMethod,
  type CustomerWorld,
  createCustomer,
  deleteCustomer,
  detachMethod,
  methodsOf,
  updateCustomer,
} from './customers.ts'
import { type Form, formIn, integerIn, itemsIn, textIn } from './form.ts'
import {
  addLines,
  createInvoice,
  endInvoice,
  finalizeInvoice,
  type InvoiceWorld,
  payInvoice,
  shown,
} from './invoices.ts'
import { createMeter, createMeterEvent, summariesOf } from './meters.ts'
import type { PeerObject } from './objects.ts'
import { createConfiguration, createSession } from './portal.ts'
import { invalid } from './problem.ts'

/** `id`: the part of the path in the pattern's group. */
export interface PeerCall {
  world: InvoiceWorld
  id: string
  /** The query of a GET, the body of a POST. */
  form: Form
}

export interface PeerRoute {
  method: 'GET' | 'POST' | 'DELETE'
  pattern: RegExp
  run(call: PeerCall): object
}

const ID = '([A-Za-z0-9_]{1,64})'

function route(method: PeerRoute['method'], path: string, run: PeerRoute['run']): PeerRoute {
  const pattern = new RegExp('^/v1/' + path.replaceAll(':id', ID) + '$')
  return { method, pattern, run }
}

const PAGE_MAX = 100
const PAGE = 10

/** A page of a list, newest first: `limit`, `starting_after`, `created`. */
function listOf(url: string, rows: readonly PeerObject[], form: Form): object {
  const limit = integerIn(form, 'limit') ?? PAGE
  if (limit < 1 || limit > PAGE_MAX) throw invalid('Invalid limit', 'limit')
  const created = formIn(form, 'created')
  const [gte, lt] = [integerIn(created, 'gte') ?? 0, integerIn(created, 'lt') ?? Number.MAX_VALUE]
  const matching = rows.filter((row) => row.created >= gte && row.created < lt)
  const after = textIn(form, 'starting_after')
  const at = after === null ? 0 : matching.findIndex(({ id }) => id === after) + 1
  if (after !== null && at === 0) throw invalid('No such object', 'starting_after')
  const data = matching.slice(at, at + limit)
  return { object: 'list', url, has_more: matching.length > at + data.length, data }
}

const CUSTOMER_ROUTES: readonly PeerRoute[] = [
  route('POST', 'customers', ({ world, form }) => createCustomer(world, form)),
  route('GET', 'customers', ({ world: { store }, form }) => {
    const rows = store.all('customer').filter(({ deleted }) => deleted !== true)
    return listOf('/v1/customers', rows, form)
  }),
  route('GET', 'customers/:id', ({ world: { store }, id }) => {
    const customer = store.get('customer', id)
    return customer.deleted === true ? { id, object: 'customer', deleted: true } : customer
  }),
  route('POST', 'customers/:id', ({ world, id, form }) => updateCustomer(world, id, form)),
  route('DELETE', 'customers/:id', ({ world, id }) => deleteCustomer(world, id)),
  route('GET', 'customers/:id/payment_methods', ({ world: { store }, id, form }) => {
    store.get('customer', id)
    return listOf('/v1/customers/' + id + '/payment_methods', methodsOf(store, id), form)
  }),
  route('GET', 'payment_methods/:id', ({ world: { store }, id }) =>
    store.get('payment_method', id),
  ),
  route('POST', 'payment_methods/:id/attach', ({ world, id, form }) =>
    attachMethod(world as CustomerWorld, id, form),
  ),
  route('POST', 'payment_methods/:id/detach', ({ world, id }) => detachMethod(world, id)),
]

const INVOICE_ROUTES: readonly PeerRoute[] = [
  route('POST', 'invoices', ({ world, form }) => shown(createInvoice(world, form))),
  route('GET', 'invoices', ({ world: { store }, form }) => {
    const customer = textIn(form, 'customer')
    const status = textIn(form, 'status')
    const rows = store
      .all('invoice')
      .filter((one) => customer === null || one.customer === customer)
      .filter((one) => status === null || one.status === status)
    const { data, ...list } = listOf('/v1/invoices', rows, form) as { data: typeof rows }
    return { ...list, data: data.map((one) => shown(one)) }
  }),
  route('GET', 'invoices/:id', ({ world: { store }, id, form }) =>
    shown(store.get('invoice', id), itemsIn(form, 'expand')),
  ),
  route('GET', 'invoices/:id/lines', ({ world: { store }, id, form }) => {
    const rows = store.get('invoice', id).lines.map((line) => ({
      ...line,
      created: 0,
      livemode: false,
    }))
    return listOf('/v1/invoices/' + id + '/lines', rows, form)
  }),
  route('POST', 'invoices/:id/add_lines', ({ world, id, form }) =>
    shown(addLines(world, id, form)),
  ),
  route('POST', 'invoices/:id/finalize', ({ world, id }) => shown(finalizeInvoice(world, id))),
  route('POST', 'invoices/:id/pay', ({ world, id, form }) =>
    shown(payInvoice(world, { id, methodId: textIn(form, 'payment_method'), isPresent: false })),
  ),
  route('POST', 'invoices/:id/void', ({ world, id }) => shown(endInvoice(world, id, 'void'))),
  route('POST', 'invoices/:id/mark_uncollectible', ({ world, id }) =>
    shown(endInvoice(world, id, 'uncollectible')),
  ),
]

const OTHER_ROUTES: readonly PeerRoute[] = [
  route('POST', 'billing_portal/configurations', ({ world: { store }, form }) =>
    createConfiguration(store, form),
  ),
  route('GET', 'billing_portal/configurations', ({ world: { store }, form }) =>
    listOf('/v1/billing_portal/configurations', store.all('portal_configuration'), form),
  ),
  route('POST', 'billing_portal/sessions', ({ world, form }) => createSession(world, form)),
  route('POST', 'billing/meters', ({ world: { store }, form }) => createMeter(store, form)),
  route('GET', 'billing/meters', ({ world: { store }, form }) =>
    listOf('/v1/billing/meters', store.all('meter'), form),
  ),
  route('GET', 'billing/meters/:id/event_summaries', ({ world: { store }, id, form }) => ({
    ...{ object: 'list', url: '/v1/billing/meters/' + id + '/event_summaries', has_more: false },
    data: summariesOf(store, id, form),
  })),
  route('POST', 'billing/meter_events', ({ world: { store }, form }) =>
    createMeterEvent(store, form),
  ),
  route('GET', 'events', ({ world: { store }, form }) => {
    const types = itemsIn(form, 'types')
    const rows = store.all('event').filter(({ type }) => types.length === 0 || types.includes(type))
    return listOf('/v1/events', rows, form)
  }),
  route('GET', 'events/:id', ({ world: { store }, id }) => store.get('event', id)),
]

export const PEER_ROUTES: readonly PeerRoute[] = [
  ...CUSTOMER_ROUTES,
  ...INVOICE_ROUTES,
  ...OTHER_ROUTES,
]
