// Pages read as little of a long list as of a short one: no page scans a table that grows, and each
// reads rows by the hundred, however many there are.
import { test } from 'tap'
import { PAGES } from '../../../api/dashboard/pages/table.ts'
import type { Sql } from '../../../api/database/pool.ts'
import { copiedId, copyRows } from '../../../bench/growth/copied-rows.ts'
import { newId } from '../../../shared/id.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { addressOf } from '../../harness/dashboard-pages.ts'
import { addDelivery } from '../../harness/deliveries.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { visit } from '../../harness/visit.ts'

const ROWS = 10_000
/** Chosen: pages show 25 rows a list, some a hundred, each with a few rows of other tables. */
const READ_MAX = 2000
/** Random characters at the end of an id. */
const RANDOM = 16
const CONNECTIONS = 5

/** Tables that grow with use, and the columns that differ in a copy beside the id. */
const GROWING: { readonly [table: string]: { readonly [column: string]: string } } = {
  cardholders: { external_id: 'null' },
  cards: {
    ...{ external_id: 'null', token: 'o.token || n', fingerprint: 'o.fingerprint || n' },
  },
  card_transactions: {
    ...{ seq: '1000 + n', created_at: 'o.created_at + n', amount_cents: 'n' },
    network_transaction_id: "'ntx-' || n",
  },
  // Each of another transaction.
  disputes: {
    external_id: 'null',
    transaction_id:
      '(select t.id from card_transactions t where t.tenant_id = o.tenant_id ' +
      'and t.environment = o.environment and t.seq = 1000 + n)',
  },
  passes: { external_id: 'null' },
  pass_scans: {},
  sanctions_alerts: {},
  events: { seq: '1000 + n' },
  ended_deliveries: {},
  payments: { external_id: 'null' },
  audit_log: { seq: '1000 + n' },
}

async function lengthen(sql: Sql, tenantId: string): Promise<void> {
  for (const [table, changes] of Object.entries(GROWING)) {
    const [row] = await sql<{ id: string }[]>`
      select id from ${sql(table)} where tenant_id = ${tenantId} and environment = 'sandbox' limit 1`
    if (row === undefined) throw new Error('the tenant has nothing in ' + table)
    const { id } = row
    const copying = {
      ...{ table, key: 'id' },
      changes: { ...changes, id: copiedId('o.id', id.length - RANDOM) },
    }
    await copyRows(sql, { id, first: 1, last: ROWS }, [copying])
    await sql`analyze ${sql(table)}`
  }
  await sql`update tenant_sequences set event_seq = ${2 * ROWS}, transaction_seq = ${2 * ROWS}`
  await sql`analyze`
}

interface Reads {
  scans: number
  rows: number
}

/** Reads so far by table, a partition under the name of its table. */
async function readsByTable(sql: Sql): Promise<Map<string, Reads>> {
  // A connection counts by itself and tells later, unless it is asked to. A short sleep keeps each
  // of them busy: each is asked.
  await Promise.all(
    Array.from(
      { length: CONNECTIONS },
      () => sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`,
    ),
  )
  const rows = await sql<({ name: string } & Reads)[]>`
    select coalesce(p.relname, s.relname) as name, sum(s.seq_scan)::integer as scans,
      sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::integer as rows
    from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid
      left join pg_class p on p.oid = i.inhparent
    where coalesce(p.relname, s.relname) = any(${Object.keys(GROWING)}::text[])
    group by 1`
  return new Map(rows.map(({ name, scans, rows: read }) => [name, { scans, rows: read }]))
}

/** Addresses of all pages, and of lists with filters that few rows match. */
function addresses(dashboard: Parameters<typeof addressOf>[0]): string[] {
  const filtered = [
    '/transactions?status=declined',
    '/transactions?status=captured',
    '/transactions?merchant_name=Nowhere',
    '/transactions?mcc=0001',
    '/transactions?stand_in=true',
    '/transactions?created[gte]=2020-01-01',
    '/cards?status=suspended',
    '/cards?last4=0000',
    '/cardholders?email=nobody@tenant.example',
    '/cardholders?status=inactive',
    '/disputes?status=won',
    '/disputes?reason=duplicate',
    '/alerts?status=confirmed',
    '/passes?status=voided',
    '/scans?verification_result=forged',
    '/deliveries?state=failed',
    '/events?type=card.closed',
    '/payments?status=canceled',
    '/payments?cardholder_id=ch_00000000000000000000000000',
    '/audit?action=none',
    '/audit?created[lte]=2020-01-01',
    '/search?q=Nowhere',
    '/search?q=0000',
    '/search?q=nobody@tenant.example',
  ].map((path) => dashboard.root + path)
  return [...PAGES.map(({ path }) => addressOf(dashboard, path)), ...filtered]
}

test('no page reads a whole table', async (t) => {
  const dashboard = await startDashboard()
  const { api, cookie } = dashboard
  await addDelivery(api.sql, {
    ...{ id: newId('del', SEEDED_AT_MS), eventId: dashboard.things.get('events') ?? '' },
    ...{ endpointId: api.tenant.endpointId, state: 'succeeded', attempts: 1 },
  })
  await lengthen(api.sql, api.tenant.tenantId)
  for (const address of addresses(dashboard)) {
    const before = await readsByTable(api.sql)
    const { status } = await visit(api, address, { cookie })
    const name = address.slice(dashboard.root.length)
    t.equal(status, 200, name)
    const much = [...(await readsByTable(api.sql))].flatMap(([table, { scans, rows }]) => {
      const was = before.get(table) ?? { scans: 0, rows: 0 }
      const read = rows - was.rows
      return read > READ_MAX
        ? [table + ': ' + read + ' rows, ' + (scans - was.scans) + ' scans']
        : []
    })
    t.same(much, [], name)
  }
})
