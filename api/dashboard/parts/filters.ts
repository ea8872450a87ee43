// Filters of a list. They stand in the address, and work without a script.
import { type Html, html, url } from '../../../shared/html.ts'
import { field, type Option, select } from './form.ts'
import { wordsOf } from './tag.ts'

export interface Filter {
  name: string
  label: string
  /** Absent: any text. */
  options?: readonly string[]
  /** An example inside the empty field. */
  placeholder?: string
}

/** The form of a list's filters, with the values of the address. */
export function filterForm(of: {
  path: string
  filters: readonly Filter[]
  query: URLSearchParams
}): Html {
  const { filters, query, path } = of
  const isUsed = filters.some(({ name }) => (query.get(name) ?? '') !== '')
  const fields = html`<form method="get" action="${url(path)}" class="filters" role="search" aria-label="Filters">${filters.map(
    ({ name, label, options, placeholder = '' }) => {
      const value = query.get(name) ?? ''
      if (options === undefined) return field({ name, label, value, placeholder, max: 100 })
      const choices: Option[] = options.map((one) => [one, wordsOf(one)])
      return select({ name, label, value, options: [['', 'any'], ...choices] })
    },
  )}<div class="actions"><button>Filter</button>${
    isUsed ? html`<a class="button plain" href="${url(path)}">Clear</a>` : null
  }</div></form>`
  // Wide screens show the fields of a closed one too.
  return isUsed
    ? html`<details class="filter-box" open><summary>Filters</summary>${fields}</details>`
    : html`<details class="filter-box"><summary>Filters</summary>${fields}</details>`
}

/** The filters of the address that the list knows, as input of its operation. */
export function filtersIn(
  filters: readonly Filter[],
  query: URLSearchParams,
): { [name: string]: string } {
  const given = filters.map(({ name }) => [name, (query.get(name) ?? '').trim()] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}
