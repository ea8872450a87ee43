// Pictures of statistics that several pages show: approval beside yesterday's, reasons, deliveries.

import type { Html } from '../../../shared/html.ts'
import { html, url } from '../../../shared/html.ts'
import { simulated } from '../first-rows.ts'
import { type AnswerOf, call, type Outcome, type Visit } from '../page.ts'
import { type Bar, chart } from '../parts/chart.ts'
import { type Figure, figures, percent, points } from '../parts/figure.ts'
import { lines, type Point } from '../parts/lines.ts'
import { meter } from '../parts/meter.ts'
import { countText } from '../parts/money.ts'
import { none } from '../parts/panel.ts'
import { wordsOf } from '../parts/tag.ts'
import { type Compared, lastDays, type Period, type Statistics } from './periods.ts'

type Hours = AnswerOf<'getWebhookEndpointStatistics'>['hours']

/** Days of the picture of reasons. */
const DAYS = 14
/** Reasons with a colour of their own; the others are one. */
const REASONS_MAX = 4

/** The days of the picture of reasons, today included. */
export function manyDays(at: Visit): Promise<Outcome<Statistics>> {
  return lastDays(at, DAYS)
}

function hourText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16)
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `26 Nov`: the day of a moment in Unix seconds. */
export function dayText(seconds: number): string {
  return DAY.format(seconds * 1000)
}

/** The name of a step under an axis. */
function stepText({ step }: Period, at: number): string {
  return step === 'hour' ? hourText(at) : dayText(at)
}

function unitOf({ step }: Period): string {
  return step === 'hour' ? 'Hour, UTC' : 'Day, UTC'
}

/** Approval of a period beside the one before, and a bar for each of its steps. */
export function approval({ period, now, before }: Compared): Html {
  const [share, earlier] = [now.total.approval_share, before.total.approval_share]
  const change = share === null || earlier === null ? null : share - earlier
  const sign = change !== null && change >= 0 ? '+' : ''
  const { stand_in: standIn, late_answers: late } = now.total
  const shown: Figure[] = [
    {
      label: 'Approval, ' + period.label,
      value: percent(share),
      note: change === null ? 'nothing to compare' : sign + points(change) + ' points',
    },
    {
      label: 'Requests',
      value: countText(now.total.requests),
      note: countText(before.total.requests) + ' before',
    },
    {
      label: 'Declined',
      value: countText(now.total.declined),
      note: countText(before.total.declined) + ' before',
    },
    {
      label: 'Stand-in',
      value: countText(standIn.approved + standIn.declined),
      note: countText(late.approved + late.declined) + ' late answers',
    },
  ]
  if (now.total.requests === 0) return figures(shown)
  const bars: Bar[] = now.steps.map(({ at, approved, declined }) => ({
    label: stepText(period, at),
    values: [approved, declined],
  }))
  return html`${figures(shown)}<div class="charts">${approvalBySteps({ period, now, before })}${chart(
    {
      series: ['approved', 'declined'],
      colors: [1, 4],
      bars,
      unit: unitOf(period),
      text: countText,
      title: 'Requests by ' + period.step,
      summary:
        'Authorization requests of the ' +
        (period.words.now + ', by ' + period.step + ': ' + percent(share) + ' approved'),
    },
  )}</div>`
}

/** The approval rate of each step, beside that of the same step a period before. */
function approvalBySteps({ period, now, before }: Compared): Html {
  const points = now.steps.map(
    (step, place): Point => ({
      label: stepText(period, step.at),
      now: step.approval_share,
      before: before.steps[place]?.approval_share ?? null,
    }),
  )
  const both = points.flatMap(({ now, before }) =>
    now === null || before === null ? [] : [now - before],
  )
  const [better, worse] = [both.filter((one) => one > 0), both.filter((one) => one < 0)]
  const { step, words } = period
  return lines({
    points,
    title: 'Approval by ' + step + ' and ' + words.before,
    summary:
      'Approval rate by ' +
      step +
      ': above ' +
      words.before +
      ' in ' +
      (better.length + ', below it in ' + worse.length + ' of ' + both.length + ' ' + step + 's'),
    names: words,
    unit: unitOf(period),
  })
}

