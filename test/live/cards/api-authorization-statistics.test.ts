import { test } from 'tap'
import type { Sql } from '../../../api/database/pool.ts'
import { countsJob } from '../../../api/issuing/transactions/index.ts'
import { newId } from '../../../shared/id.ts'
import type {
  AuthorizationStatistics,
  AuthorizationSums,
} from '../../../shared/schemas/authorization-statistics.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type TenantOutcome,
} from '../../../shared/wire/journal-entry.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { decisionEntry, lateReplyEntry } from '../../harness/entries.ts'
import { runJob } from '../../harness/jobs.ts'
import { callApproved } from '../../harness/person.ts'
import { fc } from '../../harness/properties.ts'
import { SEEDED_AT_MS, seedTenant, type TestTenant } from '../../harness/tenant.ts'

const PATH = '/v1/authorization_statistics'
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

interface Request {
  amountCents?: number
  approvedCents?: number
  reason?: DecisionEntry['decision']['declineReason']
  decidedBy?: DecisionEntry['decision']['decidedBy']
  outcome?: TenantOutcome | null
  latencyMs?: number
  atMs?: number
  kind?: DecisionEntry['message']['kind']
  transactionId?: string
  sequence?: number
}

function requestOf(tenant: TestTenant, request: Request): DecisionEntry {
  const { amountCents = 1000, reason = null, decidedBy = 'tenant', atMs = 0 } = request
  const { outcome = 'answered_approve', latencyMs = 40, kind = 'authorization' } = request
  const like = decisionEntry({})
  const { card, decision, effect } = like
  if (card === null || effect === null || decision.tenant === null) throw new Error('no card')
  const approved = reason === null
  const approvedCents = approved ? (request.approvedCents ?? amountCents) : 0
  const id = request.transactionId ?? newId('txn', SEEDED_AT_MS)
  const { tenantId, programId, cardholderId, cardId, environment } = tenant
  return {
    ...like,
    transactionId: id,
    environment,
    receivedAtMs: SEEDED_AT_MS + atMs,
    cardAmountCents: amountCents,
    message: { ...like.message, id: newId('msg', SEEDED_AT_MS), kind, amountCents },
    card: { ...card, tenantId, programId, cardholderId, cardId },
    decision: {
      ...decision,
      approved,
      approvedAmountCents: approvedCents,
      declineReason: reason,
      decidedBy,
      standIn: decidedBy === 'stand_in',
      decidedAtMs: SEEDED_AT_MS + atMs,
      tenant: outcome === null ? null : { ...decision.tenant, outcome, latencyMs },
    },
    effect: { ...effect, sequence: request.sequence ?? 1, amountCents: approvedCents },
  }
}

async function read(api: TestApi, query = '', tenant = api.tenant) {
  const answer = await api.call('GET', PATH + query, { key: tenant.keys.read })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body as AuthorizationStatistics
}

const EMPTY: AuthorizationSums = {
  requests: 0,
  approved: 0,
  declined: 0,
  approval_share: null,
  amounts: [],
  reasons: [],
  decided_by: [],
  answers: {
    asked: 0,
    answered: 0,
    under_300_ms_share: null,
    under_800_ms_share: null,
    under_1500_ms_share: null,
    answer_ms: { p50: null, p95: null, p99: null },
  },
  stand_in: { approved: 0, declined: 0 },
  late_answers: { approved: 0, declined: 0 },
}

test('a tenant without authorizations has a day of empty hours', async (t) => {
  const api = await startTestApi()
  const answer = await read(api)
  t.same(answer.total, EMPTY)
  t.equal(answer.steps.length, 24)
  t.match(answer, { step: 'hour', livemode: false })
  t.equal(answer.to - answer.from, DAY_MS / 1000)
  t.equal(answer.steps.at(-1)?.at, (SEEDED_AT_MS - (SEEDED_AT_MS % HOUR_MS)) / 1000)
})

