// Parts of the dashboard's pages: scales of pictures, the time of a decision, terms and times in
// words.
import { test } from 'tap'
import type { Terms } from '../../api/dashboard/pages/control-fields.ts'
import { termRows } from '../../api/dashboard/pages/control-terms.ts'
import { decisionTime } from '../../api/dashboard/pages/decision-time.ts'
import { limitBars } from '../../api/dashboard/pages/limits.ts'
import { dayText } from '../../api/dashboard/pages/statistics.ts'
import { traceOf } from '../../api/dashboard/pages/trace.ts'
import { chart } from '../../api/dashboard/parts/chart.ts'
import { confirmed } from '../../api/dashboard/parts/form.ts'
import { lines } from '../../api/dashboard/parts/lines.ts'
import { exactSpan, seconds } from '../../api/dashboard/parts/moment.ts'
import { table } from '../../api/dashboard/parts/table.ts'
import { OPEN_TERMS } from '../../shared/schemas/spending-control.ts'

function chartOf(values: readonly number[], title?: string): string {
  return chart({
    ...{ series: ['card_expired'], unit: 'Hour', summary: 'Refused', text: String },
    ...(title === undefined ? {} : { title }),
    bars: values.map((value, at) => ({ label: String(at), values: [value] })),
  }).text
}

function marksOf(values: readonly number[]): string[] {
  const [, axis = ''] = /class="axis-y"[^>]*>(.*?)<\/p>/.exec(chartOf(values)) ?? []
  return [...axis.matchAll(/<span>([^<]*)<\/span>/g)].map(([, mark = '']) => mark)
}

test('the heading of a column names the zone of its moments', (t) => {
  const rows: readonly (number | null)[] = [null, 1_800_000_000]
  const columns = ['Made', 'Id'] as const
  const { text } = table<number | null>({
    ...{ label: 'Rows', rows },
    columns: columns.map((label) => ({
      label,
      cell: (at) => (label === 'Made' ? seconds(at) : '<time datetime="">'),
    })),
  })
  t.match(text, '>Made<span class="zone">, UTC</span></th><th scope="col" class="">Id</th>')
  t.notMatch(table({ label: 'Rows', rows: [], columns: [] }).text, 'UTC')
  t.end()
})

test('the button that confirms a dialog stands out from the one that cancels it', (t) => {
  const moods = [undefined, 'plain', 'primary', 'danger'] as const
  const buttons = moods.map((mood) => {
    const button = mood === undefined ? { label: 'Do' } : { label: 'Do', mood }
    const { text } = confirmed({
      id: 'do',
      action: '/do',
      button,
      title: 'Do?',
      text: 'It is done.',
    })
    return [...text.matchAll(/<button[^>]*class="(\w+)"/g)].map(([, name = '']) => name)
  })
  t.same(buttons, [
    ['plain', 'primary', 'plain'],
    ['plain', 'primary', 'plain'],
    ['primary', 'primary', 'plain'],
    ['danger', 'danger', 'plain'],
  ])
  t.end()
})

test('the axis of a chart counts in whole numbers, and its only series has a name', (t) => {
  t.same(marksOf([1]), ['1', '0'])
  t.same(marksOf([0, 3]), ['4', '2', '0'])
  t.same(marksOf([5]), ['6', '3', '0'])
  t.same(marksOf([60, 12]), ['60', '30', '0'])
  t.same(marksOf([101]), ['200', '100', '0'])
  t.match(chartOf([1]), '</svg> card_expired<', 'a legend, where no title names it')
  t.notMatch(chartOf([1], 'Expired cards'), 'figcaption')
  t.match(chartOf([1]), 'viewBox="0 0 60 100"', 'a bar alone is no wider than one of six')
  t.match(chartOf([1], 'Expired cards'), '<p class="unit" aria-hidden="true">Hour</p>')
  t.end()
})

test('the lowest approval rate is drawn above the axis', (t) => {
  for (const share of [0.7, 0.705, 0.9, 1]) {
    const { text } = lines({
      points: [{ label: '17:00', now: share, before: null }],
      ...{ title: 'Approval', summary: 'Approval', unit: 'Hour' },
      names: { now: 'now', before: 'before' },
    })
    const [, y = '100'] = /class="line" d="M0 ([\d.]+)H10"\/><\/svg>/.exec(text) ?? []
    t.ok(Number(y) < 100, share + ' stands at ' + y)
  }
  t.end()
})

