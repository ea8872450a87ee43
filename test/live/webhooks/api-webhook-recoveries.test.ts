// Events that an endpoint missed, and their recovery.

import { test } from 'tap'
import { recoveryPump } from '../../../api/webhooks/deliveries/index.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { type Answer, MASTER_KEYS, startTestApi, type TestApi } from '../../harness/api.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { runJob } from '../../harness/jobs.ts'
import { until } from '../../harness/until.ts'

const HOUR_MS = 3_600_000

/** Queues as many deliveries as there is space for. */
function pump(api: TestApi): Promise<number> {
  return runJob(recoveryPump, { sql: api.sql, now: api.clock.nowMs })
}

/** Runs until the pump finds nothing to do. */
async function pumpOut(api: TestApi): Promise<void> {
  while ((await pump(api)) > 0);
}

function recover(api: TestApi, body: object): Promise<Answer> {
  const { endpointId, keys } = api.tenant
  const path = '/v1/webhook_endpoints/' + endpointId + '/recoveries'
  return api.call('POST', path, { key: keys.write, body })
}

async function get(
  api: TestApi,
  path: string,
  spelling = 'webhook_endpoints',
): Promise<Answer['body']> {
  const { endpointId, keys } = api.tenant
  const answer = await api.call('GET', '/v1/' + spelling + '/' + endpointId + '/' + path, {
    key: keys.read,
  })
  if (answer.status !== 200) throw new Error(path + ': ' + answer.text)
  return answer.body
}

async function missed(api: TestApi, query = ''): Promise<string[]> {
  return (await get(api, 'missed_events' + query)).data.map(({ id }: Answer['body']) => id)
}

interface Events {
  count: number
  type?: string
  at?: number
}

/** Adds events with the tenant's next numbers, without queueing them. */
async function addEvents(
  api: TestApi,
  { count, type = 'card.created', at }: Events,
): Promise<string[]> {
  const { tenantId, environment } = api.tenant
  const moment = at ?? api.clock.nowMs
  const made = Array.from({ length: count }, () => newId('evt', moment))
  await api.sql`
    insert into tenant_sequences (tenant_id, environment, event_seq) values (${tenantId}, ${environment}, 0)
    on conflict do nothing`
  await api.sql`
    with first as (
      update tenant_sequences set event_seq = event_seq + ${count}
      where tenant_id = ${tenantId} and environment = ${environment} returning event_seq - ${count} as seq
    )
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    select id, ${tenantId}, ${environment}, first.seq + n, ${type}, 'v', 'card_1', ${moment},
      convert_to('{"id":"' || id || '","type":"' || ${type} || '"}', 'UTF8')
    from first, unnest(${made}::text[]) with ordinality as made (id, n)`
  return made
}

async function addEnded(api: TestApi, state: string, eventId: string): Promise<string> {
  const { tenantId, environment, endpointId } = api.tenant
  const id = newId('dlv', api.clock.nowMs)
  await api.sql`
    insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause, lane, state, cycle, attempts,
      epoch, created_at, finished_at)
    values (${id}, ${eventId}, ${endpointId}, ${tenantId}, ${environment}, 'card.created', 'event', 0, ${state}, 1, 5, 1, 0, 0)`
  return id
}

/** Disables the endpoint as a failed fifth attempt does. */
async function disable({ sql, tenant, clock }: TestApi): Promise<void> {
  const { tenantId, environment, endpointId } = tenant
  await sql`update webhook_endpoints set status = 'disabled', disabled_at = ${clock.nowMs} where id = ${endpointId}`
  await sql`
    insert into endpoint_absences (endpoint_id, from_seq, from_at, reason)
    select ${endpointId}, event_seq + 1, ${clock.nowMs}, 'retry_exhausted' from tenant_sequences
    where tenant_id = ${tenantId} and environment = ${environment}`
}

async function enable(api: TestApi): Promise<void> {
  const { endpointId, keys } = api.tenant
  const path = '/v1/webhook_endpoints/' + endpointId
  await api.call('PATCH', path, { key: keys.write, body: { status: 'enabled' } })
}

async function inLine({ sql, tenant }: TestApi): Promise<string[]> {
  const rows = await sql<{ event_id: string }[]>`
    select event_id from event_outbox where only_endpoint = ${tenant.endpointId} and lane = 1 order by entry`
  return rows.map(({ event_id }) => event_id)
}

/** Marks the queued events as handed out. */
async function handOut({ sql, tenant }: TestApi): Promise<void> {
  await sql`delete from event_outbox where tenant_id = ${tenant.tenantId}`
}

const since = '2026-11-20'

