// Requests for an enterprise plan: what the tenant asks for, the terms that are offered, and the
// plan that is put into force.
import { type Html, html, url } from '../../../shared/html.ts'
import { type OperatorQuote, QUOTE_STATUSES } from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import { facts, ifAny } from '../parts/facts.ts'
import { seconds } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { type DeskPage, need, segment } from './desk.ts'
import { moveForm } from './effect.ts'
import { deskList, move, tenantsOf } from './list.ts'
import { MONEY_MOVES, termValues } from './money-moves.ts'

/** A status that waits for an operator stands out. */
const statusTag = (status: OperatorQuote['status']): Html =>
  tag(status, status === 'requested' || status === 'accepted' ? 'warn' : undefined)

const environmentOf = ({ livemode }: OperatorQuote): string => (livemode ? 'live' : 'sandbox')

export const quotes = deskList<OperatorQuote>({
  ...{ path: '/operator/quotes', title: 'Quotes', menu: 'Quotes', of: '/quotes' },
  filters: [{ name: 'status', label: 'Status', options: QUOTE_STATUSES }],
  columns: [
    { label: 'Contact', cell: ({ contact }) => contact.name + ', ' + contact.email },
    { label: 'Status', cell: ({ status }) => statusTag(status) },
    {
      label: 'A month',
      cell: ({ volumes }) =>
        Object.entries(volumes)
          .map(([name, count]) => countText(count) + ' ' + wordsOf(name))
          .join(', '),
    },
    { label: 'In', cell: environmentOf },
    { label: 'Tenant', cell: ({ tenant_id: id }, { tenant }) => tenant(id) },
    { label: 'Asked', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/operator/quotes/' + id,
  empty:
    'No tenant has asked for an enterprise plan. A request by a tenant waits here for an offer.',
  first: null,
})

export const quote: DeskPage = {
  path: '/operator/quotes/:id',
  title: 'Quote',
  async view(desk) {
    const of = await need<OperatorQuote>(desk, '/operator/v1/quotes/' + segment(desk, 'id'))
    const { id, status, contact, tenant_id: tenantId } = of
    const tenant = await tenantsOf(desk, [tenantId])
    const isOpen = status === 'requested' || status === 'offered'
    const mayOffer = isOpen || status === 'expired'
    const given = { environment: environmentOf(of), quote_id: id }
    const actions = html`${isOpen ? move('decline_quote', id) : null}${status === 'accepted' ? move('provision_quote', tenantId, given) : null}`
    return {
      title: 'Quote for ' + contact.name,
      content: html`<header class="head"><h1>Quote for ${contact.name}</h1>${statusTag(status)}<span class="actions">${actions}</span><p><code>${id}</code></p></header>
<div class="grid">${section(
        'The request',
        facts([
          ['Tenant', tenant(tenantId)],
          ['In', environmentOf(of)],
          ['Contact', contact.name + ', ' + contact.email],
          ['Note', of.note],
          ...Object.entries(of.volumes).map(
            ([name, count]) => ['Asked a month: ' + wordsOf(name), countText(count)] as const,
          ),
          ['Asked', seconds(of.created)],
          ...ifAny('Accepted', of.accepted_at === null ? null : seconds(of.accepted_at)),
          ...ifAny('Declined because', of.decline_reason),
        ]),
      )}${section('Offered terms', of.offer === null ? html`<p class="soft">None are offered yet.</p>` : termsView(of.offer, of))}</div>${mayOffer ? offerForm(of) : null}`,
    }
  },
}

/** The form of an offer; its first content is the offer that nobody accepted. */
function offerForm(of: OperatorQuote): Html {
  const terms = of.offer === null ? {} : termValues(of.offer)
  const given = { tenant_id: of.tenant_id, environment: environmentOf(of) }
  const title = of.offer === null ? 'Make an offer' : 'Replace the offer'
  return section(
    title,
    moveForm('offer_quote', MONEY_MOVES.offer_quote, { id: of.id, values: { ...terms, ...given } }),
  )
}

function termsView(terms: AgreedTerms, { offer_expires_at: end }: OperatorQuote): Html {
  const { currency, meters } = terms
  return html`${facts([
    ['Price', moneyText(terms.base_cents, currency) + ' a ' + terms.interval],
    ['Days to pay', terms.net_days],
    ['Real-time decisions', terms.realtime ? 'yes' : 'no'],
    ['Rate limits', terms.rate_factor === 1 ? 'the usual' : terms.rate_factor + ' times the usual'],
    ['Webhook endpoints', terms.endpoints_max],
    ['Good until', seconds(end)],
  ])}${table({
    label: 'Offered prices of usage',
    rows: Object.entries(meters),
    columns: [
      { label: 'Meter', cell: ([name]) => wordsOf(name) },
      { label: 'Included', isNumber: true, cell: ([, { included }]) => countText(included) },
      {
        label: '1,000 more',
        isNumber: true,
        cell: ([, price]) => moneyText(price.per_thousand_cents, currency),
      },
    ],
  })}`
}

/** The form that puts the terms of a contract into force, without a quote. */
export const contract: DeskPage = {
  path: '/operator/tenants/:id/plan',
  title: 'Enterprise plan',
  async view(desk) {
    const id = desk.params['id'] ?? ''
    const path = '/operator/v1/tenants/' + segment(desk, 'id')
    const { name } = await need<{ name: string }>(desk, path)
    return {
      title: 'Enterprise plan of ' + name,
      content: html`<header class="head"><h1>Enterprise plan of ${name}</h1><span class="actions"><a class="button plain" href="${url('/operator/tenants/' + encodeURIComponent(id))}">The tenant</a></span><p>For a contract without a quote. An accepted quote is put into force on its own page.</p></header>
<section class="panel">${moveForm('provision_contract', MONEY_MOVES.provision_contract, { id })}</section>`,
    }
  },
}
