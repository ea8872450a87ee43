// A sandbox wiped while its tenant goes on: the wipe and a call exclude each other, and nothing of
// the wiped data is left.
import { test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { NO_PAYMENTS } from '../../api/engine-link/payments-port.ts'
import { drainBatch } from '../../api/engine-link/pull-journal.ts'
import { lockTenantAlone, lockTransactions } from '../../api/platform/sandbox/wipe-store.ts'
import { recordEvent } from '../../api/webhooks/events/index.ts'
import { systemClock } from '../../shared/clock.ts'
import { encodeEntry } from '../../shared/wire/journal-entry.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { ENTRY_TIME_MS } from '../harness/entries.ts'
import { openTestDatabase, type Teardown } from '../harness/postgres.ts'
import { Story } from '../harness/story.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const LOCK_NOT_AVAILABLE = '55P03'

function poolBeside(t: Teardown, url: string, lockTimeoutMs: number) {
  const pool = openPool(url, { max: 1, applicationName: 'beside', lockTimeoutMs })
  t.teardown(() => pool.end({ timeout: 1 }))
  return pool
}

test('a transaction that records an event locks its tenant until it ends', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const beside = poolBeside(t, url, 100)
  const lockAlone = () => tx(beside, (inner) => lockTenantAlone(inner, tenant))
  const told = {
    ...tenant,
    type: 'card.suspended',
    data: { card: { id: tenant.cardId } },
    resourceId: tenant.cardId,
    now: ENTRY_TIME_MS,
  } as const
  await tx(sql, (inner) => recordEvent(inner, told))
  await tx(sql, async (inner) => {
    // Not the first event: its row in tenant_sequences exists, and the tenant is not read for it
    // any more.
    await recordEvent(inner, told)
    await t.rejects(lockAlone(), { code: LOCK_NOT_AVAILABLE })
  })
  await lockAlone()
})

test('a message about a wiped transaction is not left behind', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-a', 0)`
  const client = createEngineClient({ socketPath: '/nowhere', clock: systemClock })
  const parts = {
    sql,
    client,
    clock: systemClock,
    log: silentLog,
    journalId: 'journal-a',
    payments: NO_PAYMENTS,
  }
  const story = new Story(tenant)
  const authorization = story.message('authorization', {
    event: 'authorized',
    amountCents: 1250,
    sums: { authorized: 1250 },
    holdExpiresAtMs: ENTRY_TIME_MS + 86_400_000,
  })
  const capture = story.message('capture', {
    event: 'captured',
    amountCents: 1250,
    sums: { captured: 1250 },
  })
  await drainBatch(parts, [{ seq: 1, bytes: encodeEntry(authorization) }], 0)

  const beside = poolBeside(t, url, 0)
  const drained = await tx(beside, async (inner) => {
    const rows = inner`tenant_id = ${tenant.tenantId}`
    await lockTransactions(inner, rows, ENTRY_TIME_MS)
    const draining = drainBatch(parts, [{ seq: 2, bytes: encodeEntry(capture) }], 1)
    // Read from another connection: within a transaction the view does not change.
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length === 1
    })
    await inner`delete from card_transaction_messages where transaction_id = ${story.id}`
    await inner`delete from card_transactions where ${rows}`
    await inner`delete from cards where ${rows}`
    return { draining }
  })
  t.equal(await drained.draining, 2)
  const [left] = await sql`
    select (select count(*)::integer from card_transactions) as transactions,
      (select count(*)::integer from card_transaction_messages) as messages,
      (select count(*)::integer from drain_quarantine) as aside`
  t.same(left, { transactions: 0, messages: 0, aside: 0 })
})

test('messages about wiped cards cost a busy sandbox one more transaction', async (t) => {
  const { sql } = await openTestDatabase(t)
  const [gone, going] = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-a', 0)`
  const client = createEngineClient({ socketPath: '/nowhere', clock: systemClock })
  const parts = {
    ...{ sql, client, clock: systemClock, log: silentLog },
    ...{ journalId: 'journal-a', payments: NO_PAYMENTS },
  }
  const raw = Array.from({ length: 200 }, (_, at) => {
    const authorization = new Story(at % 2 === 0 ? gone : going).message('authorization', {
      event: 'authorized',
      amountCents: 1250,
      sums: { authorized: 1250 },
      holdExpiresAtMs: ENTRY_TIME_MS + 86_400_000,
    })
    return { seq: at + 1, bytes: encodeEntry(authorization) }
  })
  await sql`
    insert into sandbox_wipes (tenant_id, wiped_at) values (${gone.tenantId}, ${ENTRY_TIME_MS})`
  await sql`delete from cards where tenant_id = ${gone.tenantId}`
  const begun = async (): Promise<number> => {
    const [row] = await sql<{ id: number }[]>`select pg_current_xact_id()::text::bigint as id`
    return row?.id ?? 0
  }
  const before = await begun()
  t.equal(await drainBatch(parts, raw, 0), raw.length)
  const between = (await begun()) - before - 1
  t.ok(between <= 4, between + ' transactions, not two for each wiped message')
  const [left] = await sql`
    select (select count(*)::integer from card_transactions where tenant_id = ${going.tenantId})
        as kept,
      (select count(*)::integer from card_transactions) as all,
      (select count(*)::integer from drain_quarantine) as aside`
  t.same(left, { kept: 100, all: 100, aside: 0 })
})
