// The trace of a decision: every rule that was judged, with its inputs as people read them.
import type { TraceStep } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import type { Visit } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { idLink } from '../parts/id.ts'
import { moment } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'

type Input = TraceStep['inputs'][string]

/** Inputs in minor units; those of a limit of authorizations count. */
const AMOUNTS = new Set([
  ...['limit', 'used_before', 'reserved_before', 'requested', 'amount', 'converted', 'billed'],
  ...['expected', 'funded', 'largest_counted'],
])
const MOMENTS = new Set(['window_start', 'window_end'])
/** The rule names it already, or the number beside it does. */
const SILENT = new Set(['limit_id', 'of'])
/** Texts that are no words of ours. */
const EXACT = new Set(['merchant_id', 'locked_to', 'time_zone'])
const MINUTES_OF_HOUR = 60

/** Every judged rule; amounts without a currency of their own are in that of the card. */
export function traceOf(at: Visit, trace: readonly TraceStep[], currency: string): Html {
  return html`<ol class="steps trace">${trace.map(({ rule_id: rule, verdict, inputs }) => {
    const isFailed = verdict === 'fail'
    return html`<li class="${isFailed ? 'stop' : ''}"><span>${isFailed ? 'stopped' : 'passed'}</span><span aria-hidden="true">${isFailed ? '✕' : '✓'}</span><span><strong>${wordsOf(rule)}</strong> <small>${inputsOf(at, inputs, currency)}</small></span></li>`
  })}</ol>`
}

function inputsOf(at: Visit, inputs: TraceStep['inputs'], currency: string): Html {
  const own = inputs['card_currency'] ?? inputs['currency'] ?? currency
  const isCounted = inputs['of'] === 'count'
  // The amounts of a limit have its currency.
  const seen = Object.entries(inputs).filter(
    ([name, value]) =>
      value !== null && !SILENT.has(name) && (name !== 'currency' || inputs['limit'] === undefined),
  )
  return html`${seen.map(([name, value], place) => {
    const isMoney = AMOUNTS.has(name) && !isCounted
    const words = isMoney ? moneyText(Number(value), String(own)) : wordsFor(at, name, value)
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
