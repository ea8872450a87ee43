// A template change on its way to the passes issued from it.

import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { recordInstalled, templateFollower } from '../../../api/passes/passes/index.ts'
import { paceQuota } from '../../../api/webhooks/delivery/pace.ts'
import { type Answer, PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { caller, done, eventsOf, issuePass, makeTemplate } from '../../harness/passes.ts'

type Body = Answer['body']

/** Interval of the dispatcher's job. */
const STEP_MS = 100
/** Passes updated by one part of a change. */
const PART = 9

/** Runs that job once. */
async function follow(api: TestApi, laterMs = STEP_MS): Promise<number> {
  api.clock.nowMs += laterMs
  const { sql, clock } = api
  return runJob(templateFollower(PUBLIC_URL), { sql, now: clock.nowMs })
}

async function followToEnd(api: TestApi, id: string): Promise<void> {
  while ((await fanoutOf(api, id)).state === 'running') await follow(api)
}

async function fanoutOf(api: TestApi, id: string): Promise<Body> {
  return done(await caller(api).get('pass_templates/' + id)).fanout
}

/** On a busy machine a write may wait longer for a connection than a call may. */
async function untilTaken(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call()
    if (answer.status !== 503) return answer
  }
}

/** Issues `count` passes of a fresh template; returns the ids of both. */
async function issueMany(api: TestApi, count: number): Promise<{ id: string; passes: string[] }> {
  const { id } = await makeTemplate(api)
  const passes: string[] = []
  for (let left = count; left > 0; left -= 100) {
    const wanted = Array(Math.min(left, 100)).fill({ template_id: id })
    const batch = done(await caller(api).post('passes/batch', { passes: wanted }))
    passes.push(...batch.data.map(({ pass }: Body) => pass.id))
  }
  return { id, passes }
}

/**
 * Number of pass.updated events of each pass of a template, by version: `version 2 × 1` with the
 * number of passes.
 */
async function updates(api: TestApi, templateId: string): Promise<{ [told: string]: number }> {
  const rows = await api.sql<{ told: string; passes: number }[]>`
    select 'version ' || version || ' × ' || times as told, count(*)::int as passes from (
      select resource_id, convert_from(body, 'UTF8')::jsonb -> 'data' -> 'pass' ->> 'template_version' as version,
        count(*) as times
      from events
      where type = 'pass.updated' and convert_from(body, 'UTF8')::jsonb -> 'data' -> 'pass' ->> 'template_id' = ${templateId}
      group by 1, 2
    ) each
    group by 1 order by 1`
  return Object.fromEntries(rows.map(({ told, passes }) => [told, passes]))
}

test('a template change reaches every pass that is not revoked, and its progress is shown', async (t) => {
  const api = await startIssuingApi()
  const { get, post, patch } = caller(api)
  const { id, passes } = await issueMany(api, 50)
  const stranger = await issuePass(api)
  const [first = '', second = ''] = passes
  done(await post('passes/' + second + '/revoke'))
  const phone = { passId: first, platform: 'apple', deviceId: 'phone', pushToken: 'push' } as const
  await tx(api.sql, (sql) =>
    recordInstalled(sql, { ...phone, now: api.clock.nowMs, publicUrl: PUBLIC_URL }),
  )
  const before = done(await get('passes/' + first))

  const changed = done(await patch('pass_templates/' + id, { logo_text: 'Gold' }))
  t.match(changed.fanout, { version: 2, total: 49, done: 0, state: 'running' })
  const late = await issuePass(api, { template_id: id })
  t.equal(late.template_version, 2)
  await followToEnd(api, id)
  t.same(await fanoutOf(api, id), { version: 2, total: 49, done: 49, state: 'completed' })
  t.same(await updates(api, id), { 'version 2 × 1': 49 })
  const after = done(await get('passes/' + first))
  const [event] = await eventsOf(api, first, 'pass.updated')
  t.same(event?.data, { pass: after })
  t.match(event?.previous_attributes, { template_version: 1, version: before.version })
  t.equal(
    done(await get('passes/' + second)).template_version,
    1,
    'what is revoked stays as it was',
  )
  t.equal(done(await get('passes/' + late.id)).version, 1)
  t.equal(done(await get('passes/' + stranger.id)).version, 1)
  const line = await api.sql`
    select pass_id as id, platform, version from pass_pushes where pass_id = any (${passes}::text[])`
  t.same([...line], [{ id: first, platform: 'apple', version: after.version }])
  const [lanes] = await api.sql`
    select array_agg(distinct o.lane) as lanes from event_outbox o join events e on e.id = o.event_id
    where e.type = 'pass.updated' and e.tenant_id = ${api.tenant.tenantId}`
  t.same(lanes?.['lanes'], [1], 'they leave behind what somebody waits for')
  t.equal(await follow(api), 0)
})

