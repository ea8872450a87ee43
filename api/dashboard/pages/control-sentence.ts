// A spending control as one plain sentence. A clause stands for one rule of the control, and claims
// nothing that the rule does not do.
import type { SpendingControl } from '../../../client/generated.ts'
import { categoryText } from '../parts/category.ts'
import { exactSpan } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'
import type { Terms } from './control-terms.ts'

export type Sentenced = Terms & Pick<SpendingControl, 'scope' | 'state'>
type Limit = Terms['limits'][number]
type Period = Terms['schedule'][number]

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
    ...otherClauses(of),
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

/** One list of a control: its fields, the words before and after its values, and its noun. */
interface List {
  allowed(of: Terms): Values
  blocked(of: Terms): Values
  before: string
  after?: string
  noun: string
}

const LISTS: readonly List[] = [
  {
    allowed: (of) => categoryValues(of.allowed_mccs, of.allowed_categories),
    blocked: (of) => categoryValues(of.blocked_mccs, of.blocked_categories),
    ...{ before: 'at ', noun: 'merchant category' },
  },
  {
    allowed: (of) => mapped(of.allowed_merchant_ids, merchantWords),
    blocked: (of) => mapped(of.blocked_merchant_ids, merchantWords),
    ...{ before: 'at ', noun: 'merchant' },
  },
  {
    allowed: (of) => of.allowed_countries,
    blocked: (of) => of.blocked_countries,
    ...{ before: 'in ', noun: 'country' },
  },
  {
    allowed: (of) => of.allowed_currencies,
    blocked: (of) => of.blocked_currencies,
    ...{ before: 'priced in ', noun: 'currency' },
  },
  {
    allowed: (of) => mapped(of.allowed_entry_methods, wordsOf),
    blocked: (of) => mapped(of.blocked_entry_methods, wordsOf),
    ...{ before: 'by ', after: ' entry', noun: 'entry method' },
  },
  {
    allowed: (of) => mapped(of.allowed_card_presence, presenceWords),
    blocked: (of) => mapped(of.blocked_card_presence, presenceWords),
    ...{ before: 'with ', noun: 'presence of the card' },
  },
  {
    allowed: (of) => mapped(of.allowed_kinds, wordsOf),
    blocked: (of) => mapped(of.blocked_kinds, wordsOf),
    ...{ before: 'for ', after: ' requests', noun: 'kind of request' },
  },
  {
    allowed: (of) => mapped(of.allowed_wallets, walletWords),
    blocked: (of) => mapped(of.blocked_wallets, walletWords),
    ...{ before: 'from ', noun: 'wallet' },
  },
]

function listClause(of: Terms, { allowed, blocked, ...words }: List, most: number): string[] {
  const [only, not] = [allowed(of), blocked(of)]
  const { before, after = '', noun } = words
  // An empty list of allowed values allows nothing; one of blocked values blocks nothing.
  if (only?.length === 0) return ['nothing, as no ' + noun + ' is allowed']
  if (only !== null) return ['only ' + before + anyOf(only, most, '') + after]
  return not === null || not.length === 0 ? [] : ['not ' + before + anyOf(not, most, '') + after]
}

function categoryValues(mccs: Values, categories: Values): Values {
  return mccs === null && categories === null ? null : categoriesIn(mccs, categories)
}

function mapped<Value extends string>(
  values: readonly Value[] | null,
  words: (value: Value) => string,
): Values {
  return values === null ? null : values.map(words)
}

/** Ids of merchants and names of wallets are no words of ours. */
function merchantWords(id: string): string {
  return 'merchant “' + id + '”'
}

function walletWords(provider: string): string {
  if (provider === 'none') return 'no wallet'
  return provider === 'unknown' ? 'an unnamed wallet' : 'wallet “' + provider + '”'
}

function presenceWords(presence: 'present' | 'not_present'): string {
  return presence === 'present' ? 'the card present' : 'the card absent'
}

function otherClauses(of: Terms): string[] {
  const { single_use: single, cancel_after: after, schedule } = of
  return [
    ...(of.fallback === null ? [] : ['not by the stripe of a chip card']),
    ...(of.authentication === null ? [] : ['online payments only after 3DS']),
    ...(schedule.length === 0 ? [] : ['only ' + schedule.map(periodWords).join(' or ')]),
    ...(of.merchant_lock ? ['only at the merchant of the first authorization'] : []),
    ...(after === null ? [] : ['at most ' + counted(after, 'authorization') + ', then no more']),
    ...(single === null ? [] : [singleWords(single)]),
  ]
}

/** The currency is that of the card, which a control does not know. */
function singleWords({ mode, amount_cents: amount }: NonNullable<Terms['single_use']>): string {
  if (amount === null) return 'one authorization only'
  const size = mode === 'exact' ? 'exactly ' : 'at most '
  return 'one authorization only, of ' + size + countText(amount) + ' minor units'
}

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function periodWords({ days, from, until, time_zone: zone }: Period): string {
  return daysWords(days) + ' ' + from + '–' + until + ' (' + zone + ')'
}

/** `Mon–Fri`, `Mon Wed`: days that follow each other are one range. */
function daysWords(days: Period['days']): string {
  if (days.length === WEEK.length) return 'every day'
  const runs: string[][] = []
  for (const day of WEEK.filter((one) => days.some((other) => other === one))) {
    const last = runs.at(-1)
    if (last !== undefined && WEEK.indexOf(last.at(-1) ?? '') + 1 === WEEK.indexOf(day))
      last.push(day)
    else runs.push([day])
  }
  return runs.map((run) => [...new Set([run[0], run.at(-1)])].map(dayWords).join('–')).join(' ')
}

function dayWords(day = ''): string {
  return day.slice(0, 1).toUpperCase() + day.slice(1, 3)
}

/** `A, B or C`; those beyond the most are counted. */
function anyOf(values: readonly string[], most: number, none: string): string {
  const more = values.length - most
  const shown = more > 0 ? [...values.slice(0, most), countText(more) + ' more'] : values
  const last = shown.at(-1)
  if (last === undefined) return none
  return shown.length === 1 ? last : shown.slice(0, -1).join(', ') + ' or ' + last
}

function counted(count: number, noun: string): string {
  return countText(count) + ' ' + noun + (count === 1 ? '' : 's')
}
