import { test } from 'tap'
import { keepLate, sendLate } from '../../../api/database/late-statements.ts'
import type { SqlTag } from '../../../api/database/pool.ts'
import { type TxSql, tx } from '../../../api/database/transaction.ts'
import { API_VERSIONS } from '../../../api/http/versions/chain.ts'
import { disputeExpiry } from '../../../api/issuing/disputes/index.ts'
import { recordInstalled, recordRemoved } from '../../../api/passes/passes/index.ts'
import { ATTEMPTS_MAX } from '../../../api/webhooks/delivery/delivery.ts'
import { exhaustDelivery } from '../../../api/webhooks/delivery/exhaust.ts'
import { recordEvent, rewriteEvents } from '../../../api/webhooks/events/index.ts'
import { EVENT_TYPES, type EventType } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import { type Answer, PUBLIC_URL, startTestApi, type TestApi } from '../../harness/api.ts'
import { addDelivery } from '../../harness/deliveries.ts'
import { drain } from '../../harness/drained.ts'
import { seedCaptured } from '../../harness/furnished.ts'
import { issue, startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { caller, done, issuePass, makeTemplate } from '../../harness/passes.ts'
import { callApproved } from '../../harness/person.ts'
import { type Step, Story } from '../../harness/story.ts'

async function list(api: TestApi, query = ''): Promise<Answer['body']> {
  return (await api.call('GET', '/v1/events' + query, { key: api.tenant.keys.read })).body
}

async function suspendAndResume(api: TestApi): Promise<void> {
  const path = '/v1/cards/' + api.tenant.cardId
  for (const verb of ['suspend', 'resume']) {
    const { status } = await api.call('POST', path + '/' + verb, { key: api.tenant.keys.write })
    if (status !== 200) throw new Error(verb + ' answered ' + status)
  }
}

test('an event is shown as sent: the stored bytes, under its own id and in every list', async (t) => {
  const api = await startTestApi()
  await suspendAndResume(api)
  const page = await list(api)
  t.same(
    page.data.map(({ type }: Answer['body']) => type),
    ['card.resumed', 'card.suspended'],
  )
  const [newest] = page.data
  t.match(newest.id, /^evt_[0-9a-z]{26}$/)
  t.same(Object.keys(newest), ['id', 'type', 'created', 'api_version', 'data'])
  const one = await api.call('GET', '/v1/events/' + newest.id, { key: api.tenant.keys.read })
  t.same(one.body, newest)
  const [row] = await api.sql`select body from events where id = ${newest.id}`
  t.equal(one.text, row?.['body'].toString())
})

test('events of one tenant are numbered without gaps, also under contention', async (t) => {
  const api = await startTestApi()
  const path = '/v1/cards/' + api.tenant.cardId + '/'
  const key = api.tenant.keys.write
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      api.call('POST', path + (index % 2 === 0 ? 'suspend' : 'resume'), { key }),
    ),
  )
  const rows = await api.sql<{ seq: number }[]>`
    select seq from events where tenant_id = ${api.tenant.tenantId} order by seq`
  t.same(
    rows.map(({ seq }) => seq),
    rows.map((_, index) => index + 1),
  )
  const [queued] =
    await api.sql`select count(*)::int as events from event_outbox where tenant_id = ${api.tenant.tenantId}`
  t.equal(queued?.['events'], rows.length)
  const types = (await list(api, '?order=asc&limit=100')).data.map(
    ({ type }: Answer['body']) => type,
  )
  const alternating = types.every(
    (type: string, index: number) => type === (index % 2 === 0 ? 'card.suspended' : 'card.resumed'),
  )
  t.ok(alternating, 'the order of events is the order of moves')
})

