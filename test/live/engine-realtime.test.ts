import { test } from 'tap'
import { TENANT_CALLS_MAX } from '../../shared/limits.ts'
import type { NetworkAnswer } from '../../shared/schemas/network-message.ts'
import { signatureHeader, standardSignature } from '../../shared/signature.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { type Behaviour, startTenant, type TenantRequest } from '../fakes/tenant.ts'
import {
  cardConfig,
  type EngineOptions,
  endpointConfig,
  newMessage,
  pushConfig,
  sealedSecret,
  startEngine,
  TENANT_SECRET,
  type TestEngine,
} from '../harness/engine.ts'
import { judgedConfig } from '../harness/judged.ts'
import type { Teardown } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

type Tenant = Awaited<ReturnType<typeof startTenant>>

const BUDGET_MS = 400
const NEW_TENANT_SECRET = 'whsec_bmV3LW5ldy1uZXc='

/** An engine whose program asks a tenant with this behaviour. */
async function engineAsking(
  t: Teardown,
  behave: (request: TenantRequest) => Behaviour | Promise<Behaviour>,
  options: EngineOptions & { standIn?: 'controls' | 'decline' } = {},
): Promise<{ engine: TestEngine; tenant: Tenant }> {
  const tenant = await startTenant({ behave, secrets: [TENANT_SECRET] })
  t.teardown(() => tenant.close())
  const engine = await startEngine(t, { budgetMs: BUDGET_MS, ...options })
  await pushConfig(engine, {
    program: { realtime: true, endpoint_id: 'we_1', stand_in: options.standIn ?? 'controls' },
    more: [endpointConfig(tenant.url)],
  })
  return { engine, tenant }
}

