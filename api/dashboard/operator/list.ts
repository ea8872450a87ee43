// A list of operators as a page: filters in the address, cursors, moment, file, empty and error
// states.
import type { EpochMs } from '../../../shared/clock.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { CSV_ROWS_MAX } from '../../../shared/limits.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import { cellText, FILE_ROWS } from '../csv.ts'
import { curlText } from '../curl.ts'
import type { Outcome } from '../page.ts'
import { type Filter, filterForm, filtersIn } from '../parts/filters.ts'
import { moment, UTC } from '../parts/moment.ts'
import { empty, panelError } from '../parts/panel.ts'
import { type Column, table } from '../parts/table.ts'
import { type Desk, type DeskPage, type Listed, need, read, segment } from './desk.ts'
import { moveButton } from './effect.ts'
import type { DeskValues } from './fields.ts'
import { MOVES } from './moves.ts'

const ROWS = 25

/** Knowledge of a cell beside its row. */
interface Known {
  /** By the installation's clock. */
  now: EpochMs
  tenant: TenantLink
}

/** A tenant by its name, as a link to its page. */
type TenantLink = (id: string | null) => Html | null

interface DeskColumn<Row> extends Omit<Column<Row>, 'cell'> {
  cell(row: Row, known: Known): Html | string | number | null
}

/** A row that a cursor can name, and whose tenant has a name. */
interface DeskRow {
  id?: string
  tenant_id?: string | null
}

interface DeskList<Row> {
  path: string
  title: string
  menu?: string
  /** The list of the API, below `/operator/v1`. */
  of: string | ((desk: Desk) => string)
  filters?: readonly Filter[]
  columns: readonly DeskColumn<Row>[]
  href?(row: Row): string
  /** A sentence about the rows that it would have. */
  empty: string
  /** The call below `/operator/v1` that makes the first row; null where tenants or jobs make it. */
  first: { path: string; body: object } | null
  /** Buttons beside the title. */
  actions?: Html
  /** Content above the list. */
  before?(desk: Desk): Promise<Html | null>
}

/** The button of a move by its name. */
export function move(name: string, id?: string, values?: DeskValues): Html {
  const of = MOVES[name]
  return of === undefined ? html`` : moveButton(name, of, { id, values })
}

/** A short id that shows the whole one. */
export function shortId(id: string | null): Html | null {
  return id === null ? null : html`<code class="id" title="${id}">…${id.slice(-8)}</code>`
}

/** A tenant's name or id as a link to its page. */
function tenantLink(id: string | null, name: string | undefined): Html | null {
  if (id === null) return null
  const text =
    name === undefined ? shortId(id) : html`<span class="id" title="${id}">${name}</span>`
  return html`<a href="${url('/operator/tenants/' + encodeURIComponent(id))}">${text}</a>`
}

/** Reads the names of tenants; one that does not answer is shown by its id. */
export async function tenantsOf(
  desk: Pick<Desk, 'ask'>,
  ids: readonly (string | null | undefined)[],
): Promise<TenantLink> {
  const names = new Map<string, string>()
  const named = [...new Set(ids)].map(async (id) => {
    if (id === null || id === undefined) return
    const tenant = await read<Tenant>(desk, '/operator/v1/tenants/' + encodeURIComponent(id))
    if (tenant.ok) names.set(id, tenant.value.name)
  })
  await Promise.all(named)
  return (id) => tenantLink(id, names.get(id ?? ''))
}