test('events of a write take their numbers together at its end, in the order of their recording', async (t) => {
  const api = await startTestApi()
  const { tenantId, cardId } = api.tenant
  const environment = 'sandbox' as const
  const event = { tenantId, environment, now: api.clock.nowMs, data: { card: { id: cardId } } }
  const numbers = (sql: SqlTag) => sql<{ seq: number; type: string }[]>`
    select seq, type from events where tenant_id = ${tenantId} order by seq`
  await tx(api.sql, async (sql) => {
    keepLate(sql)
    await recordEvent(sql, { ...event, type: 'card.suspended', resourceId: cardId })
    await recordEvent(sql, { ...event, type: 'card.resumed', resourceId: cardId })
    t.same([...(await numbers(sql))], [], 'nothing is locked before the end')
    await sendLate(sql)
    keepLate(sql)
    await recordEvent(sql, { ...event, type: 'card.terminated', resourceId: cardId })
    const rewrite = (envelope: EventEnvelope) => ({ ...envelope, data: { erased: true } })
    await rewriteEvents(sql, { tenantId, environment }, { resourceIds: [cardId], rewrite })
  })
  t.same(
    [...(await numbers(api.sql))],
    [
      { seq: 1, type: 'card.suspended' },
      { seq: 2, type: 'card.resumed' },
      { seq: 3, type: 'card.terminated' },
    ],
  )
  const bodies = (await list(api)).data.map(({ data }: Answer['body']) => data)
  t.same(bodies, Array(3).fill({ erased: true }), 'what is rewritten holds the kept events too')
})

test('an event is kept where its tenant pins another version between its number and its row', async (t) => {
  const api = await startTestApi()
  const { tenantId, cardId } = api.tenant
  const [newest, older] = API_VERSIONS as [string, string]
  const pin = (version: string) =>
    api.sql`update tenants set api_version = ${version} where id = ${tenantId}`
  const record = (sql: TxSql) =>
    recordEvent(sql, {
      ...{ tenantId, environment: 'sandbox', type: 'card.suspended', resourceId: cardId },
      ...{ now: api.clock.nowMs, data: { card: { id: cardId } } },
    })
  await pin(older)
  await tx(api.sql, (sql) => {
    let statements = 0
    const pinned = async (text: TemplateStringsArray, ...values: string[]) => {
      const rows = await sql(text, ...values)
      if (++statements === 1) await pin(newest)
      return rows
    }
    return record(pinned as unknown as TxSql)
  })
  await tx(api.sql, record)
  const rows = await api.sql<{ seq: number; version: string }[]>`
    select seq, api_version as version from events where tenant_id = ${tenantId} order by seq`
  t.same(
    [...rows],
    [
      { seq: 1, version: older },
      { seq: 2, version: newest },
    ],
  )
})

test('an event that the drain brings ten minutes late is found by its moment', async (t) => {
  const api = await startTestApi()
  await suspendAndResume(api)
  const { tenantId } = api.tenant
  const [first] = await api.sql<{ id: string; at: number }[]>`
    select id, created_at as at from events where tenant_id = ${tenantId} order by seq limit 1`
  if (first === undefined) throw new Error('no event')
  const at = first.at - 10 * 60_000
  await api.sql`update events set created_at = ${at} where id = ${first.id}`
  const moment = new Date(at).toISOString()
  const ids = (page: Answer['body']) => page.data.map(({ id }: Answer['body']) => id)
  t.same(ids(await list(api, '?created[lte]=' + moment)), [first.id])
  t.equal(ids(await list(api, '?created[gte]=' + moment)).length, 2)
  t.same(ids(await list(api, '?created[gte]=' + moment + '&created[lte]=' + moment)), [first.id])
})

test('events are filtered by type and resource, and belong to their tenant', async (t) => {
  const api = await startTestApi()
  await suspendAndResume(api)
  t.equal((await list(api, '?type=card.resumed')).data.length, 1)
  t.equal((await list(api, '?resource_id=' + api.tenant.cardId)).data.length, 2)
  t.equal((await list(api, '?resource_id=' + api.other.cardId)).data.length, 0)
  t.match((await list(api, '?type=card.melted')).error, {
    code: 'parameter_invalid',
    param: 'type',
  })
  const others = await api.call('GET', '/v1/events', { key: api.other.keys.read })
  t.same(others.body, { data: [], has_more: false, next_cursor: null })
})

