// Terms of a control in words, and the difference of two versions.
import type { SpendingControl } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { categoryText } from '../parts/category.ts'
import { type Fact, facts } from '../parts/facts.ts'
import { countText, moneyText } from '../parts/money.ts'
import { titled, wordsOf } from '../parts/tag.ts'

const LISTS = [
  ...(['allowed_mccs', 'blocked_mccs', 'allowed_categories', 'blocked_categories'] as const),
  ...([
    'allowed_merchant_ids',
    'blocked_merchant_ids',
    'allowed_countries',
    'blocked_countries',
  ] as const),
  ...([
    'allowed_currencies',
    'blocked_currencies',
    'allowed_entry_methods',
    'blocked_entry_methods',
  ] as const),
  ...([
    'allowed_card_presence',
    'blocked_card_presence',
    'allowed_kinds',
    'blocked_kinds',
  ] as const),
  ...(['allowed_wallets', 'blocked_wallets'] as const),
]

export type Terms = Pick<
  SpendingControl,
  | (typeof LISTS)[number]
  | ('authentication' | 'fallback' | 'single_use' | 'merchant_lock' | 'cancel_after' | 'schedule')
  | 'limits'
>

/** An amount in the currency of the card, which the terms do not know. */
function minorUnits(amount: number | null): string {
  return amount === null ? 'any amount' : countText(amount) + ' minor units'
}

/** The name of a list, as it stands before its values. */
function named(list: string): string {
  return titled(list).replace('mccs', 'MCCs')
}

/** How the values of a list are read; ids of merchants are no words of ours. */
function wordFor(list: string): (value: string) => string {
  if (list.endsWith('mccs')) return categoryText
  return list.endsWith('merchant_ids') ? String : wordsOf
}

/** Every term that is set, by its name. */
export function termRows(of: Terms): [name: string, value: string][] {
  const lists = LISTS.map((name): [string, string] => [
    named(name),
    (of[name] ?? []).map(wordFor(name)).join(', '),
  ])
  const { single_use: single, cancel_after: after } = of
  const rest: [string, string][] = [
    ['3DS', of.authentication ?? ''],
    ['Fallback from chip', of.fallback ?? ''],
    ['Single use', single === null ? '' : single.mode + ' ' + minorUnits(single.amount_cents)],
    ['Merchant lock', of.merchant_lock ? 'the first merchant only' : ''],
    ['Ends after', after === null ? '' : after + ' authorizations'],
    [
      'When',
      of.schedule
        .map(
          (one) =>
            one.days.map((day) => day.slice(0, 3)).join(' ') +
            ' ' +
            one.from +
            '–' +
            one.until +
            ' ' +
            one.time_zone,
        )
        .join('; '),
    ],
  ]
  const limits = of.limits.map((limit): [string, string] => [
    'Limit, ' +
      wordsOf(limit.interval) +
      (limit.rolling_seconds === null ? '' : ' ' + limit.rolling_seconds + ' s'),
    [
      limit.amount_cents === null ? '' : moneyText(limit.amount_cents, limit.currency),
      limit.count === null ? '' : limit.count + ' times',
      // A single authorization has no day.
      limit.interval === 'per_authorization' ? '' : limit.time_zone,
      limit.filters === null ? '' : 'only ' + filterText(limit.filters),
    ]
      .filter((part) => part !== '')
      .join(', '),
  ])
  return [...limits, ...lists, ...rest].filter(([, value]) => value !== '')
}

/** The terms as a list of fields. */
export function termFacts(of: Terms): Html {
  const rows: readonly Fact[] = termRows(of)
  return rows.length === 0
    ? html`<p class="soft">It has no term: everything passes.</p>`
    : facts(rows)
}

/** The authorizations that a limit counts, in words. */
function filterText(filters: object): string {
  const given = Object.entries(filters).filter(([, value]) => value !== null)
  return given.map(([name, value]) => wordsOf(name) + ' ' + [value].flat().join(' ')).join(', ')
}

/** The rows in which two versions differ. */
export function termDiff(before: Terms, after: Terms): Html {
  const [old, fresh] = [new Map(termRows(before)), new Map(termRows(after))]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].filter(
    (name) => old.get(name) !== fresh.get(name),
  )
  if (names.length === 0) return html`<p class="soft">They have the same terms.</p>`
  return html`<div class="diff">${names.map((name) => {
    const [was, is] = [old.get(name), fresh.get(name)]
    return html`<p><strong>${name}</strong> ${was === undefined ? null : html`<del>− ${was}</del>`} ${is === undefined ? null : html`<ins>+ ${is}</ins>`}</p>`
  })}</div>`
}
