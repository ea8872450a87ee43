// A spending control as one plain sentence. A clause stands for one rule of the control, and claims
// nothing that the rule does not do.
import type { SpendingControl } from '../../../client/generated.ts'
import { categoryText } from '../parts/category.ts'
import { exactSpan } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'
import {
  counted,
  LISTS,
  listValues,
  presenceWords,
  singleTerms,
  type Terms,
} from './control-fields.ts'

export type Sentenced = Terms & Pick<SpendingControl, 'scope' | 'state'>
type Limit = Terms['limits'][number]

/** Most clauses of a sentence, and most values of one clause; the others are counted. */
interface Length {
  clauses: number
  values: number
}

const WHOLE: Length = { clauses: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }
/** For a row of a list. */
export const SHORT: Length = { clauses: 3, values: 3 }

/** A payment shares the controls of its program and cardholder. */
const SUBJECTS: { readonly [scope in SpendingControl['scope']]: string } = {
  card: 'on this card',
  cardholder: 'by this cardholder in all',
  program: 'in this program as a whole',
  payment_account: 'from this payment account',
}

const STATES: { readonly [state in SpendingControl['state']]: string } = {
  active: '',
  draft: 'Once active: ',
  retired: 'No longer: ',
}

/**
 * `Up to 200.00 USD a day; not in RU, on this card.` Authorizations of 0, which check a card, are
 * not meant where some are counted.
 */
export function controlSentence(of: Sentenced, { clauses: most, values } = WHOLE): string {
  const all = [
    ...of.limits.map((limit) => limitClause(limit, of.scope, values)),
    ...LISTS.flatMap((list) => listClause(of, list, values)),
    ...singleTerms(of).map(({ clause }) => clause),
  ]
  const more = all.length - most
  const shown = more > 0 ? [...all.slice(0, most), 'and ' + counted(more, 'more rule')] : all
  const text = shown.length === 0 ? 'no restriction' : shown.join('; ')
  const before = STATES[of.state]
  const begun = before === '' ? text.slice(0, 1).toUpperCase() + text.slice(1) : before + text
  return begun + ', ' + SUBJECTS[of.scope] + '.'
}

const INTERVALS: { readonly [interval in Limit['interval']]: string } = {
  per_authorization: 'an authorization',
  ...{ daily: 'a day', weekly: 'a week', monthly: 'a month', yearly: 'a year' },
  ...{ all_time: 'in all', rolling: 'in any ' },
}
const CALENDAR: ReadonlySet<Limit['interval']> = new Set(['daily', 'weekly', 'monthly', 'yearly'])

function limitClause(limit: Limit, scope: SpendingControl['scope'], values: number): string {
  const { interval, amount_cents: amount, count, currency, rolling_seconds: seconds } = limit
  const most = [
    ...(amount === null ? [] : [moneyText(amount, currency)]),
    ...(count === null ? [] : [counted(count, 'authorization')]),
  ]
  const time = INTERVALS[interval] + (seconds === null ? '' : exactSpan(seconds))
  const isZoned = CALENDAR.has(interval) && limit.time_zone !== 'UTC'
  // A card or account has one currency; a limit in another binds nothing.
  const isShared = scope === 'program' || scope === 'cardholder'
  const notes = [
    ...(isZoned ? [limit.time_zone] : []),
    ...(isShared ? ['cards and payments in ' + currency] : []),
  ]
  const note = notes.length === 0 ? '' : ' (' + notes.join(', ') + ')'
  return 'up to ' + most.join(' and ') + ' ' + time + filterWords(limit.filters, values) + note
}

/** The authorizations that a limit counts. */
function filterWords(filters: Limit['filters'], values: number): string {
  if (filters === null) return ''
  const { mccs, categories, countries, kinds, card_presence: presence } = filters
  const places = mccs === null && categories === null ? null : categoriesIn(mccs, categories)
  return [
    places === null ? '' : ' at ' + anyOf(places, values, 'no merchant category'),
    countries === null ? '' : ' in ' + anyOf(countries, values, 'no country'),
    kinds === null ? '' : ' for ' + anyOf(kinds.map(wordsOf), values, 'no') + ' requests',
    presence === null ? '' : ' with ' + presenceWords(presence),
  ].join('')
}

type Values = readonly string[] | null

function categoriesIn(mccs: Values, categories: Values): string[] {
  return [...(mccs ?? []).map(categoryText), ...(categories ?? []).map(wordsOf)]
}

function listClause(of: Terms, list: (typeof LISTS)[number], most: number): string[] {
  const [only, not] = [listValues(of, 'allowed', list), listValues(of, 'blocked', list)]
  const { before, after = '', noun } = list
  // An empty list of allowed values allows nothing; one of blocked values blocks nothing.
  if (only?.length === 0) return ['nothing, as no ' + noun + ' is allowed']
  if (only !== null) return ['only ' + before + anyOf(only, most, '') + after]
  return not === null || not.length === 0 ? [] : ['not ' + before + anyOf(not, most, '') + after]
}

/** `A, B or C`; those beyond the most are counted. */
function anyOf(values: readonly string[], most: number, none: string): string {
  const more = values.length - most
  const shown = more > 0 ? [...values.slice(0, most), countText(more) + ' more'] : values
  const last = shown.at(-1)
  if (last === undefined) return none
  return shown.length === 1 ? last : shown.slice(0, -1).join(', ') + ' or ' + last
}