test('a change proceeds evenly at the rate of bulk events, without catching up', async (t) => {
  const api = await startIssuingApi()
  const { id } = await issueMany(api, 200)
  done(await caller(api).patch('pass_templates/' + id, { logo_text: 'Gold' }))
  t.equal(await follow(api, 60_000), 2, 'one step late, whatever it missed')
  t.equal(await follow(api, 0), 0)
  for (let step = 0; step < 10; step++) t.equal(await follow(api), 1)
  t.match(await fanoutOf(api, id), { state: 'running', done: 12 * PART, total: 200 })
  const perSecond = (PART * 1000) / STEP_MS
  const now = api.clock.nowMs
  const moments = Array.from(
    { length: perSecond },
    (_, at) => now - Math.floor(at / PART) * STEP_MS,
  )
  t.same(paceQuota(moments.toReversed(), now, 0), { all: 10, bulk: 0 }, 'bulk events are as many')
  t.equal(paceQuota(moments.toReversed(), now + STEP_MS, 0).bulk, PART)
  await followToEnd(api, id)
  t.same(await updates(api, id), { 'version 2 × 1': 200 })
})

test('a step serves a few of many changing templates, each in its turn', async (t) => {
  const api = await startIssuingApi()
  const ids: string[] = []
  for (let template = 0; template < 7; template++) ids.push((await issueMany(api, 40)).id)
  for (const id of ids) done(await caller(api).patch('pass_templates/' + id, { logo_text: 'Gold' }))
  t.equal(await follow(api), 5)
  t.equal(await follow(api), 5)
  const reached = await Promise.all(ids.map(async (id) => (await fanoutOf(api, id)).done / PART))
  t.same(reached.toSorted(), [1, 1, 1, 1, 2, 2, 2])
  for (const id of ids) await followToEnd(api, id)
  for (const id of ids) t.same(await updates(api, id), { 'version 2 × 1': 40 })
})

test('a later change supersedes a running one: no pass gets a version twice', async (t) => {
  const api = await startIssuingApi()
  const { patch } = caller(api)
  const { id } = await issueMany(api, 100)
  done(await patch('pass_templates/' + id, { logo_text: 'Gold' }))
  await follow(api)
  const { done: reached } = await fanoutOf(api, id)
  t.ok(reached > 0 && reached < 100)
  const changed = done(await patch('pass_templates/' + id, { logo_text: 'Platinum' }))
  t.match(changed.fanout, { version: 3, total: 100, done: 0, state: 'running' })
  const [old] =
    await api.sql`select state, done from pass_fanouts where template_id = ${id} and version = 2`
  t.same(old, { state: 'superseded', done: reached })
  await followToEnd(api, id)
  t.same(await updates(api, id), { 'version 2 × 1': reached, 'version 3 × 1': 100 })
})

test('every pass gets a version once, also when connections are killed', async (t) => {
  const api = await startIssuingApi()
  const { id } = await issueMany(api, 200)
  done(await caller(api).patch('pass_templates/' + id, { logo_text: 'Gold' }))
  let kills = 0
  const killer = async (): Promise<void> => {
    // Waits until each backend is gone: on a busy machine one could die later, during another
    // test's call.
    const killed = await api.sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`.catch(
      () => [],
    )
    kills += killed.length
  }
  const round = async (): Promise<void> => {
    await follow(api).catch(() => 0)
  }
  // The last rounds have no kills, so that the change completes.
  for (let time = 0; time < 12; time++) {
    await Promise.all([round(), round(), killer(), killer(), killer()])
  }
  while ((await fanoutOf(api, id)).state === 'running') await round()
  t.ok(kills > 0, kills + ' transactions were killed')
  t.same(await updates(api, id), { 'version 2 × 1': 200 })
  t.same(await fanoutOf(api, id), { version: 2, total: 200, done: 200, state: 'completed' })
})

test('passes issued during a template change miss no version', async (t) => {
  const api = await startIssuingApi()
  const { post, patch } = caller(api)
  const { id } = await makeTemplate(api)
  const issued: Promise<Answer>[] = []
  for (let version = 2; version <= 5; version++) {
    const wanted = { passes: Array(20).fill({ template_id: id }) }
    issued.push(post('passes/batch', wanted))
    const changed = untilTaken(() => patch('pass_templates/' + id, { logo_text: 'v' + version }))
    issued.push(post('passes/batch', wanted))
    const [answer] = await Promise.all([changed, follow(api)])
    t.equal(done(answer).version, version)
  }
  for (const answer of await Promise.all(issued)) t.equal(done(answer).failed, 0)
  await followToEnd(api, id)
  const rows = await api.sql`
    select template_version as version, count(*)::int as n from passes where template_id = ${id} group by 1`
  t.same([...rows], [{ version: 5, n: 160 }])
})
