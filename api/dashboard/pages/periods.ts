// The period of the pictures of authorizations: the reader chooses it, and the one before it stands
// beside it.
import { type Html, html, url } from '../../../shared/html.ts'
import { type AnswerOf, call, type InputOf, type Outcome, type Visit } from '../page.ts'

export type Statistics = AnswerOf<'getAuthorizationStatistics'>

export interface Period {
  /** Its value in the address. */
  name: string
  label: string
  step: 'hour' | 'day'
  /** Steps, the one that runs included. */
  count: number
  /** The period and the one before it in words. */
  words: { now: string; before: string }
}

const DAY: Period = {
  ...{ name: '24h', label: '24 h', step: 'hour', count: 24 },
  words: { now: 'last 24 hours', before: 'the day before' },
}
const PERIODS: readonly Period[] = [DAY, days(7), days(30)]

const STEP_S: { readonly [step in Period['step']]: number } = { hour: 3600, day: 86_400 }

function days(count: number): Period {
  const label = count + ' days'
  const words = { now: 'last ' + label, before: 'the ' + label + ' before' }
  return { ...{ name: count + 'd', label, step: 'day', count }, words }
}

/** Returns the period of the address; a day where it names none of ours. */
export function periodOf(at: Visit): Period {
  return PERIODS.find(({ name }) => name === at.query.get('period')) ?? DAY
}

/** Returns the length of a period in seconds. */
export function lengthOf({ step, count }: Period): number {
  return count * STEP_S[step]
}

/** Links to the same page with each period. */
export function periodLinks(at: Visit, path: string): Html {
  const chosen = periodOf(at)
  return html`<nav class="periods" aria-label="Period"><ul>${PERIODS.map((one) => {
    const to = at.to(path + (one === DAY ? '' : '?period=' + one.name))
    return one === chosen
      ? html`<li><a href="${url(to)}" aria-current="true">${one.label}</a></li>`
      : html`<li><a href="${url(to)}">${one.label}</a></li>`
  })}</ul></nav>`
}

/** Counts of a period, and of the one before it. */
export interface Compared {
  period: Period
  now: Statistics
  before: Statistics
}

/**
 * Reads a period until now by the tenant's clock, which may be ahead of ours: the first answer
 * tells where it stands.
 */
export async function comparedPeriods(
  at: Visit,
  period: Period,
  of: { program_id?: string } = {},
): Promise<Outcome<Compared>> {
  const asked = { ...of, step: period.step }
  const running = await read(at, asked)
  if (!running.ok) return running
  const { from, to } = running.value
  const length = lengthOf(period)
  const [now, before] = await Promise.all([
    to - from === length ? running : read(at, { ...asked, ...range(to, length) }),
    read(at, { ...asked, ...range(to - length, length) }),
  ])
  if (!now.ok) return now
  return before.ok ? { ok: true, value: { period, now: now.value, before: before.value } } : before
}

/** Reads the last days, today included. */
export async function lastDays(at: Visit, count: number): Promise<Outcome<Statistics>> {
  const running = await read(at, { step: 'day' })
  if (!running.ok) return running
  return read(at, { step: 'day', ...range(running.value.to, count * STEP_S.day) })
}

async function read(
  at: Visit,
  input: InputOf<'getAuthorizationStatistics'>,
): Promise<Outcome<Statistics>> {
  const { read } = await at.ask({ read: call('getAuthorizationStatistics', input) })
  return read
}

/** Returns the bounds of the seconds before an end. */
function range(end: number, length: number): { from: string; to: string } {
  const [from, to] = [end - length, end].map((at) => new Date(at * 1000).toISOString())
  return { from: from ?? '', to: to ?? '' }
}
