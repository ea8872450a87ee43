// A dispatcher whose clock is wrong decides nothing by it. The database is real, and so is its
// clock.

import { writeFileSync } from 'node:fs'
import { type Test, test } from 'tap'
import { hasUncounted, meterJob } from '../../api/billing/metering/index.ts'
import { ClockWatch } from '../../api/database/clock-watch.ts'
import type { Job } from '../../api/jobs/job.ts'
import { JobRunner } from '../../api/jobs/run-jobs.ts'
import type { ClaimedDelivery } from '../../api/webhooks/delivery/delivery.ts'
import { Dispatch } from '../../api/webhooks/delivery/dispatch.ts'
import { retentionJob } from '../../api/webhooks/delivery/retention.ts'
import { type Clock, sleep, systemClock } from '../../shared/clock.ts'
import { clockAnchorPath, clockAnchorText } from '../../shared/clock-anchor.ts'
import type { Logger } from '../../shared/log.ts'
import { addEndpoint, addTenant, recordEvents } from '../harness/dispatcher-process.ts'
import { runJob } from '../harness/jobs.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
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

/** A watch with a clock set by hand. */
function openWatch() {
  const { said, log } = openLog()
  let nowMs = 0
  let monotonicMs = 0
  const clock = { ...systemClock, nowMs: () => nowMs, monotonicNs: () => monotonicMs * 1e6 }
  const machine = { bootId: 'boot', uptimeMs: () => monotonicMs }
  const watch = new ClockWatch({ clock, log, machine })
  const pass = (ms: number): void => {
    nowMs += ms
    monotonicMs += ms
  }
  const set = (ms: number): void => {
    nowMs += ms
  }
  return {
    watch,
    said,
    pass,
    set,
    /**
     * True if both agree after the database answered `theirs`; `meanwhile` runs before the answer.
     */
    async compare(theirs: number, meanwhile: () => void = () => {}): Promise<boolean> {
      await watch.compare(async () => {
        meanwhile()
        return theirs
      })
      return watch.agrees
    },
  }
}

test('clocks agree within a minute, however long the comparison took', async (t) => {
  const { said, compare, pass } = openWatch()
  t.equal(await compare(5, () => pass(2 * HOUR_MS)), true, 'it was slow')
  t.equal(await compare(2 * HOUR_MS - 60_000), true)
  t.equal(await compare(2 * HOUR_MS - 60_001), false, 'ours is ahead')
  t.equal(await compare(2 * HOUR_MS - 60_001, () => pass(HOUR_MS)), false)
  t.equal(await compare(3 * HOUR_MS), true)
  t.equal(await compare(4 * HOUR_MS, () => pass(1000)), false, 'ours is behind')
  t.strictSame(
    said.map(({ level, apart }) => [level, apart]),
    [
      ['error', 60_001],
      ['info', undefined],
      ['error', 1000 - HOUR_MS],
    ],
    'it is said once each time',
  )
})

test('a clock that was set is not trusted until the next comparison', async (t) => {
  const { watch, compare, pass, set } = openWatch()
  t.equal(await compare(0), true)
  pass(HOUR_MS)
  t.equal(watch.agrees, true, 'time passed for both')
  set(60_000)
  t.equal(watch.agrees, true)
  set(1)
  t.equal(watch.agrees, false, 'at once')
  t.match(watch.reason, /not confirmed: it was set, and not compared since/)
  t.equal(await compare(HOUR_MS + 60_001), false, 'a database that leapt along confirms nothing')
  t.match(watch.reason, /the running time of the machine says 1970-01-01T01:00:00.000Z \(\+60 s\)/)
  set(-60_001)
  t.equal(await compare(HOUR_MS), true, 'it was put right')
  t.equal(watch.reason, null)
  t.equal(await compare(HOUR_MS, () => set(400 * DAY_MS)), false)
  t.equal(await compare(HOUR_MS), false)
  set(-400 * DAY_MS)
  t.equal(watch.agrees, false)
  t.equal(await compare(HOUR_MS - 60_001), false, 'a minute and a bit')
  t.equal(await compare(HOUR_MS), true)
})

test('a corrected clock is trusted if the database’s clock ran evenly', async (t) => {
  const { compare, set } = openWatch()
  set(50_000)
  t.equal(await compare(0), true)
  set(-60_001)
  t.equal(await compare(0), true)
})

test('processes of the machine trust the engine’s anchor, which an operator can renew', async (t) => {
  const dataDir = t.testdir({})
  const anchorPath = clockAnchorPath(dataDir)
  const { log } = openLog()
  const clock = { ...systemClock, nowMs: () => HOUR_MS, monotonicNs: () => 0 }
  const machine = { bootId: 'boot', uptimeMs: () => 5000 }
  const accepted = { acceptedMs: 0, acceptedDatabaseMs: null }
  const kept = { bootId: 'boot', uptimeMs: 0, nowMs: 0, databaseMs: 0, ...accepted }
  const watch = new ClockWatch({ clock, log, machine, dataDir })
  const compare = async (): Promise<boolean> => {
    await watch.compare(async () => HOUR_MS)
    return watch.agrees
  }
  t.match(watch.reason, /not confirmed: it was not compared yet/, 'nothing goes by it before')
  writeFileSync(anchorPath, clockAnchorText(kept))
  t.equal(await compare(), false, 'a start after a leap that the database made as well')
  writeFileSync(anchorPath, clockAnchorText({ ...kept, uptimeMs: 4000, nowMs: HOUR_MS }))
  t.equal(await compare(), true)
})