test('events missed by a disabled endpoint are listed and sent again, once', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await sql`update webhook_endpoints set event_types = '{card.created}' where id = ${tenant.endpointId}`
  const [before = ''] = await addEvents(api, { count: 1 })
  const sentBefore = await addEnded(api, 'succeeded', before)
  const [failed = ''] = await addEvents(api, { count: 1 })
  const failedDelivery = await addEnded(api, 'failed', failed)
  await disable(api)
  const gone = await addEvents(api, { count: 3 })
  await addEvents(api, { count: 2, type: 'card.suspended' })
  const [sentSince = ''] = await addEvents(api, { count: 1 })
  await addEnded(api, 'succeeded', sentSince)
  const [still = ''] = await addEvents(api, { count: 1 })
  await sql`
    insert into event_outbox (event_id, tenant_id, environment, seq)
    select id, tenant_id, environment, seq from events where id = ${still}`
  const [notice = ''] = await addEvents(api, { count: 1, type: 'webhook_endpoint.disabled' })
  const newest = [notice, ...[...gone].reverse()]
  t.same(await missed(api), newest, 'what its filter takes, and the notice about another one')
  await sql`update events set resource_id = ${tenant.endpointId} where id = ${notice}`
  t.same(await missed(api), [...gone].reverse(), 'the notice about itself is for the others')
  t.same(await missed(api, '?order=asc&limit=2'), gone.slice(0, 2))
  t.same(await missed(api, '?starting_after=' + gone[2]), [gone[1], gone[0]])
  t.match((await get(api, 'missed_events?limit=1', 'webhook-endpoints')).data, [
    { id: gone[2], type: 'card.created' },
  ])

  t.match(await recover(api, { since, which: 'missed', dry_run: true }), {
    // Nothing was created.
    status: 200,
    body: {
      object: 'webhook_recovery_count',
      livemode: false,
      endpoint_id: tenant.endpointId,
      matched: 3,
      at_least: false,
    },
  })
  t.match((await recover(api, { since, which: 'failed', dry_run: true })).body, { matched: 1 })
  t.match((await recover(api, { since, which: 'all', dry_run: true })).body, { matched: 6 })
  t.match(await recover(api, { since, which: 'missed' }), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'disabled' } },
  })
  await enable(api)
  await addEvents(api, { count: 2 })

  const begun = await recover(api, {
    since,
    which: 'missed',
    external_id: 'r-1',
    metadata: { a: 'b' },
  })
  t.match(
    [begun.status, begun.body],
    [
      201,
      {
        id: /^rcv_[0-9a-z]{26}$/,
        object: 'webhook_recovery',
        which: 'missed',
        event_types: null,
        since: '2026-11-20T00:00:00.000Z',
        status: 'running',
        cancel_reason: null,
        matched: 0,
        finished_at: null,
        external_id: 'r-1',
        metadata: { a: 'b' },
      },
    ],
  )
  const path = 'recoveries/' + begun.body.id
  t.match(await recover(api, { since, which: 'all' }), {
    status: 409,
    body: { error: { code: 'invalid_state', resource_id: begun.body.id } },
  })
  await pumpOut(api)
  t.same(await inLine(api), gone, 'in the order in which they happened')
  t.match(await get(api, path), { status: 'running', matched: 3 })
  await handOut(api)
  await pumpOut(api)
  t.match(await get(api, path, 'webhook-endpoints'), {
    status: 'completed',
    matched: 3,
    finished_at: api.clock.nowMs / 1000,
  })

  const second = (await recover(api, { since, which: 'failed' })).body
  await pumpOut(api)
  t.same(await inLine(api), [failed])
  t.same(
    (await get(api, 'recoveries')).data.map(({ id }: Answer['body']) => id),
    [second.id, begun.body.id],
  )
  t.ok(sentBefore !== failedDelivery)
})

test('a recovery runs through the dispatcher at the tenant’s pace and sends none twice', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, clock } = api
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('wsec', 1)}, ${tenant.endpointId}, 0, ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, 'whsec_a')}, 0)`
  const events = await addEvents(api, { count: 60 })
  const [failed = '', succeeded = '', open = ''] = events
  const failedId = await addEnded(api, 'failed', failed)
  const succeededId = await addEnded(api, 'succeeded', succeeded)
  await sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, epoch, due_at, created_at)
    values (${newId('dlv', clock.nowMs)}, ${open}, ${tenant.endpointId}, ${tenant.tenantId}, 'sandbox', 'card.created', 1,
      ${clock.nowMs + 1e12}, 0)`
  const sent: string[] = []
  const dispatch = await startDispatch(sql, {
    send: async (delivery) => {
      // Other files of this database leave deliveries of their tenants behind.
      if (delivery.tenantId !== tenant.tenantId) return {}
      sent.push(delivery.eventId)
      // A recovered delivery may fail for ever: it disables no endpoint.
      return delivery.eventId === failed ? { status: 500, errorClass: 'http' } : {}
    },
  })
  const recovery = (await recover(api, { since, which: 'all' })).body
  const done = async () => {
    await pump(api)
    return (await get(api, 'recoveries/' + recovery.id)).status === 'completed'
  }
  await until(done)
  t.match(await get(api, 'recoveries/' + recovery.id), { matched: 59 })
  await until(() => sent.length === 58 + 5)
  const delivery = async (id: string) =>
    (await api.call('GET', '/v1/webhook_deliveries/' + id, { key: tenant.keys.read })).body
  await until(async () => (await delivery(failedId)).state === 'failed')
  t.match(await delivery(failedId), {
    cause: 'recovery',
    recovery_id: recovery.id,
    cycle: 2,
    attempts: 5,
  })
  t.match(await delivery(succeededId), { state: 'succeeded', cycle: 2, attempts: 1 })
  t.equal(new Set(sent).size, 59)
  t.notOk(sent.includes(open), 'it waits for its own time')
  const [row] = await sql`select status from webhook_endpoints where id = ${tenant.endpointId}`
  t.equal(row?.['status'], 'enabled')
  const count = async () => {
    const [deliveries] = await sql`
      select count(*) from deliveries where endpoint_id = ${tenant.endpointId}`
    return deliveries?.['count']
  }
  t.equal(await count(), 60, 'one delivery of each event')

  const again = (await recover(api, { since, which: 'failed' })).body
  await until(async () => {
    await pump(api)
    return (await get(api, 'recoveries/' + again.id)).status === 'completed'
  })
  await until(() => sent.length === 58 + 10)
  t.equal(await count(), 60)
  await dispatch.stop(1000)
})

