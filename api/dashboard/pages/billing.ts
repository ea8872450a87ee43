// Billing: what will I pay? The plan, this month's usage against it, invoices and offered terms.
import type {
  BillingUsage,
  Entitlements,
  Invoice,
  Quote,
  Subscription,
} from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { action, call, type Outcome, page, type Visit } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { confirmed, hidden } from '../parts/form.ts'
import { meter } from '../parts/meter.ts'
import { seconds, UTC } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { none, panel } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'

const INVOICES_SHOWN = 12

export const billing = page({
  path: '/billing',
  title: 'Billing',
  menu: { group: 'Settings', label: 'Billing' },
  operations: [
    ...(['getBillingSubscription', 'getBillingEntitlements', 'getBillingUsage'] as const),
    ...(['listBillingInvoices', 'listBillingQuotes'] as const),
  ],
  async view(at) {
    const { subscription, entitlements, usage, invoices, quotes } = await at.ask({
      subscription: call('getBillingSubscription', {}),
      entitlements: call('getBillingEntitlements', {}),
      usage: call('getBillingUsage', {}),
      invoices: call('listBillingInvoices', { limit: INVOICES_SHOWN }),
      quotes: call('listBillingQuotes', { limit: 10 }),
    })
    const content = html`<header class="head"><h1>Billing</h1></header><div class="grid wide"><div class="stack">
${usagePanel(at, usage, subscription)}
${panel('Invoices', invoices, ({ data }) => invoiceTable(at, data))}
${panel('Quotes', quotes, ({ data }) => quoteList(at, data))}</div><div class="stack">
${panel('Plan', subscription, (of) => planView(at, of))}
${panel('What the plan allows', entitlements, allowedView)}</div></div>`
    return { title: 'Billing', content }
  },
})

const SUBSCRIBE = call('subscriptionBilling', {
  ...{ plan: 'starter', interval: 'month', currency: 'USD' },
})

function planView(at: Visit, of: Subscription): Html {
  if (of.id === null)
    return none(at, 'There is no plan here. A trial, a plan or a quote begins one.', SUBSCRIBE)
  const period = of.current_period
  return facts([
    ['Plan', of.plan === null ? 'none' : planText(of.plan)],
    ['Status', tag(of.status)],
    ['Interval', of.interval],
    ['Period', period === null ? null : html`${seconds(period.from)} to ${seconds(period.until)}`],
    ['Trial until', of.trial === null ? null : seconds(of.trial.until)],
    ['Ends at the end of the period', of.cancel_at_period_end ? 'yes' : 'no'],
    ['Add-ons', of.addons.map(wordsOf).join(', ')],
    ['Credit', moneyText(of.credit_cents, of.currency ?? 'USD')],
    ['Overdue since', seconds(of.overdue_since)],
  ])
}

/** An agreed plan has the id of its quote for a version. */
function planText({ key, version }: { key: string; version: string }): string {
  return version.startsWith('quo_') ? key + ', as agreed' : key + ' ' + version
}

function allowedView(of: Entitlements): Html {
  const cap = (most: number | null): string => (most === null ? 'no limit' : countText(most))
  return facts([
    ['Issuing', of.issuing ? 'yes' : 'no'],
    ['Authorizations', of.authorizations ? 'yes' : 'no'],
    ['Asked in real time', of.realtime ? 'yes' : 'no'],
    ['Rate limits', of.rate_factor === 1 ? 'the usual' : of.rate_factor + ' times the usual'],
    ['Endpoints', cap(of.endpoints_max)],
    ['Cards', cap(of.caps.cards_issued)],
    ['Passes', cap(of.caps.passes_issued)],
    ['Identity checks', cap(of.caps.identity_checks)],
  ])
}

/** Usage of the month against what the base price contains; amounts are the API's. */
function usagePanel(
  at: Visit,
  usage: Outcome<BillingUsage>,
  subscription: Outcome<Subscription>,
): Html | null {
  const currency = (subscription.ok ? subscription.value.currency : null) ?? 'USD'
  return panel('Usage of this month', usage, ({ data, as_of: asOf }) =>
    data.length === 0
      ? none(at, 'Nothing is counted without a plan.', SUBSCRIBE)
      : html`<ul class="bars">${data.map((one) => usageRow(one, currency))}</ul><p class="soft">Counted until ${seconds(asOf)}${UTC}. Units above what the base price contains cost ${moneyText(
          data.reduce((sum, { amount_cents: cents }) => sum + cents, 0),
          currency,
        )} so far.</p>`,
  )
}

