// One page of a list, in either direction, by position. Spec 2.1, 4.1.
import type postgres from 'postgres'
import { assert } from '../../shared/assert.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../shared/limits.ts'
import { Type } from '../../shared/schema-builders.ts'
import { described } from '../../shared/schemas/described.ts'
import type { Page } from '../../shared/schemas/list.ts'
import { Refusal } from '../http/refusal.ts'
import {
  CURSOR_LENGTH_MAX,
  CURSOR_LISTS,
  type CursorList,
  decodeCursor,
  decodeSortedCursor,
  encodeCursor,
  encodeSortedCursor,
  isIdOf,
  type Position,
} from './cursor.ts'
import type { SqlTag } from './pool.ts'
import { fixed } from './static-fragments.ts'

/** Query parameters of every list. */
export const PAGE_QUERY = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
  starting_after: Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_LENGTH_MAX })),
  ending_before: Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_LENGTH_MAX })),
  order: Type.Optional(Type.Enum(['asc', 'desc'])),
  format: described(
    Type.Optional(Type.Enum(['json', 'csv'])),
    'csv: all pages from here on as one file, 10,000 rows at most or as many as limit says; the next file begins after the id of its last row.',
  ),
}

/** The `sort` parameter of a list: by creation, or by a sortable field. */
export function sortBy<Field extends string>(...fields: readonly Field[]) {
  return {
    sort: Type.Optional(Type.Enum(['created', ...fields] as const)),
  }
}

export interface PageQuery {
  limit?: number
  starting_after?: string
  ending_before?: string
  order?: 'asc' | 'desc'
  /** The server answers `csv` page by page; a handler reads pages alike. */
  format?: 'json' | 'csv'
  /** A name of the list's `sorts`, or `created`. */
  sort?: string
}

export interface PageRows<Row> {
  rows: Row[]
  hasMore: boolean
  nextCursor: string | null
}

export type Fragment = postgres.PendingQuery<postgres.Row[]>

export interface Sort<Row> {
  /** Stored in its cursors; never reused for another sort of the list. */
  number: number
  /**
   * A column of whole numbers without nulls; an index on owner, this column and the list's own
   * column keeps the cost flat.
   */
  column: string
  valueOf(row: Row): number
  /** Returns the value of the row with this id, or null: then an id is no cursor in this sort. */
  findValue(id: string): Promise<number | null>
}

export interface PagedList<Row> {
  list: CursorList
  /** The column that orders the list, for example `c.id`: unique within what `select` shows. */
  column: string
  positionOf(row: Row): Position
  /**
   * Runs the list's query. `range` belongs in its `where`, after the owner and the filters;
   * `ordered` is its `order by … limit …`, and `order` tells the same for a query that orders by
   * more columns. The page may modify the returned array.
   */
  select(range: Fragment, ordered: Fragment, order: PageOrder): PromiseLike<Row[]>
  /**
   * Returns the position of the row with this id, for lists ordered by sequence; null when the
   * owner has no such row.
   */
  findPosition?(id: string): Promise<Position | null>
  /** Other orders, by their names in `sort`. Equal values follow the order of `column`. */
  sorts?: { readonly [name: string]: Sort<Row> }
}

/** The direction of reading, and how many rows are read. */
export interface PageOrder {
  ascending: boolean
  most: number
}

/** A place in the list in its current sort. */
interface Place {
  /** Null when the list is in its own order. */
  value: number | null
  position: Position
}

/** The parameters of one read. */
interface Reading<Row> {
  paged: PagedList<Row>
  /** Null in the list's own order. */
  sort: Sort<Row> | null
  ascending: boolean
}

/**
 * Reads one page. It refuses both cursors together, and a cursor of another list or sort; an id of
 * the list's own rows is accepted as a cursor. With `ending_before` the page holds the rows nearest
 * to the cursor, still in the list's order; `hasMore` and `nextCursor` then go on in that
 * direction.
 */
