// A tenant's view of its deliveries, and its actions on one of them.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { test } from 'tap'
import type { Sql } from '../../../api/database/pool.ts'
import { plainData } from '../../../api/documents/schemas.ts'
import type { Job } from '../../../api/jobs/job.ts'
import { type DeliveryFilters, deliveryPage } from '../../../api/webhooks/deliveries/store.ts'
import { composeRequest } from '../../../api/webhooks/delivery/compose.ts'
import type { ClaimedDelivery } from '../../../api/webhooks/delivery/delivery.ts'
import { signRequest } from '../../../api/webhooks/delivery/sign.ts'
import { expireSecrets, sweepJob } from '../../../api/webhooks/endpoints/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { ApiKey } from '../../../shared/schemas/api-key.ts'
import { PaymentMethod, PortalSession } from '../../../shared/schemas/billing-payment-method.ts'
import { Quote } from '../../../shared/schemas/billing-quote.ts'
import { Addon, Subscription } from '../../../shared/schemas/billing-subscription.ts'
import { Card } from '../../../shared/schemas/card.ts'
import { CardTransactionShape } from '../../../shared/schemas/card-transaction-shape.ts'
import { Cardholder } from '../../../shared/schemas/cardholder.ts'
import { Dispute } from '../../../shared/schemas/dispute.ts'
import { Pass } from '../../../shared/schemas/pass.ts'
import { PassScan } from '../../../shared/schemas/pass-scan.ts'
import { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import { Payment } from '../../../shared/schemas/payment.ts'
import { Program } from '../../../shared/schemas/program.ts'
import { SettlementBatch } from '../../../shared/schemas/settlement-batch.ts'
import { type Answer, MASTER_KEYS, startTestApi, type TestApi } from '../../harness/api.ts'
import { behindEachOther } from '../../harness/behind-each-other.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { runJob } from '../../harness/jobs.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

const HOUR_MS = 3_600_000

function runOnce(api: TestApi, job: Job): Promise<number> {
  return runJob(job, { sql: api.sql, now: api.clock.nowMs })
}

async function get(
  api: TestApi,
  path: string,
  key = api.tenant.keys.read,
): Promise<Answer['body']> {
  const answer = await api.call('GET', '/v1/' + path, { key })
  if (answer.status !== 200) throw new Error(path + ': ' + answer.text)
  return answer.body
}

async function ids(api: TestApi, query = ''): Promise<string[]> {
  return (await get(api, 'webhook_deliveries' + query)).data.map(({ id }: Answer['body']) => id)
}

function post(api: TestApi, path: string, body: object = {}): Promise<Answer> {
  const { endpointId, keys } = api.tenant
  return api.call('POST', '/v1/webhook_endpoints/' + endpointId + '/' + path, {
    key: keys.write,
    body,
  })
}

let seq = 0

async function addEvent(api: TestApi, type = 'card.suspended', of = api.tenant): Promise<string> {
  const id = newId('evt', api.clock.nowMs)
  await api.sql`
    insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
    values (${id}, ${of.tenantId}, ${of.environment}, ${++seq}, ${type}, 'v', 'card', ${api.clock.nowMs}, '{"a":1}')`
  return id
}

interface Seeded {
  endpointId?: string
  eventId?: string
  type?: string
  cause?: string
  attempts?: number
  dueAt?: number
  leaseToken?: string
  createdAt?: number
}

async function addOpen(api: TestApi, open: Seeded = {}): Promise<string> {
  const { tenantId, environment, endpointId } = api.tenant
  const at = open.createdAt ?? api.clock.nowMs
  const id = newId('dlv', at)
  await api.sql`
    insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause, attempts, epoch, due_at,
      lease_token, created_at)
    values (${id}, ${open.eventId ?? newId('evt', at)}, ${open.endpointId ?? endpointId}, ${tenantId}, ${environment},
      ${open.type ?? 'card.created'}, ${open.cause ?? 'event'}, ${open.attempts ?? 0}, 1, ${open.dueAt ?? at},
      ${open.leaseToken ?? null}, ${at})`
  return id
}

async function addEnded(api: TestApi, state: string, ended: Seeded = {}): Promise<string> {
  const { tenantId, environment, endpointId } = api.tenant
  const at = ended.createdAt ?? api.clock.nowMs
  const id = newId('dlv', at)
  await api.sql`
    insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause, lane, state, cycle, attempts,
      epoch, last_status, last_error, created_at, finished_at)
    values (${id}, ${ended.eventId ?? newId('evt', at)}, ${ended.endpointId ?? endpointId}, ${tenantId}, ${environment},
      ${ended.type ?? 'card.created'}, ${ended.cause ?? 'event'}, 0, ${state}, 1, ${ended.attempts ?? 1}, 1, 200, null, ${at},
      ${at + 1000})`
  return id
}

async function addAnother(api: TestApi, status: 'enabled' | 'disabled'): Promise<string> {
  const { tenantId, environment } = api.tenant
  const id = newId('we', api.clock.nowMs)
  await api.sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, status, created_at)
    values (${id}, ${tenantId}, ${environment}, 'https://tenant.example/other', ${status}, 0)`
  return id
}

test('deliveries are listed newest first, open or ended, and found by every field', async (t) => {
  const api = await startTestApi()
  const disabled = await addAnother(api, 'disabled')
  const at = api.clock.nowMs
  const first = await addEnded(api, 'succeeded', { createdAt: at - HOUR_MS })
  const failed = await addEnded(api, 'failed', { type: 'card.terminated' })
  const open = await addOpen(api, { dueAt: at + 5000 })
  const canceled = await addEnded(api, 'canceled', { cause: 'recovery' })
  const held = await addOpen(api, { endpointId: disabled, cause: 'replay' })
  const all = [held, canceled, open, failed, first]
  t.same(await ids(api), all)
  t.same(await ids(api, '?order=asc'), [...all].reverse())
  const found = async (query: string, expected: readonly string[]) =>
    t.same(await ids(api, '?' + query), expected, query)
  await found('state=pending', [open])
  await found('state=held', [held])
  await found('state=succeeded', [first])
  await found('state=failed', [failed])
  await found('state=canceled', [canceled])
  await found('type=card.terminated', [failed])
  await found('cause=recovery', [canceled])
  await found('cause=replay', [held])
  await found('cause=event', [open, failed, first])
  await found('cause=event&state=pending', [open])
  await found('endpoint_id=' + disabled, [held])
  const own = 'endpoint_id=' + api.tenant.endpointId
  await found(own, [canceled, open, failed, first])
  await found(own + '&order=asc&limit=3', [first, failed, open])
  await found(own + '&cause=event', [open, failed, first])
  await found(own + '&state=succeeded', [first])
  await found('cause=event&state=succeeded', [first])
  await found('cause=event&type=card.terminated', [failed])
  await found('endpoint_id=' + api.other.endpointId, [])
  await found('endpoint_id=' + disabled + '&state=failed', [])
  const { event_id: eventId } = await get(api, 'webhook_deliveries/' + open)
  await found('event_id=' + eventId, [open])
  await found('created[lt]=' + new Date(at).toISOString(), [first])
  await found('created[gte]=' + new Date(at).toISOString(), [held, canceled, open, failed])

  const pages: string[] = []
  for (let path = 'webhook-deliveries?limit=2'; ; ) {
    const page = await get(api, path)
    pages.push(...page.data.map(({ id }: Answer['body']) => id))
    if (!page.has_more) break
    path = 'webhook-deliveries?limit=2&starting_after=' + page.next_cursor
  }
  t.same(pages, all)
  t.same(await ids(api, '?limit=2&ending_before=' + failed), [canceled, open])

  t.same(await get(api, 'webhook-deliveries/' + open), {
    id: open,
    object: 'webhook_delivery',
    created: at / 1000,
    livemode: false,
    endpoint_id: api.tenant.endpointId,
    event_id: eventId,
    event_type: 'card.created',
    cause: 'event',
    recovery_id: null,
    state: 'pending',
    cycle: 1,
    attempts: 0,
    next_attempt_at: at / 1000 + 5,
    last_status: null,
    last_error: null,
    finished_at: null,
  })
  t.match(await get(api, 'webhook_deliveries/' + first), {
    state: 'succeeded',
    last_status: 200,
    finished_at: (at - HOUR_MS) / 1000 + 1,
    next_attempt_at: null,
  })
  const key = api.other.keys.read
  t.same((await get(api, 'webhook_deliveries', key)).data, [])
  for (const path of [open, first, open + '/attempts'])
    t.equal((await api.call('GET', '/v1/webhook_deliveries/' + path, { key })).status, 404)
})

test('every attempt is shown with its response', async (t) => {
  const api = await startTestApi()
  const id = await addEnded(api, 'failed')
  const at = api.clock.nowMs
  await api.sql`
    insert into delivery_attempts (delivery_id, cycle, n, cause, started_at, duration_ms, connected_ms, answered_ms, status, error_class, body)
    values (${id}, 1, 1, 'event', ${at}, 31, 4, 30, 500, 'http', 'no'), (${id}, 1, 2, 'event', ${at + 1}, 15000, null, null, null, 'timeout', ''),
      (${id}, 2, 1, 'replay', ${at + 2}, 7, null, 6, 204, null, '')`
  const { data } = await get(api, 'webhook_deliveries/' + id + '/attempts')
  t.same(
    data.map(({ cycle, n, error_class }: Answer['body']) => [cycle, n, error_class]),
    [
      [2, 1, null],
      [1, 2, 'timeout'],
      [1, 1, 'http'],
    ],
  )
  t.same(data[2], {
    object: 'webhook_delivery_attempt',
    delivery_id: id,
    cycle: 1,
    n: 1,
    cause: 'event',
    started_at: new Date(at).toISOString(),
    duration_ms: 31,
    connected_ms: 4,
    answered_ms: 30,
    response_status: 500,
    error_class: 'http',
    response_body: 'no',
  })
  const page = await get(api, 'webhook-deliveries/' + id + '/attempts?limit=2')
  t.equal(page.has_more, true)
  const rest = await get(
    api,
    'webhook_deliveries/' + id + '/attempts?starting_after=' + page.next_cursor,
  )
  t.same(rest.data, [data[2]])
})

const ROWS = 200_000
/** Number of rows created at one moment. */
const TOGETHER = 2000

test('among 200,000 deliveries every list reads a few rows by an index', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await sql`
    select make_day('ended_deliveries', 'id', 'dlv', to_timestamp(${SEEDED_AT_MS / 1000})::date - n)
    from generate_series(1, 4) n`
  const disabled = await addAnother(api, 'disabled')
  for (let from = 0; from < ROWS; from += TOGETHER) {
    const at = SEEDED_AT_MS - (ROWS - from) * 1700
    // A third belongs to another tenant, who requested all; one in a hundred failed, one in two
    // hundred was requested, one in a thousand has a rare type.
    await sql`
      insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause, lane, state, cycle, attempts,
        epoch, created_at, finished_at)
      select floor.text || lpad(n::text, 16, '0'), 'evt_' || ${from}::text || n,
        case when n % 3 = 0 then ${api.other.endpointId} else ${tenant.endpointId} end,
        case when n % 3 = 0 then ${api.other.tenantId} else ${tenant.tenantId} end, 'sandbox',
        case when n % 1000 = 1 then 'card.terminated' else 'card.created' end,
        case when n % 3 = 0 or n % 200 = 1 then 'replay' else 'event' end, 0,
        case when n % 100 = 1 then 'failed' else 'succeeded' end, 1, 1, 1, ${at}::bigint, 0
      from (select id_floor('dlv', ${at}::bigint) as text) floor, generate_series(1, ${TOGETHER}::integer) n`
  }
  for (const [endpointId, tenantId, cause] of [
    [disabled, tenant.tenantId, 'event'],
    [api.other.endpointId, api.other.tenantId, 'replay'],
  ] as const)
    await sql`
      insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause, epoch, due_at, created_at)
      select id_floor('dlv', ${SEEDED_AT_MS}::bigint) || lpad(n::text, 10, '0') || right(${endpointId}, 6),
        'evt_open_' || n, ${endpointId}, ${tenantId}, 'sandbox', 'card.created', ${cause}, 1, 0, ${SEEDED_AT_MS}
      from generate_series(1, 20000) n`
  await sql`analyze ended_deliveries, open_deliveries`
  const deep = await idAt(sql, tenant.tenantId)
  const day = (back: number) => new Date(SEEDED_AT_MS - back * 24 * HOUR_MS).toISOString()
  const behind = sql`place < ${deep}`
  for (const [what, filters, range, owner = tenant] of [
    ['all', {}, sql`true`],
    ['a deep cursor', {}, behind],
    ['an endpoint', { endpoint_id: tenant.endpointId }, behind],
    ['an event', { event_id: 'evt_20005' }, sql`true`],
    ['what waits', { state: 'pending' }, sql`true`],
    ['what is held', { state: 'held' }, sql`true`],
    ['what failed', { state: 'failed' }, behind],
    ['what was canceled', { state: 'canceled' }, sql`true`],
    ['a rare type', { type: 'card.terminated' }, behind],
    ['a type of none', { type: 'dispute.created' }, behind],
    ['what was asked for', { cause: 'replay' }, behind],
    ['what events caused', { cause: 'event' }, behind],
    ['what events caused amid replays', { cause: 'event' }, sql`true`, api.other],
    ['all of one that waits', { endpoint_id: disabled }, sql`true`],
    ['replays', {}, sql`true`, api.other],
    ['what none was', { cause: 'test' }, sql`true`],
    ['a day long ago', { 'created[gte]': day(3), 'created[lt]': day(2.99) }, sql`true`],
  ] as const satisfies readonly (readonly [string, DeliveryFilters, unknown, unknown?])[]) {
    const ordered = sql`order by place desc limit 26`
    const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>`
      explain (analyze, buffers, format json)
      ${deliveryPage(sql, { owner, filters, range, ordered })}`
    const plan = row?.['QUERY PLAN'][0].Plan
    const pages = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
    t.ok(pages > 0 && pages < 600, what + ' reads ' + pages + ' pages')
    t.notMatch(
      JSON.stringify(plan),
      /"Seq Scan","Parallel Aware":false,"Async Capable":false,"Relation Name":"(open|ended)/,
      what,
    )
  }
})

interface Plan {
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
}

async function idAt(sql: Sql, tenantId: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from ended_deliveries where tenant_id = ${tenantId} order by id offset 20000 limit 1`
  return row?.id ?? ''
}