test('statistics tell approvals, amounts, reasons, answer times and stand-in', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const silent = requestOf(tenant, {
    outcome: 'timeout_response',
    decidedBy: 'stand_in',
    reason: 'stand_in_declined',
  })
  await drain(
    sql,
    requestOf(tenant, { amountCents: 1000, approvedCents: 600, latencyMs: 299.9 }),
    requestOf(tenant, { amountCents: 1000, latencyMs: 300 }),
    requestOf(tenant, { amountCents: 500, latencyMs: 799 }),
    requestOf(tenant, { amountCents: 500, latencyMs: 1200 }),
    requestOf(tenant, { reason: 'limit_daily', decidedBy: 'static_controls', outcome: null }),
    requestOf(tenant, { reason: 'limit_daily', decidedBy: 'static_controls', outcome: null }),
    requestOf(tenant, { reason: 'merchant_blocked', decidedBy: 'static_controls', outcome: null }),
    requestOf(tenant, { outcome: 'breaker_open', decidedBy: 'stand_in' }),
    silent,
    lateReplyEntry({
      transactionId: silent.transactionId ?? '',
      tenantId: tenant.tenantId,
      repliedAtMs: SEEDED_AT_MS + 2000,
    }),
    requestOf(api.other, { reason: 'limit_count' }),
  )
  t.same((await read(api)).total, {
    requests: 9,
    approved: 5,
    declined: 4,
    approval_share: 0.5556,
    amounts: [
      { currency: 'USD', requested_cents: 8000, approved_cents: 3600, approval_share: 0.45 },
    ],
    reasons: [
      { reason: 'limit_daily', retry_advice: 'later', requests: 2 },
      { reason: 'merchant_blocked', retry_advice: 'never', requests: 1 },
      { reason: 'stand_in_declined', retry_advice: 'later', requests: 1 },
    ],
    decided_by: [
      { decided_by: 'tenant', requests: 4, approved: 4 },
      { decided_by: 'static_controls', requests: 3, approved: 0 },
      { decided_by: 'stand_in', requests: 2, approved: 1 },
    ],
    answers: {
      asked: 5,
      answered: 4,
      under_300_ms_share: 0.2,
      under_800_ms_share: 0.6,
      under_1500_ms_share: 0.8,
      answer_ms: { p50: 500, p95: 1360, p99: 1472 },
    },
    stand_in: { approved: 1, declined: 1 },
    late_answers: { approved: 1, declined: 0 },
  })
  t.match((await read(api, '', api.other)).total, { requests: 1, declined: 1 })
  t.same((await read(api, '', api.live)).total, EMPTY, 'sandbox is not live')
  t.equal((await read(api, '?program_id=' + tenant.programId)).total.requests, 9)
  t.same((await read(api, '?program_id=' + api.other.programId)).total, EMPTY)
})

test('captures, advices and repeated messages are no further requests', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const first = requestOf(tenant, {})
  const id = first.transactionId ?? ''
  await drain(sql, first)
  await drain(sql, first, requestOf(tenant, { kind: 'capture', transactionId: id, sequence: 2 }))
  await drain(sql, requestOf(tenant, { kind: 'incremental', transactionId: id, sequence: 3 }))
  await drain(sql, requestOf(tenant, { kind: 'advice' }))
  t.equal((await read(api)).total.requests, 2)
  const late = lateReplyEntry({ transactionId: id, tenantId: tenant.tenantId, sequence: 3 })
  const at = { repliedAtMs: SEEDED_AT_MS + 1000 }
  await drain(sql, { ...late, ...at }, { ...late, ...at })
  t.same((await read(api)).total.late_answers, { approved: 1, declined: 0 })
})

