// Passes over time: put into wallets and taken out of them, day by day.
import { type Html, html } from '../../../shared/html.ts'
import type { AnswerOf } from '../page.ts'
import { type Bar, chart } from '../parts/chart.ts'
import { countText } from '../parts/money.ts'
import { dayText } from './statistics.ts'

/** Installs beside removals. */
export function passDays({ days, total }: AnswerOf<'getPassesStatistics'>): Html {
  if (total.installed + total.removed === 0)
    return html`<p class="soft">No pass came into a wallet in ${days.length} days.</p>`
  const bars: Bar[] = days.map(({ at, installed, removed }) => ({
    label: dayText(at),
    values: [installed, removed],
  }))
  return chart({
    series: ['installed', 'removed'],
    colors: [1, 4],
    bars,
    unit: 'Day, UTC',
    text: countText,
    summary:
      countText(total.installed) +
      ' passes came into a wallet in ' +
      days.length +
      ' days, and ' +
      countText(total.removed) +
      ' left their last one',
  })
}
