// Batches of everything a journal holds: the database does the same work at any size, nothing is
// doubled or lost, and an entry that cannot be applied harms no other.
import { test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { applyEntries } from '../../api/engine-link/apply-entries.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { drainedEntry } from '../../api/engine-link/drained-entry.ts'
import { NO_PAYMENTS } from '../../api/engine-link/payments-port.ts'
import { drainBatch } from '../../api/engine-link/pull-journal.ts'
import { systemClock } from '../../shared/clock.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { encodeEntry, type JournalEntry } from '../../shared/wire/journal-entry.ts'
import { type Answer, startTestApi } from '../harness/api.ts'
import { counting, type Work } from '../harness/counting.ts'
import { entryFor, link } from '../harness/drain.ts'
import { drain, shownTransaction, toldTransaction } from '../harness/drained.ts'
import { openEngineListener, silentLog } from '../harness/engine-listener.ts'
import { cardSuspensionEntry, lateReplyEntry } from '../harness/entries.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { Story } from '../harness/story.ts'
import { seedCard, seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const FLAGS = TRANSACTION_FLAGS

/**
 * An authorization, two increments, a capture, a refund; of another transaction an expiry and a
 * late reply; a message without a card.
 */
function everything(tenant: TestTenant): JournalEntry[] {
  const long = new Story(tenant)
  const short = new Story(tenant)
  const increment = { event: 'authorized', amountCents: 200, sums: { incremented: 200 } } as const
  return [
    long.message('authorization', {
      event: 'authorized',
      amountCents: 1000,
      sums: { authorized: 1000 },
    }),
    short.message('authorization', {
      event: 'authorized',
      amountCents: 500,
      sums: { authorized: 500 },
    }),
    long.message('incremental', increment),
    long.message('incremental', increment),
    lateReplyEntry({ transactionId: short.id, tenantId: tenant.tenantId, disagrees: true }),
    entryFor(tenant, { card: null, transactionId: null, effect: null }),
    long.message('capture', {
      event: 'captured',
      amountCents: 1400,
      sums: { captured: 1400 },
      flags: FLAGS.final,
    }),
    short.expiry({ amountCents: 500, sums: { expired: 500 } }),
    long.message('refund', { event: 'refunded', amountCents: 400, sums: { refunded: 400 } }),
    new Story(tenant, long.networkTransactionId).message('refund', {
      event: 'refunded',
      amountCents: 1,
      sums: { refunded: 1 },
      flags: FLAGS.unlinked,
    }),
  ]
}

/** Every row the drain writes, without columns of time. */
async function contents(sql: Sql) {
  return {
    transactions: await sql`select * from card_transactions order by id`,
    messages: await sql`select * from card_transaction_messages order by transaction_id, sequence`,
    events: await sql`select * from events order by tenant_id, environment, seq`,
    outbox: await sql`select * from event_outbox order by event_id`,
    unmatched: await sql`select * from unmatched_messages order by message_id`,
    numbers: await sql`select * from tenant_sequences order by tenant_id, environment`,
    cards: await sql`select id, status, suspend_reason, suspended_by from cards order by id`,
    quarantine: await sql`select * from drain_quarantine order by journal_seq`,
  }
}

function rawOf(entries: readonly JournalEntry[]) {
  return entries.map((entry, at) => ({ seq: at + 1, bytes: encodeEntry(entry) }))
}

async function openDrain(t: Parameters<typeof openTestDatabase>[0]) {
  const { sql } = await openTestDatabase(t)
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-a', 0)`
  const client = createEngineClient({ socketPath: '/nowhere', clock: systemClock })
  return {
    sql,
    client,
    clock: systemClock,
    log: silentLog,
    journalId: 'journal-a',
    payments: NO_PAYMENTS,
  }
}

async function workFor(sql: Sql, entries: readonly JournalEntry[]): Promise<Work> {
  const work = { texts: [], statements: 0 }
  const drained = rawOf(entries).map(drainedEntry)
  await tx(sql, (inner) =>
    applyEntries(counting(inner, work), drained, {
      journalId: 'journal-a',
      log: silentLog,
      payments: NO_PAYMENTS,
    }),
  )
  return work
}

test('a thousand entries of every kind take as many statements as ten', async (t) => {
  const { sql } = await openDrain(t)
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'live')]
  const stopped = async (tenant: TestTenant) =>
    cardSuspensionEntry({
      cardId: await seedCard(sql, tenant),
      tenantId: tenant.tenantId,
      environment: tenant.environment,
    })
  const batch = async (rounds: number): Promise<JournalEntry[]> => {
    const entries: JournalEntry[] = []
    for (let round = 0; round < rounds; round++) {
      const tenant = tenants[round % 2] as TestTenant
      entries.push(...everything(tenant), await stopped(tenant))
    }
    return entries
  }
  const few = await workFor(sql, await batch(1))
  const many = await workFor(sql, await batch(91))
  t.equal(few.statements, 9)
  t.same(many, few)
  const written = few.texts.join('\n').matchAll(/insert into (\w+)|update (cards)/g)
  const tables = [...written].map(([, inserted, updated]) => inserted ?? updated)
  t.same(tables.sort(), [
    'authorization_counts',
    'card_transaction_messages',
    'card_transactions',
    'cards',
    'event_outbox',
    'events',
    'stand_in_counts',
    'tenant_sequences',
    'unmatched_messages',
  ])
  const [row] = await sql`
    select (select count(*)::int from card_transactions) as transactions,
      (select count(*)::int from card_transaction_messages) as messages,
      (select count(*)::int from events where type like 'card.transaction.%') as told,
      (select count(*)::int from events where type = 'card.suspended') as suspended,
      (select sum(event_seq)::int from tenant_sequences) as numbers`
  const rounds = 92
  t.same(row, {
    transactions: rounds * 3,
    messages: rounds * 8,
    told: rounds * 8,
    suspended: rounds,
    numbers: rounds * 9,
  })
})

