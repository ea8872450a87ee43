// Backtests: what would changed terms of a control have declined and let pass in the last days?
import type { SpendingControl, SpendingControlBacktest } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { action, call, type Outcome, page, type Visit } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { chart } from '../parts/chart.ts'
import { figures } from '../parts/figure.ts'
import { form, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds, UTC } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { empty, none, notice, panel, panelError, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { isEdit, termsIn } from './control-editor.ts'
import { termDiff } from './control-terms.ts'
import { dayText } from './statistics.ts'

type Result = NonNullable<SpendingControlBacktest['result']>
type Changed = Result['would_decline']

const DAYS = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['1', '1 day'],
] as const

/** The days up to now that a backtest judges. */
function daysField(value = '7'): Html {
  return select({ name: 'days', label: 'Judge the last', value, options: DAYS })
}

/** The control's backtests, and the form for another one. */
export function backtestPanel(
  at: Visit,
  { id, scope, state }: SpendingControl,
  known: Outcome<{ data: SpendingControlBacktest[] }>,
): Html | null {
  if (scope === 'payment_account') return null
  const asks = at.may('createSpendingControlBacktest')
    ? form({
        action: at.to('/controls/' + id + '/backtests'),
        fields: daysField(),
        button: { label: 'Judge the past by these terms', mood: 'plain' },
      })
    : null
  // The form stands even where the list is late.
  const rows = known.ok ? rowsOf(at, id, known.value.data) : panelError(known.problem)
  return section(
    state === 'draft'
      ? 'What this draft would have changed'
      : 'What these terms would have changed',
    html`${rows}${asks}`,
  )
}

function rowsOf(at: Visit, id: string, backtests: readonly SpendingControlBacktest[]): Html {
  if (backtests.length === 0)
    return none(
      at,
      'No backtest yet: recorded authorizations are judged again by the terms of this control, and nothing is changed. To try other terms, edit the control and ask there.',
      call('createSpendingControlBacktest', { id, days: 7 }),
    )
  return html`<ul class="bars">${backtests.map((one) => {
    const { result } = one
    const href = at.to('/controls/' + one.spending_control_id + '/backtests/' + one.id)
    const words =
      result === null
        ? wordsOf(one.failure ?? '')
        : countText(result.would_decline.count) +
          ' declined, ' +
          countText(result.would_approve.count) +
          ' let pass, of ' +
          countText(result.judged)
    return html`<li><span><a href="${url(href)}">${seconds(one.created)}</a> ${daysOf(one)}</span>${tag(one.status)}<span>${words}</span></li>`
  })}</ul>`
}

function daysOf({ from, to }: SpendingControlBacktest): string {
  const days = Math.round((to - from) / 86_400)
  return days + (days === 1 ? ' day' : ' days')
}

export const backtest = page({
  path: '/controls/:id/backtests/:backtest',
  title: 'Backtest',
  operations: ['getSpendingControlBacktest', 'getSpendingControl'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { now }] = await Promise.all([
      at.need(call('getSpendingControlBacktest', { id, backtest: at.params['backtest'] ?? '' })),
      at.ask({ now: call('getSpendingControl', { id }) }),
    ])
    const content = html`<header class="head"><h1>The last ${daysOf(of)} by other terms</h1>${tag(of.status)}<p>${idLink(at, of.spending_control_id)} · ${seconds(of.from)} to ${seconds(of.to)}${UTC} · <code>${of.id}</code></p></header>
${of.result === null ? waiting(at, of) : resultView(at, of.result)}
${panel('The judged terms against those of the control now', now, (control) => termDiff(control, of.terms))}`
    return { title: 'Backtest', content }
  },
})

const FAILURES: { readonly [failure in NonNullable<SpendingControlBacktest['failure']>]: string } =
  {
    too_many_entries:
      'More than 1,000,000 recorded messages would be read. Judge fewer days, or a control of a card or cardholder.',
    interrupted: 'Its process ended three times. Ask for it again.',
  }

function waiting(at: Visit, of: SpendingControlBacktest): Html {
  if (of.failure !== null) return notice('bad', FAILURES[of.failure])
  const self = at.to('/controls/' + of.spending_control_id + '/backtests/' + of.id)
  return section(
    of.status === 'queued' ? 'It waits for its turn' : 'It is being judged',
    html`<p>The installation judges one backtest at a time, behind all other work.</p><p class="actions"><a class="button plain" href="${url(self)}">Look again</a></p>`,
  )
}

