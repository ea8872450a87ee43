// The journal drains into PostgreSQL exactly once: although entries are repeated, cut off, killed,
// refused or unreadable on the way.
import { Packr } from 'msgpackr'
import { test } from 'tap'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { NO_PAYMENTS } from '../../api/engine-link/payments-port.ts'
import { drainBatch } from '../../api/engine-link/pull-journal.ts'
import { eventView } from '../../api/webhooks/events/index.ts'
import { systemClock } from '../../shared/clock.ts'
import { TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import { encodeEntry } from '../../shared/wire/journal-entry.ts'
import { openCommitCutter } from '../fakes/commit-cutter.ts'
import { bytesFor, clean, entryFor, link, tally } from '../harness/drain.ts'
import { shownTransaction, toldTransaction } from '../harness/drained.ts'
import { openEngineListener, silentLog } from '../harness/engine-listener.ts'
import { lateReplyEntry } from '../harness/entries.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { Story } from '../harness/story.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const packr = new Packr({ useRecords: false })
/** The trace's position: behind kind, format and head, and inside the head. */
const [HEAD_AT, TRACE_AT] = [2, 9]

test('the drain stores transactions, events, unmatched messages and late replies', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t)
  const one = await seedTenant(sql, 'sandbox')
  const two = await seedTenant(sql, 'live')
  const declined = new Story(one).message('authorization', {
    event: 'declined',
    amountCents: 1250,
    flags: TRANSACTION_FLAGS.declined,
  })
  const approved = entryFor(one)
  const unmatched = entryFor(one, { card: null, transactionId: null })
  listener.write(
    encodeEntry(approved),
    encodeEntry(declined),
    encodeEntry(unmatched),
    ...bytesFor([one, two], 2500),
    encodeEntry(
      lateReplyEntry({
        transactionId: approved.transactionId ?? '',
        tenantId: one.tenantId,
        latencyMs: 1700.4,
      }),
    ),
  )
  const begunAt = systemClock.nowMs()
  link(t, url, listener)
  await until(() => listener.drainedSeq === 2504)
  t.match(await tally(sql), { ...clean(2502, 2504), unmatched: 1 })
  await until(async () => {
    const [at] = await sql<{ noted: number | null }[]>`
      select caught_up_at as noted from journal_cursor`
    return at?.noted !== null && at !== undefined && at.noted >= begunAt
  })

  const [row] = await sql`select * from card_transactions where id = ${approved.transactionId}`
  t.match(row, { late_outcome: 'late_approve', late_ms: 1700, sequence: 1 })
  const events = await sql<{ type: string; body: Buffer; id: string; resource_id: string }[]>`
    select * from events where tenant_id = ${one.tenantId} order by seq limit 2`
  t.same(
    events.map(({ type, resource_id }) => [type, resource_id]),
    [
      ['card.transaction.authorized', approved.transactionId],
      ['card.transaction.declined', declined.transactionId],
    ],
  )
  const body = eventView(events[0]!)
  t.same(Object.keys(body), ['id', 'type', 'created', 'api_version', 'data'])
  t.equal(body.id, events[0]?.id)
  t.match(body.id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
  const shown = await shownTransaction(sql, one, approved.transactionId)
  if (shown.decision?.webhook == null) throw new Error('the tenant was asked')
  t.match(shown.decision.webhook.late_answer, { outcome: 'late_approve', late_answer_ms: 1700 })
  shown.decision.webhook.late_answer = null
  t.same(toldTransaction(events[0]!.body), shown, 'the reply came after the event')
})

test('a batch delivered again changes nothing', async (t) => {
  const { sql } = await openTestDatabase(t)
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
  const entries = bytesFor([tenant], 500).map((bytes, at) => ({ seq: at + 1, bytes }))
  const tries = await Promise.allSettled([1, 2, 3, 4].map(() => drainBatch(parts, entries, 0)))
  t.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
  await t.rejects(drainBatch(parts, entries, 0), { name: 'CursorMoved' })
  await t.rejects(drainBatch({ ...parts, journalId: 'journal-b' }, entries, 500), {
    name: 'CursorMoved',
  })
  t.match(await tally(sql), clean(500))
})

test('a connection cut during COMMIT loses and doubles nothing', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const cutter = await openCommitCutter(t, url)
  const listener = await openEngineListener(t)
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  link(t, cutter.url, listener)
  await until(() => listener.control.attachedTo !== null)
  for (let round = 1; round <= 8; round++) {
    cutter.cuts = 1
    listener.write(...bytesFor(tenants, 150))
    await until(() => cutter.cuts === 0 && listener.drainedSeq === round * 150)
  }
  t.match(await tally(sql), clean(1200))
})

test('connections killed repeatedly, and an engine restart, lose no entry', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  let listener = await openEngineListener(t)
  const tenants = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'live')]
  link(t, url, listener)
  await until(() => listener.control.attachedTo !== null)
  for (let round = 1; round <= 12; round++) {
    listener.write(...bytesFor(tenants, 200))
    if (round === 6) listener = await listener.restart()
    if (round % 2 === 0) await until(() => listener.drainedSeq > (round - 2) * 200)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'svc-link%'`
  }
  await until(() => listener.drainedSeq === 2400)
  t.match(await tally(sql), clean(2400))
})

/** An entry that no engine writes: a number in the place of its trace. */
function withoutTrace(entry: Buffer): Buffer {
  const parts = packr.unpack(entry)
  parts[HEAD_AT][TRACE_AT] = 7
  return packr.pack(parts)
}

test('only entries that PostgreSQL refuses are quarantined', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const listener = await openEngineListener(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const stranger = { ...tenant, tenantId: 'ten_unknown' }
  const like = entryFor(tenant)
  const known = entryFor(tenant)
  const poison = [
    encodeEntry({ ...like, message: { ...like.message, id: 'zero\0byte' } }),
    encodeEntry(entryFor(stranger)),
    Buffer.from('not an entry'),
    encodeEntry({ ...entryFor(tenant), message: known.message }),
    withoutTrace(encodeEntry(entryFor(tenant))),
  ]
  const good = bytesFor([tenant], 300)
  listener.write(
    ...good.slice(0, 100),
    encodeEntry(known),
    ...poison.slice(0, 2),
    ...good.slice(100, 200),
    ...poison.slice(2),
    ...good.slice(200),
  )
  link(t, url, listener)
  await until(() => listener.drainedSeq === 306)
  t.match(await tally(sql), { ...clean(301, 306), quarantined: 5 })
  const rows = await sql<{ journal_seq: number; error: string; entry: Buffer }[]>`
    select * from drain_quarantine order by journal_seq`
  t.same(
    rows.map((row) => row.journal_seq),
    [102, 103, 204, 205, 206],
  )
  t.same(
    rows.map((row) => row.entry),
    poison,
  )
  t.match(rows[3]?.error, /another decision about this message/)
  t.match(rows[4]?.error, /cannot be made/)
})