const reply = (body: unknown): Behaviour => ({
  kind: 'reply',
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const lastDecision = async (engine: TestEngine): Promise<DecisionEntry> => {
  const entry = (await engine.entries()).filter((candidate) => candidate.kind === 'decision').at(-1)
  if (entry === undefined) throw new Error('no decision')
  return entry
}

test('the tenant gets the signed transaction, and its answer counts', async (t) => {
  const { engine, tenant } = await engineAsking(t, () => reply({ approve: true }))
  const message = newMessage()
  const answer = await engine.purchase(message)
  t.match(answer, { approved: true, response_code: '00', decided_by: 'tenant', stand_in: false })
  const [asked] = tenant.requests
  t.equal(asked?.signatureProblem, null)
  const envelope = JSON.parse(asked?.body ?? '')
  t.match(envelope, {
    type: 'card.transaction.authorization_request',
    api_version: '2026-11-20',
    created: Number,
    id: /^areq_/,
    data: {
      transaction: {
        id: answer.transaction_id,
        status: 'pending',
        amount_cents: 1000,
        currency: 'USD',
        decision: null,
        merchant: { id: 'm-1', mcc: '5411', country: 'US' },
        card: { id: 'card_1', last4: '1111' },
        verification: { cvc: 'match', expiry: 'match' },
      },
    },
  })
  t.notMatch(asked?.body ?? '', /9999990000000000/)
  const left = Number(asked?.headers['svc-deadline-ms'])
  t.ok(left > 0 && left <= BUDGET_MS)
})

const SAYS_NO: readonly [what: string, body: unknown, code: string, reason: string][] = [
  [
    'with a reason we know',
    { approve: false, decline_reason: 'insufficient_funds' },
    '51',
    'insufficient_funds',
  ],
  ['without a reason', { approve: false }, '05', 'tenant_declined'],
  [
    'in its own words',
    { approve: false, decline_reason: 'not on a Friday' },
    '05',
    'tenant_declined',
  ],
  [
    'for fraud, which is not revealed',
    { approve: false, decline_reason: 'suspected_fraud' },
    '05',
    'do_not_honor',
  ],
  ['once among repeated keys', '{"approve":false,"approve":true}', '05', 'tenant_declined'],
  [
    'with half an amount the terminal cannot take',
    { approve: true, approved_amount_cents: 500 },
    '05',
    'tenant_declined',
  ],
]

test('a tenant’s decline is the answer', async (t) => {
  let body: unknown
  const { engine } = await engineAsking(t, () => reply(body))
  for (const [what, said, code, reason] of SAYS_NO) {
    body = said
    t.match(
      await engine.purchase(),
      {
        approved: false,
        response_code: code,
        decline_reason: reason,
        decided_by: 'tenant',
        stand_in: false,
      },
      what,
    )
  }
  body = { approve: true, approved_amount_cents: 500 }
  t.match(await engine.purchase({ partial_approval_capable: true }), {
    approved: true,
    approved_amount_cents: 500,
    response_code: '10',
  })
  body = { approve: true, approved_amount_cents: 5000 }
  t.match(
    await engine.purchase(),
    { approved: true, approved_amount_cents: 1000 },
    'more than was asked for is the whole',
  )
  t.match((await lastDecision(engine)).decision.meters.length, 3)
})

const SILENT: readonly [what: string, behaviour: Behaviour, outcome: string][] = [
  ['never answers', { kind: 'hang' }, 'timeout_response'],
  ['drips bytes', { kind: 'drip', body: '{"approve":true}', everyMs: 60 }, 'timeout_response'],
  ['resets', { kind: 'reset', when: 'before_reply' }, 'connection_error'],
  ['answers 500', { kind: 'reply', status: 500, body: '{"approve":true}' }, 'http_status'],
  [
    'redirects',
    { kind: 'reply', status: 302, headers: { location: '/x' }, body: '' },
    'http_status',
  ],
  ['answers garbage', reply('<html>'), 'malformed_json'],
  ['misspells', reply({ approved: true }), 'malformed_schema'],
  ['quotes', reply({ approve: 'true' }), 'malformed_schema'],
  ['answers 204', { kind: 'reply', status: 204 }, 'malformed_schema'],
  ['sends 10 MB', { kind: 'flood', bytes: 10_000_000 }, 'oversized'],
]

test('the controls stand in, in time, for every kind of silence', async (t) => {
  let behaviour: Behaviour = { kind: 'hang' }
  const { engine } = await engineAsking(t, () => behaviour)
  for (const [what, how, outcome] of SILENT) {
    behaviour = how
    const begin = performance.now()
    const answer = await engine.purchase()
    t.ok(performance.now() - begin < BUDGET_MS + 5000, what + ' is answered in time')
    t.match(
      answer,
      { approved: true, response_code: '00', decided_by: 'stand_in', stand_in: true },
      what,
    )
    t.equal((await lastDecision(engine)).decision.tenant?.outcome, outcome, what)
  }
})

test('a program may decline while its tenant is silent', async (t) => {
  const { engine } = await engineAsking(t, () => ({ kind: 'reset', when: 'before_reply' }), {
    standIn: 'decline',
  })
  t.match(await engine.purchase(), {
    approved: false,
    decline_reason: 'stand_in_declined',
    decided_by: 'stand_in',
    stand_in: true,
  })
})

const POLICY = {
  version: 1,
  action: 'controls',
  max_per_authorization_cents: 5000,
  max_per_card_per_day_cents: 2500,
  max_per_hour_cents: null,
  excluded_kinds: ['cash_withdrawal'],
} as const

test('stand-in follows its policy, and its sums survive a restart', async (t) => {
  let behaviour: Behaviour = { kind: 'reset', when: 'before_reply' }
  const { engine } = await engineAsking(t, () => behaviour, { snapshotEntries: 3 })
  const program = { ...judgedConfig().program, version: 2, realtime: true, endpoint_id: 'we_1' }
  await engine.push({ ...program, stand_in_policy: POLICY })
  t.match(await engine.purchase({ transaction_type: 'cash_withdrawal' }), {
    approved: false,
    decline_reason: 'stand_in_declined',
    decided_by: 'stand_in',
    stand_in: true,
  })
  t.equal((await lastDecision(engine)).decision.standInCap, 'kind')
  t.match(await engine.purchase({ amount_cents: 1500 }), { approved: true, stand_in: true })
  const over = { approved: false, response_code: '61', decline_reason: 'stand_in_limit_exceeded' }
  t.match(await engine.purchase({ amount_cents: 5001 }), over)
  t.equal((await lastDecision(engine)).decision.standInCap, 'per_authorization')
  t.match(await engine.purchase({ amount_cents: 1001 }), over)
  t.match((await lastDecision(engine)).decision, {
    standInCap: 'per_card_per_day',
    standInPolicyVersion: 1,
    standInWould: { approve: false, reason: 'stand_in_limit_exceeded' },
  })
  behaviour = reply({ approve: true })
  t.match(await engine.purchase({ amount_cents: 1001 }), { approved: true, decided_by: 'tenant' })
  t.match((await lastDecision(engine)).decision, {
    standIn: false,
    standInCap: null,
    standInWould: { approve: false, reason: 'stand_in_limit_exceeded' },
  })
  behaviour = reply({ approve: false })
  await engine.purchase({ amount_cents: 1000 })
  t.match((await lastDecision(engine)).decision, { standInWould: { approve: true, reason: null } })

  behaviour = { kind: 'reset', when: 'before_reply' }
  const restarted = await engine.restart()
  t.match(await restarted.purchase({ amount_cents: 1001 }), over, 'what was approved still counts')
  t.match(await restarted.purchase({ amount_cents: 1000 }), { approved: true, stand_in: true })
})

test('a late reply changes nothing and is recorded', async (t) => {
  const { engine } = await engineAsking(t, () => ({
    kind: 'reply',
    body: '{"approve":false}',
    afterMs: BUDGET_MS + 300,
  }))
  const answer = await engine.purchase()
  t.match(answer, { approved: true, decided_by: 'stand_in' })
  await until(async () => (await engine.entries()).length === 2)
  const [asked, replied] = await engine.entries()
  t.match(replied, {
    kind: 'late_reply',
    requestId: asked?.kind === 'decision' ? asked.requestId : 'none',
    sequence: 1,
    outcome: 'late_decline',
    disagrees: true,
    transactionId: answer.transaction_id,
  })
  const restarted = await engine.restart()
  t.equal((await restarted.entries()).length, 2)
})

test('a repeat during the tenant’s decision joins it: one request, one entry, one answer', async (t) => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { engine, tenant } = await engineAsking(
    t,
    async () => {
      await held
      return reply({ approve: true })
    },
    { budgetMs: 1500 },
  )
  const message = newMessage()
  const sent = Array.from({ length: 10 }, () => engine.send(message))
  await until(() => tenant.requests.length > 0)
  t.match(
    await engine.purchase({ ...message, amount_cents: 1 }),
    { response_code: '94' },
    'other content is told at once',
  )
  release()
  const answers = new Set((await Promise.all(sent)).map((answer) => answer.text))
  t.equal(answers.size, 1)
  t.equal(tenant.requests.length, 1)
  t.equal((await engine.entries()).length, 1)
})

test('a card suspended during the tenant’s decision is declined', async (t) => {
  let engine: TestEngine | null = null
  const asking = await engineAsking(
    t,
    async () => {
      await engine?.push(cardConfig({ version: 2, status: 'suspended' }))
      return reply({ approve: true })
    },
    { budgetMs: 1500 },
  )
  engine = asking.engine
  t.match(await engine.purchase(), {
    approved: false,
    decline_reason: 'card_suspended',
    decided_by: 'static_controls',
  })
  t.equal((await lastDecision(engine)).decision.meters.length, 0)
})

test('a program without an enabled endpoint is decided by its controls', async (t) => {
  const { engine } = await engineAsking(t, () => reply({ approve: false }))
  await engine.push({ ...endpointConfig('http://127.0.0.1:1/'), version: 2, status: 'disabled' })
  t.match(await engine.purchase(), {
    approved: true,
    decided_by: 'static_controls',
    stand_in: false,
  })
  t.equal((await lastDecision(engine)).decision.tenant?.outcome, 'not_configured')
})

test('a tenant without the entitlement is not asked', async (t) => {
  const { engine, tenant } = await engineAsking(t, () => reply({ approve: false }))
  const program = { ...judgedConfig().program, version: 2, realtime: true, endpoint_id: 'we_1' }
  await engine.push({ ...program, realtime_entitled: false })
  t.match(await engine.purchase(), {
    approved: true,
    decided_by: 'static_controls',
    stand_in: false,
  })
  t.match((await lastDecision(engine)).decision, {
    tenant: { outcome: 'not_configured', endpointId: null },
    breaker: null,
  })
  t.equal(tenant.requests.length, 0)
})

test('a failing endpoint is not asked: stand-in answers at once until it recovers', async (t) => {
  let healthy = false
  const { engine, tenant } = await engineAsking(t, () =>
    healthy ? reply({ approve: true }) : { kind: 'hang' },
  )
  t.same(await engine.client.breakers(['we_1', 'we_2']), [
    { state: 'closed', for_ms: null, opened_count: 0 },
    { state: 'closed', for_ms: null, opened_count: 0 },
  ])
  await t.rejects(engine.client.breakers(Array(101).fill('we_1')), { message: /too many/ })
  await Promise.all(Array.from({ length: 10 }, () => engine.purchase({ amount_cents: 100 })))
  t.match(await lastDecision(engine), { decision: { breaker: 'closed' } })
  t.match(await engine.client.breakers(['we_1']), [{ state: 'open', opened_count: 1 }])

  t.match(await engine.purchase({ amount_cents: 100 }), {
    approved: true,
    decided_by: 'stand_in',
    stand_in: true,
  })
  t.match(await lastDecision(engine), {
    decision: { breaker: 'open', tenant: { outcome: 'breaker_open', attempts: 0 } },
  })
  t.equal(tenant.requests.length, 10)
  const metrics = await (await fetch(engine.url + '/metrics')).text()
  t.match(metrics, /svc_breakers_open 1\n/)
  t.match(metrics, /svc_breaker_openings_total 1\n/)
  t.match(metrics, /svc_tenant_calls_total\{outcome="breaker_open"\} 1\n/)

  healthy = true
  await until(async () => (await engine.purchase({ amount_cents: 100 })).decided_by === 'tenant')
  t.match(await lastDecision(engine), { decision: { breaker: 'half_open' } })
  t.match(await engine.client.breakers(['we_1']), [{ state: 'closed', opened_count: 1 }])
  t.match(await engine.purchase({ amount_cents: 100 }), { decided_by: 'tenant' })
  t.match(await lastDecision(engine), { decision: { breaker: 'closed' } })
})

test('the time of a call is recorded, also if it was abandoned', async (t) => {
  let behaviour: Behaviour = reply({ approve: true })
  const { engine } = await engineAsking(t, () => behaviour)
  await engine.purchase()
  const answered = (await lastDecision(engine)).decision.timings
  t.ok(answered.sign > 0 && answered.connect > 0 && answered.tenant_wait > answered.connect)
  t.ok(answered.total >= answered.tenant_wait)
  behaviour = { kind: 'hang' }
  await engine.purchase()
  const silent = (await lastDecision(engine)).decision.timings
  t.ok(silent.sign > 0, 'signed in ' + silent.sign + ' µs')
  t.equal(silent.connect, 0, 'on the connection that was kept')
  t.ok(silent.tenant_wait >= (BUDGET_MS - 50) * 1000)
  t.ok(silent.total >= silent.tenant_wait)
})

test('both secrets sign during a rotation, the old one first', async (t) => {
  const { engine, tenant } = await engineAsking(t, () => reply({ approve: true }))
  const other = await startTenant({ secrets: [NEW_TENANT_SECRET] })
  t.teardown(() => other.close())
  const both = [...endpointConfig('').sealed_secrets, sealedSecret(NEW_TENANT_SECRET)]
  await engine.push({ ...endpointConfig(tenant.url), version: 2, sealed_secrets: both })
  await engine.purchase()
  await engine.push({ ...endpointConfig(other.url), version: 3, sealed_secrets: both })
  await engine.purchase()
  t.equal(tenant.requests[0]?.signatureProblem, null, 'whoever has the old one')
  t.equal(other.requests[0]?.signatureProblem, null, 'whoever has the new one')
  const header = String(other.requests[0]?.headers['svc-signature'])
  t.match(header, /^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  const [asked] = other.requests
  const timestamp = Number(asked?.headers['webhook-timestamp'])
  const body = asked?.body ?? ''
  t.equal(header, signatureHeader([TENANT_SECRET, NEW_TENANT_SECRET], timestamp, body))
  t.equal(
    asked?.headers['webhook-signature'],
    [TENANT_SECRET, NEW_TENANT_SECRET]
      .map((secret) => standardSignature(secret, JSON.parse(body).id, timestamp, body))
      .join(' '),
  )
  await engine.push({
    ...endpointConfig(other.url),
    version: 4,
    sealed_secrets: [sealedSecret(NEW_TENANT_SECRET)],
  })
  await engine.purchase()
  t.match(other.requests[1]?.headers['svc-signature'], /^t=\d{10},v1=[0-9a-f]{64}$/)
  t.equal(other.requests[1]?.signatureProblem, null, 'then the new one alone')
})

test('a request that cannot be signed is not sent', async (t) => {
  const { engine, tenant } = await engineAsking(t, () => reply({ approve: true }))
  await engine.push({
    ...endpointConfig(tenant.url),
    version: 2,
    sealed_secrets: ['s1:nokey:AAAA'],
  })
  t.match(await engine.purchase(), { approved: true, decided_by: 'stand_in', stand_in: true })
  t.match(await lastDecision(engine), {
    decision: { tenant: { outcome: 'connection_error', errorHint: 'no_secret' } },
  })
  t.equal(tenant.requests.length, 0)
})

test('a tenant is not asked about a request that is declined already', async (t) => {
  const { engine, tenant } = await engineAsking(t, () => reply({ approve: true }))
  t.match(await engine.purchase({ currency: 'EUR' }), { decline_reason: 'fx_rate_unavailable' })
  t.equal(tenant.requests.length, 0)
})

/** Each call has its own connection; an address may have 1,024, including those just closed. */
const HANGING = 800

test('hanging calls of one tenant fill its own bulkhead and delay no other', async (t) => {
  const { engine, tenant } = await engineAsking(t, () => ({ kind: 'hang' }), { budgetMs: 1500 })
  await engine.push(
    {
      ...cardConfig({ id: 'card_2', token: 'ctok_2', fingerprint: 'other' }),
      program_id: 'prog_2',
    },
    { ...judgedConfig().program, id: 'prog_2', tenant_id: 'ten_2' },
  )
  const hanging = Array.from({ length: HANGING }, () => engine.purchase({ amount_cents: 1 }))
  await until(() => tenant.requests.length > 0)
  let hangingAnswered = 0
  for (const answer of hanging)
    answer.then((one) => (hangingAnswered += one.decided_by === 'stand_in' ? 1 : 0))
  const quick = await engine.purchase({ card: { token: 'ctok_2' } })
  t.ok(quick.approved)
  t.ok(hangingAnswered < HANGING, 'answered while the other tenant’s calls hang')
  const answers: NetworkAnswer[] = await Promise.all(hanging)
  // A machine too busy to run the engine for half a second makes it late: the engine then declines
  // with that reason.
  t.same(
    answers.filter(
      (answer) =>
        !(answer.approved && answer.stand_in) && answer.decline_reason !== 'issuer_overloaded',
    ),
    [],
  )
  const outcomes = (await engine.entries()).map((entry) =>
    entry.kind === 'decision' ? entry.decision.tenant?.outcome : null,
  )
  const timeouts = outcomes.filter((outcome) => outcome === 'timeout_response').length
  // On a machine too slow to send all before the first time out, the breaker opens meanwhile.
  const full = outcomes.filter((outcome) => outcome === 'bulkhead_full').length
  const opened = outcomes.filter((outcome) => outcome === 'breaker_open').length
  t.equal(timeouts + full + opened, HANGING)
  t.ok(
    opened > 0 || (timeouts >= TENANT_CALLS_MAX && full > 0),
    `${timeouts} calls, ${full} with a full bulkhead, ${opened} with an open breaker`,
  )
})
