// Autovacuum settings of tables that only grow: beside the journal it visits them rarely and
// slowly.
import { test } from 'tap'
import { openTestDatabase } from '../harness/postgres.ts'

const DAY_MS = 24 * 3_600_000
const FAR_MS = Date.UTC(2031, 0, 1)

test('autovacuum skips days, which are dropped whole, and rows that live a moment', async (t) => {
  const { sql } = await openTestDatabase(t)
  await sql`select make_days(${FAR_MS}::bigint, 0), make_days(${FAR_MS + DAY_MS}::bigint, 0)`
  const days = await sql<{ name: string; options: string[] | null }[]>`
    select p.relid::regclass::text as name, c.reloptions as options
    from day_tables() d
    cross join pg_partition_tree(d.kept::regclass) p
    join pg_class c on c.oid = p.relid
    where p.isleaf order by name`
  const names = days.map(({ name }) => name)
  for (const kept of ['events', 'ended_deliveries', 'delivery_attempts'])
    for (const part of ['20310101', '20310102', 'other']) t.ok(names.includes(kept + '_' + part))
  for (const { name, options } of days) {
    t.ok(options?.includes('autovacuum_vacuum_insert_threshold=-1'), name)
    t.ok(options?.includes('autovacuum_analyze_scale_factor=1'), name)
    t.ok(options?.includes('autovacuum_vacuum_cost_delay=20'), name)
  }
  const [outbox] = await sql<[{ options: string[] }]>`
    select reloptions as options from pg_class where relname = 'event_outbox'`
  t.ok(outbox.options.includes('autovacuum_vacuum_insert_threshold=-1'))
  t.ok(outbox.options.includes('autovacuum_vacuum_cost_delay=0'), 'what is gone goes at once')
})

test('permanent tables are vacuumed, but slowly', async (t) => {
  const { sql } = await openTestDatabase(t)
  const rows = await sql<{ name: string; options: string[] }[]>`
    select relname as name, reloptions as options from pg_class
    where relname in ('card_transactions', 'card_transaction_messages') order by relname`
  t.equal(rows.length, 2)
  for (const { name, options } of rows) {
    t.ok(options.includes('autovacuum_analyze_scale_factor=1'), name)
    t.ok(options.includes('autovacuum_vacuum_cost_delay=20'), name)
    t.notOk(options.some((option) => option.startsWith('autovacuum_vacuum_insert')))
  }
})