test('a batch delivered five times, in any pieces, changes nothing', async (t) => {
  const parts = await openDrain(t)
  const tenant = await seedTenant(parts.sql, 'sandbox')
  const raw = rawOf([...everything(tenant), ...everything(tenant)])
  await drainBatch(parts, raw.slice(0, 7), 0)
  await drainBatch(parts, raw.slice(7), 7)
  const before = await contents(parts.sql)
  for (let time = 0; time < 5; time++) {
    await t.rejects(drainBatch(parts, raw, 0), { name: 'CursorMoved' })
    // Also with a lost cursor: every message is recognised by the network's own id.
    await parts.sql`update journal_cursor set seq = 0`
    const entries = raw.filter((_, at) => at % 10 !== 7)
    await tx(parts.sql, (sql) => applyEntries(sql, entries.map(drainedEntry), parts))
    t.same(await contents(parts.sql), before)
    await parts.sql`update journal_cursor set seq = ${raw.length}`
  }
})

test('a transaction drained in several batches equals one drained in a single batch', async (t) => {
  const parts = await openDrain(t)
  const tenant = await seedTenant(parts.sql, 'sandbox')
  const raw = rawOf(everything(tenant))
  for (const entry of raw) await drainBatch(parts, [entry], entry.seq - 1)
  const single = await contents(parts.sql)
  const other = await openDrain(t)
  await other.sql`insert into tenants select * from json_populate_recordset(null::tenants, ${JSON.stringify(
    await parts.sql`select * from tenants`,
  )}::text::json)`
  for (const table of ['webhook_endpoints', 'programs', 'cardholders', 'cards'])
    await other.sql`insert into ${other.sql(table)} select * from json_populate_recordset(
      null::${other.sql(table)}, ${JSON.stringify(
        await parts.sql`select * from ${parts.sql(table)}`,
      )}::text::json)`
  await drainBatch(other, raw, 0)
  t.same(await contents(other.sql), single)
})