test('statistics show an endpoint’s results of a day, and its backlog', async (t) => {
  const api = await startTestApi()
  const { endpointId } = api.tenant
  const path = 'webhook_endpoints/' + endpointId + '/statistics'
  const nobody = { p50: null, p95: null, p99: null }
  const empty = { succeeded: 0, failed: 0, timed_out: 0, success_share: null, answer_ms: nobody }
  const at = api.clock.nowMs
  const hour = at - (at % HOUR_MS)
  const before = await get(api, path)
  t.match(before, {
    object: 'webhook_endpoint_statistics',
    livemode: false,
    endpoint_id: endpointId,
    total: empty,
    pending: 0,
    held: 0,
    oldest_age_seconds: null,
    next_attempt_at: null,
  })
  t.equal(before.hours.length, 24)
  t.equal(before.hours[23].hour, hour / 1000)

  const answered = (counts: { [bucket: number]: number }) =>
    '{' + Array.from({ length: 16 }, (_, at) => counts[at] ?? 0).join(',') + '}'
  await api.sql`
    insert into endpoint_hours (endpoint_id, hour, succeeded, failed, timed_out, answered) values
      (${endpointId}, ${hour}, 97, 3, 2, ${answered({ 5: 90, 10: 8 })}::bigint[]),
      (${endpointId}, ${hour - 23 * HOUR_MS}, 100, 0, 0, ${answered({ 5: 100 })}::bigint[]),
      (${endpointId}, ${hour - 24 * HOUR_MS}, 5000, 0, 0, ${answered({ 15: 5000 })}::bigint[])`
  await addOpen(api, { createdAt: at - 90_000, dueAt: at + 9000, attempts: 2, cause: 'replay' })
  await addOpen(api, { dueAt: at + 4000 })
  const told = await get(api, path)
  t.match(told.total, { succeeded: 197, failed: 3, timed_out: 2, success_share: 0.985 })
  t.match(told.hours[23], { succeeded: 97, failed: 3, success_share: 0.97 })
  t.match(told.hours[0], { succeeded: 100, answer_ms: { p50: 24, p95: 31, p99: 32 } })
  t.same(told.hours[12].answer_ms, nobody)
  const { p50, p95, p99 } = told.hours[23].answer_ms
  t.ok(
    p50 >= 16 && p50 <= 32 && p95 >= 512 && p95 < p99 && p99 <= 1024,
    'within their powers of two',
  )
  t.match(told, {
    pending: 2,
    held: 0,
    oldest_age_seconds: 90,
    next_attempt_at: at / 1000 + 4,
  })
  await api.sql`update webhook_endpoints set status = 'disabled', disabled_at = ${at} where id = ${endpointId}`
  t.match(await get(api, path), { pending: 0, held: 2, next_attempt_at: null })
  t.match(await get(api, 'webhook-endpoints/' + endpointId), { disabled_at: at / 1000 })
})