function resultView(at: Visit, of: Result): Html {
  const { judged, would_decline: lost, would_approve: won } = of
  if (judged === 0)
    return empty({
      sentence: 'The control bound no authorization in these days: there is nothing to judge.',
      action: {
        href: at.to('/transactions'),
        label: 'See all transactions',
      },
    })
  const unchanged = judged - lost.count - won.count
  return html`${figures([
    {
      label: 'Would be declined',
      value: countText(lost.count),
      note: amountsOf(lost),
      ...(lost.count === 0 ? {} : { mood: 'bad' as const }),
    },
    { label: 'Would be let pass', value: countText(won.count), note: amountsOf(won) },
    { label: 'Stay as they were', value: countText(unchanged) },
    {
      label: 'Judged',
      value: countText(judged),
      note: countText(of.approved) + ' approved, ' + countText(of.declined) + ' declined',
    },
  ])}
${section(
  'Changed answers by day',
  chart({
    series: ['declined', 'let pass'],
    bars: of.days.map(({ day, would_decline, would_approve }) => ({
      label: dayText(day),
      values: [would_decline, would_approve],
    })),
    summary:
      countText(lost.count) +
      ' approved requests would be declined and ' +
      countText(won.count) +
      ' declined ones let pass',
    text: countText,
    unit: 'Day, UTC',
  }),
)}
<div class="grid">${reasonsOf('Why they would be declined', lost)}${reasonsOf('Why they were declined', won)}</div>
${section('Examples', examplesOf(at, of))}
<p class="soft">${won.count === 0 ? null : 'A request that is let pass might still be declined by a rule behind this control, or by you: neither was asked about it then. '}${countText(of.entries)} recorded messages were read${of.skipped === 0 ? '' : ', ' + countText(of.skipped) + ' of them about transactions from before'}.</p>`
}

function amountsOf({ amounts }: Changed): string {
  return amounts.map(({ amount_cents: cents, currency }) => moneyText(cents, currency)).join(', ')
}

function reasonsOf(title: string, { count, decline_reasons: reasons }: Changed): Html | null {
  if (count === 0) return null
  return section(
    title,
    table({
      label: title,
      rows: reasons,
      columns: [
        { label: 'Reason', cell: ({ decline_reason: reason }) => wordsOf(reason) },
        { label: 'Requests', isNumber: true, cell: ({ count: number }) => countText(number) },
      ],
    }),
  )
}

function examplesOf(at: Visit, { examples }: Result): Html {
  if (examples.length === 0)
    return html`<p class="soft">Every answer stays: these terms decide like the recorded ones.</p>`
  return table({
    label: 'Changed answers',
    rows: examples,
    href: ({ transaction_id: id }) => at.to('/transactions/' + id),
    columns: [
      {
        label: 'Merchant',
        cell: ({ merchant_name: name, mcc }) => (name || 'unnamed') + ', ' + categoryText(mcc),
      },
      {
        label: 'Answer',
        cell: ({ change }) =>
          change === 'would_decline'
            ? tag('approved, would be declined', 'bad')
            : tag('declined, would be let pass', 'good'),
      },
      {
        label: 'Amount',
        isNumber: true,
        cell: ({ amount_cents: cents, currency }) => moneyText(cents, currency),
      },
      { label: 'Reason', cell: ({ decline_reason: reason }) => wordsOf(reason) },
      { label: 'Card', cell: ({ card_id: card }) => idLink(at, card) },
      { label: 'When', cell: ({ received }) => seconds(received) },
    ],
  })
}

export const askBacktest = action({
  path: '/controls/:id/backtests',
  label: 'Judge recorded authorizations by these terms.',
  operation: 'createSpendingControlBacktest',
  done: 'The backtest is asked for.',
  input: (sent, at) => ({
    id: at.params['id'] ?? '',
    days: Number(sent('days') || '7'),
    ...(isEdit(sent) ? termsIn(sent) : {}),
  }),
  next: (made) => '/controls/' + made.spending_control_id + '/backtests/' + made.id,
})
