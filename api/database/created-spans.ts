// Filters on `created` and on frequent types in lists that are ordered by numbers. Rows that arrive
// late have moments before those of their neighbours, so no number tells where a period begins.
// Spans of a thousand numbers with their earliest and latest moment do, and with the types of their
// rows: api/jobs/mark-spans.ts makes them.
import type { Owner } from '../context.ts'
import { CREATED_FILTERS, type CreatedFilters, createdRange, SKEW_MS } from './created-filter.ts'
import type { Fragment } from './page.ts'
import type { SqlTag } from './pool.ts'
import { NOTHING } from './static-fragments.ts'

/** A table whose rows have gap-free numbers, `seq`, and keep their `created_at`. */
export interface SpannedList {
  table: string
  /** The table and the column that hold the newest number of each owner. */
  counters: string
  counter: string
  /** True if the rows have a `type`, and a list of one type passes over spans without it. */
  isTyped?: true
}

/** Chosen: a page reads a span in some milliseconds, and a million rows have a thousand spans. */
export const SPAN = 1000
/** Newest rows that no span holds yet, and that a filter still looks through. */
const UNSPANNED_MAX = 5 * SPAN

interface SpansOfType {
  list: SpannedList
  type: string
  /** A condition on the column `seq`. */
  range: Fragment
  /** First and last number of the rows of a period; null without one. */
  numbers: Numbers | null
  ascending: boolean
}

interface Spanned {
  /** The last number of all spans; 0 without one. */
  covered: number
  /** Numbers of the spans that can hold matching rows. */
  first: number | null
  last: number | null
}

/** The rows behind all spans, and the first and last number of those that match. */
interface Newest {
  rows: number
  first: number | null
  last: number | null
}

/** First and last number of the rows created in a range. */
export interface Numbers {
  first: number
  last: number
}

/** The numbers that rows created in the range can have; null without filters. */
export async function findNumbers(
  sql: SqlTag,
  owner: Owner,
  { list, filters }: { list: SpannedList; filters: CreatedFilters },
): Promise<Numbers | null> {
  if (!Object.keys(CREATED_FILTERS).some((name) => name in filters)) return null
  const [spanned] = await readSpans(sql, owner, list, filters)
  if (spanned === undefined) return null
  const [newest] = await readNewest(sql, owner, { list, covered: spanned.covered, filters })
  return newest === undefined ? null : boundsOf(spanned, newest)
}

/**
 * As `findNumbers`, of rows that get their numbers in the order of creation, whatever the skew of
 * the clocks: an index on the owner and `created_at` finds the row before the range and the one
 * after it.
 */
export async function findNumbersInOrder(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { table, filters }: { table: string; filters: CreatedFilters },
): Promise<Numbers | null> {
  if (!Object.keys(CREATED_FILTERS).some((name) => name in filters)) return null
  const { from, before } = createdRange(filters)
  const most = Number.MAX_SAFE_INTEGER
  const own = sql`${sql(table)} where tenant_id = ${tenantId} and environment = ${environment}`
  const [numbers] = await sql<[Numbers]>`
    select coalesce((
      select seq from ${own} and created_at < ${from - SKEW_MS} order by created_at desc limit 1
    ), 0) + 1 as first, coalesce((
      select seq from ${own} and created_at >= ${Math.min(most, before + SKEW_MS)}::bigint
      order by created_at limit 1
    ), ${most}::bigint) - 1 as last`
  return numbers
}

/**
 * These numbers and the filters as a condition; empty for null. Differences, because a plan takes
 * two bounds of one column for a short period, of which it would read all rows and sort them.
 */
export function createdAmong(
  sql: SqlTag,
  column: string,
  { numbers, filters }: { numbers: Numbers | null; filters: CreatedFilters },
): Fragment {
  if (numbers === null) return NOTHING
  const { from, before } = createdRange(filters)
  return sql`
    and ${sql(column)} between ${numbers.first} and ${numbers.last}
    and created_at - ${from}::bigint >= 0 and ${before}::bigint - created_at > 0`
}

/**
 * Returns the statement of the spans that can hold rows of a type within the range of a page, in
 * the order of reading; one more span has the rows behind all others. `seq` is the end of a span
 * that reading reaches last: if it is outside the range, each row of the span is.
 */
export function spansOfType(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { list, type, range, numbers, ascending }: SpansOfType,
): Fragment {
  const { first = 1, last = Number.MAX_SAFE_INTEGER } = numbers ?? {}
  const of = sql`
    created_spans
    where list = ${list.table} and tenant_id = ${tenantId} and environment = ${environment}`
  return sql`
    select * from (
      select first_seq, last_seq, ${ascending ? sql`last_seq` : sql`first_seq`} as seq
      from (
        select first_seq, last_seq from ${of} and (types is null or ${type} = any (types))
        union all
        select coalesce(max(last_seq), 0) + 1, ${Number.MAX_SAFE_INTEGER}::bigint from ${of}
      ) every
    ) span
    where ${range} and last_seq >= ${first}::bigint and first_seq <= ${last}::bigint
    order by seq ${ascending ? sql`asc` : sql`desc`}`
}

function boundsOf(spanned: Spanned, newest: Newest): Numbers {
  const isOpen = newest.rows > UNSPANNED_MAX
  const numbers = [
    ...[spanned.first, spanned.last],
    ...(isOpen ? [spanned.covered + 1, Number.MAX_SAFE_INTEGER] : [newest.first, newest.last]),
  ].filter((n) => n !== null)
  if (numbers.length === 0) return { first: 1, last: 0 }
  return { first: Math.min(...numbers), last: Math.max(...numbers) }
}

function readSpans(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { table }: SpannedList,
  filters: CreatedFilters,
): PromiseLike<Spanned[]> {
  const { from, before } = createdRange(filters)
  return sql<Spanned[]>`
    select coalesce(max(last_seq), 0) as covered,
      min(first_seq) filter (where created_to >= ${from} and created_from < ${before}) as first,
      max(last_seq) filter (where created_to >= ${from} and created_from < ${before}) as last
    from created_spans
    where list = ${table} and tenant_id = ${tenantId} and environment = ${environment}`
}

/** A statement of its own: the plan depends on how many rows are behind the last span. */
function readNewest(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  { list, covered, filters }: { list: SpannedList; covered: number; filters: CreatedFilters },
): PromiseLike<Newest[]> {
  const { from, before } = createdRange(filters)
  return sql<Newest[]>`
    select count(*) as rows,
      min(seq) filter (where created_at >= ${from} and created_at < ${before}) as first,
      max(seq) filter (where created_at >= ${from} and created_at < ${before}) as last
    from (
      select seq, created_at from ${sql(list.table)}
      where tenant_id = ${tenantId} and environment = ${environment} and seq > ${covered}
      order by seq limit ${UNSPANNED_MAX + 1}
    ) newest`
}
