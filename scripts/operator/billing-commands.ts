// Commands of billing: an operator looks at a tenant's billing, overrides its dunning, corrects
// usage, gives credit, voids an invoice, offers terms, and puts an accepted quote or a contract
// into force.
import type { Command, Document } from './caller.ts'
import { fields, table } from './show.ts'

const TENANTS = '/operator/v1/tenants/'
const QUOTES = '/operator/v1/quotes'
const ENVIRONMENT = { kind: 'text', required: true, about: 'sandbox or live' } as const
const TERMS = {
  kind: 'document',
  required: true,
  about: 'file of JSON with the terms, as the API shows them in the offer of a quote',
} as const
const REASON = { kind: 'text', required: true, about: 'reason, for the audit logs' } as const

/** The path below a tenant that ends with the environment, and the fields without it. */
function inEnvironment(
  id: string,
  part: string,
  { environment, ...given }: Document,
): [path: string, given: Document] {
  return [TENANTS + id + '/' + part + '/' + encodeURIComponent(String(environment)), given]
}

export const BILLING_COMMANDS: readonly Command[] = [
  {
    words: 'billing show',
    names: 'TENANT',
    about: 'Shows the subscription and the entitlements of a tenant.',
    fields: { environment: ENVIRONMENT },
    run: (call, id, given) => call.read(inEnvironment(id, 'billing', given)[0]),
    show: fields,
  },
  {
    words: 'billing override',
    names: 'TENANT',
    about: 'Sets the state of a subscription until a moment, whatever dunning computes.',
    fields: {
      environment: ENVIRONMENT,
      state: { kind: 'text', required: true, about: 'active, past_due, restricted or suspended' },
      'expires-at': {
        kind: 'number',
        required: true,
        about: 'Unix seconds, at most 90 days ahead',
      },
      reason: REASON,
    },
    run: (call, id, given) => call.send('PUT', ...inEnvironment(id, 'dunning_override', given)),
    show: fields,
  },
  {
    words: 'billing lift',
    names: 'TENANT',
    about: 'Lifts the override: the computed status holds again.',
    fields: { environment: ENVIRONMENT },
    run: (call, id, given) => call.send('DELETE', inEnvironment(id, 'dunning_override', given)[0]),
    show: fields,
  },
  {
    words: 'billing adjust',
    names: 'TENANT',
    about: 'Corrects the counted usage of a month; the next invoice bills the difference.',
    fields: {
      environment: ENVIRONMENT,
      month: { kind: 'number', required: true, about: 'number of the month, from 0' },
      meter: { kind: 'text', required: true, about: 'the counted thing, such as authorizations' },
      quantity: { kind: 'number', required: true, about: 'units, as --quantity=-500 to take away' },
      reason: REASON,
    },
    run: (call, id, given) => call.send('POST', TENANTS + id + '/usage_adjustments', given),
    show: fields,
  },
  {
    words: 'billing credit',
    names: 'TENANT',
    about: 'Gives credit, which later invoices use up.',
    fields: {
      environment: ENVIRONMENT,
      'amount-cents': { kind: 'number', required: true, about: 'cents' },
      reason: REASON,
    },
    run: (call, id, given) => call.send('POST', TENANTS + id + '/billing_credits', given),
    show: fields,
  },
  {
    words: 'billing void',
    names: 'INVOICE',
    about: 'Voids an open invoice that the processor does not have, or one that was given up.',
    fields: {},
    run: (call, id) => call.send('POST', '/operator/v1/invoices/' + id + '/void', {}),
    show: fields,
  },
  {
    words: 'billing relink',
    names: 'TENANT',
    about:
      'Makes a customer anew that was deleted at the processor, and sends open invoices to it.',
    fields: { environment: ENVIRONMENT },
    run: (call, id, given) => call.send('POST', TENANTS + id + '/billing_customer', given),
    show: fields,
  },
  {
    words: 'billing exceptions',
    names: null,
    about: 'Differences of billing that a person has to look at, newest first.',
    fields: {},
    run: (call) => call.list('/operator/v1/billing_exceptions', {}),
    show: (answer) =>
      table(answer, ['id', 'created', 'environment', 'tenant_id', 'kind', 'subject']),
  },
  {
    words: 'billing provision',
    names: 'TENANT',
    about: 'Puts an enterprise plan into force: an accepted quote, or the terms of a contract.',
    fields: {
      environment: ENVIRONMENT,
      'quote-id': { kind: 'text', required: false, about: 'the accepted quote' },
      contract: { kind: 'text', required: false, about: 'name of the contract, with --terms' },
      terms: { ...TERMS, required: false },
    },
    run: (call, id, given) => call.send('POST', TENANTS + id + '/enterprise_plan', given),
    show: fields,
  },
  {
    words: 'quotes list',
    names: null,
    about: 'Quotes of all tenants, newest first.',
    fields: { status: { kind: 'text', required: false, about: 'such as requested or accepted' } },
    run: (call, _id, given) => call.list(QUOTES, given),
    show: (answer) => table(answer, ['id', 'tenant_id', 'created', 'status', 'offer_expires_at']),
  },
  {
    words: 'quotes show',
    names: 'QUOTE',
    about: 'One quote: the expected volumes, and the offered terms.',
    fields: {},
    run: (call, id) => call.read(QUOTES + '/' + id),
    show: fields,
  },
  {
    words: 'quotes offer',
    names: 'QUOTE',
    about: 'Offers terms; replaces an offer that was not accepted.',
    fields: {
      terms: TERMS,
      'expires-at': {
        kind: 'number',
        required: true,
        about: 'Unix seconds by the tenant’s clock, at most 90 days ahead',
      },
    },
    run: (call, id, { terms, ...given }) =>
      call.send('POST', QUOTES + '/' + id + '/offer', { ...(terms as Document), ...given }),
    show: fields,
  },
  {
    words: 'quotes decline',
    names: 'QUOTE',
    about: 'Declines a quote, with a reason that the tenant reads.',
    fields: { reason: REASON },
    run: (call, id, given) => call.send('POST', QUOTES + '/' + id + '/decline', given),
    show: fields,
  },
]
