// A tenant with a long history behind the dashboard: card transactions by the million, counted
// minutes, decisions of stand-in, and people who read the pages.
import type { Sql } from '../../api/database/pool.ts'
import type { TestTenant } from '../../test/harness/tenant.ts'
import { seedOwner } from '../access/testbed.ts'
import { type ApiTestbed, openApiTestbed } from '../api-stand.ts'
import { widenLimits } from '../growth/pages.ts'
import { plantTransactions } from '../growth/transaction-rows.ts'
import type { BenchOptions } from '../measured.ts'

const MINUTE_MS = 60_000
/** Chosen: a person may read 600 times a minute, and a run makes some thousand reads. */
const PEOPLE = 40
/** Chosen: stand-in decided each hundredth transaction, and nobody has acknowledged one. */
const STAND_IN_EACH = 100

export interface Reader {
  origin: string
  root: string
  cookie: string
}

export interface DashboardTestbed extends Pick<ApiTestbed, 'sql' | 'close'> {
  tenant: TestTenant
  /** A declined transaction. */
  transactionId: string
  /** Owners of the tenant, each with a session. */
  readers: readonly Reader[]
  flaws: readonly string[]
}

export async function openDashboard(
  rows: number,
  log: BenchOptions['log'],
): Promise<DashboardTestbed> {
  const stand = await openApiTestbed()
  const { sql } = stand
  try {
    log('Writing ' + rows.toLocaleString('en') + ' card transactions.')
    const { tenant, id } = await plantTransactions(sql, rows)
    const counted = await seedCounts(sql, tenant)
    const open = await seedStandIn(sql, tenant)
    await sql`vacuum analyze card_transactions, card_transaction_messages`.simple()
    await sql`analyze`.simple()
    await widenLimits(sql, [tenant.tenantId])
    const { port } = await stand.startApi()
    const readers: Reader[] = []
    for (let person = 1; person <= PEOPLE; person++) {
      const { session } = await seedOwner(stand, tenant, 'ada-' + person + '@bench.example')
      readers.push({
        ...{ origin: 'http://127.0.0.1:' + port, cookie: 'svc=' + session },
        root: '/d/' + tenant.tenantId + '/sandbox',
      })
    }
    const flaws = [
      ...(counted > 0 ? [] : ['no minute was counted: the overview had nothing to draw']),
      ...(open > 0 ? [] : ['stand-in decided nothing: its list was empty']),
    ]
    return { sql, close: () => stand.close(), tenant, transactionId: id, readers, flaws }
  } catch (error) {
    await stand.close()
    throw error
  }
}

/** Two days of counted minutes, as the drain and its timer leave them. Returns their rows. */
async function seedCounts(sql: Sql, { tenantId }: TestTenant): Promise<number> {
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_name = 'authorization_counts' order by ordinal_position`
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const at = now + ' - n * ' + MINUTE_MS
  const values = columns.map(({ name }) => (name === 'at' ? at : name)).join(', ')
  const inserted = await sql.unsafe(
    'insert into authorization_counts select ' +
      values +
      ' from authorization_counts, generate_series(1, 2880) n where tenant_id = $1',
    [tenantId],
  )
  return inserted.count
}

/**
 * Decisions of stand-in among the transactions, counted as triggers would have. Returns how many
 * are open.
 */
async function seedStandIn(sql: Sql, { tenantId }: TestTenant): Promise<number> {
  await sql`
    update card_transactions set stand_in = true
    where tenant_id = ${tenantId} and seq % ${STAND_IN_EACH}::integer = 0`
  const opened = await sql`
    insert into open_stand_in_decisions (transaction_id, tenant_id, environment, seq, sequence)
    select id, tenant_id, environment, seq, 1 from card_transactions
    where tenant_id = ${tenantId} and stand_in`
  await sql`delete from stand_in_counts`
  await sql`
    insert into stand_in_counts
    select t.tenant_id, t.environment, t.created_at - t.created_at % 3600000, m.tenant_outcome,
      m.stand_in, m.stand_in_would_approve, false, count(*)
    from card_transactions t join card_transaction_messages m on m.transaction_id = t.id
    where m.stand_in_would_approve is not null and m.tenant_outcome is not null
    group by 1, 2, 3, 4, 5, 6`
  return opened.count
}