test('an event is sent again, whatever the outcome of its delivery', async (t) => {
  const api = await startTestApi()
  const { sql, clock, tenant } = api
  await sql`update webhook_endpoints set event_types = '{card.created}' where id = ${tenant.endpointId}`
  const replay = (eventId: string) => post(api, 'replay', { event_id: eventId })

  const ended = await addEvent(api)
  const endedId = await addEnded(api, 'succeeded', { eventId: ended, type: 'card.suspended' })
  const again = await replay(ended)
  t.match(
    [again.status, again.body],
    [
      200,
      {
        id: endedId,
        state: 'pending',
        cause: 'replay',
        cycle: 2,
        attempts: 0,
        next_attempt_at: clock.nowMs / 1000,
        finished_at: null,
      },
    ],
  )
  t.same(await ids(api, '?event_id=' + ended), [endedId], 'it is one delivery')

  const waiting = await addEvent(api)
  const due = clock.nowMs + 2 * HOUR_MS
  const waitingId = await addOpen(api, { eventId: waiting, attempts: 3, dueAt: due })
  t.match((await replay(waiting)).body, {
    id: waitingId,
    cause: 'event',
    cycle: 1,
    attempts: 3,
    next_attempt_at: clock.nowMs / 1000,
  })

  const underWay = await addEvent(api)
  await addOpen(api, { eventId: underWay, leaseToken: crypto.randomUUID() })
  const conflict = {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'under_way' } },
  }
  t.match(await replay(underWay), conflict)

  const fresh = await addEvent(api)
  const first = await replay(fresh)
  t.match(first.body, { event_id: fresh, event_type: 'card.suspended', cause: 'replay', cycle: 1 })
  t.same((await replay(fresh)).body, first.body, 'asked twice, sent once')

  const inLine = await addEvent(api)
  await sql`
    insert into event_outbox (event_id, tenant_id, environment, seq)
    select id, tenant_id, environment, seq from events where id = ${inLine}`
  t.match(await replay(inLine), conflict, 'it comes by itself')
  await sql`delete from event_outbox where event_id = ${inLine}`

  const theirs = await addEvent(api, 'card.created', api.other)
  for (const id of [theirs, newId('evt', 1)])
    t.match(await replay(id), { status: 404, body: { error: { code: 'resource_missing' } } })
  await sql`update webhook_endpoints set status = 'disabled' where id = ${tenant.endpointId}`
  t.match(await replay(ended), {
    status: 409,
    body: {
      error: { code: 'invalid_state', current_status: 'disabled', allowed_from: ['enabled'] },
    },
  })
})

