// A sandbox with a real engine behind it: its movable time, its simulated network, and its wipe.

import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { readConfig } from '../../api/config.ts'
import { tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { openNetworkPort } from '../../api/engine-link/network-port.ts'
import { createServer } from '../../api/http/server.ts'
import { disputeExpiry } from '../../api/issuing/disputes/index.ts'
import type { AttemptOutcome, ClaimedDelivery } from '../../api/webhooks/delivery/delivery.ts'
import { Dispatch } from '../../api/webhooks/delivery/dispatch.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { newMasterKeyText, SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { RSA_CERTIFICATE } from '../fakes/network-certificates.ts'
import { TENANT_CERTIFICATES, TENANT_KEY } from '../fakes/tenant-certificates.ts'
import { type Answer, type Call, send, type TestApi, testServices } from '../harness/api.ts'
import { addEndpoint } from '../harness/dispatcher-process.ts'
import { link } from '../harness/drain.ts'
import {
  ENGINE_KEYS,
  NETWORK_SECRET,
  newMessage,
  pushConfig,
  sealed,
  startEngine,
} from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { runJob } from '../harness/jobs.ts'
import { seedOperator } from '../harness/operator.ts'
import { patientClock } from '../harness/patient-clock.ts'
import { file } from '../harness/per-file.ts'
import { callApproved } from '../harness/person.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { writeTls } from '../harness/tls-files.ts'
import { until } from '../harness/until.ts'

const DAY_S = 86_400
const PERSON = {
  first_name: 'Grace',
  last_name: 'Hopper',
  date_of_birth: '1986-12-09',
  address: { line1: '1 Main St', city: 'Portland', postal_code: '97201', country: 'US' },
}

type Body = Answer['body']

/**
 * A sandbox installation: engine, link and API, with an operator who creates tenants. All tests
 * share one, with tenants for each.
 */
const installation = openInstallation()

async function openInstallation() {
  const { sql, url: databaseUrl } = await openTestDatabase(file)
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const engine = await startEngine(file, { unattached: true })
  const socketPath = join(engine.directory, 'engine.sock')
  const started = link(file, databaseUrl, { socketPath } as Parameters<typeof link>[2])
  await until(() => started.state().attached)
  const client = createEngineClient({ socketPath, clock: patientClock })
  const networkPort = openNetworkPort({ url: engine.url, certificate: null })
  const server = createServer(
    testServices({ sql, client, masterKeys: ENGINE_KEYS, clock: systemClock, networkPort }),
  )
  file.teardown(async () => {
    server.server.closeAllConnections()
    await server.close()
    await networkPort.close()
    await client.close()
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const base = 'http://127.0.0.1:' + (server.server.address() as AddressInfo).port
  const call = (method: string, path: string, more: Call = {}): Promise<Answer> =>
    send(base + path, method, more)
  const operator = await seedOperator(sql)
  const tenant = () => openTenant((path, body) => call('POST', path, { key: operator, body }), call)
  return { sql, engine, call, tenant }
}

type Send = (method: string, path: string, more?: Call) => Promise<Answer>

/** A tenant with an admin key of its sandbox, and an active card. */
async function openTenant(operate: (path: string, body: object) => Promise<Answer>, call: Send) {
  const acme = { name: 'Acme', legal_name: 'Acme GmbH', country: 'DE' }
  const { id } = done(await operate('/operator/v1/tenants', acme))
  const issued = await operate('/operator/v1/tenants/' + id + '/api_keys', {
    environment: 'sandbox',
  })
  const key: string = done(issued).secret
  const post = async (path: string, body: object = {}, headers = {}): Promise<Body> =>
    done(await call('POST', path, { key, body, headers }))
  const get = async (path: string): Promise<Body> => done(await call('GET', path, { key }))
  const program = await post('/v1/programs', { name: 'Try' })
  const cardholder = await post('/v1/cardholders', { program_id: program.id, ...PERSON })
  await post('/v1/simulate/cardholders/' + cardholder.id + '/kyc', { result: 'approved' })
  const card = await post('/v1/cards', {
    cardholder_id: cardholder.id,
    type: 'virtual',
    currency: 'USD',
  })
  const pay = (amount: number, more: object = {}, headers: object = {}): Promise<Body> =>
    post(
      '/v1/simulate/card_network/messages',
      { card_id: card.id, amount_cents: amount, ...more },
      headers,
    )
  return { id: id as string, key, post, get, program, cardholder, card, pay }
}

/** The answer's body; a refused call fails the test. */
function done({ status, text, body }: Answer): Body {
  if (status >= 300) throw new Error(status + ' ' + text)
  return body
}

test('a day, a month and a year pass in seconds, for one tenant and all its data', async (t) => {
  const { sql, call, tenant } = await installation
  const one = await tenant()
  const other = await tenant()
  for (const { key, card } of [one, other]) {
    const body = { limits: [{ interval: 'daily', amount_cents: 5000, time_zone: 'UTC' }] }
    done(await call('PUT', '/v1/cards/' + card.id + '/limits', { key, body }))
  }
  const clock = await one.get('/v1/sandbox/clock')
  t.match(clock, { id: one.id, object: 'sandbox_clock', livemode: false, offset_ms: 0 })

  const first = await one.pay(5000)
  t.match(first.answer, { approved: true, response_code: '00' })
  t.match((await one.pay(1)).answer, { approved: false, decline_reason: 'limit_daily' })
  t.equal((await other.pay(5000)).answer.approved, true)

  const moved = await one.post('/v1/sandbox/clock', { advance_seconds: DAY_S })
  t.equal(moved.offset_ms, DAY_S * 1000)
  t.match((await one.pay(5000)).answer, { approved: true }, 'another day')
  t.match((await other.pay(1)).answer, { decline_reason: 'limit_daily' }, 'of one tenant only')

  const graceEnds = Date.now() + 2 * DAY_S * 1000
  await sql`
    update api_keys set state = 'pending', revoke_at = ${graceEnds} where tenant_id = ${one.id}`
  t.equal((await call('GET', '/v1/programs', { key: one.key })).status, 200, 'a day is left')
  await one.post('/v1/sandbox/clock', { to: new Date(graceEnds).toISOString() })
  t.match((await call('GET', '/v1/programs', { key: one.key })).body.error, { code: 'key_revoked' })
  await sql`update api_keys set state = 'active', revoke_at = null where tenant_id = ${one.id}`

  const path = '/v1/card_transactions/' + first.transaction_id
  await until(async () => (await call('GET', path, { key: one.key })).status === 200)
  t.equal((await one.get(path)).status, 'authorized')
  await one.post('/v1/sandbox/clock', { advance_seconds: 32 * DAY_S })
  await until(async () => (await one.get(path)).status !== 'authorized')
  const shown = await one.get(path)
  t.equal(shown.status, 'expired')
  const events = await one.get('/v1/events?order=asc&resource_id=' + first.transaction_id)
  t.same(
    events.data.map(({ type }: Body) => type),
    ['card.transaction.authorized', 'card.transaction.reversed'],
  )
  t.same(events.data.at(-1).data.transaction, shown)
  t.ok(events.data.at(-1).created > clock.now + 32 * DAY_S, 'by the tenant’s time')

  const bought = await one.post('/v1/simulate/card_network/scenarios', {
    card_id: one.card.id,
    scenario: 'approve_and_capture',
    amount_cents: 4000,
  })
  t.same(
    bought.messages.map(({ message, answer }: Body) => [message.kind, answer.approved]),
    [
      ['authorization', true],
      ['capture', true],
    ],
  )
  const capturedPath = '/v1/card_transactions/' + bought.transaction_id
  await until(
    async () => (await call('GET', capturedPath, { key: one.key })).body.status === 'captured',
  )
  const dispute = await one.post('/v1/disputes', {
    transaction_id: bought.transaction_id,
    reason: 'fraudulent',
  })
  const run = () => runJob(disputeExpiry, { sql, now: Date.now() })
  t.equal(await run(), 0, 'there is time to respond')
  const due = Date.parse(dispute.evidence_due_by)
  const to = new Date(due + 60_000).toISOString()
  t.equal((await one.post('/v1/sandbox/clock', { to })).now, Math.floor(due / 1000) + 60)
  t.equal(await run(), 1)
  t.match(await one.get('/v1/disputes/' + dispute.id), { status: 'expired', outcome: 'lost' })

  for (const [body, param] of [
    [{ to: new Date().toISOString() }, 'to'],
    [{ to: '2099-01-01' }, 'to'],
    [{ advance_seconds: 10 * 366 * DAY_S }, 'advance_seconds'],
    [{ advance_seconds: 1, to: '2099-01-01' }, 'to'],
  ] as const)
    t.match(await call('POST', '/v1/sandbox/clock', { key: one.key, body }), {
      status: 400,
      body: { error: { param } },
    })
  t.equal((await other.get('/v1/sandbox/clock')).offset_ms, 0)
})

test('a simulated message is decided once, for any caller, and refused if invalid', async (t) => {
  const { sql, call, tenant } = await installation
  const one = await tenant()
  const other = await tenant()
  const named = await one.pay(700, { id: 'order-1' })
  t.match(named, { card_id: one.card.id, answer: { approved: true } })
  t.notMatch(JSON.stringify(named), one.card.token)
  t.same((await one.pay(700, { id: 'order-1' })).answer, named.answer, 'a repeat is recalled')
  t.not((await other.pay(700, { id: 'order-1' })).message.id, named.message.id)
  t.equal((await one.pay(800, { id: 'order-1' })).answer.response_code, '94')

  const keyed = await one.pay(900, {}, { 'idempotency-key': 'k-1' })
  t.same(await one.pay(900, {}, { 'idempotency-key': 'k-1' }), keyed)
  await sql`delete from idempotency_keys`
  const died = await one.pay(900, {}, { 'idempotency-key': 'k-1' })
  t.same(died.answer, keyed.answer, 'also where the answer was not kept')

  const reversed = await one.pay(900, {
    kind: 'reversal',
    original_network_transaction_id: keyed.message.network_transaction_id,
  })
  t.equal(reversed.transaction_id, keyed.transaction_id)

  const refused = async (body: object, expected: object) =>
    t.match(
      await call('POST', '/v1/simulate/card_network/messages', { key: one.key, body }),
      expected,
      JSON.stringify(body),
    )
  const card_id = one.card.id
  await refused({ card_id: other.card.id, amount_cents: 1 }, { status: 404 })
  await refused(
    { card_id, amount_cents: 1, kind: 'account_verification' },
    { status: 400, body: { error: { code: 'parameter_invalid', param: 'amount_cents' } } },
  )
  await refused(
    { card_id, amount_cents: 1, transmitted_at: '2020-01-01T00:00:00Z' },
    { status: 400, body: { error: { param: 'transmitted_at' } } },
  )
  await refused(
    { card_id, amount_cents: 1, card: { pan: '4111111111111111' } },
    { status: 400, body: { error: { code: 'parameter_unknown' } } },
  )

  const play = (scenario: string) =>
    one.post('/v1/simulate/card_network/scenarios', { card_id, scenario })
  const kinds = async (scenario: string) =>
    (await play(scenario)).messages.map(
      ({ message, answer }: Body) => message.kind + ' ' + answer.response_code,
    )
  t.same(await kinds('approve'), ['authorization 00'])
  t.same(await kinds('approve_and_reverse'), ['authorization 00', 'reversal 00'])
  t.same(await kinds('capture_in_parts'), ['authorization 00', 'capture 00', 'capture 00'])
  t.same(await kinds('incremental'), ['authorization 00', 'incremental 00', 'capture 00'])
  t.same(await kinds('refund'), ['authorization 00', 'capture 00', 'refund 00'])
  t.same(await kinds('account_verification'), ['account_verification 85'])
  const [declined] = (await play('wrong_expiry')).messages
  t.equal(declined.answer.approved, false)

  const [asked, again] = (await play('duplicate')).messages
  t.same(again, asked, 'what comes twice is answered as before')
  const lost = (await play('answer_lost')).messages
  t.same(lost[1], lost[0])
  t.match(lost[2], { message: { kind: 'reversal' }, answer: { response_code: '00' } })
  t.equal(lost[2].transaction_id, lost[0].transaction_id)
  const overtaken = (await play('reversal_first')).messages
  t.match(overtaken[1], {
    message: { kind: 'authorization' },
    answer: { approved: false, decline_reason: 'original_reversed' },
  })
  t.same(await kinds('authorization_lost'), ['capture 00'])
  const [delayed, taken] = (await play('delayed')).messages
  t.equal(delayed.answer.approved, true)
  t.equal(taken.transaction_id, delayed.transaction_id)
  const ms = (message: Body) => Date.parse(message.message.transmitted_at)
  t.ok(ms(taken) - ms(delayed) >= 600_000, 'ten minutes under way')
})

test('the fifth attempt of a webhook comes as soon as its hours have passed', async (t) => {
  const { sql, tenant } = await installation
  const one = await tenant()
  await addEndpoint(sql, { tenantId: one.id, url: 'http://127.0.0.1:1/hook' })
  const sent: ClaimedDelivery[] = []
  const outcome: AttemptOutcome = {
    startedAt: Date.now(),
    durationMs: 1,
    connectedMs: null,
    answeredMs: 1,
    retryAfterMs: null,
    status: 500,
    errorClass: 'http',
    body: '',
  }
  const dispatch = new Dispatch({
    sql,
    send: async (delivery) => {
      sent.push(delivery)
      return delivery.attempt === 1 ? outcome : { ...outcome, status: 200, errorClass: null }
    },
    unseal: () => ({ ok: true, value: Buffer.from('whsec_test') }),
    schedule: { delaysMs: [0, 22 * 3_600_000, 1, 1, 1], random: () => 0 },
    clock: systemClock,
    log: silentLog,
    owner: 'test',
  })
  await dispatch.start()
  t.teardown(() => dispatch.stop(1000))
  await until(async () => {
    const [row] = await sql`
      select (select count(*) from event_outbox) = 0 and count(*) > 0
        and bool_and(attempts = 1 and lease_token is null) as failed
      from deliveries where tenant_id = ${one.id}`
    return row?.['failed'] === true
  })
  const waiting = sent.length
  await one.post('/v1/sandbox/clock', { advance_seconds: 21 * 3600 })
  t.equal(sent.filter(({ attempt }) => attempt === 2).length, 0, 'not yet')
  await one.post('/v1/sandbox/clock', { advance_seconds: 3600 })
  await until(() => sent.filter(({ attempt }) => attempt === 2).length === waiting)
})

test('a wiped sandbox is gone everywhere, and no other one', async (t) => {
  const { sql, engine, call, tenant } = await installation
  const one = await tenant()
  const other = await tenant()
  const raw = (token: string) => engine.purchase(newMessage({ card: { token } }))
  const paid = await one.pay(500, { network_transaction_id: 'order-1' })
  const theirs = await other.pay(500)
  for (const { key, transaction } of [
    { key: one.key, transaction: paid.transaction_id },
    { key: other.key, transaction: theirs.transaction_id },
  ])
    await until(
      async () =>
        (await call('GET', '/v1/card_transactions/' + transaction, { key })).status === 200,
    )
  const countAll = async (tenantId: string) => {
    const [row] = await sql`
      select (select count(*) from card_transactions where tenant_id = ${tenantId}) as transactions,
        (select count(*) from events where tenant_id = ${tenantId}) as events,
        (select count(*) from cards where tenant_id = ${tenantId}) as cards`
    return row
  }
  const before = await countAll(other.id)

  const asked = await call('POST', '/v1/sandbox/wipe', { key: one.key, body: {} })
  t.match(asked.body.error, { code: 'factor_required' })
  const api = { sql, call, clock: { nowMs: Date.now() } } as unknown as TestApi
  const wipe = () => callApproved(api, 'POST', '/v1/sandbox/wipe', { key: one.key, body: {} })
  const wiped = await wipe()
  t.match(wiped, {
    status: 200,
    body: {
      id: one.id,
      wipes: 1,
      deleted: { cards: 1, cardholders: 1, programs: 1, card_transactions: 1 },
    },
  })
  t.same(await countAll(one.id), { transactions: 0, events: 0, cards: 0 })
  t.same((await one.get('/v1/programs')).data, [])
  t.equal((await raw(one.card.token)).decline_reason, 'card_not_found')
  t.equal((await one.get('/v1/card_transactions')).data.length, 0)
  const log = await one.get('/v1/audit_log?order=desc')
  t.match(log.data[0], { action: 'POST /v1/sandbox/wipe' })

  t.same(await countAll(other.id), before)
  t.equal((await raw(other.card.token)).approved, true)
  t.match((await wipe()).body, { wipes: 2, deleted: {} }, 'again')

  // The same names mean new resources.
  const program = await one.post('/v1/programs', { name: 'Again' })
  const cardholder = await one.post('/v1/cardholders', { program_id: program.id, ...PERSON })
  await one.post('/v1/simulate/cardholders/' + cardholder.id + '/kyc', { result: 'approved' })
  const card = await one.post('/v1/cards', {
    cardholder_id: cardholder.id,
    type: 'virtual',
    currency: 'USD',
  })
  const again = await one.post('/v1/simulate/card_network/messages', {
    card_id: card.id,
    amount_cents: 500,
    network_transaction_id: 'order-1',
  })
  t.equal(again.answer.approved, true)
  t.not(again.transaction_id, paid.transaction_id)
  const captured = await one.post('/v1/simulate/card_network/messages', {
    card_id: card.id,
    kind: 'capture',
    amount_cents: 500,
    original_network_transaction_id: again.message.network_transaction_id,
  })
  t.equal(captured.transaction_id, again.transaction_id)
  const [kept] = await sql`select count(*) as quarantined from drain_quarantine`
  t.equal(kept?.['quarantined'], 0)
})

test('a wipe during payments loses nothing of other tenants in the drain', async (t) => {
  const { sql, engine, call, tenant } = await installation
  const [one, other] = [await tenant(), await tenant()]
  let over = false
  const use = async (token: string): Promise<number> => {
    for (let used = 1; ; used++) {
      await engine.purchase(newMessage({ amount_cents: 1, card: { token } }))
      if (over) return used
    }
  }
  const using = Promise.all([other, other, one, one].map(({ card }) => use(card.token)))
  const api = { sql, call, clock: { nowMs: Date.now() } } as unknown as TestApi
  const wiped = await callApproved(api, 'POST', '/v1/sandbox/wipe', { key: one.key, body: {} })
  t.equal(wiped.status, 200, wiped.text)
  over = true
  const [first = 0, second = 0] = await using
  const entries = (await engine.entries()).length
  await until(async () => {
    const [cursor] = await sql`select seq from journal_cursor`
    return cursor?.['seq'] >= entries
  })
  const [left] = await sql`
    select (select count(*) from card_transactions where tenant_id = ${one.id}) as gone,
      (select count(*) from events where tenant_id = ${one.id}) as told,
      (select count(*) from card_transactions where tenant_id = ${other.id}) as others,
      (select count(*) from drain_quarantine) as aside`
  t.match(left, { gone: 0, told: 0, others: first + second, aside: 0 })
})

test('the network port’s address is the engine’s own, with TLS if it has it', async (t) => {
  const cert = TENANT_CERTIFICATES.good
  const directory = t.testdir()
  const engine = await startEngine(t, { tls: writeTls(directory, { cert, key: TENANT_KEY }) })
  await pushConfig(engine)
  const body = JSON.stringify(newMessage())
  const url = engine.url.replace('http:', 'https:')
  const told = async (certificate: string | null, keyId: string, to = url) => {
    const port = openNetworkPort({ url: to, certificate })
    const signature = signatureHeader([NETWORK_SECRET], Math.floor(Date.now() / 1000), body)
    const answer = await port.send({ keyId, signature, body })
    await port.close()
    return answer
  }
  t.match(await told(cert, 'nk_1'), { status: 200, body: { approved: true } })
  t.equal((await told(cert, 'nk_other'))?.status, 401)
  t.equal(await told(RSA_CERTIFICATE, 'nk_1'), null, 'another certificate is not trusted')
  t.equal(await told(null, 'nk_1', engine.url), null, 'nor is there anything without TLS')

  const portOf = (change: { [name: string]: string }) => {
    const read = readConfig({
      DATABASE_URL: 'postgres://localhost/x',
      SVC_DATA_DIR: directory,
      SVC_MASTER_KEY: newMasterKeyText(),
      ...change,
    })
    return read.ok ? read.value.networkPort : read.error
  }
  t.same(portOf({}), { url: 'http://127.0.0.1:8081', certificate: null })
  t.match(portOf({ SVC_ENGINE_HOST: '0.0.0.0', SVC_ENGINE_PORT: '9000' }), {
    url: 'http://127.0.0.1:9000',
  })
  t.same(portOf({ SVC_ENGINE_HOST: '::', SVC_ENGINE_TLS_CERT: join(directory, 'cert.pem') }), {
    url: 'https://[::1]:8081',
    certificate: cert,
  })
  t.match(portOf({ SVC_ENGINE_TLS_CERT: '/nowhere' }), [/SVC_ENGINE_TLS_CERT .* cannot be read/])
})