/** Causes the event; returns the path of its resource. */
type Cause = (api: TestApi) => Promise<string>

async function post(api: TestApi, path: string, body: object = {}): Promise<Answer['body']> {
  const answer = await callApproved(api, 'POST', '/v1/' + path, {
    key: api.tenant.keys.admin,
    body,
  })
  if (answer.status >= 300) throw new Error(path + ': ' + answer.text)
  return answer.body
}

/** A card with these calls made on it, one after the other. */
function card(type: 'virtual' | 'physical', ...calls: [verb: string, body?: object][]): Cause {
  return async (api) => {
    const { id, last4 } = await issue(api, type)
    for (const [verb, body = {}] of calls) {
      const place = verb === 'ship' ? 'simulate/cards/' : 'cards/'
      await post(api, place + id + '/' + verb, verb === 'activate' ? { last4 } : body)
    }
    return 'cards/' + id
  }
}

/** A purchase of 50.00, followed by these messages. */
function purchase(...messages: [kind: 'capture' | 'refund' | 'reversal', step: Step][]): Cause {
  return async (api) => {
    const story = new Story(api.tenant)
    const authorized = {
      event: 'authorized',
      amountCents: 5000,
      sums: { authorized: 5000 },
    } as const
    const first = story.message('authorization', authorized)
    await drain(api.sql, first, ...messages.map(([kind, step]) => story.message(kind, step)))
    return 'card_transactions/' + story.id
  }
}

const CAPTURE: Step = { event: 'captured', amountCents: 5000, sums: { captured: 5000 } }
const REFUND: Step = { event: 'refunded', amountCents: 900, sums: { refunded: 900 } }
const REVERSAL: Step = { event: 'reversed', amountCents: 5000, sums: { reversed: 5000 } }

function dispute(...calls: [path: string, body?: object][]): Cause {
  return async (api) => {
    const transaction_id = await seedCaptured(api, api.tenant)
    const { id } = await post(api, 'disputes', { transaction_id, reason: 'other' })
    for (const [path, body] of calls) await post(api, path.replace(':id', id), body)
    return 'disputes/' + id
  }
}

const expired: Cause = async (api) => {
  const path = await dispute()(api)
  await runJob(disputeExpiry, { sql: api.sql, now: api.clock.nowMs + 40 * 86_400_000 })
  return path
}

function program(...moves: [verb: string, body?: object][]): Cause {
  return async (api) => {
    const { id } = await post(api, 'programs', { name: 'Fuel' })
    for (const [verb, body] of moves) await post(api, 'simulate/programs/' + id + '/' + verb, body)
    return 'programs/' + id
  }
}
const SUSPEND: [string, object] = ['suspend', { suspended_by: 'regulator', reason: 'Order 17' }]

const PERSON = {
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'grace@example.com',
  date_of_birth: '1986-12-09',
  address: { line1: '1 Main St', city: 'Portland', postal_code: '97201', country: 'US' },
}

function cardholder(...calls: [verb: string, body?: object][]): Cause {
  return async (api) => {
    const body = { program_id: api.tenant.programId, ...PERSON }
    const { id } = await post(api, 'cardholders', body)
    for (const [verb, told] of calls)
      await post(api, 'simulate/cardholders/' + id + '/' + verb, told)
    return 'cardholders/' + id
  }
}

function apiKey(...verbs: string[]): Cause {
  return async (api) => {
    const body = { name: 'Server', role: 'secret', scope: 'read' }
    const { id } = await post(api, 'api_keys', body)
    for (const verb of verbs) await post(api, 'api_keys/' + id + '/' + verb)
    return 'api_keys/' + id
  }
}

