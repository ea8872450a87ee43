// A list as a page: filters in the address, cursors, moment, file, empty and error states.
import { type Html, html, url } from '../../shared/html.ts'
import { CSV_ROWS_MAX } from '../../shared/limits.ts'
import { cellText, FILE_ROWS } from './csv.ts'
import { firstCommand, type ListedOperation } from './first-rows.ts'
import {
  type AnswerOf,
  type Call,
  type OperationName,
  type Outcome,
  type PageDefinition,
  page,
  Refused,
  type Visit,
  type Way,
} from './page.ts'
import { type Filter, filterForm, filtersIn } from './parts/filters.ts'
import { moment, UTC } from './parts/moment.ts'
import { type NameOf, namesOf } from './parts/names.ts'
import { empty, panelError } from './parts/panel.ts'
import { type Column, table } from './parts/table.ts'
import { createReader } from './reader.ts'

const ROWS = 25
/** Chosen: each name is a read; a page with more of them shows ids. */
const NAMES_MAX = 10

type RowOf<Name extends OperationName> =
  AnswerOf<Name> extends { data: readonly (infer Row)[] } ? Row : never

export interface ListColumn<Row> {
  label: string
  /** Absent: the column has an `id`. */
  cell?(row: Row, at: Visit): Html | string | number | null
  /** The id of a resource, which the page shows by its name. */
  id?(row: Row): string | null
  /** The cell in a file; by default the cell's own text. */
  text?(row: Row): string
  isNumber?: boolean
  /** Buttons and boxes; a file has no such column. */
  isActions?: true
}

/** The columns as those of a table of this visit. */
export function columnsFor<Row>(
  at: Visit,
  columns: readonly ListColumn<Row>[],
  named: NameOf,
): Column<Row>[] {
  return columns.map(({ cell, id, ...column }) => ({
    ...column,
    cell: (row) => (id === undefined ? (cell?.(row, at) ?? null) : named(id(row))),
  }))
}

export interface List<Name extends ListedOperation> extends Pick<PageDefinition, 'path' | 'title'> {
  menu?: NonNullable<PageDefinition['menu']>
  operation: Name
  filters?: readonly Filter[]
  columns: readonly ListColumn<RowOf<Name>>[]
  /** Path of a row's page. */
  href?(row: RowOf<Name>): string | null
  /** Always sent, for example the order. */
  input?: object | ((at: Visit) => object)
  /** A sentence about the rows that it would have. */
  empty: string
  /** The call that makes its first row, where it is another than that of the operation. */
  first?: (at: Visit) => Call | null
  /** The page that makes a row. */
  create?: Way
  /** The page where the first row begins, for a list that no form of its own fills. */
  begin?(at: Visit): Way | null
  /** Content above the list. */
  above?(at: Visit): Promise<Html | null> | Html | null
  /** Content above the list where it has rows. */
  tools?(at: Visit): Html | null
}

interface Page {
  data: readonly never[]
  has_more: boolean
  next_cursor: string | null
}

/** Declares a list. */
export function list<Name extends ListedOperation>(of: List<Name>): PageDefinition {
  const { path, title, menu, operation } = of
  return page({
    ...{ path, title, operations: [operation] },
    ...(menu === undefined ? {} : { menu }),
    async view(at) {
      const { query } = at
      const cursors = filtersIn([cursor('starting_after'), cursor('ending_before')], query)
      const input = { ...inputOf(of, at), ...cursors, limit: ROWS }
      const [above, { listed }] = await Promise.all([
        of.above?.(at) ?? null,
        at.ask({ listed: { operation, input } as Call<Name> }),
      ])
      if (!listed.ok && listed.problem.status === 403) throw new Refused(listed.problem)
      const rows = await tableOf(of, at, listed as Outcome<Page>)
      // An empty list has its link in the middle, and nothing to filter or to save.
      if (isEmpty(of, at, listed as Outcome<Page>))
        return {
          title,
          content: html`<header class="head"><h1>${title}</h1></header>${above}${rows}`,
        }
      const actions = html`${createLink(of, at)}<a class="button plain" href="${url(fileAddress(of, at))}" download>CSV</a>`
      const content = html`<header class="head"><h1>${title}</h1><div class="actions">${actions}</div></header>${above}${of.tools?.(at) ?? null}${
        of.filters === undefined
          ? null
          : filterForm({ path: at.to(concrete(path, at)), filters: of.filters, query })
      }${rows}`
      return { title, content }
    },
    rows: (at) => rowsOf(of, at),
  })
}