test('the stages of a decision follow each other, however long the tenant took', (t) => {
  const us = {
    ...{ parse: 40, recall: 10, state_read: 100, controls: 850, reserve: 200 },
    ...{ sign: 30, connect: 4000, tenant_wait: 1_499_500, total: 1_501_200 },
  }
  const decision = {
    ...{ timings_us: us, trace: [], response_code: '00', approved: true },
    webhook: { outcome: 'timeout_response' },
  }
  const { text } = decisionTime(
    { message: { network: 'visa', mti: '0100' } } as never,
    decision as never,
  )
  const found = [...text.matchAll(/\+([\d,.]+) ms/g)].map(([, ms = '']) => ms.replace(',', ''))
  t.same(found, ['0.00', '1.00', '5.23', '1500.70', '1501.20'])
  t.end()
})

function limit(interval: string): Terms['limits'][number] {
  return {
    ...{ interval, amount_cents: 50_000, currency: 'USD', count: null, time_zone: 'UTC' },
    ...{ rolling_seconds: null, filters: null },
  } as never
}

test('terms in words: names of categories, and ids as they are', (t) => {
  const of: Terms = {
    ...OPEN_TERMS,
    limits: [limit('per_authorization'), limit('daily')],
    blocked_mccs: ['5411', '3000-3299', '9999'],
    blocked_merchant_ids: ['merch_blocked'],
  }
  t.same(termRows(of), [
    ['Limit, per authorization', '500.00 USD'],
    ['Limit, daily', '500.00 USD, UTC'],
    ['Blocked MCCs', '5411 grocery stores supermarkets, 3000-3299 airlines air carriers, 9999'],
    ['Blocked merchant ids', 'merch_blocked'],
  ])
  t.end()
})

function barOf(verdict: 'pass' | 'fail', inputs: { [name: string]: number | string }): string {
  const step = { rule_id: 'within_limit', rule_version: 2, verdict, inputs }
  return traceOf({} as never, [step], 'USD').text
}

test('a judged limit is a bar of what was taken and asked, as long as both', (t) => {
  const limit = { scope: 'card', limit: 10_000, currency: 'EUR', used_before: 2500 }
  const passed = barOf('pass', { ...limit, reserved_before: 0, requested: 5000, of: 'amount' })
  t.match(passed, '25.00 EUR used + 50.00 EUR asked of 100.00 EUR<')
  t.match(passed, /"rail" width="200".*"fill" width="50".*"asked" x="50" width="100"/)
  t.notMatch(passed, /limit 100|used before|over/)
  const over = barOf('fail', { ...limit, reserved_before: 2500, requested: 15_000, of: 'amount' })
  t.match(over, '25.00 EUR used + 25.00 EUR reserved + 150.00 EUR asked of 100.00 EUR<')
  t.match(over, /meter over.*"rail" width="100".*"fill" width="50".*"asked" x="50" width="150"/)
  t.match(over, '"edge" x="100"')
  const credit = { limit: 5000, used_before: 0, reserved_before: 0, requested: 6000 }
  t.match(barOf('pass', { ...credit, from_original: 6000 }), '0.00 USD asked of 50.00 USD<')
  t.match(barOf('pass', { ...credit, limit: 3, requested: 1, of: 'count' }), ' of 3 authorizations')
  const { limit: _of, ...funds } = credit
  t.match(barOf('fail', { ...funds, funded: 100 }), '60.00 USD asked of 1.00 USD<')
  t.notMatch(barOf('pass', { requested: 5000, amount: 100 }), '<svg')
  t.end()
})

test('days and times in words', (t) => {
  t.equal(dayText(Date.UTC(2026, 10, 7) / 1000), '7 Nov')
  for (const [seconds, words] of [
    [45, '45 s'],
    [90, '90 s'],
    [120, '2 min'],
    [3600, '1 h'],
    [86_400, '1 d'],
  ] as const)
    t.equal(exactSpan(seconds), words)
  const at = { to: String, apiUrl: '' } as never
  const bar = { interval: 'daily', scope: 'card', currency: 'USD', amount_cents: 100, count: null }
  const zoned = (zone: string) =>
    limitBars(
      at,
      [{ ...bar, resets_at: '2026-11-28T00:00:00Z', time_zone: zone }] as never,
      'card_1',
    )
  t.notMatch(zoned('UTC').text, 'clock of')
  t.match(zoned('Europe/Lisbon').text, 'by the clock of Europe/Lisbon')
  t.end()
})
