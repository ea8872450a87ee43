// Searches a whole database for texts, for tests of an erasure.
import type { Sql } from '../../api/database/pool.ts'
import { sentBody } from '../../api/webhooks/events/index.ts'

export interface Trace {
  table: string
  /** The row as JSON. */
  row: string
}

/**
 * Returns every row of every table with a match. Bodies of events are searched as they are sent;
 * other bytes are not texts.
 */
export async function tracesOf(sql: Sql, pattern: RegExp): Promise<Trace[]> {
  const tables = await sql<{ table: string }[]>`
    select relname as "table" from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`
  const traces: Trace[] = []
  for (const { table } of tables) {
    const rows = await sql<{ row: string }[]>`select to_jsonb(t)::text as row from ${sql(table)} t`
    traces.push(...rows.map(({ row }) => ({ table, row })))
  }
  for (const { body } of await sql<{ body: Buffer }[]>`select body from events`)
    traces.push({ table: 'events', row: sentBody(body).toString() })
  return traces.filter(({ row }) => pattern.test(row))
}

/** The tables of these rows, each once. */
export function tablesOf(traces: readonly Trace[]): string[] {
  return [...new Set(traces.map(({ table }) => table))].sort()
}
