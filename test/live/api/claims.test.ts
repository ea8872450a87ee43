// Several dispatchers compete for the same rows, and each row goes to one of them, once. A row that
// another dispatcher took and returned between the first read and the lock is read again: its
// present values count.

import { randomUUID } from 'node:crypto'
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { claimDue } from '../../../api/issuing/cardholders/verifications.ts'
import { claimPushes } from '../../../api/passes/passes/index.ts'
import { recoveryPump } from '../../../api/webhooks/deliveries/index.ts'
import { recoverAbandoned } from '../../../api/webhooks/delivery/recover.ts'
import { expireSecrets } from '../../../api/webhooks/endpoints/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { startTestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { issuePass, makeTemplate } from '../../harness/passes.ts'

/** As many rounds as made each of these faults appear several times in one run before its fix. */
const ROUNDS = 60
const AT_ONCE = 14

function atOnce<T>(take: (which: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, which) => take(which)))
}

test('a due verification is claimed once', async (t) => {
  const { sql, call, clock, tenant } = await startTestApi()
  for (let made = 0; made < 5; made++) {
    const { status } = await call('POST', '/v1/cardholders', {
      key: tenant.keys.write,
      body: {
        program_id: tenant.programId,
        first_name: 'Grace',
        last_name: 'Hopper',
        date_of_birth: '1986-12-09',
        address: { line1: '1 Main St', city: 'Portland', country: 'US' },
      },
    })
    t.equal(status, 201)
  }
  const claim = { now: clock.nowMs, leaseMs: 60_000, most: 16 }
  const claimed: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await sql`update identity_verifications set due_at = ${clock.nowMs}`
    const taken = await atOnce(() => tx(sql, (inner) => claimDue(inner, claim)))
    claimed.push(taken.flat().length)
  }
  t.same(claimed, Array(ROUNDS).fill(5))
})

test('only the older of two secrets is revoked', async (t) => {
  const { sql, call, clock, tenant } = await startTestApi()
  const key = tenant.keys.write
  const made = await call('POST', '/v1/webhook_endpoints', {
    key,
    body: { url: 'https://tenant.example/hook' },
  })
  const path = '/v1/webhook_endpoints/' + made.body.id
  const left: number[] = []
  const revoked: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await call('POST', path + '/rotate_secret', { key, body: { expires_in: 60 } })
    clock.nowMs += 60_000
    const done = await atOnce(() => runJob(expireSecrets, { sql, now: clock.nowMs }))
    revoked.push(done.reduce((sum, one) => sum + one))
    const { body } = await call('GET', path, { key })
    left.push(body.signing_secrets.length)
  }
  t.same(revoked, Array(ROUNDS).fill(1))
  t.same(left, Array(ROUNDS).fill(1))
})

test('an abandoned delivery that runs again is not freed by others', async (t) => {
  const { sql, tenant } = await startTestApi()
  const owners = Array.from({ length: AT_ONCE }, (_, which) => 'dsp_' + which)
  const now = systemClock.nowMs()
  await sql`
    insert into dispatchers (id, alive_until) select unnest(${owners}::text[]), ${now + 3_600_000}`
  const rows = Array.from({ length: 50 }, () => newId('dlv', now))
  await sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch, due_at, created_at)
    select id, 'evt_1', 'we_1', ${tenant.tenantId}, 'sandbox', 'ping', 0, ${now}, ${now} from unnest(${rows}::text[]) id`
  const stolen: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await sql`
      update open_deliveries set cycle = cycle + 1, attempts = 1, lease_owner = 'dsp_dead', lease_token = ${randomUUID()},
        lease_until = ${now + 3_600_000}`
    const freed = await atOnce(async (which) => {
      const input = { owner: owners[which] ?? '', inFlight: [], steady: true, now }
      const count = await recoverAbandoned(sql, input)
      await sql`
        with free as materialized (
          select id from open_deliveries where lease_token is null order by id for update skip locked
        )
        update open_deliveries set cycle = cycle + 1, attempts = 1, lease_owner = ${input.owner},
          lease_token = ${randomUUID()}, lease_until = ${now + 3_600_000}
        where id = any (array(select id from free))`
      return count
    })
    stolen.push(freed.reduce((sum, one) => sum + one) - rows.length)
  }
  t.same(stolen, Array(ROUNDS).fill(0))
})

test('a recovery does not end while one dispatcher has just queued its events', async (t) => {
  const { sql, call, clock, tenant } = await startTestApi()
  const { tenantId, endpointId } = tenant
  const now = clock.nowMs
  const events = Array.from({ length: 5 }, () => newId('evt', now))
  await sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select id, ${tenantId}, 'sandbox', seq, 'card.created', 'v', 'card_1', ${now}, ''
    from unnest(${events}::text[]) with ordinality as event (id, seq)`
  await sql`
    insert into tenant_sequences (tenant_id, environment, event_seq)
    values (${tenantId}, 'sandbox', ${events.length})`
  const path = '/v1/webhook_endpoints/' + endpointId + '/recoveries'
  const [since, until] = [now - 60_000, now + 1].map((at) => new Date(at).toISOString())
  const body = { since, until, which: 'all' }
  const { id } = (await call('POST', path, { key: tenant.keys.write, body })).body
  const found: unknown[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await sql`delete from event_outbox where recovery_id = ${id}`
    await sql`update recoveries set status = 'running', cursor_seq = 0, matched = 0 where id = ${id}`
    await atOnce(() => runJob(recoveryPump, { sql, now }))
    const [row] = await sql`
      select status, (select count(*) from event_outbox where recovery_id = ${id}) as line
      from recoveries where id = ${id}`
    found.push({ ...row })
  }
  t.same(found, Array(ROUNDS).fill({ status: 'running', line: events.length }))
})

test('a claim takes no more pushes than requested, whatever the planner expects', async (t) => {
  const api = await startIssuingApi()
  const { sql, clock } = api
  const { id: template_id } = await makeTemplate(api)
  const passes = Array.from({ length: 12 }, () => issuePass(api, { template_id }))
  const ids = (await Promise.all(passes)).map(({ id }) => id)
  await sql`vacuum analyze pass_pushes`
  await sql`
    insert into pass_pushes (pass_id, platform, version, due_at)
    select id, 'google', 1, 0 from unnest(${ids}::text[]) id`
  const now = clock.nowMs
  const claim = { platform: 'google' as const, now, leaseUntil: now + 60_000, most: 5 }
  const claimed: number[] = []
  for (let round = 0; round < 4; round++) claimed.push((await claimPushes(sql, claim)).length)
  t.same(claimed, [5, 5, 2, 0])
})
