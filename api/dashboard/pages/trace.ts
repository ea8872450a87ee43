// The trace of a decision: every rule that was judged, with its inputs as people read them.
import type { TraceStep } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import type { Visit } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { idLink } from '../parts/id.ts'
import { askedMeter } from '../parts/meter.ts'
import { moment } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'

type Input = TraceStep['inputs'][string]

/** Inputs that the bar of a limit shows. */
const OF_BAR = new Set(['limit', 'funded', 'used_before', 'reserved_before', 'requested'])
/** Inputs in minor units. */
const AMOUNTS = new Set([
  ...['requested', 'from_original', 'amount', 'converted', 'billed', 'expected'],
  ...['largest_counted'],
])
const MOMENTS = new Set(['window_start', 'window_end'])
/** The rule names it already, or the number beside it does. */
const SILENT = new Set(['limit_id', 'of'])
/** Texts that are no words of ours. */
const EXACT = new Set(['merchant_id', 'locked_to', 'time_zone'])
const MINUTES_OF_HOUR = 60

/** Every judged rule; amounts without a currency of their own are in that of the card. */
export function traceOf(at: Visit, trace: readonly TraceStep[], currency: string): Html {
  return html`<ol class="steps trace">${trace.map((step) => {
    const { rule_id: rule, inputs } = step
    const isFailed = step.verdict === 'fail'
    const own = String(inputs['card_currency'] ?? inputs['currency'] ?? currency)
    const bar = limitBar(step, own)
    const seen = bar === null ? inputs : besideBar(inputs)
    return html`<li class="${isFailed ? 'stop' : ''}"><span>${isFailed ? 'stopped' : 'passed'}</span><span aria-hidden="true">${isFailed ? '✕' : '✓'}</span><span><strong>${wordsOf(rule)}</strong> <small>${inputsOf(at, seen, own)}</small>${bar}</span></li>`
  })}</ol>`
}

/** The amounts of a limit have its currency. */
function besideBar(inputs: TraceStep['inputs']): TraceStep['inputs'] {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name]) => !OF_BAR.has(name) && name !== 'currency'),
  )
}

/** A judged limit as a bar: what was taken before, and what was asked. Null for another rule. */
function limitBar({ inputs, verdict }: TraceStep, currency: string): Html | null {
  const [limit, used, reserved, requested] = [
    inputs['limit'] ?? inputs['funded'],
    ...['used_before', 'reserved_before', 'requested'].map((name) => inputs[name]),
  ].map((value) => (typeof value === 'number' ? value : null))
  if (limit == null || used == null || reserved == null || requested == null) return null
  const isCounted = inputs['of'] === 'count'
  const text = (value: number): string =>
    isCounted ? countText(value) : moneyText(value, currency)
  // A refund takes nothing of a credit limit up to the amount that was captured.
  const asked = Math.max(0, requested - Number(inputs['from_original'] ?? 0))
  const parts = [
    text(used) + ' used',
    ...(reserved === 0 ? [] : [text(reserved) + ' reserved']),
    text(asked) + ' asked',
  ]
  const label = parts.join(' + ') + ' of ' + text(limit) + (isCounted ? ' authorizations' : '')
  const isOver = verdict === 'fail'
  return html`<span class="asked-of">${label}</span>${askedMeter({ taken: used + reserved, asked, limit, isOver, label })}`
}

function inputsOf(at: Visit, inputs: TraceStep['inputs'], currency: string): Html {
  const seen = Object.entries(inputs).filter(([name, value]) => value !== null && !SILENT.has(name))
  return html`${seen.map(([name, value], place) => {
    const words = AMOUNTS.has(name) ? moneyText(Number(value), currency) : wordsFor(at, name, value)
    return html`${place === 0 ? null : ' · '}${wordsOf(name)} ${words}`
  })}`
}

function wordsFor(at: Visit, name: string, value: Input): Html | string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') {
    if (MOMENTS.has(name)) return moment(value)
    return name === 'minute_of_day' ? timeOfDay(value) : countText(value)
  }
  if (name === 'control_id') return idLink(at, value)
  if (name === 'mcc') return categoryText(String(value))
  return EXACT.has(name) ? String(value) : wordsOf(String(value))
}

function timeOfDay(minutes: number): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  return two(Math.floor(minutes / MINUTES_OF_HOUR)) + ':' + two(minutes % MINUTES_OF_HOUR)
}
