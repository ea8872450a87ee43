// A PostgreSQL of this test alone, stopped by signal and not ended: its connections stay open and
// silent.
import { test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { systemClock } from '../../shared/clock.ts'
import { type Answer, send } from '../harness/api.ts'
import { seedTransaction } from '../harness/drained.ts'
import { openOnOwnPostgres } from '../harness/own-postgres.ts'
import { openStream, total } from '../harness/stream.ts'
import { SEEDED_AT_MS, seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

/** Below the twenty seconds of a connection timeout, far above the expected two and a half. */
const REFUSED_MS_MAX = 15_000

type CallAs = (method: string, path: string, body?: object, key?: string) => Promise<Answer>

interface Rig {
  url: string
  sql: Sql
  tenant: TestTenant
  call: CallAs
  stop(): void
  resume(): void
}

/** One database for the file, with a fresh tenant for each test. */
async function open(): Promise<Rig> {
  const { url, sql, pause, resume } = await openOnOwnPostgres()
  const tenant = await seedTenant(sql, 'sandbox')
  const call: CallAs = (method, path, body, key) =>
    send(url + path, method, {
      key: tenant.keys.write,
      ...(body !== undefined && { body }),
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  return { url, sql, tenant, call, stop: pause, resume }
}

/** Number of controls the tenant made beside those it began with. */
async function madeControls({ sql, tenant }: Rig): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from spending_controls where tenant_id = ${tenant.tenantId} and created_at > ${SEEDED_AT_MS}`
  return row?.count ?? 0
}

async function timed(call: Promise<Answer>): Promise<Answer & { ms: number }> {
  const began = systemClock.nowMs()
  const answer = await call
  return { ...answer, ms: systemClock.nowMs() - began }
}

const AWAY = { status: 503, body: { error: { code: 'dependency_unavailable' } } }
const REPEATABLE = /Repeating the call is safe/
const IN_DOUBT = /not known whether the change was made.*Idempotency-Key/

test('the api waits for a statement that is slow because of a lock', async (t) => {
  const { sql, tenant, call } = await open()
  const holder = await sql.reserve()
  await holder`begin`
  await holder`lock table spending_controls`
  const made = timed(
    call('POST', '/v1/spending_controls', { scope: 'card', subject_id: tenant.cardId }),
  )
  await holder`select pg_sleep(3.5)`
  await holder`commit`
  holder.release()
  const answer = await made
  t.equal(answer.status, 201, answer.text)
  t.ok(answer.ms >= 3000, answer.ms + ' ms')
})

test('a hanging PostgreSQL is reported to callers within seconds and leaves nothing half done', async (t) => {
  const rig = await open()
  const { tenant, call, stop, resume } = rig
  const control = { scope: 'card', subject_id: tenant.cardId }
  t.equal((await call('GET', '/v1/cards')).status, 200)
  t.equal((await call('POST', '/v1/spending_controls', control)).status, 201)
  stop()
  const answers = await Promise.all([
    timed(call('GET', '/v1/cards')),
    timed(call('GET', '/v1/cards/' + tenant.cardId)),
    timed(call('POST', '/v1/spending_controls', control)),
    timed(call('POST', '/v1/spending_controls', control, 'k-hung')),
  ])
  for (const answer of answers) {
    t.match(answer, AWAY)
    t.match(answer.body.error.message, REPEATABLE, 'nothing was committed, and nothing will be')
    t.ok(answer.ms < REFUSED_MS_MAX, answer.ms + ' ms')
  }
  resume()
  await until(async () => (await call('GET', '/v1/cards')).status === 200)
  const repeated = await call('POST', '/v1/spending_controls', control, 'k-hung')
  t.equal(repeated.status, 201)
  t.equal(repeated.headers.get('idempotent-replayed'), null)
  t.equal(await madeControls(rig), 2, 'the calls that were refused made nothing, also later')
})

test('a write whose commit was under way is not called repeatable; its key returns the result', async (t) => {
  const rig = await open()
  const { sql, tenant, call, stop, resume } = rig
  const control = { scope: 'card', subject_id: tenant.cardId }
  // Its COMMIT waits for the lock that the test holds.
  await sql.unsafe(`
    create function wait_at_commit() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(42); return null; end';
    create constraint trigger waits after insert on spending_controls
      deferrable initially deferred for each row execute function wait_at_commit()`)
  const holder = await sql.reserve()
  await holder`select pg_advisory_lock(42)`
  const made = timed(call('POST', '/v1/spending_controls', control, 'k-doubt'))
  await until(async () => {
    const waiting = await sql`select 1 from pg_stat_activity where wait_event = 'advisory'`
    return waiting.length === 1
  })
  stop()
  const answer = await made
  t.match(answer, AWAY)
  t.match(answer.body.error.message, IN_DOUBT)
  t.ok(answer.ms < REFUSED_MS_MAX, answer.ms + ' ms')
  resume()
  await holder`select pg_advisory_unlock(42)`
  holder.release()
  const repeated = await call('POST', '/v1/spending_controls', control, 'k-doubt')
  t.equal(repeated.status, 201)
  t.equal(repeated.headers.get('idempotent-replayed'), 'true')
  t.equal(await madeControls(rig), 1)
})

test('a stream goes on without loss after PostgreSQL hung, and after its connections were cut', async (t) => {
  const { url, sql, tenant, stop, resume } = await open()
  const stream = await openStream(url + '/v1/card_transactions/stream', tenant.keys.read)
  const states = () =>
    stream.told.flatMap(({ event, data }) => (event === 'state' ? data.state : []))
  await seedTransaction(sql, tenant, { amountCents: 100 })
  await until(() => total(stream) === 1)
  stop()
  await until(() => states().at(-1) === 'waiting')
  resume()
  await seedTransaction(sql, tenant, { amountCents: 200 })
  await until(() => total(stream) === 2)
  t.equal(states().at(-1), 'going_on')
  for (let round = 3; round <= 12; round++) {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await seedTransaction(sql, tenant, { amountCents: 100 * round })
    await until(() => total(stream) === round)
  }
  t.equal(stream.ended, false)
  stream.close()
})
