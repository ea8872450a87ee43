// Idempotency-Key: however a call fails and however often it is repeated, it takes effect once and
// gets the same answer.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { createServer } from '../../api/http/server.ts'
import { claimKey, type KeyedCall, purgeIdempotencyKeys } from '../../api/write/idempotency.ts'
import { KeyedSemaphore } from '../../api/write/keyed-semaphore.ts'
import { write } from '../../api/write/write.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { API_VERSION } from '../../shared/event-catalog.ts'
import { newId } from '../../shared/id.ts'
import {
  newMasterKeyText,
  parseMasterKeys,
  SEAL_CONTEXTS,
  seal,
  unseal,
} from '../../shared/keyring.ts'
import { CERTIFIED_SECRET, startCertifiable } from '../fakes/certifiable-tenant.ts'
import { openCommitCutter } from '../fakes/commit-cutter.ts'
import {
  type Answer,
  type Call,
  MASTER_KEYS,
  startTestApi,
  type TestApi,
  testServices,
} from '../harness/api.ts'
import { COMPILED } from '../harness/compiled.ts'
import { openEngineSocket } from '../harness/engine-socket.ts'
import { freePort } from '../harness/free-ports.ts'
import { runJob } from '../harness/jobs.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant, type TestTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000

function makeToken(api: TestApi, key: string | null, change: Call = {}): Promise<Answer> {
  return api.call('POST', '/v1/wallet_tokens', {
    key: api.tenant.keys.write,
    body: { card_id: api.tenant.cardId, provider: 'apple_pay' },
    ...change,
    headers: { ...(key === null ? {} : { 'idempotency-key': key }), ...change.headers },
  })
}

