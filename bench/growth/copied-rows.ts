// Rows by the million: copies of one that was made whole, each with a place of its own.
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'

const CHUNK = 50_000

export interface Copying {
  table: string
  /** The column by which the row that is copied is found. */
  key: string
  /**
   * SQL of the columns that differ in a copy: `o` is the copied row, `n` the number of the copy.
   */
  changes: { readonly [column: string]: string }
}

/**
 * Copies the rows that `id` names, from the first number to the last, every table with the same
 * numbers.
 */
export async function copyRows(
  sql: Sql,
  { id, first, last }: { id: string; first: number; last: number },
  tables: readonly Copying[],
): Promise<void> {
  const statements: string[] = []
  for (const copying of tables)
    statements.push(statementOf(copying, await columnsOf(sql, copying.table)))
  for (let from = first; from <= last; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, last)
    await tx(sql, async (inner) => {
      // The copied rows were whole, so triggers and notifications stay off.
      await inner`set local session_replication_role = replica`
      for (const statement of statements) await inner.unsafe(statement, [id, from, to])
    })
  }
}

/**
 * Another id of the same moment; those of one original are not those of another. `time` is where
 * its random part begins.
 */
export function copiedId(column: string, time: number): string {
  const [head, tail] = ['substr(' + column + ', 1, ' + time + ')', 'right(' + column + ', 6)']
  return head + ' || ' + tail + " || lpad(to_hex(n), 10, '0')"
}

function statementOf({ table, key, changes }: Copying, columns: readonly string[]): string {
  const values = columns.map((column) => changes[column] ?? 'o.' + column)
  const into = 'insert into ' + table + ' (' + columns.join(', ') + ') '
  const from = ' from ' + table + ' o, generate_series($2::bigint, $3::bigint) n '
  return into + 'select ' + values.join(', ') + from + 'where o.' + key + ' = $1'
}

/** Those that are written: the database makes the others of them. */
async function columnsOf(sql: Sql, table: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
      and is_identity = 'NO'
    order by ordinal_position`
  return rows.map(({ name }) => name)
}