/** `212 ms`, or a dash where nothing was measured. */
export function milliseconds(value: number | null): string {
  return value === null ? '–' : countText(Math.round(value)) + ' ms'
}

/** How fast the tenant's endpoint answered, over all steps. */
export function answerTimes(at: Visit, { total: { answers } }: Statistics): Html {
  if (answers.asked === 0)
    return none(
      at,
      'Your endpoint was not asked. One endpoint can be asked before an approval leaves.',
      call('makeRealtimeWebhookEndpoint', { id: 'we_…' }),
    )
  const { p50, p95, p99 } = answers.answer_ms
  return figures([
    {
      label: 'Asked',
      value: countText(answers.asked),
      note: countText(answers.answered) + ' answered',
    },
    { label: 'Under 300 ms', value: percent(answers.under_300_ms_share) },
    { label: 'Under 800 ms', value: percent(answers.under_800_ms_share) },
    {
      label: 'Answer, p99',
      value: milliseconds(p99),
      note: 'p50 ' + milliseconds(p50) + ', p95 ' + milliseconds(p95),
    },
  ])
}

/** A card's expiry that is wrong: the simulated network's way to a decline. */
const declined = simulated(
  call('createSimulateCardNetworkScenario', { card_id: 'card_…', scenario: 'wrong_expiry' }),
)

/** The reasons of the declines; each leads to the declines. */
export function reasonsOf(at: Visit, { total }: Statistics): Html {
  if (total.declined === 0) return none(at, 'None was declined.', declined(at))
  return html`<ul class="bars">${total.reasons
    .slice(0, 8)
    .map(
      ({ reason, requests }) =>
        html`<li><a href="${url(at.to('/declines'))}">${wordsOf(reason)}</a><span class="num">${countText(requests)}</span>${meter({ used: requests, all: total.declined, label: wordsOf(reason) + ': ' + requests })}</li>`,
    )}</ul>`
}

/** Declines by day, the most frequent reasons apart. */
export function reasonsByDay({ steps, total }: Statistics): Html {
  if (total.declined === 0) return html`<p class="soft">None was declined in ${DAYS} days.</p>`
  const names = total.reasons.map(({ reason }) => reason)
  const apart = names.slice(0, REASONS_MAX)
  const hasOthers = names.length > REASONS_MAX
  const bars: Bar[] = steps.map(({ at, reasons, declined }) => {
    const values = apart.map((name) => reasons.find(({ reason }) => reason === name)?.requests ?? 0)
    const rest = declined - values.reduce((sum, value) => sum + value, 0)
    return { label: dayText(at), values: hasOthers ? [...values, rest] : values }
  })
  return chart({
    series: [...apart.map(wordsOf), ...(hasOthers ? ['other reasons'] : [])],
    bars,
    unit: 'Day, UTC',
    text: countText,
    summary:
      countText(total.declined) +
      ' declines in ' +
      DAYS +
      ' days, most of them ' +
      wordsOf(names[0] ?? ''),
  })
}

/** Attempts of an endpoint by the hour. */
export function attempts(at: Visit, id: string, hours: Hours): Html {
  if (hours.every(({ succeeded, failed }) => succeeded + failed === 0))
    return none(at, 'Nothing was sent in 24 hours.', call('testWebhookEndpoint', { id }))
  const bars: Bar[] = hours.map(({ hour, succeeded, failed }) => ({
    label: hourText(hour),
    values: [succeeded, failed],
  }))
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  return chart({
    series: ['succeeded', 'failed'],
    colors: [1, 4],
    bars,
    unit: 'Hour, UTC',
    text: countText,
    title: 'Attempts by hour',
    summary: 'Attempts of the last 24 hours, by hour: ' + countText(failed) + ' failed',
  })
}

/** Time until the answer by the hour: the 95th percentile. */
export function answerByHour(hours: Hours): Html | null {
  if (hours.every(({ answer_ms: ms }) => ms.p95 === null)) return null
  return chart({
    series: ['p95'],
    bars: hours.map(({ hour, answer_ms: ms }) => ({ label: hourText(hour), values: [ms.p95] })),
    unit: 'Hour, UTC',
    text: (value) => countText(Math.round(value)) + ' ms',
    title: 'Time until the answer by hour, p95',
    summary: 'The 95th percentile of the time until the answer, by hour',
  })
}