const RESOURCES = {
  card: Card,
  cardholder: Cardholder,
  transaction: CardTransactionShape,
  dispute: Dispute,
  payment: Payment,
  settlement_batch: SettlementBatch,
  subscription: Subscription,
  addon: Addon,
  quote: Quote,
  payment_method: PaymentMethod,
  portal_session: PortalSession,
  program: Program,
  api_key: ApiKey,
  pass_template: PassTemplate,
  pass: Pass,
  scan: PassScan,
}

test('a test event takes the usual way once, and is not listed as an event', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const sent: ClaimedDelivery[] = []
  const { endpointId } = tenant
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('wsec', 1)}, ${endpointId}, 0, ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, 'whsec_a')}, 0)`
  await sql`update webhook_endpoints set event_types = '{dispute.created,card.created}' where id = ${endpointId}`
  const { status, body } = await post(api, 'test')
  t.equal(status, 201)
  t.match(body, { cause: 'test', state: 'pending', event_type: 'dispute.created', cycle: 1 })
  t.match(body.event_id, /^evt_/)
  const dispatch = await startDispatch(sql, {
    clock: { ...systemClock, nowMs: () => api.clock.nowMs },
    send: async (delivery) => {
      sent.push(delivery)
      return { status: 500, errorClass: 'http' }
    },
  })
  await until(async () => (await get(api, 'webhook_deliveries/' + body.id)).state === 'failed')
  t.match(await get(api, 'webhook_deliveries/' + body.id), { attempts: 1, last_status: 500 })
  t.match((await get(api, 'webhook_deliveries/' + body.id + '/attempts')).data, [
    { n: 1, cause: 'test', response_status: 500 },
  ])
  t.match(await get(api, 'webhook_endpoints/' + endpointId), { status: 'enabled' })
  t.same((await get(api, 'events')).data, [])

  const ajv = new Ajv2020({ strict: false })
  for (const type of Object.keys(EVENT_TYPES) as EventType[]) {
    // A tenant has permits for one second of sends: the next second brings more.
    api.clock.nowMs += 1000
    const delivery = (await post(api, 'test', { event_type: type })).body
    await until(() => sent.some(({ id }) => id === delivery.id))
    const envelope = JSON.parse(sent.find(({ id }) => id === delivery.id)?.body.toString() ?? '')
    t.match(envelope, { id: delivery.event_id, type, created: api.clock.nowMs / 1000 })
    const { resource } = EVENT_TYPES[type]
    if (resource === 'endpoint') {
      t.match(envelope.data, { disabled_reason: 'retry_exhausted', endpoint_id: /^we_/ })
      continue
    }
    t.same(Object.keys(envelope.data), [resource])
    t.ok(
      ajv.validate(plainData(RESOURCES[resource]), envelope.data[resource]),
      type + ajv.errorsText(),
    )
  }
  await sql`update tenants set api_version = '2026-11-20' where id = ${tenant.tenantId}`
  const older = (await post(api, 'test', { event_type: 'card.created' })).body
  await until(() => sent.some(({ id }) => id === older.id))
  t.match(sent.at(-1)?.body.toString(), /"api_version":"2026-11-20"/)
  await dispatch.stop(1000)
  await sql`update webhook_endpoints set status = 'disabled' where id = ${endpointId}`
  t.match(await post(api, 'test'), { status: 409, body: { error: { code: 'invalid_state' } } })
})

/** As many as several parts need; a backlog of a hundred thousand only has more of them. */
const BACKLOG = 12_000

async function addBacklog({ sql, tenant }: TestApi, dueAt: number): Promise<void> {
  await sql`
      insert into open_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, attempts, epoch, due_at, created_at)
      select id_floor('dlv', ${SEEDED_AT_MS}::bigint) || right(${tenant.tenantId}, 8) || lpad(n::text, 8, '0'), 'evt_' || n,
        ${tenant.endpointId}, ${tenant.tenantId}, 'sandbox', 'card.created', 2, 1, ${dueAt}, 0
      from generate_series(1, ${BACKLOG}::integer) n`
}

/** Runs until a round finds nothing to do. */
async function runOut(api: TestApi, job: Job): Promise<number> {
  let rounds = 0
  while ((await runOnce(api, job)) > 0) rounds += 1
  return rounds
}

test('an endpoint with many open deliveries is enabled and deleted part by part', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, clock } = api
  const path = '/v1/webhook_endpoints/' + tenant.endpointId
  const key = tenant.keys.write
  await addBacklog(api, clock.nowMs + 20 * HOUR_MS)
  await sql`update webhook_endpoints set status = 'disabled' where id = ${tenant.endpointId}`
  const count = async (condition: ReturnType<Sql>) => {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from open_deliveries where endpoint_id = ${tenant.endpointId} and ${condition}`
    return row?.count
  }
  const enabled = await api.call('PATCH', path, { key, body: { status: 'enabled' } })
  t.match(enabled.body, { status: 'enabled', disabled_at: null })
  t.equal(await count(sql`due_at <= ${clock.nowMs}`), 1000, 'the first of them at once')
  t.equal(await runOut(api, sweepJob), 3)
  t.equal(await count(sql`due_at <= ${clock.nowMs}`), BACKLOG)
  t.equal((await sql`select 1 from endpoint_sweeps`).length, 0)

  t.equal((await api.call('DELETE', path, { key })).status, 200)
  t.equal(await count(sql`true`), BACKLOG - 1000)
  const canceled = await get(api, 'webhook_deliveries?limit=1&order=asc')
  t.match(canceled.data[0], { state: 'canceled', last_error: 'endpoint_deleted' })
  const last = (await get(api, 'webhook_deliveries?limit=1')).data[0]
  t.match(last, { state: 'canceled' }, 'one that is still open reads like the others')
  await runOut(api, sweepJob)
  t.equal(await count(sql`true`), 0)
  t.match(await get(api, 'webhook_deliveries/' + last.id), {
    state: 'canceled',
    last_error: 'endpoint_deleted',
  })
  t.equal((await sql`select 1 from endpoint_sweeps`).length, 0)
})

