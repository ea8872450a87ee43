// Card transactions by the million, as rows: all are like one that was drained, each with a place,
// an amount and a message of its own.
import type { Sql } from '../../api/database/pool.ts'
import { seedTransaction } from '../../test/harness/drained.ts'
import { seedTenant, type TestTenant } from '../../test/harness/tenant.ts'
import { type Copying, copiedId, copyRows } from './copied-rows.ts'
import type { SizedTenant } from './pages.ts'

/** Rows before these: that of the one which is copied. */
const SEQ_FROM = 10
/** Characters of a transaction id that hold prefix and time. */
const TIME_CHARACTERS = 14

/** A tenant of its own with so many card transactions. */
export async function seedTransactions(sql: Sql, rows: number): Promise<SizedTenant> {
  const { tenant } = await plantTransactions(sql, rows)
  return { rows, tenantId: tenant.tenantId, key: tenant.keys.read }
}

/** The same, with the whole tenant and a declined transaction of its own. */
export async function plantTransactions(
  sql: Sql,
  rows: number,
): Promise<{ tenant: TestTenant; id: string }> {
  const tenant = await seedTenant(sql, 'sandbox')
  const { id } = await seedTransaction(sql, tenant, { amountCents: 1250 })
  await copyRows(sql, { id, first: 1, last: rows - 1 }, TABLES)
  await sql`
    update tenant_sequences set transaction_seq = ${SEQ_FROM + rows}
    where tenant_id = ${tenant.tenantId}`
  const declined = await seedTransaction(sql, tenant, { amountCents: 1251 })
  return { tenant, id: declined.id }
}

const TABLES: readonly Copying[] = [
  {
    table: 'card_transactions',
    key: 'id',
    changes: {
      id: copiedId('o.id', TIME_CHARACTERS),
      seq: String(SEQ_FROM) + ' + n',
      amount_cents: '(n * 7919) % 100000',
      created_at: 'o.created_at + n',
      network_transaction_id: "'ntx-' || n",
    },
  },
  {
    table: 'card_transaction_messages',
    key: 'transaction_id',
    changes: {
      transaction_id: copiedId('o.transaction_id', TIME_CHARACTERS),
      message_id: "o.message_id || '-' || n",
      happened_at: 'o.happened_at + n',
    },
  },
]
