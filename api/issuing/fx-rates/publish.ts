// Publishes a table of exchange rates: the engine converts by them from this answer on.
import type { EpochMs } from '../../../shared/clock.ts'
import { isCurrency } from '../../../shared/money.ts'
import type { FxTable, NewFxTable } from '../../../shared/schemas/fx-rate.ts'
import type { OperatorContext } from '../../context.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { findRates, findRatesBefore, insertTable, lockRates } from './store.ts'
import { type FxRateRow, fxTableView } from './view.ts'

/** Chosen: a table that is older was meant for another day. */
const AGE_MS_MAX = 7 * 86_400_000
/**
 * Chosen: major currencies move by less within days, and a rate with its currencies exchanged or
 * its point misplaced differs by more, except near 1.
 */
const CHANGE_MAX = 0.1
/** Error of a division of two decimal numbers. */
const ROUNDING = 1e-9
/** Many small changes count as one for so long. */
const CHANGE_WINDOW_MS = 86_400_000

type NamedRates = NewFxTable['rates']

/** Refuses (400) unknown currencies, rates of 0, and a pair that is named twice. */
export function requireRates({ rates }: { rates: NamedRates }): void {
  const named = new Set<string>()
  for (const [index, { pair, rate }] of rates.entries()) {
    const [first, second] = currenciesOf(pair)
    for (const currency of [first, second])
      if (!isCurrency(currency)) throw fault(index, 'pair', currency + ' is no known currency.')
    if (first === second) throw fault(index, 'pair', 'A pair has two different currencies.')
    if (named.has(pair) || named.has(second + '/' + first))
      throw fault(index, 'pair', 'The table names this pair twice.')
    if (!/[1-9]/.test(rate)) throw fault(index, 'rate', 'A rate is more than 0.')
    named.add(pair)
  }
}

/**
 * Refuses with 400 a moment that is ahead, more than seven days ago or before that of a rate in
 * force; another rate of the same moment; a pair whose other direction alone is in force, since the
 * engine would know two rates for it; and without confirmation a rate that differs by more than
 * 10 % from the one in force or that of a day ago. Publishing the same table again changes no rate.
 */
export async function publishTable(context: OperatorContext, input: NewFxTable): Promise<FxTable> {
  const { now: createdAt, operatorId: publishedBy } = context
  const { source, rates } = input
  const isConfirmed = input.confirm_large_changes === true
  const rateAt = momentOf(input.rate_at, createdAt)
  return writeConfirmed(context, async (sql) => {
    await lockRates(sql)
    const held = new Map((await findRates(sql)).map((row) => [row.pair, row]))
    for (const [index, named] of rates.entries()) requireInOrder(held, { index, ...named, rateAt })
    if (!isConfirmed) {
      requireNear((pair) => held.get(pair)?.rate, rates)
      const dayAgo = await findRatesBefore(sql, createdAt - CHANGE_WINDOW_MS)
      requireNear((pair) => dayAgo.get(pair), rates)
    }
    const table = {
      ...{ id: context.newId('fxt'), source, rateAt, isConfirmed, publishedBy, createdAt },
      rates: rates.map((named) => ({
        ...named,
        previous_rate: held.get(named.pair)?.rate ?? null,
      })),
    }
    await insertTable(sql, table)
    return fxTableView(table)
  })
}

function momentOf(text: string, now: EpochMs): EpochMs {
  const refused = (message: string) =>
    new Refusal('parameter_invalid', { param: 'rate_at', message })
  const at = parseFilterInstant(text)
  if (at === null)
    throw refused('This field must be an ISO 8601 date, or date and time with a zone.')
  if (at > now) throw refused('The moment of rates is never ahead.')
  if (at < now - AGE_MS_MAX) throw refused('These rates are more than 7 days old.')
  return at
}

function requireInOrder(
  held: ReadonlyMap<string, FxRateRow>,
  { index, pair, rate, rateAt }: { index: number; pair: string; rate: string; rateAt: EpochMs },
): void {
  const [first, second] = currenciesOf(pair)
  const other = second + '/' + first
  const before = held.get(pair)
  if (before === undefined) {
    if (!held.has(other)) return
    throw fault(index, 'pair', other + ' is in force: publish the rate in this direction.')
  }
  if (before.rateAt > rateAt)
    throw fault(index, 'pair', 'A newer rate of ' + pair + ' is in force.')
  if (before.rateAt === rateAt && Number(before.rate) !== Number(rate))
    throw fault(
      index,
      'rate',
      before.rate + ' of this moment is in force: publish another rate with a later moment.',
    )
}

function requireNear(rateBefore: (pair: string) => string | undefined, rates: NamedRates): void {
  const far = rates.flatMap(({ pair, rate }, index) => {
    const before = rateBefore(pair)
    if (before === undefined) return []
    const isNear = Math.abs(Number(rate) / Number(before) - 1) <= CHANGE_MAX + ROUNDING
    return isNear ? [] : [{ index, words: pair + ' from ' + before + ' to ' + rate }]
  })
  const [first] = far
  if (first === undefined) return
  const words = far.slice(0, 5).map((one) => one.words)
  const more = far.length > words.length ? ' and ' + (far.length - words.length) + ' more' : ''
  throw fault(
    first.index,
    'rate',
    'More than 10 % apart: ' +
      (words.join(', ') + more) +
      '. If the rates are right, publish them with confirm_large_changes.',
  )
}

function currenciesOf(pair: string): [first: string, second: string] {
  return [pair.slice(0, 3), pair.slice(4)]
}

function fault(index: number, field: 'pair' | 'rate', message: string): Refusal {
  return new Refusal('parameter_invalid', { param: '/rates/' + index + '/' + field, message })
}
