// Exchange rates for operators: the rates in force with age and source, and every published table.
import { parseInstant } from '../../../shared/clock.ts'
import { type Html, html } from '../../../shared/html.ts'
import type { FxRates, FxTable } from '../../../shared/schemas/fx-rate.ts'
import { facts } from '../parts/facts.ts'
import { figures } from '../parts/figure.ts'
import { distance, moment, seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { panel, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { type Desk, type DeskPage, need, read, segment } from './desk.ts'
import { deskList, move, shortId } from './list.ts'

const PATH = '/operator/rates'
/** As the alert on old rates: a long weekend without a table is shorter. */
const OLD_MS = 5 * 86_400_000

export const rates = deskList<FxTable>({
  ...{ path: PATH, title: 'Exchange rates', menu: 'Exchange rates', of: '/fx_tables' },
  filters: [
    { name: 'pair', label: 'Pair, as EUR/USD' },
    { name: 'source', label: 'Source' },
  ],
  before: inForce,
  columns: [
    { label: 'Moment', cell: ({ rate_at: at }) => moment(at) },
    { label: 'Source', cell: ({ source }) => source },
    { label: 'Rates', isNumber: true, cell: ({ rates: of }) => countText(of.length) },
    { label: 'Largest change', isNumber: true, cell: ({ rates: of }) => largestChange(of) },
    { label: 'By', cell: ({ published_by: id }) => shortId(id) },
    { label: 'Published', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => PATH + '/' + id,
  empty:
    'No table was published. Until then an amount that the network bills in no currency of the card is declined.',
  first: {
    path: '/fx_tables',
    body: {
      ...{ source: 'ECB', rate_at: '2026-11-27T15:00:00Z' },
      rates: [{ pair: 'EUR/USD', rate: '1.0850' }],
    },
  },
  actions: move('publish_rates'),
})

export const rateTable: DeskPage = {
  path: PATH + '/:id',
  title: 'Table of exchange rates',
  async view(desk) {
    const of = await need<FxTable>(desk, '/operator/v1/fx_tables/' + segment(desk, 'id'))
    return {
      title: 'Rates of ' + of.source,
      content: html`<header class="head"><h1>Rates of ${of.source}</h1><p><code>${of.id}</code></p></header>
${section(
  'The table',
  facts([
    ['Moment', moment(of.rate_at)],
    ['Published', seconds(of.created)],
    ['By', shortId(of.published_by)],
    ['Changes above 10 %', of.large_changes_confirmed ? 'confirmed' : 'none'],
  ]),
)}
${section(
  'Rates',
  table<FxTable['rates'][number]>({
    ...{ label: 'Rates', rows: of.rates },
    columns: [
      { label: 'Pair', cell: ({ pair }) => pair },
      { label: 'Rate', isNumber: true, cell: ({ rate }) => rate },
      { label: 'Before', isNumber: true, cell: ({ previous_rate: before }) => before },
      { label: 'Change', isNumber: true, cell: (one) => percentText(changeOf(one)) },
    ],
  }),
)}`,
    }
  },
}

async function inForce(desk: Desk): Promise<Html> {
  const outcome = await read<FxRates>(desk, '/operator/v1/fx_rates')
  return html`${panel('In force', outcome, (of) => ratesView(of, desk.now))}<h2>Published tables</h2>`
}

function ratesView({ rates: known, newest_rate_at: newest }: FxRates, now: number): Html {
  if (newest === null) return html`<p class="soft">There is no rate.</p>`
  const oldest = Math.min(...known.map(({ rate_at: at }) => parseInstant(at) ?? now))
  return html`${figures([
    { label: 'Pairs', value: countText(known.length) },
    { label: 'Newest rate', value: distance(parseInstant(newest) ?? now, now) },
    {
      ...{ label: 'Oldest rate', value: distance(oldest, now) },
      ...(now - oldest > OLD_MS ? { mood: 'warn' as const, note: 'older than five days' } : {}),
    },
  ])}${table<FxRates['rates'][number]>({
    ...{ label: 'Rates in force', rows: known },
    href: ({ fx_table_id: id }) => (id === null ? null : PATH + '/' + id),
    columns: [
      { label: 'Pair', cell: ({ pair }) => pair },
      { label: 'Rate', isNumber: true, cell: ({ rate }) => rate },
      { label: 'Moment', cell: ({ rate_at: of }) => moment(of) },
      { label: 'Age', cell: ({ rate_at: of }) => distance(parseInstant(of) ?? now, now) },
      { label: 'Source', cell: ({ source }) => source },
    ],
  })}`
}

/** By how much a rate grew; null for the first one of its pair. */
function changeOf({ rate, previous_rate: before }: FxTable['rates'][number]): number | null {
  return before === null ? null : Number(rate) / Number(before) - 1
}

function largestChange(of: FxTable['rates']): string | null {
  const changes = of.map(changeOf).filter((change) => change !== null)
  const [largest = null] = changes.sort((one, other) => Math.abs(other) - Math.abs(one))
  return percentText(largest)
}

function percentText(change: number | null): string | null {
  if (change === null) return null
  return (change > 0 ? '+' : '') + Math.round(change * 10_000) / 100 + ' %'
}
