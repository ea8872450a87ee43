// The first page of operators: who waits for me, and for how long? Beside it, money that stands
// still: settlements, chains, billing.
import { type Html, html, url } from '../../../shared/html.ts'
import type { BillingException } from '../../../shared/schemas/billing-exception.ts'
import type { Quote } from '../../../shared/schemas/billing-quote.ts'
import type { ChainLine } from '../../../shared/schemas/chain-line.ts'
import type { KybApplication } from '../../../shared/schemas/kyb.ts'
import type { OperatorProgram } from '../../../shared/schemas/operator.ts'
import type { OperatorSanctionsAlert } from '../../../shared/schemas/sanctions-alert.ts'
import type { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import type { Outcome } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { type Figure, figures } from '../parts/figure.ts'
import { meter } from '../parts/meter.ts'
import { distance, moment, seconds } from '../parts/moment.ts'
import { moneyText } from '../parts/money.ts'
import { notice, panel, panelError, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { type Desk, type DeskPage, type Listed, read } from './desk.ts'
import { move, shortId, tenantLink } from './lists.ts'

/** Oldest first, so that the first row has waited longest. */
const OLDEST = '?order=asc&limit=25'

interface Waiting {
  what: string
  name: string
  href: string
  /** Unix seconds. */
  since: number
}

export const queue: DeskPage = {
  path: '/operator',
  title: 'Who waits',
  menu: 'Who waits',
  async view(desk) {
    const [applications, programs, alerts, quotes, batches, billing] = await Promise.all([
      applicationsOf(desk),
      read<Listed<OperatorProgram>>(desk, '/operator/v1/programs' + OLDEST + '&status=pending'),
      read<Listed<OperatorSanctionsAlert>>(
        desk,
        '/operator/v1/sanctions_alerts' + OLDEST + '&status=open',
      ),
      read<Listed<Quote>>(desk, '/operator/v1/quotes' + OLDEST),
      read<Listed<SettlementBatch>>(
        desk,
        '/operator/v1/settlement_batches' + OLDEST + '&review=open',
      ),
      read<Listed<BillingException>>(desk, '/operator/v1/billing_exceptions' + OLDEST),
    ])
    const kinds: readonly [string, string, Outcome<Listed<{ created: number }>>][] = [
      ['Applications for live', '/operator/tenants?kyb_status=submitted', applications],
      ['Programs', '/operator/programs?status=pending', programs],
      ['Sanctions alerts', '/operator/alerts?status=open', alerts],
      ['Quotes', '/operator/billing', requested(quotes)],
      ['Settlements', '/operator/settlements', batches],
      ['Billing differences', '/operator/billing', billing],
    ]
    const waiting: Waiting[] = [
      ...rowsOf(applications, ({ tenantId, legal_name: name, created }) => ({
        ...{ what: 'Application for live', name, since: created },
        href: '/operator/kyb/' + tenantId,
      })),
      ...rowsOf(programs, ({ name, created }) => ({
        ...{ what: 'Program', name, since: created, href: '/operator/programs?status=pending' },
      })),
      ...rowsOf(alerts, ({ hits: [best], created }) => ({
        ...{ what: 'Sanctions alert', name: best?.name ?? 'no name', since: created },
        href: '/operator/alerts?status=open',
      })),
      ...rowsOf(requested(quotes), ({ contact, created }) => ({
        ...{ what: 'Quote', name: contact.name, since: created, href: '/operator/billing' },
      })),
      ...rowsOf(batches, ({ id, created }) => ({
        ...{ what: 'Failed settlement', name: id, since: created, href: '/operator/settlements' },
      })),
      ...rowsOf(billing, ({ kind, created }) => ({
        ...{ what: 'Billing difference', name: wordsOf(kind), since: created },
        href: '/operator/billing',
      })),
    ].sort((one, other) => one.since - other.since)
    const failed = kinds.flatMap(([, , outcome]) => (outcome.ok ? [] : [outcome.problem]))
    return {
      title: 'Who waits',
      content: html`<header class="head"><h1>Who waits for you</h1><span class="soft">as of ${moment(desk.now)} UTC</span></header>
${failed.slice(0, 1).map(panelError)}
${figures(kinds.map((kind) => figureOf(desk, kind)))}
${section('Longest first', waitingTable(desk, waiting, failed.length > 0))}`,
    }
  },
}

type Application = KybApplication & { tenantId: string }

/** Open applications; a tenant's own age tells nothing about its wait. */
async function applicationsOf(desk: Desk): Promise<Outcome<Listed<Application>>> {
  const path = '/operator/v1/tenants'
  const listed = await read<Listed<Tenant>>(desk, path + OLDEST + '&kyb_status=submitted')
  if (!listed.ok) return listed
  const opened = await Promise.all(
    listed.value.data.map(async ({ id }) => {
      const found = await read<KybApplication>(desk, path + '/' + encodeURIComponent(id) + '/kyb')
      return found.ok ? [{ ...found.value, tenantId: id }] : []
    }),
  )
  const data = opened.flat().toSorted((one, other) => one.created - other.created)
  return { ok: true, value: { ...listed.value, data } }
}

function requested(quotes: Outcome<Listed<Quote>>): Outcome<Listed<Quote>> {
  if (!quotes.ok) return quotes
  const data = quotes.value.data.filter(({ status }) => status === 'requested')
  return { ok: true, value: { ...quotes.value, data } }
}

function rowsOf<Row>(listed: Outcome<Listed<Row>>, shown: (row: Row) => Waiting): Waiting[] {
  return listed.ok ? listed.value.data.map(shown) : []
}

function figureOf(
  { now }: Desk,
  [label, href, outcome]: readonly [string, string, Outcome<Listed<{ created: number }>>],
): Figure {
  if (!outcome.ok) return { label, value: 'no answer', mood: 'bad' }
  const { data, has_more: hasMore } = outcome.value
  const [oldest] = data
  return {
    label,
    value: html`<a href="${url(href)}" aria-label="${data.length + (hasMore ? ' +' : '') + ' ' + label}">${data.length + (hasMore ? ' +' : '')}</a>`,
    note: oldest === undefined ? 'none waits' : 'oldest ' + distance(oldest.created * 1000, now),
    ...(oldest === undefined ? {} : { mood: 'warn' as const }),
  }
}

function waitingTable({ now }: Desk, waiting: readonly Waiting[], isPartial: boolean): Html {
  if (waiting.length === 0)
    return isPartial
      ? html`<p class="soft">Nothing of what answered.</p>`
      : html`<p class="soft">Nobody waits for you.</p>`
  const longest = Math.max(1, now - (waiting[0]?.since ?? 0) * 1000)
  return table<Waiting>({
    label: 'Longest first',
    rows: waiting,
    href: ({ href }) => href,
    columns: [
      { label: 'Name', cell: ({ name }) => name },
      { label: 'Kind', cell: ({ what }) => what },
      { label: 'Since', cell: ({ since }) => seconds(since) },
      {
        label: 'Age',
        cell: ({ since }) => {
          const label = distance(since * 1000, now).replace(' ago', '')
          return html`<span class="age">${label} ${meter({ used: now - since * 1000, all: longest * 1.3, label })}</span>`
        },
      },
    ],
  })
}

export const settlements: DeskPage = {
  path: '/operator/settlements',
  title: 'Settlements',
  menu: 'Settlements',
  async view(desk) {
    const chainOf = (environment: string) =>
      read<ChainLine>(desk, '/operator/v1/chains/' + environment)
    const [batches, sandbox, live] = await Promise.all([
      read<Listed<SettlementBatch>>(desk, '/operator/v1/settlement_batches?limit=25'),
      chainOf('sandbox'),
      chainOf('live'),
    ])
    return {
      title: 'Settlements',
      content: html`<header class="head"><h1>Settlements</h1></header>
<div class="grid">${chainPanel('Chain of live', 'live', live)}${chainPanel('Chain of the sandbox', 'sandbox', sandbox)}</div>
${panel('Batches', batches, ({ data }) =>
  data.length === 0
    ? html`<p class="soft">Nothing was settled yet.</p>`
    : table<SettlementBatch>({
        label: 'Batches',
        rows: data,
        columns: [
          { label: 'Batch', cell: ({ id }) => shortId(id) },
          { label: 'Status', cell: ({ status }) => tag(status) },
          { label: 'Net', isNumber: true, cell: ({ net_cents: net }) => moneyText(net, 'USD') },
          { label: 'In', cell: ({ livemode }) => (livemode ? 'live' : 'sandbox') },
          {
            label: 'Failure',
            cell: ({ failure }) => (failure === null ? null : wordsOf(failure.code)),
          },
          { label: 'Since', cell: ({ created }) => seconds(created) },
          {
            label: 'Do',
            cell: ({ id, review, status }) =>
              html`<span class="actions">${review?.status === 'open' ? move('retry_batch', id) : null}${status === 'submitted' ? move('cancel_batch', id) : null}</span>`,
          },
        ],
      }),
)}`,
    }
  },
}

function chainPanel(title: string, environment: string, line: Outcome<ChainLine>): Html {
  if (!line.ok && line.problem.code === 'chain_not_configured')
    return section(title, html`<p class="soft">This installation settles nothing here.</p>`)
  if (!line.ok) return section(title, panelError(line.problem))
  const { stopped, in_flight: inFlight, final_block: block, exceptions, sponsor } = line.value
  return section(
    title,
    html`${stopped === null ? null : notice('bad', wordsOf(stopped.reason) + ': ' + stopped.detail)}${facts(
      [
        ['State', tag(stopped === null ? 'active' : 'suspended')],
        ['In flight', inFlight],
        ['Final block', block],
        ['Sponsor', html`<code>${sponsor}</code>`],
        ['Differences', exceptions.length],
      ],
    )}<div class="actions">${move(stopped === null ? 'pause_chain' : 'resume_chain', environment)}</div>`,
  )
}

export const billing: DeskPage = {
  path: '/operator/billing',
  title: 'Billing',
  menu: 'Billing',
  async view(desk) {
    const [quotes, exceptions] = await Promise.all([
      read<Listed<Quote>>(desk, '/operator/v1/quotes?limit=25'),
      read<Listed<BillingException>>(desk, '/operator/v1/billing_exceptions?limit=25'),
    ])
    return {
      title: 'Billing',
      content: html`<header class="head"><h1>Billing</h1></header>
${panel('Requests for an enterprise plan', quotes, ({ data }) =>
  data.length === 0
    ? html`<p class="soft">Nobody asked.</p>`
    : table<Quote>({
        label: 'Requests for an enterprise plan',
        rows: data,
        columns: [
          { label: 'Contact', cell: ({ contact }) => contact.name + ', ' + contact.email },
          {
            label: 'Status',
            cell: ({ status }) => tag(status, status === 'requested' ? 'warn' : undefined),
          },
          {
            label: 'A month',
            cell: ({ volumes }) =>
              Object.entries(volumes)
                .map(([name, count]) => count + ' ' + wordsOf(name))
                .join(', '),
          },
          { label: 'Asked', cell: ({ created }) => seconds(created) },
          {
            label: 'Do',
            cell: ({ id, status }) => (status === 'requested' ? move('decline_quote', id) : null),
          },
        ],
      }),
)}
${panel('Differences to the payment processor', exceptions, ({ data }) =>
  data.length === 0
    ? html`<p class="soft">None: both say the same.</p>`
    : table<BillingException>({
        label: 'Differences to the payment processor',
        rows: data,
        columns: [
          { label: 'Kind', cell: ({ kind }) => wordsOf(kind) },
          { label: 'About', cell: ({ subject }) => html`<code>${subject}</code>` },
          { label: 'Tenant', cell: ({ tenant_id: id }) => tenantLink(id) },
          { label: 'In', cell: ({ environment }) => environment },
          { label: 'Seen', cell: ({ created }) => seconds(created) },
        ],
      }),
)}
<p class="soft">Offers have many terms: <code>POST /operator/v1/quotes/{id}/offer</code> or <code>npm run operator</code> makes them.</p>`,
    }
  },
}