test('the events of a transaction come once and in order although connections are killed', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t)
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'live')]
  link(t, url, listener)
  await until(() => listener.control.attachedTo !== null)
  let written = 0
  for (let round = 1; round <= 8; round++) {
    const entries = Array.from({ length: 15 }, (_, at) => everything(tenants[at % 2] as TestTenant))
    written += entries.flat().length
    listener.write(...entries.flat().map(encodeEntry))
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'svc-link%'`
  }
  await until(() => listener.drainedSeq === written)
  const lives = await sql<{ sequence: number; told: Buffer[]; lived: number[] }[]>`
    select t.sequence, array(
        select e.body from events e where e.resource_id = t.id order by e.seq
      ) as told, array(
        select m.sequence from card_transaction_messages m where m.transaction_id = t.id order by m.journal_seq
      ) as lived
    from card_transactions t`
  t.equal(lives.length, 3 * 15 * 8)
  for (const { sequence, told, lived } of lives) {
    const whole = Array.from({ length: sequence }, (_, at) => at + 1)
    const sequences = told.map((body) => toldTransaction(body).sequence)
    t.same([sequences, lived], [whole, whole])
  }
  const [numbers] = await sql`
    select (select sum(event_seq)::int from tenant_sequences) as given, (select count(*)::int from events) as told,
      (select count(*)::int from event_outbox) as outbox, (select count(*)::int from drain_quarantine) as refused,
      (select count(*)::int from unmatched_messages) as unmatched`
  const told = 8 * 15 * 8
  t.same(numbers, { given: told, told, outbox: told, refused: 0, unmatched: 15 * 8 })
})

test('a refused message harms no other of its transaction', async (t) => {
  const parts = await openDrain(t)
  const { sql } = parts
  const tenant = await seedTenant(sql, 'sandbox')
  const story = new Story(tenant)
  const poison = { message: { merchantName: 'zero', id: 'zero\0byte' } }
  const authorization = {
    event: 'authorized',
    amountCents: 1000,
    sums: { authorized: 1000 },
  } as const
  const increment = { event: 'authorized', amountCents: 200, sums: { incremented: 200 } } as const
  const capture = { event: 'captured', amountCents: 1200, sums: { captured: 1200 } } as const
  const orphan = new Story(tenant)
  const nobody = new Story(tenant)
  const entries = [
    story.message('authorization', authorization),
    story.message('incremental', { ...increment, ...poison }),
    orphan.message('authorization', { ...authorization, ...poison }),
    story.message('capture', capture),
    orphan.message('capture', capture),
    nobody.expiry({ amountCents: 1 }),
    lateReplyEntry({ transactionId: nobody.id }),
  ]
  await drainBatch(parts, rawOf(entries), 0)
  const [cursor] = await sql`select seq from journal_cursor`
  t.equal(cursor?.['seq'], 7)
  const refused = await sql<{ journal_seq: number; error: string }[]>`
    select journal_seq, error from drain_quarantine order by journal_seq`
  t.same(
    refused.map(({ journal_seq: seq }) => seq),
    [2, 3, 6, 7],
  )
  t.match(refused[2]?.error, /whose hold ran out is not stored/)
  t.match(await shownTransaction(sql, tenant, story.id), {
    sequence: 3,
    status: 'captured',
    sums: { incremented_cents: 200, captured_cents: 1200 },
    increments: [],
    captures: [{ sequence: 3 }],
  })
  t.match(await shownTransaction(sql, tenant, orphan.id), {
    sequence: 2,
    status: 'captured',
    message: { kind: 'capture' },
  })
  const events = await sql`select seq from events order by seq`
  t.same(
    events.map((row) => row['seq']),
    [1, 2, 3],
    'the numbers of events have no gap',
  )
})

test('a different entry at an occupied position is quarantined', async (t) => {
  const parts = await openDrain(t)
  const { sql } = parts
  const tenant = await seedTenant(sql, 'sandbox')
  const story = new Story(tenant)
  const increment = { event: 'authorized', amountCents: 200, sums: { incremented: 200 } } as const
  await drain(
    sql,
    story.message('authorization', increment),
    story.message('incremental', increment),
  )
  story.sequence = 1
  await drainBatch(parts, rawOf([story.message('incremental', increment)]), 0)
  const [row] = await sql`select error from drain_quarantine`
  t.match(row?.['error'], /another entry has this place/)
  t.equal((await shownTransaction(sql, tenant, story.id)).sequence, 2)
})

test('a message about a forgotten transaction is shown with it', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const other = await seedTenant(sql, 'sandbox')
  const original = new Story(tenant)
  const purchase = { event: 'authorized', amountCents: 1000, sums: { authorized: 1000 } } as const
  const refund = {
    event: 'refunded',
    amountCents: 1000,
    sums: { refunded: 1000 },
    flags: FLAGS.unlinked,
  } as const
  await drain(sql, original.message('authorization', purchase))
  const mine = new Story(tenant, original.networkTransactionId)
  const theirs = new Story(other, original.networkTransactionId)
  await drain(sql, mine.message('refund', refund), theirs.message('refund', refund))
  t.equal((await shownTransaction(sql, tenant, mine.id)).original_transaction_id, original.id)
  t.equal((await shownTransaction(sql, other, theirs.id)).original_transaction_id, null)
  t.equal((await shownTransaction(sql, tenant, original.id)).original_transaction_id, null)
})

test('only a refund joins an unlinked credit', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  for (const together of [false, true]) {
    const credit = new Story(tenant)
    const captured = new Story(tenant, credit.networkTransactionId)
    const back = new Story(tenant, credit.networkTransactionId)
    const entries = [
      credit.message('refund', {
        event: 'refunded',
        amountCents: 500,
        sums: { refunded: 500 },
        flags: FLAGS.unlinked,
      }),
      captured.message('capture', {
        event: 'captured',
        amountCents: 700,
        sums: { captured: 700 },
        flags: FLAGS.force_post | FLAGS.final,
      }),
      back.message('refund_reversal', {
        event: 'refunded',
        amountCents: 500,
        sums: { refundReversed: 500 },
        flags: FLAGS.unlinked,
      }),
    ]
    if (together) await drain(sql, ...entries)
    else for (const entry of entries) await drain(sql, entry)
    const originalOf = async ({ id }: Story): Promise<string | null> =>
      (await shownTransaction(sql, tenant, id)).original_transaction_id
    t.equal(await originalOf(captured), null)
    t.equal(await originalOf(back), credit.id)
  }
})

test('a late reply belongs to the request it answers', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const story = new Story(tenant)
  const question = {
    event: 'authorized',
    amountCents: 10,
    decision: entryFor(tenant).decision,
  } as const
  await drain(sql, story.message('authorization', question), story.message('incremental', question))
  const transactionId = story.id
  const shown = async () =>
    (await shownTransaction(sql, tenant, story.id)).decision?.webhook?.late_answer
  await drain(sql, lateReplyEntry({ transactionId, latencyMs: 1900, sequence: 1 }))
  t.equal(await shown(), null, 'the increment was answered in time')
  await drain(sql, lateReplyEntry({ transactionId, latencyMs: 1800, sequence: 2 }))
  t.equal((await shown())?.late_answer_ms, 1800)
})

test('a card stopped by a fraud rule is suspended once, with the rule as its reason', async (t) => {
  const api = await startTestApi()
  const { tenant, sql } = api
  const { cardId, tenantId, environment } = tenant
  const key = tenant.keys.read
  const stopped = cardSuspensionEntry({ cardId, tenantId, environment, rule: 'card_testing' })
  const story = new Story(tenant)
  const declined = { event: 'declined', amountCents: 1, flags: FLAGS.declined } as const
  await drain(sql, story.message('authorization', declined), stopped, stopped)
  const card = await api.call('GET', '/v1/cards/' + cardId, { key })
  t.match(card.body, { status: 'suspended', suspend_reason: 'card_testing' })
  const [row] = await sql`select suspended_by from cards where id = ${cardId}`
  t.equal(row?.['suspended_by'], 'fraud_rule')
  const told = (await api.call('GET', '/v1/events?order=asc', { key })).body.data
  t.same(
    told.map(({ type }: Answer['body']) => type),
    ['card.transaction.declined', 'card.suspended'],
  )
  t.same(told[1].data.card, card.body)
  t.equal(told[1].created, Math.floor(stopped.suspendedAtMs / 1000))

  const strangers = cardSuspensionEntry({ ...stopped, cardId: api.other.cardId })
  await drain(sql, stopped, strangers)
  t.equal((await api.call('GET', '/v1/events', { key })).body.data.length, 2)
  const others = await api.call('GET', '/v1/cards/' + api.other.cardId, {
    key: api.other.keys.read,
  })
  t.equal(others.body.status, 'active')
})
