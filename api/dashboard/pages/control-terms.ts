// Terms of a control in words, and the difference of two versions.
import { type Html, html } from '../../../shared/html.ts'
import { categoryText } from '../parts/category.ts'
import { type Fact, facts } from '../parts/facts.ts'
import { moneyText } from '../parts/money.ts'
import { titled, wordsOf } from '../parts/tag.ts'
import { LISTS, singleTerms, type Terms } from './control-fields.ts'

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
  const lists = LISTS.flatMap(({ lists: names }) => names)
    .flatMap((name) => [`allowed_${name}` as const, `blocked_${name}` as const])
    .map((name): [string, string] => [named(name), (of[name] ?? []).map(wordFor(name)).join(', ')])
  const rest = singleTerms(of).map(({ name, value }): [string, string] => [name, value])
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
