// The first page of operators: who waits for me, and for how long?
import { type Html, html, url } from '../../../shared/html.ts'
import type { BillingException } from '../../../shared/schemas/billing-exception.ts'
import type { OperatorQuote } from '../../../shared/schemas/billing-quote.ts'
import type { WaitingKybApplication } from '../../../shared/schemas/kyb.ts'
import type { OperatorProgram } from '../../../shared/schemas/operator.ts'
import type { OperatorSanctionsAlert } from '../../../shared/schemas/sanctions-alert.ts'
import type { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import type { Outcome } from '../page.ts'
import { type Figure, figures } from '../parts/figure.ts'
import { meter } from '../parts/meter.ts'
import { moment, seconds, span, UTC } from '../parts/moment.ts'
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

/** A list of which an operator has to do something. */
interface Kind {
  label: string
  /** The page of the list. */
  href: string
  outcome: Outcome<Listed<{ created: number }>>
  waiting: readonly Waiting[]
}

/** A kind whose rows become waiting ones. */
function kindOf<Row extends { created: number }>(
  label: string,
  href: string,
  [outcome, shown]: readonly [Outcome<Listed<Row>>, (row: Row) => Omit<Waiting, 'since'>],
): Kind {
  const rows = outcome.ok ? outcome.value.data : []
  const waiting = rows.map((row) => ({ ...shown(row), since: row.created }))
  return { label, href, outcome, waiting }
}

const reading = <Row>(desk: Desk, list: string): Promise<Outcome<Listed<Row>>> =>
  read<Listed<Row>>(desk, '/operator/v1/' + list.replace('?', OLDEST + '&'))

const QUOTES = '/operator/quotes'

async function kindsOf(desk: Desk): Promise<readonly Kind[]> {
  const [applications, programs, alerts, quotes, accepted, batches, billing] = await Promise.all([
    reading<WaitingKybApplication>(desk, 'kyb_applications?'),
    reading<OperatorProgram>(desk, 'programs?status=pending'),
    reading<OperatorSanctionsAlert>(desk, 'sanctions_alerts?status=open'),
    reading<OperatorQuote>(desk, 'quotes?status=requested'),
    reading<OperatorQuote>(desk, 'quotes?status=accepted'),
    reading<SettlementBatch>(desk, 'settlement_batches?review=open'),
    reading<BillingException>(desk, 'billing_exceptions?'),
  ])
  const program = '/operator/programs?status=pending'
  const alert = '/operator/alerts?status=open'
  const quoteOf = (what: string) => (one: OperatorQuote) => ({
    ...{ what, name: one.contact.name, href: QUOTES + '/' + one.id },
  })
  return [
    kindOf('Applications for live', '/operator/tenants?kyb_status=submitted', [
      applications,
      ({ tenant_id: id, legal_name: name }) => ({
        ...{ what: 'Application for live', name, href: '/operator/kyb/' + id },
      }),
    ]),
    kindOf('Programs', program, [
      programs,
      ({ name }) => ({ what: 'Program', name, href: program }),
    ]),
    kindOf('Sanctions alerts', alert, [
      alerts,
      ({ hits: [best] }) => ({
        ...{ what: 'Sanctions alert', name: best?.name ?? 'no name', href: alert },
      }),
    ]),
    kindOf('Quotes', QUOTES + '?status=requested', [quotes, quoteOf('Quote')]),
    kindOf('Accepted plans', QUOTES + '?status=accepted', [accepted, quoteOf('Accepted plan')]),
    kindOf('Failed settlements', '/operator/settlements', [
      batches,
      ({ id }) => ({ what: 'Failed settlement', name: id, href: '/operator/settlements' }),
    ]),
    kindOf('Billing differences', '/operator/billing', [
      billing,
      ({ kind }) => ({
        ...{ what: 'Billing difference', name: wordsOf(kind), href: '/operator/billing' },
      }),
    ]),
  ]
}

export const queue: DeskPage = {
  path: '/operator',
  title: 'Who waits',
  menu: 'Who waits',
  async view(desk) {
    const kinds = await kindsOf(desk)
    const waiting = kinds
      .flatMap((kind) => kind.waiting)
      .sort((one, other) => one.since - other.since)
    const failed = kinds.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.problem]))
    const isMore = kinds.some(({ outcome }) => outcome.ok && outcome.value.has_more)
    return {
      title: 'Who waits',
      content: html`<header class="head"><h1>Who waits for you</h1><span class="soft">As of ${moment(desk.now)}${UTC}</span></header>
${failed.slice(0, 1).map(panelError)}
${figures(kinds.map((kind) => figureOf(desk, kind)))}
${section('Longest first', waitingTable(desk, waiting, failed.length > 0))}${isMore ? html`<p class="soft">Of each kind the 25 that wait longest stand here.</p>` : null}`,
    }
  },
}

/** Seconds since a moment in Unix seconds. */
function ageOf(since: number, now: number): number {
  return Math.max(0, now / 1000 - since)
}

function figureOf({ now }: Desk, { label, href, outcome }: Kind): Figure {
  if (!outcome.ok) return { label, value: 'no answer', mood: 'bad' }
  const { data, has_more: hasMore } = outcome.value
  const [oldest] = data
  const count = data.length + (hasMore ? ' +' : '')
  return {
    label,
    value: html`<a class="${oldest === undefined ? 'soft' : ''}" href="${url(href)}" aria-label="${count + ' ' + label}">${count}</a>`,
    note: oldest === undefined ? 'none waits' : 'oldest ' + span(ageOf(oldest.created, now)),
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
          const label = span(ageOf(since, now))
          return html`<span class="age">${label} ${meter({ used: now - since * 1000, all: longest * 1.3, label })}</span>`
        },
      },
    ],
  })
}
