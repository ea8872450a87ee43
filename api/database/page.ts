// One page of a list, in either direction, by position. Spec 2.1, 4.1.
import type postgres from 'postgres'
import { Type } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../shared/limits.ts'
import type { Page } from '../../shared/schemas/list.ts'
import { Refusal } from '../refuse.ts'
import {
  CURSOR_LENGTH_MAX,
  CURSOR_LISTS,
  type CursorList,
  decodeCursor,
  encodeCursor,
  isIdOf,
  type Position,
} from './cursor.ts'
import type { SqlTag } from './pool.ts'

/** Query parameters of every list. */
export const PAGE_QUERY = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
  starting_after: Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_LENGTH_MAX })),
  ending_before: Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_LENGTH_MAX })),
  order: Type.Optional(Type.Enum(['asc', 'desc'])),
}

export interface PageQuery {
  limit?: number
  starting_after?: string
  ending_before?: string
  order?: 'asc' | 'desc'
}

export interface PageRows<Row> {
  rows: Row[]
  hasMore: boolean
  nextCursor: string | null
}

export type Fragment = postgres.PendingQuery<postgres.Row[]>

export interface PagedList<Row> {
  list: CursorList
  /** The column that orders the list, for example `c.id`: unique within what `select` shows. */
  column: string
  positionOf(row: Row): Position
  /**
   * Runs the list's query. `range` belongs into its `where`, after the owner and the filters; `ordered` is its
   * `order by … limit …`.
   */
  select(range: Fragment, ordered: Fragment): PromiseLike<readonly Row[]>
  /** Where a row of this id stands, for lists ordered by sequence; null where the owner has no such row. */
  findPosition?(id: string): Promise<Position | null>
}

/**
 * Reads one page. Both cursors together are refused, and so is one that is not of this list; an id of the list's own rows
 * is accepted as a cursor. With `ending_before` the page holds the rows nearest to the cursor, still in the list's order;
 * `hasMore` and `nextCursor` then go on in that direction.
 */
export async function readPage<Row>(
  sql: SqlTag,
  query: PageQuery,
  paged: PagedList<Row>,
): Promise<PageRows<Row>> {
  const limit = query.limit ?? PAGE_DEFAULT
  const backward = query.ending_before !== undefined
  const position = await startOf(query, paged)
  // Reading backward is reading the reversed list, and turning the page round.
  const ascending = (query.order === 'asc') !== backward
  const column = sql(paged.column)
  const range =
    position === null
      ? sql`true`
      : ascending
        ? sql`${column} > ${placed(sql, position)}`
        : sql`${column} < ${placed(sql, position)}`
  const direction = ascending ? sql`asc` : sql`desc`
  const found = await paged.select(range, sql`order by ${column} ${direction} limit ${limit + 1}`)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = found.length > limit
  return {
    rows: backward ? rows.reverse() : rows,
    hasMore,
    nextCursor:
      hasMore && last !== undefined ? encodeCursor(paged.list, paged.positionOf(last)) : null,
  }
}

/** A number may be greater than the column can hold: then nothing, or everything, stands before it. */
function placed(sql: SqlTag, position: Position): Fragment {
  return typeof position === 'number' ? sql`${position}::bigint` : sql`${position}`
}

async function startOf<Row>(query: PageQuery, paged: PagedList<Row>): Promise<Position | null> {
  const { starting_after: after, ending_before: before } = query
  if (after !== undefined && before !== undefined) {
    throw new Refusal('parameters_exclusive', { param: 'ending_before' })
  }
  const text = after ?? before
  if (text === undefined) return null
  const position = isIdOf(paged.list, text)
    ? await positionOfId(text, paged)
    : decodeCursor(paged.list, text)
  if (position === null) {
    const param = after === undefined ? 'ending_before' : 'starting_after'
    throw new Refusal('invalid_cursor', { param })
  }
  return position
}

async function positionOfId<Row>(id: string, paged: PagedList<Row>): Promise<Position | null> {
  if (CURSOR_LISTS[paged.list].key === 'id') return id
  return (await paged.findPosition?.(id)) ?? null
}

/** The list envelope of Spec 2.1, each row through its view. */
export function mapPage<Row, Item>(page: PageRows<Row>, view: (row: Row) => Item): Page<Item> {
  return {
    data: page.rows.map((row) => view(row)),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
  }
}