test('a period is widened to whole steps and bounded', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await drain(sql, requestOf(tenant, { atMs: 5 * MINUTE_MS }), requestOf(tenant, {}))
  api.clock.nowMs = SEEDED_AT_MS + 10 * MINUTE_MS
  const minutes = await read(api, '?step=minute&from=2026-11-20T12:00:30Z&to=2026-11-20T12:05:01Z')
  t.same(
    minutes.steps.map(({ requests }) => requests),
    [1, 0, 0, 0, 0, 1],
  )
  t.same([minutes.from, minutes.to], [SEEDED_AT_MS / 1000, SEEDED_AT_MS / 1000 + 360])
  const day = await read(api, '?step=day&from=2026-11-20&to=2026-11-21')
  t.match([day.steps.length, day.total.requests], [1, 2])
  const refused = async (query: string) =>
    (await api.call('GET', PATH + query, { key: tenant.keys.read })).body.error
  t.match(await refused('?from=2026-11-20&to=2026-11-20'), { code: 'parameter_invalid' })
  t.match(await refused('?from=2020-01-01&to=2026-11-20'), { param: 'from', message: /1440 steps/ })
  t.match(await refused('?step=minute&from=2026-11-18T12:09:59Z&to=2026-11-18T13:00:00Z'), {
    message: /48 hours/,
  })
  t.match(await refused('?step=week'), { param: 'step' })
  t.match(await refused('?from=yesterday'), { param: 'from' })
  t.match(await refused('?card_id=card_1'), { code: 'parameter_unknown' })
})

const anyRequest = fc.record({
  amountCents: fc.oneof(fc.nat(100_000), fc.constant(Number.MAX_SAFE_INTEGER)),
  reason: fc
    .constantFrom(null, null, 'limit_daily', 'tenant_declined', 'mcc' as never)
    .map((one) => ((one as string) === 'mcc' ? ('merchant_category_blocked' as const) : one)),
  decidedBy: fc.constantFrom('tenant', 'static_controls', 'stand_in', 'system'),
  outcome: fc.constantFrom(
    null,
    'answered_approve',
    'answered_decline',
    'timeout_response',
    'not_configured',
    'breaker_open',
  ),
  latencyMs: fc.oneof(fc.nat(1600), fc.double({ min: 0, max: 2000, noNaN: true })),
  atMs: fc.nat(3 * DAY_MS),
})

/** Counted from the stored messages, one by one. */
async function recount(sql: Sql, tenant: TestTenant) {
  const rows = await sql<{ entry: Buffer }[]>`
    select m.entry from card_transaction_messages m
    join card_transactions t on t.id = m.transaction_id
    where t.tenant_id = ${tenant.tenantId} and t.environment = ${tenant.environment}`
  const entries = rows.map(({ entry }) => decodeEntry(entry) as DecisionEntry)
  const cents = (amounts: readonly number[]) =>
    Math.min(Number.MAX_SAFE_INTEGER, Number(amounts.reduce((all, one) => all + BigInt(one), 0n)))
  const tenants = entries.map(({ decision }) => decision.tenant)
  const answered = tenants.filter((tenant) => tenant?.outcome.startsWith('answered') === true)
  const under = (ms: number) => answered.filter((tenant) => (tenant?.latencyMs ?? 0) < ms).length
  const unsent = ['not_configured', 'breaker_open']
  const asked = tenants.filter((one) => one !== null && !unsent.includes(one.outcome)).length
  const of = (share: number) => (asked === 0 ? null : Math.round((share / asked) * 1e4) / 1e4)
  const reasons = Map.groupBy(
    entries.flatMap(({ decision: { declineReason } }) => declineReason ?? []),
    (reason) => reason,
  )
  return {
    requests: entries.length,
    approved: entries.filter(({ decision }) => decision.approved).length,
    requested: cents(entries.map(({ message }) => message.amountCents)),
    approvedCents: cents(entries.map(({ decision }) => decision.approvedAmountCents)),
    reasons: Object.fromEntries([...reasons].map(([reason, all]) => [reason, all.length])),
    answers: [asked, answered.length, of(under(300)), of(under(800)), of(under(1500))],
    standIn: entries.filter(({ decision }) => decision.standIn).length,
  }
}

