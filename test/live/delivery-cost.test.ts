// The dispatcher's repeated queries read by index: neither history nor another tenant's backlog
// slows them.
import { test } from 'tap'
import { addressRound } from '../../api/webhooks/delivery/address.ts'
import { claimDeliveries, findDueEndpoints } from '../../api/webhooks/delivery/claim.ts'
import { recoverAbandoned } from '../../api/webhooks/delivery/recover.ts'
import { type EndedAttempt, settleAttempts } from '../../api/webhooks/delivery/settle.ts'
import { findWaitingTenants } from '../../api/webhooks/delivery/tenant-quota.ts'
import type { Verdict } from '../../api/webhooks/delivery/verdict.ts'
import { systemClock } from '../../shared/clock.ts'
import { addEndpoint, addTenant } from '../harness/dispatcher-process.ts'
import { pacingAt } from '../harness/pacing.ts'
import { openTestDatabase } from '../harness/postgres.ts'

const ROWS = 20_000
const SCHEDULE = { delaysMs: [0, 1000, 1000, 1000, 1000], random: () => 0 }

test('no round of the dispatcher reads a whole table', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenantId = await addTenant(sql)
  const { id: endpointId } = await addEndpoint(sql, { tenantId, url: 'http://127.0.0.1:9999/' })
  const now = systemClock.nowMs()
  await sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select 'evt_' || n, ${tenantId}, 'sandbox', n, 'card.activated', '2026-11-20', 'card_' || n, 0, 'x'
    from generate_series(1, ${ROWS}::integer) n`
  await sql`
    insert into event_outbox (event_id, tenant_id, environment, seq)
    select id, tenant_id, environment, seq from events where seq > ${ROWS / 2}`
  await sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch, due_at, created_at)
    select 'dlv_' || seq, id, ${endpointId}, tenant_id, environment, type, 1, ${now}::bigint, 0
    from events where seq <= ${ROWS / 2}`
  await sql`analyze open_deliveries, event_outbox, events`
  const before = await rowsReadByScan()

  const { tenants } = await findWaitingTenants(sql, { after: null, except: [] })
  t.strictSame([...tenants], [{ tenantId, environment: 'sandbox' }])
  const asked = {
    tenants,
    eventsMax: 128,
    now,
    pacing: pacingAt(now),
    schedule: SCHEDULE,
    owner: 'dsp_1',
  }
  const round = await addressRound(sql, { ...asked, admit: () => false })
  t.equal(round.events, 25)
  const early = await addressRound(sql, {
    ...asked,
    now: now + 2000,
    pacing: pacingAt(now + 2000),
    admit: () => true,
  })
  t.equal(early.leased.length, 25, 'those that may leave at once are claimed already')
  t.equal((await findDueEndpoints(sql, null, now)).endpoints.length, 1)
  const shares = [{ tenantId, endpointId, quota: 16, bulk: 15, retries: [4, 4] as const }]
  const claimed = await claimDeliveries(sql, { owner: 'dsp_1', shares, now })
  t.equal(claimed.length, 16)
  await settleAttempts(
    sql,
    'succeeded',
    [...early.leased, ...claimed.slice(1, 9)].map((one) => ended(one, { kind: 'succeeded' })),
  )
  const later = { kind: 'retry', dueAt: now + 1000 } as const
  await settleAttempts(
    sql,
    'retry',
    claimed.slice(9).map((one) => ended(one, later)),
  )
  const recovered = await recoverAbandoned(sql, { owner: 'dsp_2', inFlight: [], steady: true, now })
  t.equal(recovered, 1)
  t.same(await rowsReadByScan(), before)

  async function rowsReadByScan() {
    // Every connection of the pool flushes its statistics.
    await Promise.all(Array.from({ length: 20 }, () => sql`select pg_stat_force_next_flush()`))
    await Promise.all(Array.from({ length: 20 }, () => sql`select 1`))
    return sql`
      select relname, seq_tup_read from pg_stat_user_tables
      where relname in ('open_deliveries', 'event_outbox') order by relname`
  }

  function ended(delivery: (typeof claimed)[number], verdict: Verdict): EndedAttempt {
    const outcome = {
      startedAt: now,
      durationMs: 1,
      connectedMs: null,
      answeredMs: 1,
      retryAfterMs: null,
      status: 200,
      errorClass: null,
      body: '',
    }
    return {
      delivery: { ...delivery, body: delivery.body ?? Buffer.alloc(0), secrets: [] },
      outcome,
      verdict,
      endedAt: now,
    }
  }
})
