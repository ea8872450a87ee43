// Passes over time: put into wallets and taken out of them, day by day.
import type { Html } from '../../../shared/html.ts'
import { type AnswerOf, call, type Visit } from '../page.ts'
import { type Bar, chart } from '../parts/chart.ts'
import { countText } from '../parts/money.ts'
import { none } from '../parts/panel.ts'
import { dayText } from './statistics.ts'

/** Installs beside removals, of all passes or of one template. */
export function passDays(
  at: Visit,
  { days, total }: AnswerOf<'getPassesStatistics'>,
  templateId = 'ptpl_…',
): Html {
  if (total.installed + total.removed === 0)
    return none(
      at,
      'No pass came into a wallet in ' + days.length + ' days. A holder adds one by its link.',
      call('createPass', { template_id: templateId, card_id: 'card_…' }),
    )
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
