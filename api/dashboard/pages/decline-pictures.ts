// Pictures of declines: what could be won back, and where they happen.
import { type Html, html, url } from '../../../shared/html.ts'
import type { AnswerOf, Visit } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { type Bar, chart } from '../parts/chart.ts'
import { percent } from '../parts/figure.ts'
import { meter } from '../parts/meter.ts'
import { seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'
import { dayText } from './statistics.ts'

type Statistics = AnswerOf<'getAuthorizationStatistics'>
type Categories = AnswerOf<'getAuthorizationStatisticsDeclineCategories'>
type Advice = Statistics['total']['reasons'][number]['retry_advice']

/** Needs of another try, the most hopeful first. */
export const ADVICE: readonly (readonly [Advice, string])[] = [
  ['later', 'later'],
  ['fix_data', 'with other data'],
  ['authenticate', 'with authentication'],
  ['never', 'never'],
]
const COLORS = [2, 1, 5, 6]
const CATEGORIES_SHOWN = 8

/** Declines by day and by the need of another try. */
export function retryByDay({ steps, total }: Statistics): Html {
  if (total.declined === 0) return html`<p class="soft">Nothing to win back.</p>`
  const count = ({ reasons }: Pick<Statistics['total'], 'reasons'>, advice: Advice): number =>
    reasons.reduce((all, one) => all + (one.retry_advice === advice ? one.requests : 0), 0)
  const bars: Bar[] = steps.map((step) => ({
    label: dayText(step.at),
    values: ADVICE.map(([advice]) => count(step, advice)),
  }))
  const lost = count(total, 'never')
  return chart({
    series: ADVICE.map(([, words]) => words),
    colors: COLORS,
    bars,
    unit: 'Day, UTC',
    text: countText,
    summary:
      percent((total.declined - lost) / total.declined) +
      ' of the declines may pass at another try, by day',
  })
}

/** Categories of the merchants; each leads to its declines. */
export function declineCategories(at: Visit, { declines, since, categories }: Categories): Html {
  if (since === null) return html`<p class="soft">None was declined.</p>`
  const shown = categories.slice(0, CATEGORIES_SHOWN)
  const rest = categories.slice(CATEGORIES_SHOWN)
  const restCount = rest.reduce((all, one) => all + one.declines, 0)
  return html`<ul class="bars">${shown.map(({ mcc, declines: count, reason }) => {
    const name = mcc === '' ? 'no category' : categoryText(mcc)
    const words = name + (reason === null ? '' : ', mostly ' + wordsOf(reason))
    const link =
      mcc === ''
        ? html`<span>${words}</span>`
        : html`<a href="${url(at.to('/declines') + '?mcc=' + mcc)}">${words}</a>`
    return html`<li>${link}<span class="num">${countText(count)}</span>${meter({ used: count, all: declines, label: name + ': ' + countText(count) + ' of ' + countText(declines), isPlain: true })}</li>`
  })}</ul><p class="soft">${rest.length === 0 ? null : countText(restCount) + ' in ' + countText(rest.length) + ' other categories. '}The newest ${countText(declines)} declines, since ${seconds(since)}.</p>`
}