/** Declares a list with filters, cursors and its empty state. */
export function deskList<Row extends DeskRow>(of: DeskList<Row>): DeskPage {
  const { path, title, menu, filters = [] } = of
  return {
    ...{ path, title, ...(menu === undefined ? {} : { menu }) },
    async view(desk) {
      const cursors = filtersIn(
        ['starting_after', 'ending_before'].map((name) => ({ name, label: name })),
        desk.query,
      )
      const own = filtersIn(filters, desk.query)
      const query = new URLSearchParams({ ...own, ...cursors, limit: String(ROWS) })
      const list = typeof of.of === 'string' ? of.of : of.of(desk)
      const [listed, before] = await Promise.all([
        read<Listed<Row>>(desk, '/operator/v1' + list + '?' + query),
        of.before?.(desk) ?? null,
      ])
      const rows = listed.ok ? listed.value.data : []
      const tenant = await tenantsOf(
        desk,
        rows.map((row) => row.tenant_id),
      )
      const here = path.replace(':id', segment(desk, 'id'))
      const file = here + '?' + new URLSearchParams({ ...own, format: 'csv' })
      // An empty list has nothing to filter or to save.
      const isEmpty = listed.ok && rows.length === 0 && Object.keys(own).length === 0
      const form =
        isEmpty || filters.length === 0 ? null : filterForm({ path: here, filters, ...desk })
      const save = isEmpty
        ? null
        : html`<a class="button plain" href="${url(file)}" download>CSV</a>`
      return {
        title,
        content: html`<header class="head"><h1>${title}</h1><div class="actions">${of.actions ?? null}${save}</div></header>${before}${form}${rowsOf(of, { here, desk, own, listed, tenant })}`,
      }
    },
    rows: (desk) => fileRows(of, desk),
  }
}

/** Throws `Refused` where a page of the list is refused. */
async function* fileRows<Row extends DeskRow>(
  { of, columns, filters = [] }: DeskList<Row>,
  desk: Desk,
): AsyncGenerator<readonly string[]> {
  const shown = columns.filter(({ isActions }) => isActions !== true)
  yield shown.map(({ label }) => label)
  const list = typeof of === 'string' ? of : of(desk)
  const own = { ...filtersIn(filters, desk.query), limit: String(FILE_ROWS) }
  // A file has the ids of tenants.
  const known: Known = { now: desk.now, tenant: (id) => tenantLink(id, undefined) }
  let more: { [name: string]: string } = {}
  for (let count = 0; count < CSV_ROWS_MAX; ) {
    const query = new URLSearchParams({ ...own, ...more })
    const read = await need<Listed<Row>>(desk, '/operator/v1' + list + '?' + query)
    const rows = read.data.slice(0, CSV_ROWS_MAX - count)
    for (const row of rows) yield shown.map(({ cell }) => cellText(cell(row, known)))
    count += rows.length
    if (!read.has_more || read.next_cursor === null) return
    more = { starting_after: read.next_cursor }
  }
}

function firstCommand<Row>({ first }: DeskList<Row>, apiUrl: string): string | null {
  if (first === null) return null
  const address = apiUrl + '/operator/v1' + first.path
  return curlText({ method: 'POST', address, body: first.body, credential: 'SVC_OPERATOR_KEY' })
}

interface Answered<Row> {
  /** The address of the page, without its query. */
  here: string
  desk: Desk
  own: { readonly [name: string]: string }
  listed: Outcome<Listed<Row>>
  tenant: TenantLink
}

function rowsOf<Row extends DeskRow>(
  of: DeskList<Row>,
  { here, desk: { now, query, apiUrl }, own, listed, tenant }: Answered<Row>,
): Html {
  if (!listed.ok) return panelError(listed.problem)
  const { data, has_more: hasMore, next_cursor: next } = listed.value
  if (data.length === 0)
    return Object.keys(own).length > 0
      ? empty({ sentence: 'Nothing matches these filters.' })
      : empty({ sentence: of.empty, command: firstCommand(of, apiUrl) })
  const isBack = query.has('ending_before')
  const older = isBack ? data.at(-1)?.id : hasMore ? next : null
  const newer = isBack ? (hasMore ? next : null) : query.has('starting_after') ? data[0]?.id : null
  const link = (name: string, id: string | null | undefined, label: string): Html | null =>
    id === null || id === undefined
      ? null
      : html`<a class="button plain" href="${url(here + '?' + new URLSearchParams({ ...own, [name]: id }))}">${label}</a>`
  return html`${table<Row>({ label: of.title, rows: data, columns: of.columns.map(({ cell, ...column }) => ({ ...column, cell: (row) => cell(row, { now, tenant }) })), href: (row) => of.href?.(row) ?? null })}<footer class="pager"><span class="soft">As of ${moment(now)}${UTC}</span><span class="actions">${link('ending_before', newer, '← Newer')}${link('starting_after', older, 'Older →')}</span></footer>`
}
