// Every SQL statement about exchange rates. Rates belong to the installation, therefore no
// statement names an owner.
import type { EpochMs } from '../../../shared/clock.ts'
import { type CreatedFilters, createdWithinIds } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { FxRateRow, FxTableRow } from './view.ts'

function tableColumns(sql: SqlTag): Fragment {
  return sql`
    id, source, rate_at as "rateAt", rates, is_confirmed as "isConfirmed",
    published_by as "publishedBy", created_at as "createdAt"`
}

export interface FxTableFilters extends CreatedFilters {
  source?: string
  pair?: string
}

/** Lists tables by id, which is the order of creation; with `pair` those that name it. */
export async function listTables(
  sql: SqlTag,
  query: PageQuery & FxTableFilters,
): Promise<PageRows<FxTableRow>> {
  const { source, pair } = query
  const named = JSON.stringify([{ pair }])
  return readPage<FxTableRow>(sql, query, {
    list: 'fx_tables',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<FxTableRow[]>`
      select ${tableColumns(sql)} from fx_tables
      where ${range} ${createdWithinIds(sql, 'fxt', { clockOffsetMs: 0 }, query)}
        ${source === undefined ? sql`` : sql`and source = ${source}`}
        ${pair === undefined ? sql`` : sql`and rates @> ${named}::text::jsonb`}
      ${ordered}`,
  })
}

export async function findTable(sql: SqlTag, id: string): Promise<FxTableRow | null> {
  const [row] = await sql<FxTableRow[]>`
    select ${tableColumns(sql)} from fx_tables where id = ${id}`
  return row ?? null
}

/** The rates in force with their tables, by pair. */
export async function findRates(sql: SqlTag): Promise<readonly FxRateRow[]> {
  return sql<FxRateRow[]>`
    select r.id as pair, r.rate, r.rate_at as "rateAt", r.version, r.table_id as "tableId", t.source
    from fx_rates r left join fx_tables t on t.id = r.table_id
    order by r.id`
}

/** The rates in force at that moment, of the pairs that were published since. */
export async function findRatesBefore(
  sql: SqlTag,
  at: EpochMs,
): Promise<ReadonlyMap<string, string>> {
  const tables = await sql<Pick<FxTableRow, 'rates'>[]>`
    select rates from fx_tables where created_at > ${at} order by created_at desc, id desc`
  const rates = tables.flatMap((table) => table.rates)
  // The oldest table comes last, and its rate counts.
  return new Map(
    rates.flatMap(({ pair, previous_rate: rate }) => (rate === null ? [] : [[pair, rate]])),
  )
}

/** Two tables at once: the second waits, and is compared with the rates of the first. */
export async function lockRates(sql: TxSql): Promise<void> {
  await sql`lock table fx_rates in share row exclusive mode`
}

/** Adds a table and puts its rates into force. */
export async function insertTable(sql: TxSql, table: FxTableRow): Promise<void> {
  const rates = JSON.stringify(table.rates)
  await sql`
    insert into fx_tables (id, source, rate_at, rates, is_confirmed, published_by, created_at)
    values (${table.id}, ${table.source}, ${table.rateAt}, ${rates}::text::jsonb,
      ${table.isConfirmed}, ${table.publishedBy}, ${table.createdAt})`
  await sql`
    insert into fx_rates (id, rate, rate_at, table_id)
    select pair, rate, ${table.rateAt}, ${table.id}
    from unnest(
      ${table.rates.map(({ pair }) => pair)}::text[],
      ${table.rates.map(({ rate }) => rate)}::text[]
    ) as published (pair, rate)
    order by pair
    on conflict (id) do update
    set rate = excluded.rate, rate_at = excluded.rate_at, table_id = excluded.table_id`
}
