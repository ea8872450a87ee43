// Stand-in: who decided while we were silent, and would you have agreed?
import type { StandInReport } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { call, page } from '../page.ts'
import { figures, percent } from '../parts/figure.ts'
import { field } from '../parts/form.ts'
import { countText } from '../parts/money.ts'
import { panel } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { wordsOf } from '../parts/tag.ts'

const WEEK_MS = 7 * 86_400_000

export const standIn = page({
  path: '/stand_in',
  title: 'Stand-in',
  menu: { group: 'Now', label: 'Stand-in' },
  operations: ['getStandInReport'],
  async view(at) {
    const since = at.query.get('since') ?? new Date(at.now - WEEK_MS).toISOString().slice(0, 10)
    const { report } = await at.ask({ report: call('getStandInReport', { 'created[gte]': since }) })
    const content = html`<header class="head"><h1>Stand-in</h1><p>Your controls decide where your answer does not come in time.</p></header>
<form method="get" action="${url(at.to('/stand_in'))}" class="filters">${field({ name: 'since', label: 'Since', type: 'date', value: since })}<button>Show</button></form>
${panel('Since ' + since, report, reportView)}`
    return { title: 'Stand-in', content }
  },
})

function reportView(of: StandInReport): Html {
  const { compared, late } = of
  const outcomes = Object.entries(of.outcomes)
  return html`<div class="stack">${figures([
    { label: 'Requests to you', value: countText(of.questions) },
    { label: 'Stand-in approved', value: countText(of.decided.approved) },
    { label: 'Stand-in declined', value: countText(of.decided.declined) },
    {
      label: 'Late answers that disagreed',
      value: countText(late.disagreed),
      note: countText(late.approved + late.declined) + ' late',
    },
  ])}${table({
    label: 'Verdicts compared',
    rows: [
      {
        name: 'Stand-in would approve',
        you: compared.both_approve,
        not: compared.only_stand_in_approves,
      },
      {
        name: 'Stand-in would decline',
        you: compared.only_tenant_approves,
        not: compared.both_decline,
      },
    ],
    columns: [
      { label: 'Compared with your answers', cell: ({ name }) => name },
      { label: 'You approved', isNumber: true, cell: ({ you }) => countText(you) },
      { label: 'You declined', isNumber: true, cell: ({ not }) => countText(not) },
    ],
  })}<p>Wrongly approved ${percent(of.false_approve_rate)}, wrongly declined ${percent(of.false_decline_rate)}.</p>
<p class="soft">${outcomes.map(([name, count]) => wordsOf(name) + ' ' + countText(count)).join(' · ')}</p></div>`
}