async function tokensOf(api: TestApi, tenant: TestTenant = api.tenant): Promise<number> {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*) from wallet_tokens where card_id = ${tenant.cardId}`
  return row?.count ?? 0
}

test('fifty parallel repeats of a create have one effect and one answer', async (t) => {
  const api = await startTestApi()
  const answers = await Promise.all(Array.from({ length: 50 }, () => makeToken(api, 'k-50')))
  t.same(new Set(answers.map(({ status }) => status)), new Set([201]))
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'byte for byte')
  t.equal(await tokensOf(api), 1)
  const fresh = answers.filter(({ headers }) => !headers.has('idempotent-replayed'))
  t.equal(fresh.length, 1)
  const original = fresh[0]!.headers.get('request-id')
  const repeats = answers.filter((answer) => answer !== fresh[0])
  t.ok(repeats.every(({ headers }) => headers.get('idempotent-replayed') === 'true'))
  t.ok(repeats.every(({ headers }) => headers.get('svc-original-request') === original))
  t.equal(repeats[0]!.headers.get('content-type'), fresh[0]!.headers.get('content-type'))
  t.equal((await makeToken(api, null)).headers.has('svc-original-request'), false)
  t.equal(await tokensOf(api), 2, 'without a key every call counts')
})

test('a key names one call of one tenant', async (t) => {
  const api = await startTestApi()
  const first = await makeToken(api, 'k-1')
  const refusal = { status: 422, body: { error: { code: 'idempotency_key_reused' } } }
  const body = { card_id: api.tenant.cardId, provider: 'google_pay' }
  const other = await makeToken(api, 'k-1', { body })
  t.match(other, refusal, 'another body')
  t.equal(other.body.error.resource_id, first.body.id)
  const headers = { 'idempotency-key': 'k-1' }
  const { write: key } = api.tenant.keys
  const path = '/v1/wallet_tokens/' + first.body.id
  t.match(await api.call('POST', path + '/suspend', { key, headers }), refusal, 'another path')
  t.equal((await api.call('GET', path, { key, headers })).status, 200, 'a read takes no key')

  const theirs = await makeToken(api, 'k-1', {
    key: api.other.keys.write,
    body: { ...body, card_id: api.other.cardId },
  })
  t.equal(theirs.status, 201, 'the same key of another tenant is another key')
  const live = { key: api.live.keys.write, body: { ...body, card_id: api.live.cardId } }
  t.equal((await makeToken(api, 'k-1', live)).status, 201)
  const [kept] = await api.sql`
    select sealed from idempotency_keys where tenant_id = ${api.tenant.tenantId}`
  t.match(kept!['sealed'], /^s1:/, 'an answer may hold a secret')
})

test('a key has 1 to 255 printable ASCII characters', async (t) => {
  const api = await startTestApi()
  const refusal = {
    status: 400,
    body: { error: { code: 'parameter_invalid', param: 'Idempotency-Key' } },
  }
  t.match(await makeToken(api, ''), refusal, 'empty')
  t.match(await makeToken(api, 'k'.repeat(256)), refusal, 'too long')
  t.match(await makeToken(api, 'k\u00e9'), refusal, 'not ASCII')
  t.match(await makeToken(api, 'a\tb'), refusal, 'not printable')
  t.equal(await tokensOf(api), 0)
  t.equal((await makeToken(api, 'k ~'.repeat(85))).status, 201)
  const sent = request(api.url + '/v1/wallet_tokens', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + api.tenant.keys.write, 'idempotency-key': ['a', 'b'] },
  }).end()
  const [twice] = (await once(sent, 'response')) as [IncomingMessage]
  twice.resume()
  t.equal(twice.statusCode, 400, 'two headers')
})

test('a refusal is not stored: a repeat sees the present state', async (t) => {
  const api = await startTestApi()
  await api.sql`update cards set status = 'terminated' where id = ${api.tenant.cardId}`
  t.match(await makeToken(api, 'k-r'), { status: 409, body: { error: { code: 'invalid_state' } } })
  t.equal((await makeToken(api, 'k-r', { body: { provider: 'apple_pay' } })).status, 400)
  await api.sql`update cards set status = 'active' where id = ${api.tenant.cardId}`
  const made = await makeToken(api, 'k-r')
  t.equal(made.status, 201)
  t.equal(made.headers.has('idempotent-replayed'), false)
})

test('an unconfirmed call may be repeated with its key, and waits for the engine again', async (t) => {
  const api = await startTestApi()
  api.engine.covers = false
  const unconfirmed = await makeToken(api, 'k-503')
  t.match(unconfirmed, { status: 503, body: { error: { code: 'dependency_unavailable' } } })
  t.match(unconfirmed.body.error.message, /with its Idempotency-Key/)
  t.equal((await makeToken(api, 'k-503')).status, 503, 'it waits each time')
  api.engine.covers = true
  const confirmed = await makeToken(api, 'k-503')
  t.equal(confirmed.status, 201)
  t.equal(confirmed.body.id, unconfirmed.body.error.resource_id)
  t.equal(
    confirmed.headers.get('svc-original-request'),
    unconfirmed.headers.get('request-id'),
    'the call that did the work',
  )
  t.equal(await tokensOf(api), 1)
})

test('a key is kept for a day by the tenant’s clock', async (t) => {
  const api = await startTestApi()
  const { tenantId } = api.tenant
  const kept = async () =>
    (await api.sql`select 1 from idempotency_keys where tenant_id = ${tenantId}`).length
  const first = await makeToken(api, 'k-day')
  api.clock.nowMs += 24 * HOUR_MS - 1
  t.equal((await makeToken(api, 'k-day')).text, first.text)
  await runJob(purgeIdempotencyKeys, { sql: api.sql, now: api.clock.nowMs })
  t.equal(await kept(), 1)
  api.clock.nowMs += 1
  const second = await makeToken(api, 'k-day')
  t.not(second.body.id, first.body.id, 'an old key is a fresh one, even before it is removed')
  await runJob(purgeIdempotencyKeys, { sql: api.sql, now: api.clock.nowMs })
  t.equal(await kept(), 1)
  await api.sql`insert into sandbox_clocks values (${tenantId}, ${24 * HOUR_MS})`
  t.equal((await makeToken(api, 'k-day')).headers.has('idempotent-replayed'), false, 'ahead')
  await runJob(purgeIdempotencyKeys, { sql: api.sql, now: api.clock.nowMs + 1 })
  t.equal(await kept(), 1)
  await runJob(purgeIdempotencyKeys, { sql: api.sql, now: api.clock.nowMs + 24 * HOUR_MS })
  t.equal(await kept(), 0)
})

function never(): never {
  throw new Error('a timer opens nothing')
}

/** Calls write() with a key and without a server: the work gives the answer. */
function keyedWrite(
  sql: TestApi['sql'],
  { tenantId }: { tenantId: string },
  work: (sql: TxSql) => Promise<{ id: string }>,
  key = 'k-w',
) {
  const keyed: KeyedCall = {
    owner: { tenantId, environment: 'sandbox' },
    key,
    fingerprint: 'f',
    render: (result) => ({ status: 201, body: JSON.stringify(result) }),
    answer: null,
    unrepeated: null,
  }
  const context = {
    sql,
    requestId: 'req_1',
    now: 0,
    seal: (context: string, text: string) => seal(MASTER_KEYS, context, text),
    unseal: () => never(),
    wait: { over: false, committing: false },
    newId: (prefix: string) => newId(prefix, 0),
    call: { keyed, factor: null, operation: 'test.write', clientAddress: '127.0.0.1' },
    principal: {
      tenantId,
      environment: 'sandbox' as const,
      credential: { kind: 'api_key' as const, id: 'key_1' },
      personId: null,
      granted: ['write'],
      publishable: false,
      apiVersion: API_VERSION,
      clockOffsetMs: 0,
    },
  }
  return { context, result: () => write(context, work) }
}

test('a call that waits for a rival longer than two seconds gets a 409 with a delay', async (t) => {
  const api = await startTestApi()
  const done = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const call = keyedWrite(api.sql, api.tenant, async () => ({ id: 'x' }), 'k-slow')
  const holding = tx(api.sql, async (sql) => {
    await claimKey(sql, call.context, call.context.call.keyed)
    begun.resolve()
    await done.promise
    throw new Error('the first call fails after all')
  })
  await begun.promise
  const rivals = Array.from({ length: 20 }, () => makeToken(api, 'k-slow'))
  await until(async () => (await waitingForLocks(api)) > 0)
  t.equal((await makeToken(api, 'k-other')).status, 201, 'another key waits for nobody')
  t.equal(await waitingForLocks(api), 1, 'rivals wait where they hold no connection')
  for (const refused of await Promise.all(rivals)) {
    t.match(refused, { status: 409, body: { error: { code: 'idempotency_key_in_use' } } })
    t.equal(refused.headers.get('retry-after'), '1')
  }
  done.resolve()
  await t.rejects(holding)
  t.equal((await makeToken(api, 'k-slow')).status, 201, 'what failed leaves nothing')
})

async function waitingForLocks({ sql }: Pick<TestApi, 'sql'>): Promise<number> {
  const waiting = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return waiting.length
}

test('a tenant whose writes hang takes no more than its share of the connections', async (t) => {
  const api = await startTestApi()
  const { tenantId } = api.tenant
  const { user, pass, host, port, database } = api.sql.options
  const address = user + ':' + String(pass) + '@' + host[0] + ':' + port[0] + '/' + database
  // All but one connection of the server will hang: the lock and the observer use other
  // connections.
  const outside = openPool('postgres://' + address, { max: 2, applicationName: 'svc-test' })
  t.teardown(() => outside.end({ timeout: 1 }))
  const waiting = () => waitingForLocks({ sql: outside })
  t.equal((await makeToken(api, null)).status, 201)
  const locked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = tx(outside, async (sql) => {
    await sql`select 1 from audit_heads where tenant_id = ${tenantId} for update`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const stuck = Array.from({ length: 12 }, () => makeToken(api, null))
  await until(async () => (await waiting()) === 4)
  const theirs = {
    key: api.other.keys.write,
    body: { card_id: api.other.cardId, provider: 'apple_pay' },
  }
  t.equal((await makeToken(api, null, theirs)).status, 201, 'another tenant is served')
  t.ok((await waiting()) <= 4)
  held.resolve()
  await holding
  for (const answer of await Promise.all(stuck)) t.equal(answer.status, 201)
})

test('a caller that waits too long for its turn is refused, and the queue moves on', async (t) => {
  const turns = new KeyedSemaphore()
  const turn = {
    name: 'a',
    most: 2,
    opens: false,
    waitMs: 10_000,
    refusal: () => new Error('too late'),
  }
  const done = [1, 2].map(() => Promise.withResolvers<void>())
  const working = done.map(({ promise }) => turns.take(turn, () => promise))
  const order: string[] = []
  const late = turns.take({ ...turn, waitMs: 0 }, async () => order.push('late'))
  const next = ['b', 'c'].map((name) => turns.take(turn, async () => order.push(name)))
  t.equal(await turns.take({ ...turn, name: 'other' }, async () => 'at once'), 'at once')
  await t.rejects(late, /too late/)
  t.same(order, [])
  done[0]!.reject(new Error('failed'))
  await t.rejects(working[0]!, /failed/)
  await Promise.all(next)
  t.same(order, ['b', 'c'], 'a place is passed on whatever came of the work')
  done[1]!.resolve()
  await working[1]
  t.equal(await turns.take(turn, async () => 'free'), 'free')

  const first = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const repeat = { ...turn, most: 1, opens: true }
  const leading = first.map(({ promise }) => turns.take(repeat, () => promise))
  let repeats = 0
  const following = [1, 2, 3].map(() =>
    turns.take(repeat, async () => {
      repeats += 1
      // No repeat ends before all have begun.
      await until(() => repeats === 3)
    }),
  )
  first[0]!.reject(new Error('failed'))
  await t.rejects(leading[0]!, /failed/)
  t.equal(repeats, 0, 'the next one leads, and the others wait for it')
  first[1]!.resolve()
  await Promise.all([...leading.slice(1), ...following])
  t.equal(await turns.take(repeat, async () => 'free'), 'free')
})

test('a call whose COMMIT was cut off is done once and answered', async (t) => {
  const { sql: direct, url } = await openTestDatabase(t)
  const cutter = await openCommitCutter(t, url)
  const sql = openPool(cutter.url, { max: 2, applicationName: 'svc-test' })
  t.teardown(() => sql.end({ timeout: 1 }))
  await direct`create table effects (id text)`
  const work = async (inner: TxSql) => {
    await inner`insert into effects values ('one')`
    return { id: 'one' }
  }
  const { context, result } = keyedWrite(sql, await seedTenant(direct, 'sandbox'), work)
  const opening = { ...context, unseal: openAnswer }
  cutter.cuts = 1
  t.same(await write(opening, work), { id: 'one' })
  t.equal(cutter.cuts, 0)
  t.match(
    context.call.keyed.answer,
    { status: 201, requestId: 'req_1' },
    'no replay of somebody else',
  )
  t.equal((await direct`select 1 from effects`).length, 1)
  await t.rejects(result(), /opens nothing/, 'a repeat opens what was kept')
})

function openAnswer(context: string, sealed: string) {
  const opened = unseal(MASTER_KEYS, context, sealed)
  if (context !== SEAL_CONTEXTS.idempotencyKey) throw new Error('another context')
  return opened
}

test('a certification is repeated under its key without another run', async (t) => {
  const api = await startTestApi()
  const tenant = await startCertifiable(null)
  t.teardown(() => tenant.close())
  const { endpointId, keys } = api.tenant
  await api.sql`update webhook_endpoints set url = ${tenant.url} where id = ${endpointId}`
  await api.sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${'whs_' + endpointId}, ${endpointId}, 0,
      ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, CERTIFIED_SECRET)}, 0)`
  const certify = () =>
    api.call('POST', '/v1/webhook_endpoints/' + endpointId + '/certify', {
      key: keys.write,
      headers: { 'idempotency-key': 'k-cert' },
    })
  const running = certify()
  await until(() => tenant.requests.length > 0)
  t.match(await certify(), { status: 409, body: { error: { code: 'invalid_state' } } })
  const first = await running
  t.equal(first.status, 201)
  const asked = tenant.requests.length
  const second = await certify()
  t.same([second.status, second.text], [201, first.text])
  t.equal(second.headers.get('idempotent-replayed'), 'true')
  t.equal(tenant.requests.length, asked, 'nobody was asked again')
  t.equal((await api.sql`select 1 from certifications where endpoint_id = ${endpointId}`).length, 1)
})