/** Fails the fifth attempt of a delivery. */
const endpointDisabled: Cause = async (api) => {
  const { tenantId, environment, endpointId } = api.tenant
  await suspendAndResume(api)
  const [event] = (await list(api)).data
  const delivery = { id: newId('del', api.clock.nowMs), leaseToken: crypto.randomUUID() }
  await addDelivery(api.sql, {
    ...delivery,
    eventId: event.id,
    endpointId,
    state: 'pending',
    attempts: ATTEMPTS_MAX,
  })
  const [row] = await api.sql<{ epoch: number }[]>`
    select epoch from deliveries where id = ${delivery.id}`
  const claimed = {
    ...{
      ...delivery,
      eventId: event.id,
      resourceId: '',
      endpointId,
      tenantId,
      environment,
      cause: 'event' as const,
      cycle: 1,
      isUntried: false,
    },
    ...{
      attempt: ATTEMPTS_MAX,
      epoch: row?.epoch ?? 0,
      url: '',
      body: Buffer.alloc(0),
      secrets: [],
    },
  }
  const now = api.clock.nowMs
  const outcome = {
    startedAt: now,
    durationMs: 1,
    connectedMs: null,
    answeredMs: 1,
    retryAfterMs: null,
    status: 500,
    errorClass: 'http',
    body: '',
  } as const
  const ended = {
    delivery: claimed,
    outcome,
    verdict: { kind: 'exhausted' },
    endedAt: now,
  } as const
  await exhaustDelivery(api.sql, ended, { delaysMs: [0], random: () => 0 })
  return 'webhook_endpoints/' + endpointId
}

function template(...calls: [verb: string, body?: object][]): Cause {
  return async (api) => {
    const { id } = await makeTemplate(api)
    const { patch, post } = caller(api)
    for (const [verb, body = {}] of calls)
      done(
        await (verb === ''
          ? patch('pass_templates/' + id, body)
          : post('pass_templates/' + id + verb)),
      )
    return 'pass_templates/' + id
  }
}

/** A pass that a phone adds to its wallet, and removes if asked. */
function pass(...steps: ('change' | 'revoke' | 'install' | 'remove')[]): Cause {
  return async (api) => {
    const { id } = await issuePass(api)
    const phone = { passId: id, platform: 'apple', deviceId: 'phone', pushToken: 'token' } as const
    const call = { now: api.clock.nowMs, publicUrl: PUBLIC_URL }
    for (const step of steps) {
      if (step === 'change') done(await caller(api).patch('passes/' + id, { holder_name: 'Ada' }))
      else if (step === 'revoke') done(await caller(api).post('passes/' + id + '/revoke'))
      else if (step === 'install')
        await tx(api.sql, (sql) => recordInstalled(sql, { ...phone, ...call }))
      else await tx(api.sql, (sql) => recordRemoved(sql, { ...phone, ...call }))
    }
    return 'passes/' + id
  }
}

const scanned: Cause = async (api) => {
  const { post } = caller(api)
  const { payload } = await issuePass(api)
  const { id: scanner_id } = done(await post('scanners', { name: 'Door' }))
  return 'pass_scans/' + done(await post('passes/scan', { payload, scanner_id })).id
}

/** The settler records these from final receipts; its tests cause them on a real chain. */
const ON_CHAIN = [
  'payment.settlement_batch_completed',
  'payment.settlement_batch_failed',
  'payment.settlement_retry_requested',
  'payment.settlement_manually_triggered',
] as const satisfies readonly EventType[]

/** Events of payments, by a test of their own: they need a chain and an engine that decides. */
const OF_PAYMENTS = [
  'payment.authorized',
  'payment.needs_confirmation',
  'payment.confirmed',
  'payment.captured',
  'payment.refunded',
  'payment.voided',
  'payment.failed',
  'payment.risk_declined',
] as const satisfies readonly EventType[]

