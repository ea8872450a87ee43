// A dispatcher whose clock is wrong: it decides nothing by it. The database is real, and so is its clock.
import { type Test, test } from 'tap'
import { ClockWatch } from '../../api/delivery/clock-watch.ts'
import type { ClaimedDelivery } from '../../api/delivery/delivery.ts'
import { Dispatch } from '../../api/delivery/dispatch.ts'
import { runTimers } from '../../api/timers.ts'
import { type Clock, sleep, systemClock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { addEndpoint, addTenant, recordEvents } from '../harness/dispatcher-process.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
/** Longer than any pause of a loop that has work. */
const LOOPS_MS = 300

function openLog() {
  const said: { level: string; apart?: number; sentence: string }[] = []
  const at =
    (level: string) =>
    (details: { apart_ms?: number }, sentence = String(details)) =>
      void said.push({ level, sentence, ...(details.apart_ms && { apart: details.apart_ms }) })
  const log = {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isLevelEnabled: () => false,
  }
  return { said, log: log as unknown as Logger }
}

test('clocks agree within a minute, and however long the question took', (t) => {
  const { said, log } = openLog()
  const watch = new ClockWatch(log)
  const compare = (asked: number, theirs: number, answered: number): boolean => {
    watch.compare({ asked, theirs, answered })
    return watch.agrees
  }
  t.equal(compare(HOUR_MS, HOUR_MS - 60_000, HOUR_MS), true)
  t.equal(compare(0, 5, 2 * HOUR_MS), true, 'it was slow')
  t.equal(compare(HOUR_MS, HOUR_MS - 60_001, 2 * HOUR_MS), false, 'ours is ahead')
  t.equal(compare(HOUR_MS, HOUR_MS - 60_001, 2 * HOUR_MS), false)
  t.equal(compare(HOUR_MS, HOUR_MS, HOUR_MS), true)
  t.equal(compare(0, HOUR_MS, 1000), false, 'ours is behind')
  t.strictSame(
    said.map(({ level, apart }) => [level, apart]),
    [
      ['error', 60_001],
      ['info', undefined],
      ['error', 1000 - HOUR_MS],
    ],
    'it is said once each time',
  )
  t.end()
})

/** A dispatcher whose clock is `wrong()` milliseconds ahead, and what it sends. */
async function openWrong(t: Test, wrong: () => number) {
  const { sql } = await openTestDatabase(t)
  const { said, log } = openLog()
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + wrong() }
  const sent: ClaimedDelivery[] = []
  const dispatch = new Dispatch({
    sql,
    send: async (delivery) => {
      sent.push(delivery)
      const startedAt = clock.nowMs()
      const answered = { status: 200, errorClass: null, retryAfterMs: null, body: '' }
      return { ...answered, startedAt, durationMs: 1, connectedMs: null, answeredMs: 1 }
    },
    unseal: () => ({ ok: true, value: Buffer.from('whsec_x') }),
    schedule: { delaysMs: [0, HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS], random: () => 0 },
    clock,
    log,
    owner: 'dsp_wrong',
  })
  const stopped = new AbortController()
  t.teardown(async () => {
    stopped.abort()
    await dispatch.stop(1000)
  })
  await dispatch.start()
  const tenantId = await addTenant(sql)
  const { id: endpointId } = await addEndpoint(sql, { tenantId, url: 'http://127.0.0.1:9/' })
  return { sql, tenantId, endpointId, sent, said, clock, watch: dispatch.watch, log, stopped }
}

test('nothing is sent, expired or dropped while the clocks differ, and everything when they agree', async (t) => {
  let wrong = 400 * 24 * HOUR_MS
  const world = await openWrong(t, () => wrong)
  const { sql, tenantId, sent, said, clock, watch, log, stopped } = world
  await recordEvents(sql, { tenantId, count: 2 })
  let runs = 0
  const timer = { name: 'counted', run: async () => ++runs && 0 }
  const timers = runTimers({ sql, clock, watch, log, unseal: () => never() }, stopped.signal, [
    timer,
  ])
  await sleep(LOOPS_MS)
  t.equal(sent.length + runs, 0)
  t.equal((await sql`select from event_outbox`).length, 2)
  t.match(said, [{ level: 'error', sentence: 'our clock and the database’s differ, waiting' }])
  wrong = 0
  await until(() => sent.length === 2 && runs > 0)
  await until(async () => (await sql`select from ended_deliveries`).length === 2)
  stopped.abort()
  await timers
})

test('a delivery whose event is gone ends as expired when it is claimed, and nothing is sent', async (t) => {
  const { sql, tenantId, endpointId, sent } = await openWrong(t, () => 0)
  await sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, attempts, epoch, due_at,
      created_at)
    values ('dlv_gone', 'evt_gone', ${endpointId}, ${tenantId}, 'sandbox', 'card.activated', 2, 1, 0, 0)`
  await until(async () => (await sql`select from open_deliveries`).length === 0)
  const [ended] = await sql`
    select state, attempts, last_error from ended_deliveries where id = 'dlv_gone'`
  t.strictSame({ ...ended }, { state: 'failed', attempts: 2, last_error: 'expired' })
  t.equal(sent.length, 0)
  t.equal((await sql`select from delivery_attempts`).length, 0)
})

function never(): never {
  throw new Error('nothing is unsealed')
}
