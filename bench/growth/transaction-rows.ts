// Card transactions by the million, as rows: all are like one that was drained, each with a place, an amount and a message of
// its own.
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { seedTransaction } from '../../test/harness/drained.ts'
import { seedTenant } from '../../test/harness/tenant.ts'

const CHUNK = 50_000
/** Rows before these: that of the one which is copied. */
const SEQ_FROM = 10

export interface ManyTransactions {
  rows: number
  /** Of scope read. */
  key: string
}

/** A tenant of its own with so many card transactions. */
export async function seedTransactions(sql: Sql, rows: number): Promise<ManyTransactions> {
  const tenant = await seedTenant(sql, 'sandbox')
  const { id } = await seedTransaction(sql, tenant, { amountCents: 1250 })
  const [columns, messageColumns] = [
    await columnsOf(sql, 'card_transactions'),
    await columnsOf(sql, 'card_transaction_messages'),
  ]
  for (let from = 1; from < rows; from += CHUNK) {
    const to = Math.min(from + CHUNK, rows) - 1
    await tx(sql, async (inner) => {
      // What is copied was whole, and nobody is told of it.
      await inner`set local session_replication_role = replica`
      await inner.unsafe(copyStatement('card_transactions', columns, TRANSACTION_CHANGES), [
        id,
        from,
        to,
      ])
      await inner.unsafe(
        copyStatement('card_transaction_messages', messageColumns, MESSAGE_CHANGES),
        [id, from, to],
      )
    })
  }
  return { rows, key: tenant.keys.read }
}

/** Ids of one tenant are not those of another. */
const COPY_ID = "substr(o.id, 1, 14) || right(o.id, 6) || lpad(to_hex(n), 10, '0')"

const TRANSACTION_CHANGES: { readonly [column: string]: string } = {
  id: COPY_ID,
  seq: String(SEQ_FROM) + ' + n',
  amount_cents: '(n * 7919) % 100000',
  created_at: 'o.created_at + n',
  network_transaction_id: "'ntx-' || n",
}
const MESSAGE_CHANGES: { readonly [column: string]: string } = {
  transaction_id: COPY_ID.replaceAll('o.id', 'o.transaction_id'),
  message_id: "o.message_id || '-' || n",
  happened_at: 'o.happened_at + n',
}

/** `$1` is the id of what is copied, `$2` and `$3` the first and the last number. */
function copyStatement(
  table: string,
  columns: readonly string[],
  changes: { readonly [column: string]: string },
): string {
  const values = columns.map((column) => changes[column] ?? 'o.' + column)
  const key = table === 'card_transactions' ? 'o.id' : 'o.transaction_id'
  return (
    'insert into ' +
    table +
    ' (' +
    columns.join(', ') +
    ') select ' +
    values.join(', ') +
    ' from ' +
    table +
    ' o, generate_series($2::bigint, $3::bigint) n where ' +
    key +
    ' = $1'
  )
}

/** Those that are written: the database makes the others of them. */
async function columnsOf(sql: Sql, table: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position`
  return rows.map(({ name }) => name)
}