/** Events of billing, by a test of their own: they need an environment that is billed. */
const OF_BILLING = [
  'billing.trial_started',
  'billing.plan_changed',
  'billing.subscription_canceled',
  'billing.addon_toggled',
  'billing.payment_method_updated',
  'billing.portal_accessed',
  'billing.enterprise_quote_requested',
  'billing.dunning_state_overridden',
  'billing.enterprise_quote_provisioned',
] as const satisfies readonly EventType[]

type Elsewhere = (typeof ON_CHAIN | typeof OF_PAYMENTS | typeof OF_BILLING)[number]
type Caused = Exclude<EventType, Elsewhere>

const CAUSES: { readonly [Type in Caused]: Cause } = {
  'card.created': card('virtual'),
  'card.shipped': card('physical', ['ship']),
  'card.activated': card('physical', ['ship'], ['activate']),
  'card.suspended': card('virtual', ['suspend', { reason: 'nobody is there' }]),
  'card.resumed': card('virtual', ['suspend'], ['resume']),
  'card.terminated': card('virtual', ['terminate', { reason: 'lost' }]),
  'card.transaction.authorized': purchase(),
  'card.transaction.declined': async (api) => {
    const story = new Story(api.tenant)
    await drain(api.sql, story.message('authorization', { event: 'declined', amountCents: 700 }))
    return 'card_transactions/' + story.id
  },
  'card.transaction.captured': purchase(['capture', CAPTURE]),
  'card.transaction.refunded': purchase(['capture', CAPTURE], ['refund', REFUND]),
  'card.transaction.reversed': purchase(['reversal', REVERSAL]),
  'dispute.created': dispute(),
  'dispute.updated': dispute(['disputes/:id/submit']),
  'dispute.evidence_required': dispute(
    ['disputes/:id/submit'],
    ['simulate/disputes/:id/require_evidence', { requested: 'A letter.' }],
  ),
  'dispute.expired': expired,
  'program.activated': program(),
  'program.suspended': program(SUSPEND),
  'program.resumed': program(SUSPEND, ['resume']),
  'cardholder.created': cardholder(),
  'cardholder.kyc.completed': cardholder(['kyc', { result: 'rejected', reasons: ['forged'] }]),
  'cardholder.kyc.requires_action': cardholder(['kyc', { result: 'requires_action' }]),
  'cardholder.sanctions.alert': cardholder(['sanctions_hit']),
  'api_key.created': apiKey(),
  'api_key.revoked': apiKey('revoke'),
  'webhook_endpoint.disabled': endpointDisabled,
  'pass_template.created': template(),
  'pass_template.updated': template(['', { description: 'Another' }]),
  'pass_template.archived': template(['/archive']),
  'pass.created': pass(),
  'pass.installed': pass('install'),
  'pass.updated': pass('change'),
  'pass.scanned': scanned,
  'pass.revoked': pass('revoke'),
  'pass.removed': pass('install', 'remove'),
}

test('every type of event can be caused, and shows its resource exactly as GET does at once', async (t) => {
  const api = await startIssuingApi()
  const elsewhere = [...ON_CHAIN, ...OF_PAYMENTS, ...OF_BILLING]
  t.same([...Object.keys(CAUSES), ...elsewhere].sort(), Object.keys(EVENT_TYPES).sort())
  for (const [type, cause] of Object.entries(CAUSES)) {
    const path = await cause(api)
    const id = path.split('/')[1]
    const { body } = await api.call('GET', '/v1/' + path, { key: api.tenant.keys.admin })
    const [event] = (await list(api, '?type=' + type + '&resource_id=' + id)).data
    if (type === 'webhook_endpoint.disabled') {
      const { disabled_reason } = body
      t.same(event.data, { endpoint_id: id, disabled_reason, attempt_count: ATTEMPTS_MAX }, type)
      t.equal(body.status, 'disabled')
    } else t.same(Object.values(event.data), [body], type)
  }
})
