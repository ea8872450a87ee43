// A database that the first release filled: its transactions read as they did then, its list and
// its filters find them, and what happens to them now goes on from there. The fixture is what that
// release wrote and showed.
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { migrate, readMigrations } from '../../api/database/migrate.ts'
import { listTransactions } from '../../api/issuing/transactions/store.ts'
import type { DecisionEntry, ExpiryEntry } from '../../shared/wire/journal-entry.ts'
import {
  drain,
  FIRST_TENANT,
  seedFirstTenant,
  shownTransaction,
  toldTransaction,
} from '../harness/drained.ts'
import { decisionEntry, ENTRY_TIME_MS } from '../harness/entries.ts'
import { openUnmigratedDatabase } from '../harness/postgres.ts'

interface Kept {
  row: { id: string; message_id: string; network: string }
  event: { id: string; seq: number; type: string; created_at: number; body: string }
  /** What GET showed. */
  shown: object
}

const FIXTURE = new URL('../fixtures/transactions-1.json', import.meta.url)
const KEPT = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Kept[]

async function openOldDatabase(t: Parameters<typeof openUnmigratedDatabase>[0]) {
  const { sql, url } = await openUnmigratedDatabase(t)
  const migrations = readMigrations().filter(({ number }) => number <= 2)
  await migrate(url, () => {}, { migrations })
  await seedFirstTenant(sql)
  for (const { row, event } of KEPT) {
    await sql`insert into card_transactions
      select * from json_populate_record(null::card_transactions, ${JSON.stringify(row)}::text::json)`
    await sql`insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
      values (${event.id}, 'ten_1', 'sandbox', ${event.seq}, ${event.type}, '2026-11-20', ${row.id},
        ${event.created_at}, ${Buffer.from(event.body)})`
  }
  const seq = KEPT.length
  await sql`insert into tenant_sequences values ('ten_1', 'sandbox', ${seq}, ${seq})`
  await migrate(url, () => {})
  return sql
}

test('transactions of the first release keep every field they had', async (t) => {
  const sql = await openOldDatabase(t)
  for (const { row, shown } of KEPT)
    t.match(
      JSON.parse(JSON.stringify(await shownTransaction(sql, FIRST_TENANT, row.id))),
      shown,
      row.id,
    )
  const listed = async (filters: object) =>
    (await listTransactions(sql, FIRST_TENANT, { order: 'asc', ...filters })).rows.map(
      ({ seq }) => seq,
    )
  t.same(await listed({}), [1, 2, 3])
  t.same(await listed({ stand_in: 'true' }), [3])
  t.same(await listed({ late_answer: 'true' }), [3])
  t.same(await listed({ network_transaction_id: 'ntx-2' }), [2])
  t.same(await listed({ status: 'declined', kind: 'initial', cardholder_id: 'ch_1' }), [2])
})

test('a transaction of the first release goes on, and none of its messages comes twice', async (t) => {
  const sql = await openOldDatabase(t)
  const [first] = KEPT
  if (first === undefined) throw new Error('the fixture is empty')
  const { effect } = decisionEntry({})
  if (effect === null) throw new Error('the entry of a test has an effect')
  const expiry: ExpiryEntry = {
    kind: 'expiry',
    transactionId: first.row.id,
    expiredAtMs: ENTRY_TIME_MS + 86_400_000,
    effect: {
      ...effect,
      sequence: 2,
      event: 'reversed',
      sums: { ...effect.sums, expired: 1250 },
      holdExpiresAtMs: 0,
    },
  }
  await drain(sql, expiry)
  const shown = await shownTransaction(sql, FIRST_TENANT, first.row.id)
  t.match(shown, { sequence: 2, status: 'expired', reversals: [{ cause: 'expiry' }] })
  const [event] = await sql<[{ seq: number; body: Buffer }]>`
    select seq, body from events order by seq desc limit 1`
  t.equal(event.seq, KEPT.length + 1)
  t.same(toldTransaction(event.body), shown)

  const { message } = decisionEntry({})
  const again: DecisionEntry = decisionEntry({ message: { ...message, id: first.row.message_id } })
  await drain(sql, again)
  const [refused] = await sql`select error from drain_quarantine`
  t.match(refused?.['error'], /another decision about this message/)
})
