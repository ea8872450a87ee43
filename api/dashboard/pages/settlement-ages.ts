// How old the captures are that are not settled: what is stuck?
import { type Html, html } from '../../../shared/html.ts'
import { type AnswerOf, call, type Visit } from '../page.ts'
import { chart } from '../parts/chart.ts'
import { figures } from '../parts/figure.ts'
import { span } from '../parts/moment.ts'
import { moneyText } from '../parts/money.ts'
import { none } from '../parts/panel.ts'

type Ages = AnswerOf<'getSettlementAges'>

const HOUR_S = 3600
/** Older captures are late: a batch is made every day at least. */
const DAY_S = 86_400

/** The oldest captures, and the amounts by age. */
export function settlementAges(at: Visit, of: Ages): Html {
  const { oldest_pending_seconds: pending, oldest_in_settlement_seconds: inside } = of
  if (pending === null && inside === null)
    return none(
      at,
      'Nothing waits: every capture is settled.',
      call('capturePayment', { id: 'pay_…' }),
    )
  return html`${figures([ageFigure('Oldest waiting for a batch', pending), ageFigure('Oldest in settlement', inside)])}${chart(
    {
      series: ['waiting for a batch', 'in settlement'],
      colors: [3, 1],
      bars: of.ages.map((age) => ({
        label: spanText(age.from_seconds, age.until_seconds),
        values: [age.pending_cents, age.in_settlement_cents],
      })),
      unit: 'Age',
      text: (cents) => moneyText(cents, of.currency),
      title: 'Unsettled captures by age',
      summary: summaryOf(of),
    },
  )}`
}

function ageFigure(label: string, seconds: number | null) {
  if (seconds === null) return { label, value: '–', note: 'none' }
  return {
    ...{ label, value: span(seconds) },
    ...(seconds > DAY_S ? { mood: 'warn' as const, note: 'more than a day' } : {}),
  }
}

/** `6–24 h`: whole hours up to a day, days from there. */
function spanText(from: number, until: number | null): string {
  if (until === null) return '> ' + from / DAY_S + ' d'
  const [unit, name] = until > DAY_S ? [DAY_S, ' d'] : [HOUR_S, ' h']
  return (from === 0 ? '< ' : from / unit + '–') + until / unit + name
}

function summaryOf({ ages, currency }: Ages): string {
  const sum = (of: (age: Ages['ages'][number]) => number, from = 0): string =>
    moneyText(
      ages.filter((age) => age.from_seconds >= from).reduce((all, age) => all + of(age), 0),
      currency,
    )
  const all = (age: Ages['ages'][number]): number => age.pending_cents + age.in_settlement_cents
  return 'Unsettled captures by age: ' + sum(all) + ', of it older than a day ' + sum(all, DAY_S)
}