function usageRow(of: BillingUsage['data'][number], currency: string): Html {
  const { quantity, included, over, amount_cents: cents } = of
  const name = wordsOf(of.meter)
  const words = countText(quantity) + ' of ' + countText(included) + ' included'
  const above = over === 0 ? null : html` · ${countText(over)} above: ${moneyText(cents, currency)}`
  // A meter that includes nothing has no bar: each unit is above it.
  const bar =
    included === 0 ? null : meter({ used: quantity, all: included, label: name + ': ' + words })
  return html`<li><span>${name}</span><span class="num">${words}${above}</span>${bar}</li>`
}

function invoiceTable(at: Visit, invoices: readonly Invoice[]): Html {
  if (invoices.length === 0)
    return none(at, 'None yet. Each period of a plan ends with an invoice.', SUBSCRIBE)
  return table<Invoice>({
    label: 'Invoices',
    rows: invoices,
    columns: [
      { label: 'Made', cell: ({ created }) => seconds(created) },
      {
        label: 'Status',
        cell: ({ status }) => tag(status, status === 'open' ? 'warn' : undefined),
      },
      {
        label: 'Amount',
        isNumber: true,
        cell: ({ total_cents: total, currency }) => moneyText(total, currency),
      },
      { label: 'For', cell: ({ kind }) => wordsOf(kind) },
      { label: 'Due', cell: ({ due_at: due }) => seconds(due) },
      { label: 'Paid', cell: ({ paid_at: paid }) => seconds(paid) },
    ],
  })
}

function quoteList(at: Visit, quotes: readonly Quote[]): Html {
  if (quotes.length === 0)
    return none(
      at,
      'None was asked for. A quote is the way to a plan with prices of your own.',
      call('createBillingQuote', {
        volumes: { authorizations: 2_000_000 },
        contact: { name: 'Ada Lovelace', email: 'ada@example.com' },
      }),
    )
  return html`<ul class="bars">${quotes.map(
    (of) =>
      html`<li><span>${seconds(of.created)} <code>${of.id}</code></span>${tag(of.status)}${
        of.status === 'offered' ? html`<span>${offered(at, of)}</span>` : null
      }</li>`,
  )}</ul>`
}

/** The offered terms in a line, with the moves that answer them. */
function offered(at: Visit, of: Quote): Html | null {
  const { id, offer, offer_expires_at: end, offer_digest: digest } = of
  if (offer === null) return null
  const price = moneyText(offer.base_cents, offer.currency) + ' a ' + offer.interval
  const accept = at.may('acceptBillingQuote')
    ? confirmed({
        ...{ id: 'accept-' + id, action: at.to('/billing/accept') },
        fields: html`${hidden('id', id)}${hidden('offer_digest', digest ?? '')}`,
        button: { label: 'Accept the terms', mood: 'primary' },
        ...{
          title: 'Accept these terms?',
          text: price + ', to be paid in ' + offer.net_days + ' days.',
        },
      })
    : null
  const withdraw = at.may('withdrawBillingQuote')
    ? confirmed({
        ...{ id: 'withdraw-' + id, action: at.to('/billing/withdraw'), fields: hidden('id', id) },
        button: { label: 'Withdraw', mood: 'plain' },
        ...{ title: 'Withdraw this quote?', text: 'The offer ends. You can ask for another one.' },
      })
    : null
  return html`<span>${price}, good until ${seconds(end)}${UTC}.</span>${table({
    label: 'Offered prices of usage',
    rows: Object.entries(offer.meters),
    columns: [
      { label: 'Meter', cell: ([name]) => wordsOf(name) },
      { label: 'Included', isNumber: true, cell: ([, { included }]) => countText(included) },
      {
        label: '1,000 more',
        isNumber: true,
        cell: ([, of]) => moneyText(of.per_thousand_cents, offer.currency),
      },
    ],
  })}<span class="actions">${accept}${withdraw}</span>`
}

export const billingMoves = [
  action({
    path: '/billing/accept',
    label: 'Accept the offered terms of an enterprise plan.',
    operation: 'acceptBillingQuote',
    done: 'The terms are accepted. An operator puts the plan into force.',
    input: (sent) => ({ id: sent('id'), offer_digest: sent('offer_digest') }),
  }),
  action({
    path: '/billing/withdraw',
    label: 'Withdraw the quote.',
    operation: 'withdrawBillingQuote',
    done: 'The quote is withdrawn.',
    input: (sent) => ({ id: sent('id') }),
  }),
]