test('a delivery settled or claimed during a sweep neither ends it nor is changed by it', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, clock } = api
  const { endpointId } = tenant
  const path = '/v1/webhook_endpoints/' + endpointId
  const key = tenant.keys.write
  await addBacklog(api, clock.nowMs + 20 * HOUR_MS)
  await sql`update webhook_endpoints set status = 'disabled' where id = ${endpointId}`
  const enabledAt = clock.nowMs
  await api.call('PATCH', path, { key, body: { status: 'enabled' } })
  const later = await sql<{ id: string }[]>`
    update open_deliveries set due_at = ${enabledAt + 1} where id = any (array(
      select id from open_deliveries where endpoint_id = ${endpointId} and due_at > ${enabledAt} limit 2
    ))
    returning id`
  const [settled = '', failed = ''] = later.map(({ id }) => id)
  const failedUntil = enabledAt + HOUR_MS
  await behindEachOther(
    sql,
    async (inner) => {
      await inner`delete from open_deliveries where id = ${settled}`
      await inner`
        update open_deliveries d set cycle = 2, attempts = 1, epoch = e.enabled_epoch, due_at = ${failedUntil}
        from webhook_endpoints e where d.id = ${failed} and e.id = d.endpoint_id`
    },
    [() => runOnce(api, sweepJob)],
  )
  await runOut(api, sweepJob)
  const waiting = await sql<{ id: string; due: number }[]>`
    select id, due_at as due from open_deliveries
    where endpoint_id = ${endpointId} and due_at > ${enabledAt} limit 2`
  t.same([...waiting], [{ id: failed, due: failedUntil }])

  const [deleted] = await behindEachOther(
    sql,
    (inner) => inner`
      delete from open_deliveries where id = (
        select id from open_deliveries where endpoint_id = ${endpointId} order by id collate "POSIX" limit 1
      )`,
    [() => api.call('DELETE', path, { key })],
  )
  t.equal(deleted?.status, 200)
  await runOut(api, sweepJob)
  const open = await sql`select from open_deliveries where endpoint_id = ${endpointId}`
  t.equal(open.length, 0)
})