function told({ total }: AuthorizationStatistics) {
  const { answers, stand_in } = total
  return {
    requests: total.requests,
    approved: total.approved,
    requested: total.amounts[0]?.requested_cents ?? 0,
    approvedCents: total.amounts[0]?.approved_cents ?? 0,
    reasons: Object.fromEntries(total.reasons.map(({ reason, requests }) => [reason, requests])),
    answers: [
      answers.asked,
      answers.answered,
      answers.under_300_ms_share,
      answers.under_800_ms_share,
      answers.under_1500_ms_share,
    ],
    standIn: stand_in.approved + stand_in.declined,
  }
}

test('sums equal a recount of the transactions, however batches and sums are cut', async (t) => {
  const api = await startTestApi()
  const { sql } = api
  const story = fc.array(
    fc.record({ batch: fc.array(anyRequest, { maxLength: 12 }), foldAfterMs: fc.nat(5 * DAY_MS) }),
    { minLength: 1, maxLength: 5 },
  )
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const tenant = await seedTenant(sql, 'sandbox')
      for (const { batch, foldAfterMs } of rounds) {
        const entries = batch.map((request) => requestOf(tenant, request as Request))
        if (entries.length > 0) await drain(sql, ...entries)
        await runJob(countsJob, { sql, now: SEEDED_AT_MS + foldAfterMs })
      }
      const path = '?step=hour&from=2026-11-20&to=2026-11-27'
      const shown = await read(api, path, tenant)
      t.same(told(shown), await recount(sql, tenant))
      const steps = shown.steps.reduce((all, { requests }) => all + requests, 0)
      t.equal(steps, shown.total.requests)
    }),
    { numRuns: 25 },
  )
})

async function levels(sql: Sql, { tenantId }: TestTenant) {
  return sql<{ level: number; rows: number; requests: number }[]>`
    select level, count(*)::integer as rows, sum(count)::integer as requests
    from authorization_counts where tenant_id = ${tenantId} group by 1 order by 1`
}

test('the job adds rows up into minutes, hours and nothing, by the tenant’s clock', async (t) => {
  const { sql, tenant } = await startTestApi()
  for (let at = 0; at < 6; at++)
    await drain(sql, requestOf(tenant, { atMs: at * 30_000 }), requestOf(tenant, {}))
  const run = (afterMs: number) => runJob(countsJob, { sql, now: SEEDED_AT_MS + afterMs })
  t.same(await levels(sql, tenant), [{ level: 0, rows: 10, requests: 12 }])
  await run(2 * MINUTE_MS - 1)
  t.match(await levels(sql, tenant), [{ level: 0 }], 'the minute may still be drained')
  await run(4 * MINUTE_MS)
  t.same(await levels(sql, tenant), [{ level: 1, rows: 3, requests: 12 }])
  await run(49 * HOUR_MS + 5 * MINUTE_MS)
  t.same(await levels(sql, tenant), [{ level: 2, rows: 1, requests: 12 }])
  await run(400 * DAY_MS - 1)
  t.match(await levels(sql, tenant), [{ level: 2 }])
  await sql`
    insert into sandbox_clocks (tenant_id, offset_ms) values (${tenant.tenantId}, ${2 * DAY_MS})`
  await run(398 * DAY_MS)
  t.same(await levels(sql, tenant), [], 'its clock is two days ahead')
})

test('a wipe removes the counts of its sandbox, and no others', async (t) => {
  const api = await startTestApi()
  const { sql, tenant, other } = api
  await drain(sql, requestOf(tenant, {}), requestOf(other, {}))
  const wiped = await callApproved(api, 'POST', '/v1/sandbox/wipe', {
    key: tenant.keys.admin,
    body: {},
  })
  t.match(wiped, { status: 200, body: { deleted: { authorization_counts: 1 } } })
  t.same((await read(api)).total, EMPTY)
  t.equal((await read(api, '', other)).total.requests, 1)
})

test('statistics need the scope read: sums over all cards are not for support', async (t) => {
  const api = await startTestApi()
  const answer = await api.call('GET', PATH, { key: api.tenant.keys.publishable })
  t.match(answer, { status: 403, body: { error: { code: 'insufficient_scope' } } })
})