test('an operator’s word about the database’s clock is obeyed while that clock runs evenly', async (t) => {
  const dataDir = t.testdir({})
  const anchorPath = clockAnchorPath(dataDir)
  const { log } = openLog()
  let nowMs = 2 * HOUR_MS
  let aheadMs = 0
  const clock = { ...systemClock, nowMs: () => nowMs + aheadMs, monotonicNs: () => nowMs * 1e6 }
  const machine = { bootId: 'boot', uptimeMs: () => nowMs }
  const watch = new ClockWatch({ clock, log, machine, dataDir })
  const compare = async (behindMs: number): Promise<boolean> => {
    nowMs += 1000
    await watch.compare(async () => nowMs - behindMs)
    return watch.agrees
  }
  t.equal(await compare(HOUR_MS), false, 'the database is an hour behind')
  const kept = { bootId: 'boot', uptimeMs: nowMs, nowMs, databaseMs: null, acceptedMs: 0 }
  writeFileSync(anchorPath, clockAnchorText({ ...kept, acceptedDatabaseMs: null }))
  t.equal(await compare(HOUR_MS), false, 'the running time of the machine alone is not enough')
  writeFileSync(anchorPath, clockAnchorText({ ...kept, acceptedDatabaseMs: nowMs - HOUR_MS }))
  t.equal(await compare(HOUR_MS), true)
  writeFileSync(anchorPath, '')
  t.equal(await compare(HOUR_MS), true, 'this process remembers the word')
  t.equal(await compare(HOUR_MS + 120_000), false, 'the word was about another difference')
  t.equal(await compare(HOUR_MS), true)
  aheadMs = HOUR_MS
  t.equal(watch.agrees, false)
  t.equal(await compare(HOUR_MS), false, 'and not about a system clock that steps')
  aheadMs = 0
  t.equal(await compare(0), true, 'a database that is put right needs no word')
})

/** A dispatcher whose clock is `wrong()` milliseconds ahead, and its deliveries. */
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

test('no delivery is sent, expired or dropped while the clocks differ, and all are when they agree', async (t) => {
  let wrong = 400 * DAY_MS
  const world = await openWrong(t, () => wrong)
  const { sql, tenantId, sent, said, clock, watch, log, stopped } = world
  await recordEvents(sql, { tenantId, count: 2 })
  let runs = 0
  const bounds = { every: 1000, lease: 1000, batch: 1 }
  const job: Job = { name: 'counted', ...bounds, run: async () => ++runs && 0 }
  const jobs = new JobRunner(clock).run([job], { sql, clock, watch, log }, stopped.signal)
  await sleep(LOOPS_MS)
  t.equal(sent.length + runs, 0)
  t.equal((await sql`select from event_outbox`).length, 2)
  t.match(said, [{ level: 'error', sentence: 'the clocks disagree, jobs wait' }])
  wrong = 0
  await until(() => sent.length === 2 && runs > 0)
  await until(async () => (await sql`select from ended_deliveries`).length === 2)
  stopped.abort()
  await jobs
})

test('a clock that jumps ahead drops and expires nothing, and is detected before a comparison', async (t) => {
  let wrong = 0
  const { sql, tenantId, clock, watch, log, stopped } = await openWrong(t, () => wrong)
  const seen = async (): Promise<unknown> => {
    const days = await sql`
      select relname from pg_class where relname ~ '^(events|ended_deliveries|delivery_attempts)_[0-9]{8}$'
      order by relname`
    const [rows] = await sql`select (select count(*) from events) as events`
    return { days: days.map(({ relname }) => relname), ...rows }
  }
  const world = { sql, clock, watch, log }
  const retention = retentionJob(30 * DAY_MS, hasUncounted)
  /** Runs rounds of the real job, from the moment the clock was set. */
  const rounds = async (ms: number): Promise<void> => {
    wrong = ms
    const over = new AbortController()
    const signal = AbortSignal.any([stopped.signal, over.signal])
    const ran = new JobRunner(clock).run([retention], world, signal)
    await sleep(LOOPS_MS)
    over.abort()
    await ran
  }
  await rounds(0)
  await recordEvents(sql, { tenantId, count: 3 })
  await until(async () => (await sql`select from event_outbox`).length === 0)
  const before = await seen()
  await rounds(400 * DAY_MS)
  t.strictSame(await seen(), before, 'far ahead')
  await rounds(-400 * DAY_MS)
  t.strictSame(await seen(), before, 'far behind')

  // The same clock without a watch drops the events, once they are counted.
  await runJob(meterJob, { ...world, now: clock.nowMs() })
  wrong = 400 * DAY_MS
  while ((await runJob(retention, { ...world, now: clock.nowMs() })) > 0);
  t.match(await seen(), { events: 0 })
})

test('a delivery whose event is gone expires at its claim without being sent', async (t) => {
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
