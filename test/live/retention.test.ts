// Old events and deliveries are dropped by the day, while all processes go on working. Time is an
// argument.

import { type Test, test } from 'tap'
import { hasUncounted, meterJob } from '../../api/billing/metering/index.ts'
import { tx } from '../../api/database/transaction.ts'
import { retentionJob } from '../../api/webhooks/delivery/retention.ts'
import { listEvents } from '../../api/webhooks/events/store.ts'
import { systemClock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { addEndpoint, addTenant } from '../harness/dispatcher-process.ts'
import { runJob } from '../harness/jobs.ts'
import { openTestDatabase } from '../harness/postgres.ts'

const DAY_MS = 24 * 3_600_000
const KEPT_DAYS = 30
const MINUTE_MS = 60_000

type Sql = Awaited<ReturnType<typeof openTestDatabase>>['sql']

/** A database whose first day is day 0, a tenant with an endpoint, and a retention of its own. */
async function openKept(t: Test) {
  const { sql } = await openTestDatabase(t)
  const [row] = await sql<[{ first: number }]>`
    select day_start_ms(to_date(right(min(relname), 8), 'YYYYMMDD')) as first from pg_class
    where relname ~ '^events_[0-9]{8}$'`
  const tenantId = await addTenant(sql)
  const { id: endpointId } = await addEndpoint(sql, { tenantId, url: 'http://127.0.0.1:9/' })
  const said: string[] = []
  const write = (_details: unknown, sentence = String(_details)) => void said.push(sentence)
  const log = { debug: write, info: write, warn: write, error: write }
  const job = retentionJob(KEPT_DAYS * DAY_MS, hasUncounted)
  const at = (day: number): number => row.first + day * DAY_MS
  const run = (now: number): Promise<number> =>
    runJob(job, { sql, log: log as unknown as Logger, now })
  return {
    sql,
    tenantId,
    endpointId,
    said,
    at,
    run,
    /** Runs rounds until nothing is left to do. */
    async settle(now: number) {
      let done = 0
      for (let more = 1; more > 0; done += more) more = await run(now)
      return done
    },
    ...inDays({ sql, tenantId, endpointId, at }),
  }
}

interface InDays {
  sql: Sql
  tenantId: string
  endpointId: string
  at: (day: number) => number
}

/** Rows with ids of noon on a day. */
function inDays({ sql, tenantId, endpointId, at }: InDays) {
  const idAt = (prefix: string, day: number, n: number) =>
    sql`id_floor(${prefix}, ${at(day) + DAY_MS / 2}::bigint) || lpad(${n}::text, 16, '0')`
  return {
    async addEvent(day: number, seq: number): Promise<string> {
      const [row] = await sql<[{ id: string }]>`
        insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
        values (${idAt('evt', day, seq)}, ${tenantId}, 'sandbox', ${seq}, 'card.activated', '2026-11-20',
          'card_1', ${at(day)}, '{}')
        returning id`
      return row.id
    },
    async addEnded(day: number, n: number, eventId: string): Promise<string> {
      const [row] = await sql<[{ id: string }]>`
        insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause, lane,
          state, cycle, attempts, epoch, created_at, finished_at)
        values (${idAt('dlv', day, n)}, ${eventId}, ${endpointId}, ${tenantId}, 'sandbox', 'card.activated',
          'event', 0, 'succeeded', 1, 1, 1, 0, 0)
        returning id`
      await sql`
        insert into delivery_attempts (delivery_id, cycle, n, started_at, duration_ms)
        values (${row.id}, 1, 1, 0, 1)`
      return row.id
    },
    async addOpen(day: number, n: number, eventId: string, leased = false): Promise<string> {
      const [row] = await sql<[{ id: string }]>`
        insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, attempts, epoch,
          due_at, created_at, lease_token)
        values (${idAt('dlv', day, n)}, ${eventId}, ${endpointId}, ${tenantId}, 'sandbox', 'card.activated',
          2, 1, 0, 0, ${leased ? crypto.randomUUID() : null})
        returning id`
      return row.id
    },
  }
}

/** The days of a table, as numbers after its name. */
async function daysOf(sql: Sql, kept: string): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select right(relname, 8) as day from pg_class
    where relname ~ ('^' || ${kept} || '_[0-9]{8}$') and relkind = 'r' order by 1`
  return rows.map(({ day }) => day)
}

const dayName = (moment: number): string =>
  new Date(moment).toISOString().slice(0, 10).replaceAll('-', '')

test('days are created a week ahead, and existing ones are left alone', async (t) => {
  const { sql, at, run } = await openKept(t)
  t.equal(await run(at(0) + 1), 0, 'the migration made them')
  t.equal(await run(at(3)), 9, 'three more of each table')
  for (const kept of ['events', 'ended_deliveries', 'delivery_attempts']) {
    const expected = Array.from({ length: 11 }, (_, day) => dayName(at(day)))
    t.same(await daysOf(sql, kept), expected, kept)
  }
  t.equal(await run(at(3)), 0)
  t.equal(await run(at(4) + 30_000), 3)
  t.equal(await run(at(4) + 30_000), 0)
})

test('old days are dropped, and the list of events continues across the kept days', async (t) => {
  const { sql, at, settle, tenantId, addEvent, addEnded } = await openKept(t)
  for (let day = 0; day <= 32; day += 7) await settle(at(day))
  for (let day = 0; day <= 33; day++) await addEnded(day, day, await addEvent(day, day + 1))
  await settle(at(32))
  t.equal((await daysOf(sql, 'events'))[0], dayName(at(2)), 'younger than thirty days stays')
  t.equal((await daysOf(sql, 'ended_deliveries'))[0], dayName(at(1)), 'deliveries a day longer')
  t.equal((await daysOf(sql, 'delivery_attempts'))[0], dayName(at(1)))
  t.equal((await sql`select from events`).length, 32)
  t.equal((await sql`select from ended_deliveries`).length, 33)
  t.equal((await sql`select from delivery_attempts`).length, 33)

  const seen: number[] = []
  const owner = { tenantId, environment: 'sandbox', clockOffsetMs: 0 } as const
  for (let after: string | null = ''; after !== null; ) {
    const from: { starting_after?: string } = after === '' ? {} : { starting_after: after }
    const page = await listEvents(sql, owner, { limit: 5, ...from })
    seen.push(...page.rows.map(({ seq }) => seq))
    after = page.nextCursor
  }
  const expected = Array.from({ length: 32 }, (_, index) => 34 - index)
  t.same(seen, expected)
})

test('an open delivery of a dropped event expires; a leased one ends first', async (t) => {
  const { sql, at, settle, addEvent, addOpen, endpointId } = await openKept(t)
  await settle(at(7))
  const [old, young] = [await addEvent(0, 1), await addEvent(1, 2)]
  await sql`update webhook_endpoints set status = 'disabled' where id = ${endpointId}`
  const held = await addOpen(3, 1, old)
  const leased = await addOpen(3, 2, old, true)
  const stays = await addOpen(3, 3, young)
  await settle(at(31))
  const states = () => sql`
    select id, state, last_error, finished_at from deliveries order by id`
  t.same(
    [...(await states())],
    [
      { id: held, state: 'failed', last_error: 'expired', finished_at: at(31) },
      { id: leased, state: 'held', last_error: null, finished_at: null },
      { id: stays, state: 'held', last_error: null, finished_at: null },
    ],
  )
  t.equal((await sql`select from events where id = ${old}`).length, 1, 'the day waits for it')

  await sql`update open_deliveries set lease_token = null where id = ${leased}`
  await settle(at(31) + MINUTE_MS)
  t.match((await states())[1], { id: leased, state: 'failed', last_error: 'expired' })
  t.equal((await sql`select from events where id = ${old}`).length, 0)
  t.equal((await sql`select from events where id = ${young}`).length, 1)
})

test('a lease without its event ends too, and so does an old test', async (t) => {
  const { sql, at, settle, addEvent, addOpen } = await openKept(t)
  const old = await addEvent(0, 1)
  await addOpen(0, 1, old, true)
  const trial = await addOpen(0, 2, 'test')
  await sql`update open_deliveries set cause = 'test', body = '{}' where id = ${trial}`
  await sql`delete from events`
  await settle(at(31))
  t.equal((await sql`select from open_deliveries`).length, 0)
  t.equal((await daysOf(sql, 'events'))[0], dayName(at(1)))
})

test('a day stays while one of its events has no fan-out, and that is reported', async (t) => {
  const { sql, at, settle, said, tenantId, addEvent } = await openKept(t)
  const event = await addEvent(0, 1)
  await sql`
    insert into event_outbox (event_id, tenant_id, environment, seq)
    values (${event}, ${tenantId}, 'sandbox', 1)`
  await settle(at(31))
  t.equal((await sql`select from events`).length, 1)
  t.ok(said.includes('a day stays: events of it are not fanned out'))
  await sql`delete from event_outbox`
  await settle(at(31) + MINUTE_MS)
  t.equal((await sql`select from events`).length, 0)
})

test('a day stays while one of its events is not counted, and that is reported', async (t) => {
  const { sql, at, settle, said, tenantId, addEvent } = await openKept(t)
  await addEvent(0, 1)
  await addEvent(1, 2)
  await sql`
    insert into tenant_sequences (tenant_id, environment, event_seq)
    values (${tenantId}, 'sandbox', 2)
    on conflict (tenant_id, environment) do update set event_seq = 2`
  await settle(at(31))
  t.equal((await sql`select from events`).length, 2)
  t.ok(said.includes('a day stays: events of it are not counted'))
  await sql`
    insert into billing_cursors (tenant_id, environment, seq) values (${tenantId}, 'sandbox', 1)`
  await settle(at(32) + MINUTE_MS)
  t.equal((await sql`select from events`).length, 1, 'the second day is not counted yet')
  await runJob(meterJob, { sql, now: at(32) })
  await settle(at(32) + 2 * MINUTE_MS)
  t.equal((await sql`select from events`).length, 0)
})

test('a table that is being read is tried again later, and delays no query', async (t) => {
  const { sql, at, settle, said, addEvent } = await openKept(t)
  await addEvent(0, 1)
  await settle(at(30))
  let startedNs = 0
  await tx(sql, async (reader) => {
    await reader`select count(*) from events`
    startedNs = systemClock.monotonicNs()
    await settle(at(31))
    const waitedMs = (systemClock.monotonicNs() - startedNs) / 1e6
    t.ok(waitedMs >= 200, 'it did wait: ' + waitedMs)
  })
  t.equal((await sql`select from events`).length, 1)
  t.ok(said.some((line) => line.endsWith('is dropped later: somebody is at work there')))
  await settle(at(31) + MINUTE_MS)
  t.equal((await sql`select from events`).length, 0)

  await tx(sql, async (reader) => {
    await reader`select count(*) from delivery_attempts_other`
    await settle(at(32))
    t.ok(said.includes('a day is made later: somebody is at work there'))
    t.equal((await daysOf(sql, 'delivery_attempts')).at(-1), dayName(at(38)))
  })
  await settle(at(32) + MINUTE_MS)
  t.equal((await daysOf(sql, 'delivery_attempts')).at(-1), dayName(at(39)))
})

test('concurrent runs do the same work once', async (t) => {
  const { sql, at, settle, run, addEvent } = await openKept(t)
  await addEvent(0, 1)
  await settle(at(25))
  const done = await Promise.all([run(at(31)), run(at(31)), run(at(31))])
  const sum = done.reduce((all, count) => all + count, 0)
  t.ok(sum >= 3 * 6 + 1, 'six days of three tables are made, one is dropped: ' + sum)
  await settle(at(31) + MINUTE_MS)
  t.equal((await daysOf(sql, 'events'))[0], dayName(at(1)))
  t.equal((await daysOf(sql, 'events')).at(-1), dayName(at(38)))
})

test('an id of a far day is stored, listed, and moves into its day when that is created', async (t) => {
  const { sql, at, settle, tenantId, addEvent } = await openKept(t)
  const far = await addEvent(400, 1)
  const within = async (): Promise<string> => {
    const [row] = await sql<{ part: string }[]>`
      select tableoid::regclass::text as part from events where id = ${far}`
    return row?.part ?? 'gone'
  }
  await settle(at(31))
  t.equal(await within(), 'events_other')
  const owner = { tenantId, environment: 'sandbox', clockOffsetMs: 0 } as const
  t.same((await listEvents(sql, owner, {})).rows[0]?.id, far)
  await settle(at(395))
  t.equal(await within(), 'events_' + dayName(at(400)))
  await settle(at(431))
  t.equal(await within(), 'gone')
})

test('old rows outside days are deleted too: hours, absences, recoveries', async (t) => {
  const { sql, at, settle, tenantId, endpointId, addEvent, addEnded, addOpen } = await openKept(t)
  await settle(at(31))
  const [old, named, open] = [await addEvent(0, 1), await addEvent(0, 2), await addEvent(0, 3)]
  await addEnded(0, 1, old)
  await addEnded(1, 2, old)
  await addOpen(20, 3, open, true)
  await sql`
    insert into event_outbox (event_id, tenant_id, environment, seq)
    values (${named}, ${tenantId}, 'sandbox', 2)`
  const hours = [at(0), at(2) - 3_600_000, at(2), at(20)]
  await sql`
    insert into endpoint_hours (endpoint_id, hour)
    select ${endpointId}, hour from unnest(${hours}::bigint[]) hour`
  const spans: [number, number | null][] = [
    [at(0) - 5, at(2) - 1],
    [at(0) - 4, at(2)],
    [at(0) - 3, null],
  ]
  for (const [from, until] of spans) {
    await sql`
      insert into endpoint_absences (endpoint_id, from_seq, from_at, until_at, reason)
      values (${endpointId}, 1, ${from}, ${until}, 'retry_exhausted')`
    await sql`
      insert into recoveries (id, endpoint_id, tenant_id, environment, which, status, since_at, until_at, cursor_seq,
        until_seq, created_at, finished_at)
      values (${'rec_' + from}, ${endpointId}, ${tenantId}, 'sandbox', 'all',
        ${until === null ? 'running' : 'completed'}, 0, 0, 0, 0, ${from}, ${until})`
  }
  await settle(at(32))
  t.same(
    (await sql`select id from events order by id`).map(({ id }) => id),
    [named, open],
    'only what nobody waits for',
  )
  t.equal((await sql`select from ended_deliveries`).length, 1)
  t.same(
    (await sql`select hour from endpoint_hours order by hour`).map(({ hour }) => hour),
    [at(2), at(20)],
  )
  t.same(
    (await sql`select until_at from endpoint_absences order by from_at`).map(
      (row) => row['until_at'],
    ),
    [at(2), null],
  )
  t.equal((await sql`select from recoveries`).length, 2)
})
