// API errors: why do my calls fail, since when, and which caller?
import type { RefusedCallHours } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { call } from '../page.ts'
import { type Bar, chart } from '../parts/chart.ts'
import { seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { panel } from '../parts/panel.ts'
import { dayText } from './statistics.ts'

const HOUR_S = 3600
/** Codes with a series of their own; the others are one. */
const SERIES_MAX = 5
/** Hours in the picture: two days. */
const HOURS_MAX = 48
const HOURS_MIN = 24
const DAY_S = 24 * HOUR_S

export const apiErrors = list({
  path: '/api_errors',
  title: 'API errors',
  menu: { group: 'Developers', label: 'API errors' },
  operation: 'listRefusedCalls',
  filters: [
    { name: 'code', label: 'Code' },
    { name: 'credential_id', label: 'Key, platform or person' },
    { name: 'created[gte]', label: 'Since', placeholder: '2026-11-26' },
    { name: 'created[lte]', label: 'Until', placeholder: '2026-11-26' },
  ],
  columns: [
    {
      label: 'Call',
      cell: ({ method, path }) => method + ' ' + path,
    },
    {
      label: 'Code',
      cell: ({ code }) => html`<a href="${url('/docs/errors#' + code)}">${code}</a>`,
      text: ({ code }) => code,
    },
    { label: 'Status', isNumber: true, cell: ({ status }) => status },
    { label: 'Field', cell: ({ param }) => param ?? '' },
    { label: 'Caller', id: ({ credential }) => credential.id },
    { label: 'Address', cell: ({ address }) => address ?? '' },
    {
      label: 'Request id',
      cell: ({ request_id: id }) => html`<code class="id" title="${id}">…${id.slice(-8)}</code>`,
      text: ({ request_id: id }) => id,
    },
    { label: 'Time', cell: ({ created }) => seconds(created) },
  ],
  empty: 'No call was refused: every call of your keys, platforms and people was taken.',
  async above(at) {
    const { hours } = await at.ask({ hours: call('getRefusedCallsHours', {}) })
    return panel('Refused by the hour, of the latest 1,000', hours, hoursView)
  },
})

function hoursView({ hours }: RefusedCallHours): Html {
  const last = hours.at(-1)
  if (last === undefined) return html`<p class="soft">Nothing to draw: no call was refused.</p>`
  const series = seriesOf(hours)
  // A single hour would fill the width: a day is drawn at least.
  const oldest = Math.min(hours[0]?.hour ?? 0, last.hour - (HOURS_MIN - 1) * HOUR_S)
  const begin = Math.max(oldest, last.hour - (HOURS_MAX - 1) * HOUR_S)
  const byHour = new Map(hours.map((each) => [each.hour, each.codes]))
  const bars: Bar[] = []
  for (let hour = begin; hour <= last.hour; hour += HOUR_S) {
    const codes = byHour.get(hour) ?? []
    bars.push({
      label: labelOf(hour),
      values: series.map((name) => sum(codes.filter(({ code }) => nameOf(series, code) === name))),
    })
  }
  const all = sum(hours.flatMap(({ codes }) => codes))
  return chart({
    series,
    bars,
    summary:
      countText(all) + ' refused calls, most of them ' + (series[0] ?? '') + ', by hour in UTC',
    text: countText,
    unit: 'Hour, UTC',
  })
}

/** The time of the day; midnight is the day that begins. */
function labelOf(hour: number): string {
  return hour % DAY_S === 0 ? dayText(hour) : new Date(hour * 1000).toISOString().slice(11, 16)
}

const OTHERS = 'others'

/** The most frequent codes, and one name for all others. */
function seriesOf(hours: RefusedCallHours['hours']): string[] {
  const counts = new Map<string, number>()
  for (const { code, count } of hours.flatMap(({ codes }) => codes))
    counts.set(code, (counts.get(code) ?? 0) + count)
  const codes = [...counts].toSorted(([, one], [, two]) => two - one).map(([code]) => code)
  return codes.length > SERIES_MAX ? [...codes.slice(0, SERIES_MAX), OTHERS] : codes
}

function nameOf(series: readonly string[], code: string): string {
  return series.includes(code) ? code : OTHERS
}

function sum(codes: readonly { count: number }[]): number {
  return codes.reduce((total, { count }) => total + count, 0)
}