/** A factor without a person: no route below asks for one. */
const TOKEN = 'svc_factor_of_nobody'

interface ApiProcess {
  child: ChildProcess
  url: string
}

async function startProcess(t: Test, environment: { [name: string]: string }): Promise<ApiProcess> {
  const port = await freePort()
  const child = spawn(process.execPath, ['api/main.ts'], {
    env: { ...COMPILED, ...environment, SVC_API_PORT: String(port), SVC_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit').then(([code]) => code)
  t.same(await Promise.race([once(child, 'message').then(() => 'ready'), exit]), 'ready')
  return { child, url: 'http://127.0.0.1:' + port }
}

/** Serves in this process, on the data the others left. */
async function serveHere(
  t: Test,
  { sql, socketPath, masterKey }: { sql: Sql; socketPath: string; masterKey: string },
): Promise<string> {
  const masterKeys = parseMasterKeys(masterKey, true)
  if (!masterKeys.ok) throw new Error(masterKeys.error)
  const client = createEngineClient({ socketPath, clock: systemClock })
  const services = testServices({ sql, client, masterKeys: masterKeys.value, clock: systemClock })
  const server = createServer(services)
  t.teardown(async () => {
    server.server.closeAllConnections()
    await server.close()
    client.close()
  })
  return server.listen({ host: '127.0.0.1', port: 0 })
}

const KILLS = 2
const CALLS = 60

test('every repeat has exactly one effect after api processes are killed during writes', async (t) => {
  const { sql, url } = await openTestDatabase(t)
  const engine = await openEngineSocket()
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-kill-'))
  t.teardown(async () => {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const tenant = await seedTenant(sql, 'sandbox')
  const masterKey = newMasterKeyText()
  const environment = {
    DATABASE_URL: url,
    SVC_DATA_DIR: directory,
    SVC_ENGINE_SOCKET: engine.path,
    SVC_MASTER_KEY: masterKey,
  }
  const send = async (base: string, number: number): Promise<string | null> => {
    const response = await fetch(base + '/v1/wallet_tokens', {
      method: 'POST',
      headers: {
        authorization: 'Bearer ' + tenant.keys.write,
        'content-type': 'application/json',
        'idempotency-key': 'call-' + number,
        'svc-factor': TOKEN,
      },
      body: JSON.stringify({ card_id: tenant.cardId, provider: 'apple_pay' }),
    }).catch(() => null)
    if (response?.status !== 201) return null
    return response.text().catch(() => null)
  }
  const said = new Map<number, string>()
  let cut = 0
  let log = ''
  const sendAll = async (
    base: string,
    pauseMs: number,
    onAnswer: () => void = () => {},
  ): Promise<void> => {
    const calls = Array.from({ length: CALLS }, async (_, number) => {
      await sleep(number * pauseMs)
      const text = await send(base, number)
      if (text === null) cut += 1
      else t.equal(said.get(number) ?? text, text, 'a repeat says the same')
      if (text === null) return
      said.set(number, text)
      onAnswer()
    })
    await Promise.all(calls)
  }
  // Each process succeeds a killed one; they start together, because a start takes long.
  const processes = Array.from({ length: KILLS }, () => startProcess(t, environment))
  for (const [round, { child, url: base }] of (await Promise.all(processes)).entries()) {
    child.stdout?.on('data', (part) => {
      log += part
    })
    // Calls come slowly, so that the kill falls between them: sooner in the first round than in the
    // second.
    let left = 5 + 10 * round
    await sendAll(base, 5, () => {
      left -= 1
      if (left === 0) child.kill('SIGKILL')
    })
    child.kill('SIGKILL')
  }
  await sendAll(await serveHere(t, { sql, socketPath: engine.path, masterKey }), 0)
  t.ok(cut > 0, cut + ' calls were cut off')
  t.equal(said.size, CALLS)
  t.match(log, /answered/)
  t.notOk(log.includes('call-') || log.includes(TOKEN), 'neither header is logged')
  const made = await sql<{ id: string }[]>`select id from wallet_tokens order by id`
  t.same(
    made.map(({ id }) => id),
    [...said.values()].map((text) => JSON.parse(text).id).sort(),
  )
})