test('a recovery queues little at a time, and ends if it is canceled or its endpoint disabled', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await addEvents(api, { count: 1200 })
  await addEvents(api, { count: 3, type: 'card.suspended' })
  const { id } = (await recover(api, { since, which: 'all', event_types: ['card.created'] })).body
  await pumpOut(api)
  t.equal((await inLine(api)).length, 500)
  await sql`
    delete from event_outbox where entry in (
      select entry from event_outbox where only_endpoint = ${tenant.endpointId} order by entry limit 90
    )`
  await pumpOut(api)
  t.equal((await inLine(api)).length, 500, 'what was taken is filled up')
  t.match(await get(api, 'recoveries/' + id), { matched: 590, status: 'running' })
  const [waiting] = await sql`
    select min(seq) as seq from event_outbox where only_endpoint = ${tenant.endpointId}`
  t.equal(waiting?.['seq'], 1203, 'behind what waits already')
  const path = '/v1/webhook-endpoints/' + tenant.endpointId + '/recoveries/' + id + '/cancel'
  const cancel = () => api.call('POST', path, { key: tenant.keys.write })
  t.match((await cancel()).body, { status: 'canceled', cancel_reason: 'asked', matched: 590 })
  t.same(await inLine(api), [])
  t.match(await cancel(), {
    status: 409,
    body: {
      error: { code: 'invalid_state', current_status: 'canceled', allowed_from: ['running'] },
    },
  })
  t.equal(await pump(api), 0)

  const second = (await recover(api, { since, which: 'all' })).body
  await pump(api)
  await disable(api)
  await enable(api)
  await pumpOut(api)
  const ended = { status: 'canceled', cancel_reason: 'endpoint_disabled' }
  t.match(await get(api, 'recoveries/' + second.id), ended, 'even where it is enabled again')
  t.same(await inLine(api), [])
})

test('a recovery accepts a range of time, and refuses an invalid one', async (t) => {
  const api = await startTestApi()
  const at = api.clock.nowMs
  await addEvents(api, { count: 2, at: at - HOUR_MS })
  await addEvents(api, { count: 4, at: at - HOUR_MS / 2, type: 'card.terminated' })
  await addEvents(api, { count: 8, at })
  const iso = (moment: number) => new Date(moment).toISOString()
  const matched = async (body: object) =>
    (await recover(api, { which: 'all', dry_run: true, ...body })).body.matched
  t.equal(await matched({ since: iso(at - HOUR_MS) }), 14)
  t.equal(await matched({ since: iso(at - HOUR_MS + 1) }), 12)
  t.equal(await matched({ since: iso(at - HOUR_MS), until: iso(at - 1) }), 6)
  t.equal(await matched({ since: iso(at - HOUR_MS), event_types: ['card.terminated'] }), 4)
  t.equal(await matched({ since: iso(at), until: iso(at) }), 8)
  t.equal((await get(api, 'recoveries')).data.length, 0, 'nothing was made')
  for (const [body, param] of [
    [{ since: iso(at), until: iso(at - 1) }, 'until'],
    [{ since: iso(at + 1) }, 'since'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2026-02-30' }, 'since'],
    [{ since, which: 'some' }, 'which'],
    [{ since, event_types: ['card.unknown'] }, 'event_types/0'],
  ] as const) {
    const answer = await recover(api, { which: 'all', ...body })
    t.match(answer, { status: 400, body: { error: { code: 'parameter_invalid' } } }, answer.text)
    t.match(answer.body.error.param, param.split('/')[0])
  }
  await addEvents(api, { count: 10_001, at: at - 1 })
  const bounded = await recover(api, { since, which: 'all', dry_run: true })
  t.match(bounded.body, { matched: 10_000, at_least: true })
})