/** Returns true where the list has no row, and no filter hides one. */
function isEmpty<Name extends ListedOperation>(
  of: List<Name>,
  at: Visit,
  listed: Outcome<Page>,
): boolean {
  const isFiltered = Object.keys(filtersIn(of.filters ?? [], at.query)).length > 0
  return listed.ok && listed.value.data.length === 0 && !isFiltered
}

const cursor = (name: string): Filter => ({ name, label: name })

function inputOf<Name extends ListedOperation>(of: List<Name>, at: Visit): object {
  const fixed = typeof of.input === 'function' ? of.input(at) : of.input
  return { ...fixed, ...filtersIn(of.filters ?? [], at.query) }
}

/** The path with the ids of this visit. */
function concrete(path: string, { params }: Visit): string {
  return path.replaceAll(/:(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
}

function createLink<Name extends ListedOperation>({ create }: List<Name>, at: Visit): Html | null {
  if (create === undefined || !at.may(create.operation)) return null
  return html`<a class="button primary" href="${url(at.to(create.path))}">${create.label}</a>`
}

function fileAddress<Name extends ListedOperation>(of: List<Name>, at: Visit): string {
  const query = new URLSearchParams({ ...filtersIn(of.filters ?? [], at.query), format: 'csv' })
  return at.to(concrete(of.path, at)) + '?' + query
}

async function tableOf<Name extends ListedOperation>(
  of: List<Name>,
  at: Visit,
  listed: Outcome<Page>,
): Promise<Html> {
  if (!listed.ok) return panelError(listed.problem)
  const { data } = listed.value
  if (data.length === 0) {
    const way = of.create ?? of.begin?.(at) ?? null
    const action =
      way === null || !at.may(way.operation) ? null : { href: at.to(way.path), label: way.label }
    return isEmpty(of, at, listed)
      ? empty({ sentence: of.empty, action, command: firstCommand(at, of), intro: introOf(of, at) })
      : empty({ sentence: 'Nothing matches these filters.' })
  }
  const ids = new Set(of.columns.flatMap(({ id }) => (id === undefined ? [] : data.map(id))))
  const named = await namesOf(at, ids.size > NAMES_MAX ? [] : [...ids])
  const rows = table<RowOf<Name>>({
    label: of.title,
    rows: data,
    columns: columnsFor(at, of.columns, named),
    href: (row) => {
      const target = of.href?.(row) ?? null
      return target === null ? null : at.to(target)
    },
  })
  return html`${rows}${pager(of, at, listed.value)}`
}

/** Words above the command that makes the first row. */
function introOf({ operation }: { operation: ListedOperation }, at: Visit): Html | string {
  if (operation === 'listOauthGrants') return 'The platform leads a person of yours there:'
  if (!at.may('createApiKey')) return 'From your server:'
  return html`From your server, with an <a href="${url(at.to('/keys'))}">API key</a> as <code>SVC_KEY</code>:`
}

function pager<Name extends ListedOperation>(
  of: List<Name>,
  at: Visit,
  { has_more: hasMore, next_cursor: next, data }: Page,
): Html {
  const isBack = at.query.has('ending_before')
  const isPast = at.query.has('starting_after') || isBack
  const first = (data[0] as { id?: string } | undefined)?.id ?? null
  const last = (data.at(-1) as { id?: string } | undefined)?.id ?? null
  const older = isBack ? last : hasMore ? next : null
  const newer = isBack ? (hasMore ? next : null) : isPast ? first : null
  const link = (name: string, id: string | null, label: string): Html | null => {
    if (id === null) return null
    const query = new URLSearchParams({ ...filtersIn(of.filters ?? [], at.query), [name]: id })
    const href = at.to(concrete(of.path, at)) + '?' + query
    return html`<a class="button plain" href="${url(href)}">${label}</a>`
  }
  return html`<footer class="pager"><span class="soft">As of ${moment(at.now)}${UTC}</span><span class="actions">${link('ending_before', newer, '← Newer')}${link('starting_after', older, 'Older →')}</span></footer>`
}

async function* rowsOf<Name extends ListedOperation>(
  of: List<Name>,
  at: Visit,
): AsyncGenerator<readonly string[]> {
  const shown = of.columns.filter(({ isActions }) => isActions !== true)
  yield shown.map(({ label }) => label)
  const rows = createReader<RowOf<Name>>(at, of.operation, { ...inputOf(of, at), limit: FILE_ROWS })
  let count = 0
  for await (const row of rows) {
    if (count === CSV_ROWS_MAX) return
    count += 1
    yield shown.map(
      ({ cell, id, text }) => text?.(row) ?? id?.(row) ?? cellText(cell?.(row, at) ?? null),
    )
  }
}
