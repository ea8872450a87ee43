// Filters on `created` and on a frequent type in lists that are ordered by numbers: each row is
// found whenever it arrived, with spans for none, some and all of the rows.
import { test } from 'tap'
import { listControls } from '../../api/issuing/controls/store.ts'
import { listAllAlerts } from '../../api/issuing/screening/store.ts'
import { listTransactions, TRANSACTION_SPANS } from '../../api/issuing/transactions/store.ts'
import { runOnce } from '../../api/jobs/job.ts'
import { spansJob } from '../../api/jobs/mark-spans.ts'
import { AUDIT_SPANS, listAuditRows } from '../../api/platform/audit/store.ts'
import { EVENT_SPANS, listEvents } from '../../api/webhooks/events/store.ts'
import { isoInstant, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { readsByTable } from '../harness/long-lists.ts'
import { openTestDatabase, type TestDatabase } from '../harness/postgres.ts'
import { SEEDED_AT_MS, seedCardholder, seedTenant, type TestTenant } from '../harness/tenant.ts'

const ROWS = 7300
const STEP_MS = 10_000
const HOUR_MS = 3_600_000
/** Connections of a test's pool. */
const CONNECTIONS = 5
/** Most are of the first type; each 400th of the first 2,500, and the 7,100th, of the second. */
const TYPES = ['card.transaction.authorized', 'card.transaction.captured'] as const
const TYPE = `
  (case when n = 7100 or n < 2500 and n % 400 = 0 then '${TYPES[1]}' else '${TYPES[0]}' end)`

const owner = ({ tenantId, environment }: TestTenant) => ({
  ...{ tenantId, environment, clockOffsetMs: 0 },
})

/** Arrival by number, and moments before it: some rows are late by minutes, a few by hours. */
const MOMENT = `${SEEDED_AT_MS}::bigint + n * ${STEP_MS}
  - case when n % 997 = 0 then ${5 * HOUR_MS} when n % 31 = 0 then 600000 else 0 end`

async function seedEvents(sql: TestDatabase['sql'], { tenantId, environment }: TestTenant) {
  await sql.unsafe(
    `insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select id_floor('evt', ${SEEDED_AT_MS}::bigint + n * ${STEP_MS}) || lpad(n::text, 16, '0'), $1, $2,
      n, ${TYPE}, '2026-12-01', 'card_1', ${MOMENT}, '{}'
    from generate_series(1, ${ROWS}) n`,
    [tenantId, environment],
  )
  await sql`
    insert into tenant_sequences (tenant_id, environment, event_seq)
    values (${tenantId}, ${environment}, ${ROWS})
    on conflict (tenant_id, environment) do update set event_seq = excluded.event_seq`
}

/** Numbers of all events of a period, page by page. */
async function listed(sql: TestDatabase['sql'], tenant: TestTenant, query: object) {
  const seqs: number[] = []
  let cursor: string | null = null
  do {
    const page = await listEvents(sql, owner(tenant), {
      ...{ ...query, limit: 100 },
      ...(cursor === null ? {} : { starting_after: cursor }),
    })
    seqs.push(...page.rows.map(({ seq }) => seq))
    cursor = page.nextCursor
  } while (cursor !== null)
  return seqs
}

/** Ends of periods, as numbers of rows in time: none, a few, most, and those of late rows. */
const PERIODS: readonly (readonly [number, number])[] = [
  ...([
    [-9000, -5000],
    [-2000, 0],
    [100, 140],
    [0, 3000],
    [6900, 7250],
    [7000, 9000],
  ] as const),
  ...([
    [3500, 3501],
    [-9000, 9000],
    [9000, 9100],
  ] as const),
]

test('a period holds each of its rows, however many spans there are', async (t) => {
  const { sql } = await openTestDatabase(t)
  const [tenant, other] = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  await seedEvents(sql, tenant)
  const ports = { sql, clock: systemClock, log: silentLog, now: SEEDED_AT_MS }
  for (const batch of [0, 2, 50]) {
    if (batch > 0) await runOnce({ ...spansJob(EVENT_SPANS), batch }, ports)
    const [made] = await sql`select count(*)::int as spans from created_spans`
    t.equal(made?.['spans'], batch === 50 ? 7 : batch, 'spans of ' + batch)
    for (const [from, to] of PERIODS) {
      const [least, most] = [from, to].map((n) => SEEDED_AT_MS + n * STEP_MS) as [number, number]
      const rows = await sql<{ seq: number }[]>`
        select seq from events where tenant_id = ${tenant.tenantId}
          and created_at >= ${least} and created_at < ${most + 1000} order by seq desc`
      const period = { 'created[gte]': isoInstant(least), 'created[lte]': isoInstant(most) }
      const name = batch + ' spans, from ' + from + ' to ' + to
      const found = await listed(sql, tenant, period)
      t.same(
        found,
        rows.map(({ seq }) => seq),
        name,
      )
      const ascending = await listed(sql, tenant, { ...period, order: 'asc' })
      t.same(ascending, found.toReversed(), name + ', ascending')
    }
    t.same(await listed(sql, other, { 'created[gte]': isoInstant(0) }), [], 'nothing of another')
  }
  t.equal(await runOnce(spansJob(EVENT_SPANS), ports), 0, 'the last span is full when it is made')
})

test('a list of a frequent type holds each event, however many spans there are', async (t) => {
  const { sql } = await openTestDatabase(t)
  const [tenant, other] = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  await seedEvents(sql, tenant)
  const ports = { sql, clock: systemClock, log: silentLog, now: SEEDED_AT_MS }
  const from = SEEDED_AT_MS + 1000 * STEP_MS
  const period = { 'created[gte]': isoInstant(from) }
  for (const batch of [0, 2, 50]) {
    if (batch > 0) await runOnce({ ...spansJob(EVENT_SPANS), batch }, ports)
    // As an API of the release before makes them.
    if (batch === 2) await sql`update created_spans set types = null where first_seq = 1001`
    for (const type of TYPES) {
      const rows = await sql<{ seq: number; at: number }[]>`
        select seq, created_at as at from events
        where tenant_id = ${tenant.tenantId} and type = ${type} order by seq desc`
      const seqs = rows.map(({ seq }) => seq)
      const name = type + ' in ' + batch + ' spans'
      t.same(await listed(sql, tenant, { type }), seqs, name)
      const ascending = await listed(sql, tenant, { type, order: 'asc' })
      t.same(ascending, seqs.toReversed(), name + ', ascending')
      const since = rows.filter(({ at }) => at >= from).map(({ seq }) => seq)
      t.same(await listed(sql, tenant, { type, ...period }), since, name + ', of a period')
    }
    t.same(await listed(sql, other, { type: TYPES[0] }), [], 'nothing of another')
  }
})

test('a period of controls holds each, whichever process made it', async (t) => {
  const { sql } = await openTestDatabase(t)
  const [tenant, other] = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  // The clock of each third is behind by five minutes; the other tenant has rows of each moment.
  const rows = 400
  for (const { tenantId, environment } of [tenant, other]) {
    await sql`
      insert into spending_controls (id, tenant_id, environment, scope, subject_id, state, version, created_at)
      select ${tenantId} || n, ${tenantId}, ${environment}, 'card', 'card_1', 'retired', 1,
        ${SEEDED_AT_MS}::bigint + n * ${STEP_MS} - case when n % 3 = 0 then 300000 else 0 end
      from generate_series(1, ${rows}) n`
    await sql`
      insert into spending_control_versions (control_id, version, state, terms, created_by, created_at)
      select id, 1, 'retired', '{}', null, created_at from spending_controls
      where tenant_id = ${tenantId} on conflict do nothing`
  }
  const periods = [
    ...([-20, -10, 0, 90, 200, 399, 450] as const).map((n) => [n, 9000] as const),
    ...([
      [-9000, 120],
      [100, 140],
      [0, 390],
      [200, 200],
    ] as const),
  ]
  for (const [from, to] of periods) {
    const [least, most] = [from, to].map((n) => SEEDED_AT_MS + n * STEP_MS) as [number, number]
    const query = { 'created[gte]': isoInstant(least), 'created[lte]': isoInstant(most) }
    const found = await listControls(sql, owner(tenant), { ...query, limit: 500 })
    const wanted = await sql<{ seq: number }[]>`
      select seq from spending_controls where tenant_id = ${tenant.tenantId}
        and created_at >= ${least} and created_at < ${most + 1000} order by seq desc`
    const seqs = found.rows.map(({ seq }) => seq)
    const name = from + ' to ' + to
    t.same(
      seqs,
      wanted.map(({ seq }) => seq),
      name,
    )
    const ascending = await listControls(sql, owner(tenant), { ...query, limit: 500, order: 'asc' })
    t.same(
      ascending.rows.map(({ seq }) => seq),
      seqs.toReversed(),
      name + ', ascending',
    )
  }
})

test('an operator finds alerts of a sandbox whose clock is ahead by their moments', async (t) => {
  const { sql } = await openTestDatabase(t)
  const [tenant, other] = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'live')]
  const ahead = 400 * 24 * HOUR_MS
  await sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenant.tenantId}, ${ahead})`
  const ids: string[] = []
  for (const owned of [tenant, other]) {
    const { tenantId, environment } = owned
    const cardholderId = await seedCardholder(sql, owned)
    const id = newId('alert', SEEDED_AT_MS)
    ids.push(id)
    await sql`
      insert into sanctions_alerts (id, tenant_id, environment, cardholder_id, person, hits, list_version, created_at)
      values (${id}, ${tenantId}, ${environment}, ${cardholderId}, 'p', '[]', 'v',
        ${SEEDED_AT_MS + (environment === 'sandbox' ? ahead : 0)})`
  }
  const listed = async (query: object) =>
    (await listAllAlerts(sql, query)).rows.map(({ id }) => ids.indexOf(id)).sort()
  const [now, then] = [isoInstant(SEEDED_AT_MS), isoInstant(SEEDED_AT_MS + ahead)]
  t.same(await listed({ 'created[gte]': now }), [0, 1])
  t.same(await listed({ 'created[gte]': then }), [0])
  t.same(await listed({ 'created[lt]': then }), [1])
  t.same(await listed({ 'created[gte]': now, tenant_id: other.tenantId }), [1])
})

test('a page of a frequent type reads only spans that hold it, until it is full', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  await seedEvents(sql, tenant)
  const ports = { sql, clock: systemClock, log: silentLog, now: SEEDED_AT_MS }
  await runOnce(spansJob(EVENT_SPANS), ports)
  await sql`analyze events, created_spans`
  const rowsRead = async (query: object) => {
    const before = await readsByTable(sql, CONNECTIONS)
    await listEvents(sql, owner(tenant), query)
    const after = await readsByTable(sql, CONNECTIONS)
    return (after.get('events')?.rows ?? 0) - (before.get('events')?.rows ?? 0)
  }
  for (const order of ['asc', 'desc']) {
    const frequent = await rowsRead({ type: TYPES[0], order })
    t.ok(frequent <= 2000, 'no more than two spans, ' + order + ': ' + frequent)
    // It is in three of the seven spans.
    const rare = await rowsRead({ type: TYPES[1], order })
    t.ok(rare > 3000 && rare <= 3000 + (ROWS % 1000), 'rare, ' + order + ': ' + rare)
  }
})

test('rows that are gone leave a span that matches nothing', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  await seedEvents(sql, tenant)
  await sql`delete from events where seq <= 3500`
  const ports = { sql, clock: systemClock, log: silentLog, now: SEEDED_AT_MS }
  await runOnce(spansJob(EVENT_SPANS), ports)
  const until = isoInstant(SEEDED_AT_MS + 3600 * STEP_MS)
  const found = await listed(sql, tenant, { 'created[lte]': until })
  const rows = await sql`
    select seq from events where created_at < ${SEEDED_AT_MS + 3600 * STEP_MS + 1000}
    order by seq desc`
  t.same(
    found,
    rows.map(({ seq }) => seq),
  )
  t.ok(found.length > 100)
  await sql`delete from events`
  t.same(await listed(sql, tenant, { 'created[lte]': until }), [])
})

test('transactions and audit rows have spans of their own', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const { tenantId, environment } = tenant
  await sql`
    insert into created_spans values
      ('card_transactions', ${tenantId}, ${environment}, 1, 1000, 0, 10),
      ('audit_log', ${tenantId}, ${environment}, 1, 1000, 0, 10)`
  const query = { 'created[gte]': isoInstant(20_000) }
  t.same((await listTransactions(sql, owner(tenant), query)).rows, [])
  t.same((await listAuditRows(sql, owner(tenant), query)).rows, [])
  const ports = { sql, clock: systemClock, log: silentLog, now: SEEDED_AT_MS }
  for (const spans of [TRANSACTION_SPANS, AUDIT_SPANS])
    t.equal(await runOnce(spansJob(spans), ports), 0)
})
