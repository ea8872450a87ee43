// The terms of a control, each with its words: one row for each list of values, one for each other
// term. Limits stand in `control-terms.ts` and `control-sentence.ts`.
import type { SpendingControlVersion } from '../../../client/generated.ts'
import { categoryText } from '../parts/category.ts'
import { countText } from '../parts/money.ts'
import { wordsOf } from '../parts/tag.ts'

export type Terms = Omit<
  SpendingControlVersion,
  'object' | 'spending_control_id' | 'version' | 'state' | 'created' | 'created_by'
>
type ListName = keyof Terms extends infer Field
  ? Field extends `allowed_${infer Name}`
    ? Name
    : never
  : never
type SingleName = Exclude<keyof Terms, `${'allowed' | 'blocked'}_${ListName}` | 'limits'>
type Values = readonly string[] | null

/** The lists of one dimension, the words before and after their values, and its noun. */
interface List {
  lists: readonly ListName[]
  /** A value in a sentence. */
  word(value: string, list: ListName): string
  before: string
  after?: string
  noun: string
}

export const LISTS: readonly List[] = [
  {
    lists: ['mccs', 'categories'],
    word: (value, list) => (list === 'mccs' ? categoryText(value) : wordsOf(value)),
    ...{ before: 'at ', noun: 'merchant category' },
  },
  // Ids of merchants and names of wallets are no words of ours.
  {
    lists: ['merchant_ids'],
    word: (id) => 'merchant “' + id + '”',
    ...{ before: 'at ', noun: 'merchant' },
  },
  { lists: ['countries'], word: String, before: 'in ', noun: 'country' },
  { lists: ['currencies'], word: String, before: 'priced in ', noun: 'currency' },
  {
    lists: ['entry_methods'],
    word: wordsOf,
    ...{ before: 'by ', after: ' entry', noun: 'entry method' },
  },
  {
    lists: ['card_presence'],
    word: presenceWords,
    ...{ before: 'with ', noun: 'presence of the card' },
  },
  {
    lists: ['kinds'],
    word: wordsOf,
    ...{ before: 'for ', after: ' requests', noun: 'kind of request' },
  },
  { lists: ['wallets'], word: walletWords, before: 'from ', noun: 'wallet' },
]

/** Words for the values of a dimension; null if no list of it is set. */
export function listValues(
  of: Terms,
  mode: 'allowed' | 'blocked',
  { lists, word }: Pick<List, 'lists' | 'word'>,
): Values {
  const set = lists.filter((list) => of[`${mode}_${list}`] !== null)
  if (set.length === 0) return null
  return set.flatMap((list) =>
    (of[`${mode}_${list}`] ?? []).map((value: string) => word(value, list)),
  )
}

/** `the card present` or `the card absent`. */
export function presenceWords(presence: string): string {
  return presence === 'present' ? 'the card present' : 'the card absent'
}

function walletWords(provider: string): string {
  if (provider === 'none') return 'no wallet'
  return provider === 'unknown' ? 'an unnamed wallet' : 'wallet “' + provider + '”'
}

/** A term that is no list: its name and value in a table, and its clause in a sentence. */
interface Single<Term> {
  name: string
  value(term: NonNullable<Term>): string
  clause(term: NonNullable<Term>): string
}

/** In the order of the clauses. */
const SINGLES: { readonly [Name in SingleName]: Single<Terms[Name]> } = {
  fallback: {
    name: 'Fallback from chip',
    value: String,
    clause: () => 'not by the stripe of a chip card',
  },
  authentication: { name: '3DS', value: String, clause: () => 'online payments only after 3DS' },
  schedule: {
    name: 'When',
    value: (periods) =>
      periods
        .map(({ days, from, until, time_zone: zone }) => {
          const short = days.map((day) => day.slice(0, 3)).join(' ')
          return short + ' ' + from + '–' + until + ' ' + zone
        })
        .join('; '),
    clause: (periods) => 'only ' + periods.map(periodWords).join(' or '),
  },
  merchant_lock: {
    name: 'Merchant lock',
    value: () => 'the first merchant only',
    clause: () => 'only at the merchant of the first authorization',
  },
  cancel_after: {
    name: 'Ends after',
    value: (after) => after + ' authorizations',
    clause: (after) => 'at most ' + counted(after, 'authorization') + ', then no more',
  },
  single_use: {
    name: 'Single use',
    value: ({ mode, amount_cents: amount }) =>
      mode + ' ' + (amount === null ? 'any amount' : countText(amount) + ' minor units'),
    clause: singleWords,
  },
}

/** The terms that are set and no lists, in words. */
export function singleTerms(of: Terms): { name: string; value: string; clause: string }[] {
  return (Object.keys(SINGLES) as SingleName[]).flatMap((term) => {
    const held = of[term]
    if (held === null || held === false || (Array.isArray(held) && held.length === 0)) return []
    const { name, value, clause } = SINGLES[term] as Single<unknown>
    return [{ name, value: value(held), clause: clause(held) }]
  })
}

/** The currency is that of the card, which a control does not know. */
function singleWords({ mode, amount_cents: amount }: NonNullable<Terms['single_use']>): string {
  if (amount === null) return 'one authorization only'
  const size = mode === 'exact' ? 'exactly ' : 'at most '
  return 'one authorization only, of ' + size + countText(amount) + ' minor units'
}

type Period = Terms['schedule'][number]
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

/** `1 authorization`, `2 authorizations`. */
export function counted(count: number, noun: string): string {
  return countText(count) + ' ' + noun + (count === 1 ? '' : 's')
}