export async function readPage<Row>(
  sql: SqlTag,
  query: PageQuery,
  paged: PagedList<Row>,
): Promise<PageRows<Row>> {
  const limit = query.limit ?? PAGE_DEFAULT
  const backward = query.ending_before !== undefined
  const sort = sortOf(query, paged)
  const place = await startOf(query, paged, sort)
  // A backward read reads the reversed list and then reverses the page.
  const ascending = (query.order === 'asc') !== backward
  const range = place === null ? EVERYWHERE : beyond(sql, { paged, sort, place, ascending })
  // One extra row tells whether there are more.
  const order = { ascending, most: limit + 1 }
  const found = await paged.select(range, inOrder(sql, { paged, sort, ...order }), order)
  // The driver's own array is emptied: otherwise it keeps every row of every page alive until the
  // next full collection.
  const rows = found.splice(0)
  const hasMore = rows.length > limit
  if (hasMore) rows.pop()
  const last = rows.at(-1)
  return {
    rows: backward ? rows.reverse() : rows,
    hasMore,
    nextCursor: hasMore && last !== undefined ? cursorOf(paged, sort, last) : null,
  }
}

function sortOf<Row>({ sort = 'created' }: PageQuery, paged: PagedList<Row>): Sort<Row> | null {
  if (sort === 'created') return null
  const found = paged.sorts?.[sort]
  assert(found !== undefined, 'the validator lets only sorts of the list pass')
  return found
}

function cursorOf<Row>(paged: PagedList<Row>, sort: Sort<Row> | null, row: Row): string {
  const position = paged.positionOf(row)
  if (sort === null) return encodeCursor(paged.list, position)
  return encodeSortedCursor(paged.list, { sort: sort.number, value: sort.valueOf(row) }, position)
}

const EVERYWHERE = fixed`true`

/** The rows after a place, in the direction of reading. */
function beyond<Row>(
  sql: SqlTag,
  { paged, sort, place, ascending }: Reading<Row> & { place: Place },
): Fragment {
  const column = sql(paged.column)
  const keys = sort === null ? sql`${column}` : sql`(${sql(sort.column)}, ${column})`
  return ascending ? sql`${keys} > ${placed(sql, place)}` : sql`${keys} < ${placed(sql, place)}`
}

function inOrder<Row>(
  sql: SqlTag,
  { paged, sort, ascending, most }: Reading<Row> & PageOrder,
): Fragment {
  const column = sql(paged.column)
  if (sort === null) {
    return ascending
      ? sql`order by ${column} asc limit ${most}`
      : sql`order by ${column} desc limit ${most}`
  }
  const value = sql(sort.column)
  return ascending
    ? sql`order by ${value} asc, ${column} asc limit ${most}`
    : sql`order by ${value} desc, ${column} desc limit ${most}`
}

/** A number may be greater than the column can hold: then no row, or every row, precedes it. */
function placed(sql: SqlTag, { value, position }: Place): Fragment {
  const own = typeof position === 'number' ? sql`${position}::bigint` : sql`${position}`
  return value === null ? own : sql`(${value}::bigint, ${own})`
}

async function startOf<Row>(
  query: PageQuery,
  paged: PagedList<Row>,
  sort: Sort<Row> | null,
): Promise<Place | null> {
  const { starting_after: after, ending_before: before } = query
  if (after !== undefined && before !== undefined) {
    throw new Refusal('parameters_exclusive', { param: 'ending_before' })
  }
  const text = after ?? before
  if (text === undefined) return null
  const place = isIdOf(paged.list, text)
    ? await placeOfId(text, paged, sort)
    : placeInCursor(text, paged, sort)
  if (place === null) {
    const param = after === undefined ? 'ending_before' : 'starting_after'
    throw new Refusal('invalid_cursor', { param })
  }
  return place
}

function placeInCursor<Row>(
  text: string,
  { list }: PagedList<Row>,
  sort: Sort<Row> | null,
): Place | null {
  if (sort !== null) return decodeSortedCursor(list, sort.number, text)
  const position = decodeCursor(list, text)
  return position === null ? null : { value: null, position }
}

async function placeOfId<Row>(
  id: string,
  paged: PagedList<Row>,
  sort: Sort<Row> | null,
): Promise<Place | null> {
  const ordersById = CURSOR_LISTS[paged.list].key === 'id'
  const position = ordersById ? id : ((await paged.findPosition?.(id)) ?? null)
  if (position === null) return null
  if (sort === null) return { value: null, position }
  const value = await sort.findValue(id)
  return value === null ? null : { value, position }
}

/** The list envelope of Spec 2.1, each row through its view. */
export function mapPage<Row, Item>(page: PageRows<Row>, view: (row: Row) => Item): Page<Item> {
  return {
    data: page.rows.map((row) => view(row)),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
  }
}