test('the older of two secrets is revoked automatically, by the tenant’s clock', async (t) => {
  const api = await startTestApi()
  const { sql, clock, tenant } = api
  const key = tenant.keys.write
  const made = await api.call('POST', '/v1/webhook_endpoints', {
    key,
    body: { url: 'https://tenant.example/hook' },
  })
  const path = '/v1/webhook-endpoints/' + made.body.id
  const call = (step: string, body: object) => api.call('POST', path + '/' + step, { key, body })
  const secrets = async () => (await api.call('GET', path, { key })).body.signing_secrets
  const rotated = await call('rotate_secret', { expires_in: 3600 })
  const at = clock.nowMs / 1000
  t.match(rotated.body.signing_secrets, [{ expires_at: at + 3600 }, { expires_at: null }])
  clock.nowMs += HOUR_MS - 1
  t.equal(await runOnce(api, expireSecrets), 0)
  t.equal((await secrets()).length, 2)
  clock.nowMs += 1
  t.equal(await runOnce(api, expireSecrets), 1)
  t.match(await secrets(), [{ id: rotated.body.signing_secrets[1].id, expires_at: null }])
  t.equal(await runOnce(api, expireSecrets), 0, 'the only one stays')
  const log = await api.call('GET', '/v1/audit_log?limit=1', { key: tenant.keys.admin })
  t.match(log.body.data, [{ action: 'timer secret_expiry' }])

  await call('rotate_secret', {})
  const planned = await call('revoke_old_secret', { expires_in: 7200 })
  t.match(planned.body.signing_secrets, [{ expires_at: clock.nowMs / 1000 + 7200 }, {}])
  await sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenant.tenantId}, ${2 * HOUR_MS})`
  t.equal(await runOnce(api, expireSecrets), 1, 'its own clock counts')
  t.equal((await secrets()).length, 1)
  for (const expires_in of [0, 30 * 86_400 + 1, 1.5])
    t.match(await call('rotate_secret', { expires_in }), {
      status: 400,
      body: { error: { code: 'parameter_invalid', param: 'expires_in' } },
    })
})

test('the request of a delivery is shown as it is sent, without signatures', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, other } = api
  const eventId = await addEvent(api)
  const body = '{"id":"x","text":"Größe ✓","n":1.0}'
  await sql`update events set body = ${Buffer.from(body)} where id = ${eventId}`
  const deliveryId = (await post(api, 'replay', { event_id: eventId })).body.id
  const path = '/v1/webhook_deliveries/' + deliveryId + '/request'
  const before = await api.call('GET', path, { key: tenant.keys.read })
  t.equal(before.status, 200, before.text)

  const delivery = {
    ...{ id: deliveryId, eventId, tenantId: tenant.tenantId, environment: 'sandbox' },
    ...{ cause: 'replay' as const, attempt: 1, url: before.body.url, sendBy: 0 },
    ...{ body: Buffer.from(body), secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] },
  }
  const composed = composeRequest(delivery)
  const sent = signRequest(composed, { ...delivery, now: api.clock.nowMs })
  t.same(
    Object.keys(sent.headers).toSorted(),
    [...Object.keys(before.body.headers), ...before.body.signature_headers].toSorted(),
  )
  t.match(sent.headers, before.body.headers)
  t.match(before.body, {
    object: 'webhook_delivery_request',
    method: 'POST',
    url: 'https://tenant.example/hook',
    body,
    body_bytes: Buffer.byteLength(body),
    headers: { 'svc-event-id': eventId, 'svc-attempt': '1/5', 'svc-replay': 'true' },
  })
  t.notMatch(before.text, /whsec|v1=/)

  for (const keys of [other.keys, api.live.keys])
    t.equal((await api.call('GET', path, { key: keys.read })).status, 404)
  await sql`delete from events where id = ${eventId}`
  t.match(await api.call('GET', path, { key: tenant.keys.read }), {
    status: 200,
    body: { body: null, body_bytes: null },
  })
})
