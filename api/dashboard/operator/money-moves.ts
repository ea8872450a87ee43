// Effects of operators that are about money: quotes and plans, billing, settlements and payments.
import { type AgreedTerms, MeterPrices } from '../../../shared/schemas/billing-terms.ts'
import { amountText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'
import { type DeskField, type DeskMove, ENVIRONMENT, REASON } from './move.ts'

const IN_PATH = { ...ENVIRONMENT, inPath: true } as const
const TENANT = '/operator/tenants/{id}'
const QUOTE = '/operator/quotes/{id}'
const SETTLEMENTS = '/operator/settlements'

const METERS = Object.keys(MeterPrices.properties)

/** The fields of agreed terms, named below `prefix`. */
function termFields(prefix: string): readonly DeskField[] {
  const base: readonly DeskField[] = [
    { name: 'interval', label: 'Interval', kind: 'choice', options: ['month', 'year'] },
    { name: 'currency', label: 'Currency', kind: 'choice', options: ['USD', 'EUR'] },
    { name: 'base_cents', label: 'Price of an interval', kind: 'money' },
    { name: 'net_days', label: 'Days to pay', kind: 'number', hint: 'max 90', value: '30' },
  ]
  const bounds: readonly DeskField[] = [
    { name: 'realtime', label: 'Real-time decisions', kind: 'yes_no' },
    { name: 'rate_factor', label: 'Rate limits ×', kind: 'number', hint: '1 to 20' },
    { name: 'endpoints_max', label: 'Endpoints', kind: 'number', hint: '1 to 20' },
  ]
  const meters = METERS.flatMap((meter): DeskField[] => [
    { name: meter + '.included', label: 'Included a month', kind: 'number', value: '0' },
    { name: meter + '.per_thousand_cents', label: 'Price of 1,000 more', kind: 'money' },
  ])
  return [
    ...base.map((of) => ({ ...of, name: prefix + of.name, group: 'Price' })),
    ...bounds.map((of) => ({ ...of, name: prefix + of.name, group: 'Bounds' })),
    ...meters.map((of) => ({
      ...{ ...of, name: prefix + 'meters.' + of.name },
      group: capitalized(wordsOf(of.name.split('.', 1)[0] ?? '')),
    })),
  ]
}

function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Agreed terms as values of the form of an offer. */
export function termValues(terms: AgreedTerms): { readonly [name: string]: string } {
  const values = new Map<string, string>()
  const fill = (prefix: string, of: object): void => {
    for (const [name, value] of Object.entries(of)) {
      if (typeof value === 'object') fill(prefix + name + '.', value)
      else values.set(prefix + name, name.endsWith('_cents') ? centsText(value) : String(value))
    }
  }
  fill('', terms)
  return Object.fromEntries(values)
}

function centsText(cents: number): string {
  return amountText(cents, 'USD').replaceAll(',', '')
}

const GIVEN = { label: '', kind: 'given' } as const
const GIVEN_IN_PATH = { ...GIVEN, inPath: true } as const
const PAYMENT: DeskField = {
  ...{ name: 'id', label: 'Id of the payment', kind: 'text', inPath: true },
}

export const MONEY_MOVES = {
  override_dunning: {
    ...{ method: 'PUT', path: '/tenants/{id}/dunning_override/{environment}' },
    ...{ label: 'Override the state of billing', isGrave: true },
    text: 'Set the state of the subscription for a while, whatever is owed.',
    fields: [
      IN_PATH,
      {
        ...{ name: 'state', label: 'State', kind: 'choice' },
        options: ['active', 'past_due', 'restricted', 'suspended'],
      },
      REASON,
      {
        ...{ name: 'expires_at', label: 'Days', kind: 'days', hint: 'from now, at most 90' },
        clock: '/tenants/{id}/billing/{environment}',
      },
    ],
    ...{ done: 'The override is in force.', back: TENANT },
  },
  end_override: {
    ...{ method: 'DELETE', path: '/tenants/{id}/dunning_override/{environment}' },
    ...{ label: 'End the override', text: 'End the override of the state of billing.' },
    ...{ fields: [IN_PATH], done: 'The override has ended.', back: TENANT },
  },
  give_credit: {
    ...{ method: 'POST', path: '/tenants/{id}/billing_credits', label: 'Give credit' },
    text: 'Add a credit that lowers the next invoices.',
    fields: [
      ENVIRONMENT,
      {
        name: 'amount_cents',
        label: 'Amount',
        kind: 'money',
        hint: 'in the currency of the subscription',
      },
      REASON,
    ],
    ...{ done: 'The credit is added.', back: TENANT },
  },
  settle_now: {
    ...{ method: 'POST', path: '/tenants/{id}/settlement_runs', label: 'Settle now' },
    text: 'Close a settlement batch for each account of the tenant with waiting captures.',
    ...{ fields: [ENVIRONMENT], done: 'The batches are closed.', back: '/operator/settlements' },
  },
  adjust_usage: {
    ...{ method: 'POST', path: '/tenants/{id}/usage_adjustments', label: 'Correct usage' },
    text: 'Correct the counted usage of a month. The next invoice bills the difference.',
    fields: [
      ENVIRONMENT,
      { name: 'month', label: 'Month of the subscription', kind: 'number', hint: 'from 0' },
      { name: 'meter', label: 'Meter', kind: 'choice', options: METERS },
      { name: 'quantity', label: 'Units', kind: 'change', hint: '-20 takes 20 away' },
      REASON,
    ],
    ...{ done: 'The usage is corrected.', back: TENANT },
  },
  offer_quote: {
    ...{ method: 'POST', path: '/quotes/{id}/offer', label: 'Offer these terms' },
    text: 'Offer the terms. The tenant reads them, and a person of it may accept.',
    fields: [
      { ...GIVEN_IN_PATH, name: 'tenant_id' },
      { ...GIVEN_IN_PATH, name: 'environment' },
      ...termFields(''),
      {
        ...{ name: 'expires_at', label: 'Good for days', kind: 'days', hint: 'at most 90' },
        ...{ clock: '/tenants/{tenant_id}/billing/{environment}', value: '30' },
      },
    ],
    ...{ done: 'The terms are offered.', back: QUOTE },
  },
  provision_quote: {
    ...{ method: 'POST', path: '/tenants/{id}/enterprise_plan', label: 'Put into force' },
    text: 'Put the accepted plan into force. It begins at once, and is invoiced.',
    fields: [
      { ...GIVEN, name: 'environment' },
      { ...GIVEN, name: 'quote_id' },
    ],
    ...{ done: 'The plan is in force.', back: TENANT },
  },
  provision_contract: {
    ...{ method: 'POST', path: '/tenants/{id}/enterprise_plan', label: 'Put into force' },
    text: 'Put the terms of a contract into force. They begin at once, and are invoiced.',
    fields: [
      ENVIRONMENT,
      { name: 'contract', label: 'Name of the contract', kind: 'text', hint: 'as C-2026-11' },
      ...termFields('terms.'),
    ],
    ...{ done: 'The plan is in force.', back: TENANT },
  },
  decline_quote: {
    ...{ method: 'POST', path: '/quotes/{id}/decline', label: 'Decline', isGrave: true },
    text: 'Decline the request for an enterprise plan. The tenant reads the reason.',
    ...{ fields: [REASON], done: 'The request is declined.', back: QUOTE },
  },
  retry_batch: {
    ...{ method: 'POST', path: '/settlement_batches/{id}/resolve', label: 'Resolve' },
    text: 'Retry the failed batch, or abandon it. It stays while a payment cannot be decided on.',
    fields: [
      { name: 'resolution', label: 'Resolution', kind: 'choice', options: ['retry', 'abandon'] },
    ],
    ...{ done: 'The decision is made.', back: SETTLEMENTS },
  },
  cancel_batch: {
    ...{ method: 'POST', path: '/settlement_batches/{id}/cancel', label: 'Cancel a batch' },
    ...{ text: 'Cancel a batch whose transaction is in no block.', isGrave: true },
    fields: [{ name: 'id', label: 'Id of the batch', kind: 'text', inPath: true }],
    ...{ done: 'The batch is being canceled.', back: SETTLEMENTS },
  },
  cancel_withdrawal: {
    ...{ method: 'POST', path: '/payment_withdrawals/{id}/cancel', label: 'Cancel' },
    ...{ text: 'Cancel a withdrawal whose transaction is in no block.', isGrave: true },
    ...{ done: 'The withdrawal is being canceled.', back: '/operator/withdrawals' },
  },
  pause_chain: {
    ...{ method: 'POST', path: '/chains/{id}/pause', label: 'Pause settling', isGrave: true },
    text: 'Send no further transaction to the chain until settling is resumed.',
    ...{ done: 'Settling stands still.', back: SETTLEMENTS },
  },
  resume_chain: {
    ...{ method: 'POST', path: '/chains/{id}/resume', label: 'Resume settling' },
    text: 'Send transactions to the chain again.',
    ...{ done: 'Settling goes on.', back: SETTLEMENTS },
  },
  retry_payment: {
    ...{ method: 'POST', path: '/payments/{id}/retry', label: 'Retry a payment' },
    text: 'Queue the failed captures of a payment for another settlement batch.',
    ...{ fields: [PAYMENT], done: 'The captures wait for another batch.', back: SETTLEMENTS },
  },
  abandon_payment: {
    ...{ method: 'POST', path: '/payments/{id}/abandon', label: 'Give up a payment' },
    text: 'Give up the failed captures of a payment, and release the rest of it.',
    ...{ fields: [PAYMENT], isGrave: true, done: 'The captures are given up.', back: SETTLEMENTS },
  },
  void_invoice: {
    ...{ method: 'POST', path: '/invoices/{id}/void', label: 'Void an invoice' },
    text: 'Void an open invoice that the payment processor does not have, or one that was given up.',
    fields: [{ name: 'id', label: 'Id of the invoice', kind: 'text', inPath: true }],
    ...{ isGrave: true, done: 'The invoice is void.', back: '/operator/billing' },
  },
} as const satisfies { readonly [name: string]: DeskMove }
