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

type Statistics = AnswerOf<'getAuthorizationStatistics'>
type Hours = AnswerOf<'getWebhookEndpointStatistics'>['hours']

const HOUR_S = 3600
const DAY_S = 24 * HOUR_S
/** Days of the picture of reasons. */
const DAYS = 14
/** Reasons with a colour of their own; the others are one. */
const REASONS_MAX = 4

/**
 * The last steps until now by the tenant's clock, which may be ahead of ours: the first answer
 * tells where it stands.
 */
async function lastSteps(
  at: Visit,
  { count, ...of }: { step: 'hour' | 'day'; count: number; program_id?: string },
): Promise<Outcome<Statistics>> {
  const { step } = of
  const { now } = await at.ask({ now: call('getAuthorizationStatistics', of) })
  if (!now.ok) return now
  const length = step === 'hour' ? HOUR_S : DAY_S
  const [from, to] = [now.value.to - count * length, now.value.to].map((moment) =>
    new Date(moment * 1000).toISOString(),
  )
  const { all } = await at.ask({
    all: call('getAuthorizationStatistics', { ...of, from: from ?? '', to: to ?? '' }),
  })
  return all
}

/** Two days by the hour: today beside yesterday; of one program where it is named. */
export function twoDays(at: Visit, of: { program_id?: string } = {}): Promise<Outcome<Statistics>> {
  return lastSteps(at, { ...of, step: 'hour', count: 48 })
}

/** The days of the picture of reasons, today included. */
export function manyDays(at: Visit): Promise<Outcome<Statistics>> {
  return lastSteps(at, { step: 'day', count: DAYS })
}

function hourText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16)
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `26 Nov`: the day of a moment in Unix seconds. */
export function dayText(seconds: number): string {
  return DAY.format(seconds * 1000)
}

function sharesOf(steps: Statistics['steps']) {
  const sum = (of: (step: Statistics['steps'][number]) => number): number =>
    steps.reduce((total, step) => total + of(step), 0)
  const requests = sum((step) => step.requests)
  return {
    requests,
    declined: sum((step) => step.declined),
    approval: requests === 0 ? null : sum((step) => step.approved) / requests,
    standIn: sum(({ stand_in: one }) => one.approved + one.declined),
    late: sum(({ late_answers: one }) => one.approved + one.declined),
  }
}

/** Approval of the last 24 hours, beside the 24 before, and a bar for each hour. */
export function approval({ steps }: Statistics): Html {
  const recent = steps.slice(-24)
  const [now, before] = [sharesOf(recent), sharesOf(steps.slice(0, -24))]
  const known = now.approval !== null && before.approval !== null
  const change = known ? (now.approval ?? 0) - (before.approval ?? 0) : null
  const sign = change !== null && change >= 0 ? '+' : ''
  const shown: Figure[] = [
    {
      label: 'Approval, 24 h',
      value: percent(now.approval),
      note: change === null ? 'nothing to compare' : sign + points(change) + ' points',
    },
    {
      label: 'Requests',
      value: countText(now.requests),
      note: countText(before.requests) + ' before',
    },
    {
      label: 'Declined',
      value: countText(now.declined),
      note: countText(before.declined) + ' before',
    },
    {
      label: 'Stand-in',
      value: countText(now.standIn),
      note: countText(now.late) + ' late answers',
    },
  ]
  if (now.requests === 0) return figures(shown)
  const bars: Bar[] = recent.map(({ at, approved, declined }) => ({
    label: hourText(at),
    values: [approved, declined],
  }))
  return html`${figures(shown)}<div class="charts">${approvalByHour(recent, steps.slice(-48, -24))}${chart(
    {
      series: ['approved', 'declined'],
      colors: [1, 4],
      bars,
      unit: 'Hour, UTC',
      text: countText,
      title: 'Requests by hour',
      summary:
        'Authorization requests of the last 24 hours, by hour: ' +
        percent(now.approval) +
        ' approved',
    },
  )}</div>`
}

type Steps = Statistics['steps']

const shareOf = ({ requests, approved }: Steps[number]): number | null =>
  requests === 0 ? null : approved / requests

/** The approval rate of each hour, beside that of the same hour a day before. */
function approvalByHour(recent: Steps, before: Steps): Html {
  const points = recent.map((step, at): Point => {
    const earlier = before[at]
    return {
      label: hourText(step.at),
      now: shareOf(step),
      before: earlier === undefined ? null : shareOf(earlier),
    }
  })
  const both = points.flatMap(({ now, before }) =>
    now === null || before === null ? [] : [now - before],
  )
  const [better, worse] = [both.filter((one) => one > 0), both.filter((one) => one < 0)]
  return lines({
    points,
    title: 'Approval by hour and a day before',
    summary:
      'Approval rate by hour: above yesterday in ' +
      (better.length + ', below it in ' + worse.length + ' of ' + both.length + ' hours'),
    names: { now: 'last 24 hours', before: 'the day before' },
    unit: 'Hour, UTC',
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

/** The reasons of the last 24 hours; each leads to the declines. */
export function reasonsNow(at: Visit, { steps }: Statistics): Html {
  const counts = countReasons(steps.slice(-24))
  const all = counts.reduce((total, [, count]) => total + count, 0)
  if (all === 0) return none(at, 'None was declined.', declined(at))
  return html`<ul class="bars">${counts
    .slice(0, 8)
    .map(
      ([reason, count]) =>
        html`<li><a href="${url(at.to('/declines'))}">${wordsOf(reason)}</a><span class="num">${countText(count)}</span>${meter({ used: count, all, label: wordsOf(reason) + ': ' + count })}</li>`,
    )}</ul>`
}

function countReasons(steps: Statistics['steps']): [string, number][] {
  const counts = new Map<string, number>()
  for (const { reasons } of steps)
    for (const { reason, requests } of reasons)
      counts.set(reason, (counts.get(reason) ?? 0) + requests)
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

/** Declines by day, the most frequent reasons apart. */
export function reasonsByDay({ steps, total }: Statistics): Html {
  if (total.declined === 0) return html`<p class="soft">None was declined in ${DAYS} days.</p>`
  const names = countReasons(steps).map(([reason]) => reason)
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
