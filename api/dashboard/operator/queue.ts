// The first page of operators: who waits for me, and for how long?
import { type Html, html, url } from '../../../shared/html.ts'
import type { BillingException } from '../../../shared/schemas/billing-exception.ts'
import type { Quote } from '../../../shared/schemas/billing-quote.ts'
import type { WaitingKybApplication } from '../../../shared/schemas/kyb.ts'
import type { OperatorProgram } from '../../../shared/schemas/operator.ts'
import type { OperatorSanctionsAlert } from '../../../shared/schemas/sanctions-alert.ts'
import type { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { Outcome } from '../page.ts'
import { type Figure, figures } from '../parts/figure.ts'
import { meter } from '../parts/meter.ts'
import { distance, moment, seconds } from '../parts/moment.ts'
import { panelError, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { wordsOf } from '../parts/tag.ts'
import { type Desk, type DeskPage, type Listed, read } from './desk.ts'

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
      read<Listed<WaitingKybApplication>>(desk, '/operator/v1/kyb_applications' + OLDEST),
      read<Listed<OperatorProgram>>(desk, '/operator/v1/programs' + OLDEST + '&status=pending'),
      read<Listed<OperatorSanctionsAlert>>(
        desk,
        '/operator/v1/sanctions_alerts' + OLDEST + '&status=open',
      ),
      read<Listed<Quote>>(desk, '/operator/v1/quotes' + OLDEST + '&status=requested'),
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
      ['Quotes', '/operator/quotes?status=requested', quotes],
      ['Failed settlements', '/operator/settlements', batches],
      ['Billing differences', '/operator/billing', billing],
    ]
    const waiting: Waiting[] = [
      ...rowsOf(applications, ({ tenant_id: tenantId, legal_name: name, created }) => ({
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
      ...rowsOf(quotes, ({ contact, created }) => ({
        ...{ what: 'Quote', name: contact.name, since: created },
        href: '/operator/quotes?status=requested',
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
    const isMore = kinds.some(([, , outcome]) => outcome.ok && outcome.value.has_more)
    return {
      title: 'Who waits',
      content: html`<header class="head"><h1>Who waits for you</h1><span class="soft">as of ${moment(desk.now)} UTC</span></header>
${failed.slice(0, 1).map(panelError)}
${figures(kinds.map((kind) => figureOf(desk, kind)))}
${section('Longest first', waitingTable(desk, waiting, failed.length > 0))}${isMore ? html`<p class="soft">Of each kind the 25 that wait longest stand here.</p>` : null}`,
    }
  },
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
      ? html`<p class="soft">Nobody in the lists that answered; others gave no answer.</p>`
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
