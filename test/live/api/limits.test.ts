import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Test, test } from 'tap'
import { openSession } from '../../../api/access/sessions/index.ts'
import { openPool } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import { connectionLimits, isLowered } from '../../../api/http/connection-limits.ts'
import {
  type Lease,
  LeasedBucket,
  type LeaseRequest,
} from '../../../api/http/rate/leased-bucket.ts'
import { lease } from '../../../api/http/rate/store.ts'
import { parseCidrs } from '../../../shared/address.ts'
import { sleep, systemClock } from '../../../shared/clock.ts'
import { connectionMetrics, type SlotLimits } from '../../../shared/connection-slots.ts'
import { TENANT_CERTIFICATES, TENANT_KEY } from '../../fakes/tenant-certificates.ts'
import { seedOperator, startGatedServers } from '../../harness/gated-servers.ts'
import { parseMetrics } from '../../harness/metrics-page.ts'
import { patientClock } from '../../harness/patient-clock.ts'
import { file } from '../../harness/per-file.ts'
import { seedPerson } from '../../harness/person.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { fc } from '../../harness/properties.ts'
import { seedTenant } from '../../harness/tenant.ts'
import { happens, until } from '../../harness/until.ts'

const proxies = parseCidrs('127.0.0.1/32,10.9.0.0/16')
if (!proxies.ok) throw new Error(proxies.error)

const running = startGatedServers(file, 2)

function limits(headers: { [name: string]: unknown }): unknown[] {
  return ['limit', 'remaining', 'resource'].map((name) => headers['x-ratelimit-' + name])
}

/** Milliseconds for which a process may keep its leased tokens. */
const LEASE_MS = 10_000

test('no number of processes admits a call too many, or too few beyond lapsed leases', async (t) => {
  const { sql } = await openTestDatabase(t)
  const steps = fc.array(
    fc.record({
      process: fc.nat(2),
      calls: fc.integer({ min: 1, max: 25 }),
      afterMs: fc.oneof(fc.nat(300), fc.nat(15_000), fc.constant(0)),
    }),
    { minLength: 5, maxLength: 25 },
  )
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(60, 200), steps, async (limit, rounds) => {
      const tenantId = 'ten_' + run++
      // Exact, in sixty-thousandths of a token.
      let parts = 2 * limit * 60_000
      let nowMs = 1_000_000
      // The row is locked while its time is read: the leases follow one after the other.
      let turn: Promise<unknown> = Promise.resolve()
      const inTurn = (process: string, request: LeaseRequest): Promise<Lease> => {
        const granted = turn.then(() => lease(sql, process, request, nowMs))
        turn = granted
        return granted
      }
      const processes = ['a', 'b', 'c'].map(
        (process) =>
          new LeasedBucket(
            { nowMs: () => nowMs, lease: (request) => inTurn(process, request) },
            { tenantId, environment: 'sandbox', bucket: 'cards_write' },
            limit,
          ),
      )
      const begunMs = nowMs
      // A process loses its unspent tokens when the lease ends: they may have been refilled for
      // others.
      const most = (): number =>
        processes.length * Math.max(1, limit * 0.05) * (1 + (nowMs - begunMs) / LEASE_MS) + 1
      for (const { process, calls, afterMs } of rounds) {
        nowMs += afterMs
        parts = Math.min(2 * limit * 60_000, parts + afterMs * limit)
        for (let call = 0; call < calls; call++) {
          const { waitMs } = await processes[process]!.take(limit)
          if (waitMs === 0) parts -= 60_000
          // Rounding of the row's own arithmetic stays far below a thousandth of a token.
          if (parts < -60) throw new Error('one call too many')
          if (waitMs > 0 && parts > most() * 60_000)
            throw new Error('refused with ' + parts / 60_000)
        }
      }
      // A refused caller that waits for the stated time is served.
      const last = processes[0]!
      let verdict = await last.take(limit)
      for (let call = 0; verdict.waitMs === 0 && call < 2 * limit; call++)
        verdict = await last.take(limit)
      nowMs += verdict.waitMs
      return (await last.take(limit)).waitMs === 0
    }),
    { numRuns: 15, endOnFailure: true },
  )
  t.ok(run >= 15)
})

test('tokens kept beyond a lease expire, time set back fills nothing, and returned tokens are there', async (t) => {
  const { sql } = await openTestDatabase(t)
  let nowMs = 1_000_000
  const bucketOf = (process: string, tenantId: string) =>
    new LeasedBucket(
      { nowMs: () => nowMs, lease: (request) => lease(sql, process, request, nowMs) },
      { tenantId, environment: 'sandbox', bucket: 'cards_write' },
      200,
    )
  const passing = async (bucket: LeasedBucket): Promise<number> => {
    let passed = 0
    while ((await bucket.take(200)).waitMs === 0) passed += 1
    return passed
  }
  const [a, b] = [bucketOf('a', 'ten_kept'), bucketOf('b', 'ten_kept')]
  t.equal((await a.take(200)).waitMs, 0)
  nowMs += 300_000
  t.equal(await passing(b), 400, 'the bucket is full again')
  t.equal(await passing(a), 0, 'nine tokens of long ago are no ninth of another bucket')

  const request = { tenantId: 'ten_back', environment: 'sandbox', bucket: 'read', limit: 60 }
  const take = (wanted: number, at: number): Promise<Lease> =>
    lease(sql, 'a', { ...request, kept: 0, wanted, leaseMs: 0 }, at)
  t.equal((await take(120, nowMs)).granted, 120)
  t.equal((await take(60, nowMs - 60_000)).granted, 0)
  t.equal((await take(60, nowMs)).granted, 0, 'the same minute, twice')
  t.equal((await take(60, nowMs + 30_000)).granted, 30)
  t.equal((await take(60, nowMs - 3_600_000)).granted, 0)
  t.equal((await take(60, nowMs - 3_570_000)).granted, 30, 'a clock that was an hour ahead')

  const [first, second] = [bucketOf('a', 'ten_given'), bucketOf('b', 'ten_given')]
  t.equal((await first.take(200)).waitMs, 0)
  await first.giveBack()
  t.equal(await passing(second), 399)
  t.equal(await passing(first), 0)
})

test('a server that stops returns its leases', async (t) => {
  const ends: (() => unknown)[] = []
  const { database, servers } = await startGatedServers({ teardown: (end) => ends.push(end) }, 1)
  const { keys, tenantId } = await seedTenant(database.sql, 'sandbox')
  t.equal((await servers[0]!.call('/v1/probe', { key: keys.read })).status, 200)
  // The server is the last part that was begun.
  await ends.pop()?.()
  const [bucket] = await database.sql<{ tokens: number; out: number }[]>`
    select tokens, leased_tokens(leases, 0) as out from rate_buckets where tenant_id = ${tenantId}`
  t.ok(bucket !== undefined && bucket.out === 0 && bucket.tokens >= 1999, JSON.stringify(bucket))
  for (const end of ends.reverse()) await end()
})

test('two servers together admit as many calls as one, and their answers count down', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'live')
  const startedAt = Date.now()
  const first = await servers[0]!.call('/v1/probe', { key: keys.admin, method: 'DELETE' })
  t.same(limits(first.headers), ['60', '59', 'admin_write'])
  const reset = Number(first.headers['x-ratelimit-reset'])
  t.ok(reset >= startedAt / 1000 && reset <= startedAt / 1000 + 5, 'whole again within seconds')
  const second = await servers[0]!.call('/v1/probe', { key: keys.admin, method: 'DELETE' })
  t.same(limits(second.headers), ['60', '58', 'admin_write'])

  const calls = Array.from({ length: 180 }, (_, index) =>
    servers[index % 2]!.call('/v1/probe', { key: keys.admin, method: 'DELETE' }),
  )
  const answers = await Promise.all(calls)
  const elapsedS = (Date.now() - startedAt) / 1000
  const passed = answers.filter(({ status }) => status === 200).length + 2
  t.ok(passed <= 120 + elapsedS, passed + ' passed in ' + elapsedS + ' s')
  t.ok(passed >= 120 - 2 * 3, passed + ' passed')
  const over = answers.findLast(({ status }) => status === 429)!
  t.same([over.body.error.type, over.body.error.code], ['rate_limited', 'tenant_limit'])
  t.same(limits(over.headers), ['60', '0', 'admin_write'])
  t.equal(Number(over.headers['retry-after']), Math.ceil(over.body.error.retry_after_ms / 1000))

  const other = await servers[1]!.call('/v1/probe', { key: keys.write, method: 'POST' })
  t.equal(other.status, 200, 'another bucket is untouched')
  t.equal((await servers[1]!.call('/v1/probe', { key: keys.read })).status, 200)
})

test('the next call passes after exactly the stated wait', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  for (let round = 0; round < 3; round++) {
    let answer = await server.call('/v1/probe', { key: keys.admin, method: 'DELETE' })
    while (answer.status === 200) {
      const more = Array.from({ length: 20 }, () =>
        server.call('/v1/probe', { key: keys.admin, method: 'DELETE' }),
      )
      answer = (await Promise.all(more)).at(-1)!
    }
    t.ok(answer.body.error.retry_after_ms <= 1001, String(answer.body.error.retry_after_ms))
    await sleep(answer.body.error.retry_after_ms)
    const next = await server.call('/v1/probe', { key: keys.admin, method: 'DELETE' })
    t.equal(next.status, 200)
  }
})

test('a count also spends a read, a wider limit ends on time, and operators have ten times as much', async (t) => {
  // A token comes back every 60 ms, and a busy machine takes as long for a call.
  const { database, servers } = await startGatedServers(t, 1, { clock: patientClock })
  const { tenantId, keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  const count = await server.call('/v1/probe/count', { key: keys.read })
  t.same(limits(count.headers), ['60', '59', 'count'])
  t.same(limits((await server.call('/v1/probe', { key: keys.read })).headers), [
    '1000',
    '998',
    'read',
  ])

  const widen = async (expiresAt: number): Promise<void> => {
    await database.sql`
      insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
      values (${tenantId}, 'sandbox', 3, ${expiresAt})
      on conflict (tenant_id, environment) do update set expires_at = excluded.expires_at`
    await sleep(100)
  }
  await widen(Date.now() + 60_000)
  const wider = await server.call('/v1/probe', { key: keys.write, method: 'POST' })
  t.same(limits(wider.headers), ['600', '599', 'cards_write'])
  await widen(Date.now() - 1)
  const usual = await server.call('/v1/probe', { key: keys.write, method: 'POST' })
  t.equal(usual.headers['x-ratelimit-limit'], '200')

  const operator = await seedOperator(database.sql)
  const console_ = await server.call('/v1/console/1', { key: operator.key })
  t.same(limits(console_.headers), ['10000', '9999', 'read'])
})

test('every answer shows its caller’s limits, refusals too', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  const json = { 'content-type': 'application/json' }
  const answers: [number, string, Awaited<ReturnType<typeof server.call>>][] = [
    [200, 'unauthenticated', await server.call('/health/live')],
    [404, 'unauthenticated', await server.call('/nowhere')],
    [404, 'unauthenticated', await server.call('/%zz')],
    [405, 'unauthenticated', await server.call('/v1/probe', { method: 'PUT' })],
    [401, 'unauthenticated', await server.call('/v1/probe')],
    [200, 'read', await server.call('/v1/probe', { key: keys.read })],
    [200, 'read', await server.call('/v1/probe', { key: keys.read, method: 'HEAD' })],
    [403, 'cards_write', await server.call('/v1/probe', { key: keys.read, method: 'POST' })],
    [400, 'read', await server.call('/v1/probe?x=1', { key: keys.read })],
    [500, 'read', await server.call('/v1/broken', { key: keys.read })],
    [
      400,
      'cards_write',
      await server.call('/v1/probe', { key: keys.write, method: 'POST', headers: json, raw: '{' }),
    ],
    [
      415,
      'cards_write',
      await server.call('/v1/probe', {
        key: keys.write,
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        raw: 'x',
      }),
    ],
    [
      413,
      'cards_write',
      await server.call('/v1/probe', {
        key: keys.write,
        method: 'POST',
        headers: json,
        raw: '"' + 'x'.repeat(1024 * 1024) + '"',
      }),
    ],
  ]
  for (const [status, resource, { status: told, headers, body, text }] of answers) {
    t.same([told, headers['x-ratelimit-resource']], [status, resource], text)
    for (const name of ['limit', 'remaining', 'reset'])
      t.match(headers['x-ratelimit-' + name], /^\d+$/, status + ' ' + name)
    if (body?.error) t.match(body.error.doc_url, /^https:\/\/svc\.test\/docs\/errors#\w+$/)
  }
})

test('401 comes before 429, that before 403, and that before 400', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[1]!
  const call = (key: string) => server.call('/v1/probe?unknown=1', { key, method: 'DELETE' })
  t.equal((await call(keys.write)).body.error.code, 'insufficient_scope')
  t.equal((await call(keys.admin)).body.error.code, 'parameter_unknown')
  const burst = () =>
    Promise.all([keys.write, ...Array(20).fill(keys.admin), keys.write].map((key) => call(key)))
  const limited = async () =>
    (await burst()).slice(-2).every(({ body }) => body.error.code === 'tenant_limit')
  t.ok(await happens(limited), 'the limit of a tenant holds for each of its keys')
  t.equal((await call(keys.write + 'x')).body.error.code, 'invalid_credential')
})

test('a sender of wrong credentials waits; a right one is served meanwhile', async (t) => {
  const { database, servers } = await startGatedServers(t, 1, { trustedProxies: proxies.value })
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  const from = (address: string, key?: string) =>
    server.call('/v1/probe', {
      headers: { 'x-forwarded-for': address },
      ...(key === undefined ? {} : { key }),
    })
  const answers = await Promise.all(Array.from({ length: 130 }, () => from('192.0.2.1', 'x')))
  const codes = answers.map(({ body }) => body.error.code)
  t.equal(codes.filter((code) => code === 'invalid_credential').length - 120 <= 2, true)
  const over = answers.at(-1)!
  t.same([over.status, over.body.error.code], [429, 'unauthenticated_limit'])
  t.same(limits(over.headers), ['60', '0', 'unauthenticated'])
  t.equal((await from('192.0.2.1', keys.read)).status, 200)
  t.equal((await from('192.0.2.2')).status, 401, 'another address')

  const elsewhere = { headers: { 'x-forwarded-for': '192.0.2.3' } }
  const paths = ['/nowhere', '/v1/console/x', '/%zz', '/challenge/' + 'x'.repeat(43)]
  const lost = await Promise.all(
    Array.from({ length: 130 }, (_, index) => server.call(paths[index % 4] ?? '', elsewhere)),
  )
  const missing = lost.filter(({ status }) => status === 404).length
  t.ok(missing >= 120 && missing < 130, String(missing))
  const calls = paths.map((path) => () => server.call(path, elsewhere))
  const wrongMethod = () => server.call('/v1/probe', { ...elsewhere, method: 'PUT' })
  for (const call of [...calls, wrongMethod])
    await until(async () => {
      const { status, headers } = await call()
      return status === 429 && Number(headers['retry-after']) >= 1
    })
})

test('one visitor of a page cannot use up the tenant’s limit', async (t) => {
  const { database, servers } = await startGatedServers(t, 1, { trustedProxies: proxies.value })
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  const visit = (address: string) =>
    server.call('/v1/page', { key: keys.publishable, headers: { 'x-forwarded-for': address } })
  let last = await visit('2001:db8:1::1')
  let visits = 1
  while (last.status === 200) {
    last = (await Promise.all(Array.from({ length: 20 }, () => visit('2001:db8:1::' + visits)))).at(
      -1,
    )!
    visits += 20
  }
  t.ok(visits >= 200 && visits <= 240, 'a /64 is one visitor: ' + visits)
  t.same([last.status, last.body.error.code], [429, 'address_limit'])
  t.equal((await visit('2001:db8:2::1')).status, 200)
  t.equal((await server.call('/v1/probe', { key: keys.read })).status, 200)
})

test('a tenant has 64 connections; the next is refused and closed', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  const agents = Array.from({ length: 65 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  t.teardown(() => {
    for (const agent of agents) agent.destroy()
  })
  const on = (agent: Agent) => server.call('/v1/probe', { key: keys.read, agent })
  for (const agent of agents.slice(0, 64)) t.equal((await on(agent)).status, 200)
  const refused = await on(agents[64]!)
  t.same([refused.status, refused.body.error.code], [429, 'connection_limit'])
  t.equal(refused.headers.connection, 'close')
  t.same(limits(refused.headers), ['64', '0', 'connections'])
  t.equal((await on(agents[0]!)).status, 200, 'an open one goes on')
  const other = await seedTenant(database.sql, 'sandbox')
  const agent = agents[64]!
  t.equal((await server.call('/v1/probe', { key: other.keys.read, agent })).status, 200)
  agents[0]!.destroy()
  await sleep(50)
  t.equal((await on(agents[64]!)).status, 200)
})

const FEW: SlotLimits = { max: 16, strangersMax: 8, addressMax: 6, reserved: 2 }
const TLS = { cert: TENANT_CERTIFICATES.good, key: TENANT_KEY }

interface From {
  port: number
  tls: boolean
  localAddress: string
}

/** A connection that the server has accepted, or has already closed. */
async function hold(t: Test, { port, tls, localAddress }: From): Promise<Socket> {
  const to = { host: '127.0.0.1', port, localAddress }
  const socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  await Promise.race([
    once(socket, tls ? 'secureConnect' : 'connect'),
    new Promise((resolve) => socket.once('close', resolve)),
  ])
  return socket
}

/** The status of one call on the connection; null if the server closes it without an answer. */
function ask(socket: Socket, path: string, key?: string): Promise<number | null> {
  return askWith(socket, path, key === undefined ? '' : 'Authorization: Bearer ' + key + '\r\n')
}

async function askWith(socket: Socket, path: string, headers: string): Promise<number | null> {
  if (socket.destroyed) return null
  socket.write('GET ' + path + ' HTTP/1.1\r\nHost: 127.0.0.1\r\n' + headers + '\r\n')
  const head = await new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString()))
    socket.once('close', () => resolve(''))
  })
  return head === '' ? null : Number(head.slice(9, 12))
}

for (const tls of [false, true])
  test(
    'half requests take slots from callers without a key only' + (tls ? ', over TLS' : ''),
    async (t) => {
      const change = { connectionLimits: FEW, tls: tls ? TLS : null }
      const { database, servers } = await startGatedServers(t, 1, change)
      const { keys } = await seedTenant(database.sql, 'sandbox')
      const { port, slots } = servers[0]!
      const from = (last: number): From => ({ port, tls, localAddress: '127.0.0.' + last })
      const kept = await hold(t, from(9))
      t.equal(await ask(kept, '/v1/probe', keys.read), 200)
      const held: Socket[] = []
      for (let round = 0; round < 6; round++)
        for (const last of [2, 3, 4, 5, 6]) {
          const socket = await hold(t, { ...from(last), tls: false })
          // Over TLS this is a handshake that never ends.
          socket.write(tls ? Buffer.from([22, 3, 1]) : 'GET /v1/probe HTTP/1.1\r\nHost: x\r\n')
          held.push(socket.resume())
        }
      await until(() => held.filter(({ closed }) => closed).length >= 22)
      t.ok(slots.open <= 9, 'strangers have no more slots than they may')
      t.equal(
        await ask(kept, '/v1/probe', keys.read),
        200,
        'a caller with a key keeps its connection',
      )
      t.equal(await ask(await hold(t, from(7)), '/health/live'), 200, 'a new health probe')
      t.equal(await ask(await hold(t, from(8)), '/v1/probe', keys.read), 200, 'a new caller')
      t.equal(
        await ask(await hold(t, from(2)), '/health/live'),
        200,
        'a probe from where they come',
      )
      const told = parseMetrics(connectionMetrics([slots])).get('svc_connections_refused_total')
      const evicted = told?.samples.get(
        'svc_connections_refused_total{port="api",reason="evicted"}',
      )
      t.ok((evicted ?? 0) >= 22, 'the metrics count the evicted')
      await until(() => held.every(({ closed }) => closed))
      await until(() => slots.open <= 4)
      t.equal(await ask(kept, '/v1/probe', keys.read), 200, 'a connection at rest does not')
    },
  )

test('the metrics count a TLS handshake that fails', async (t) => {
  const { servers } = await startGatedServers(t, 1, { connectionLimits: FEW, tls: TLS })
  const { port, slots } = servers[0]!
  const plain = await hold(t, { port, tls: false, localAddress: '127.0.0.3' })
  plain.write('GET / HTTP/1.1\r\n\r\n')
  await until(() => plain.resume().closed)
  const name = 'svc_tls_handshakes_failed_total'
  const told = parseMetrics(connectionMetrics([slots])).get(name)
  t.equal(told?.samples.get(name + '{port="api",reason="protocol"}'), 1)
  t.equal(told?.samples.get(name + '{port="api",reason="closed"}'), 0)
})

test('callers with keys leave slots to newcomers, and a trusted proxy has no limit of its own', async (t) => {
  const range = parseCidrs('127.0.0.9/32')
  if (!range.ok) throw new Error(range.error)
  const change = { connectionLimits: FEW, trustedProxies: range.value }
  const { database, servers } = await startGatedServers(t, 1, change)
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const { port, slots } = servers[0]!
  const from = (last: number): From => ({ port, tls: false, localAddress: '127.0.0.' + last })
  const keyed = async (last: number, count: number): Promise<Socket[]> => {
    const sockets: Socket[] = []
    for (let index = 0; index < count; index++) {
      const socket = await hold(t, from(last))
      t.equal(await ask(socket, '/v1/probe', keys.read), 200)
      sockets.push(socket)
    }
    return sockets
  }
  const proxied = await keyed(9, 10)
  const own = await keyed(1, 6)
  t.equal(slots.open, 16)
  for (const last of [1, 2, 9])
    t.equal(await ask(await hold(t, from(last)), '/health/live'), 200, 'a probe from .' + last)
  for (const socket of [...proxied, ...own.slice(0, 4)])
    t.equal(await ask(socket, '/v1/probe', keys.read), 200)
  t.ok(slots.open <= 16)
})

test('a person who signed in keeps twelve connections, whoever fills the others', async (t) => {
  const limits = { max: 40, strangersMax: 20, addressMax: 20 }
  const change = { connectionLimits: limits, publicUrl: 'http://127.0.0.1' }
  const { database, servers } = await startGatedServers(t, 1, change)
  const { tenantId } = await seedTenant(database.sql, 'sandbox')
  const { identityId } = await seedPerson(database.sql, tenantId)
  const now = systemClock.nowMs()
  const token = await tx(database.sql, (sql) =>
    openSession(sql, { identityId, factor: 'passkey', address: null, agent: 'test', now }),
  )
  const { port } = servers[0]!
  const from = (last: number): From => ({ port, tls: false, localAddress: '127.0.0.' + last })
  const look = (socket: Socket) => askWith(socket, '/sign-in', 'Cookie: svc=' + token + '\r\n')
  const own: Socket[] = []
  for (let index = 0; index < 13; index++) {
    const socket = await hold(t, from(2))
    t.equal(await look(socket), 303, 'a page that knows the person')
    own.push(socket)
  }
  for (let round = 0; round < 20; round++)
    for (const last of [3, 4, 5]) {
      const socket = await hold(t, from(last))
      socket.write('GET /v1/probe HTTP/1.1\r\nHost: x\r\n')
    }
  // The address of the person is full now: its oldest connection that nobody keeps gives way.
  for (let index = 0; index < 8; index++) await hold(t, from(2))
  await until(() => own[12]?.closed === true)
  for (const socket of own.slice(0, 12)) t.equal(await look(socket), 303)
  t.equal(await ask(await hold(t, from(7)), '/health/live'), 200, 'a new health probe')
  own[0]?.destroy()
  const next = await hold(t, from(2))
  await until(async () => (await look(next)) === 303)
})

test('a publishable key protects no connection, because it is public', async (t) => {
  const change = { connectionLimits: { max: 2, strangersMax: 2, addressMax: 2 } }
  const { database, servers } = await startGatedServers(t, 1, change)
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const from = { port: servers[0]!.port, tls: false, localAddress: '127.0.0.1' }
  const page = await hold(t, from)
  t.equal(await ask(page, '/v1/page', keys.publishable), 200)
  const secret = await hold(t, from)
  t.equal(await ask(secret, '/v1/probe', keys.read), 200)
  t.equal(await ask(await hold(t, from), '/health/live'), 200)
  await until(() => page.closed)
  t.equal(await ask(secret, '/v1/probe', keys.read), 200)
})

test('a low limit of descriptors lowers the number of connections', async (t) => {
  const usual = { max: 8192, strangersMax: 2048, addressMax: 1024, reserved: 64 }
  t.same(connectionLimits(null), usual)
  t.same(connectionLimits(20_000), usual)
  const lowered = connectionLimits(1024)
  t.same(lowered, { max: 768, strangersMax: 192, addressMax: 384, reserved: 64 })
  t.same([isLowered(usual), isLowered(lowered)], [false, true])
  t.equal(connectionLimits(100).max, 64)
})

test('a key bound to addresses works only from them, whatever headers claim', async (t) => {
  const { database, servers } = await startGatedServers(t, 1, { trustedProxies: proxies.value })
  const { keys, tenantId } = await seedTenant(database.sql, 'sandbox')
  await database.sql`
    update api_keys set cidrs = '{192.0.2.0/24,2001:db8::/32,::ffff:198.51.100.0/120}'
    where tenant_id = ${tenantId} and scope = 'read'`
  await sleep(100)
  const from = async (forwarded: string | null): Promise<unknown> => {
    const headers: { [name: string]: string } =
      forwarded === null ? {} : { 'x-forwarded-for': forwarded }
    const answer = await servers[0]!.call('/v1/probe', { key: keys.read, headers })
    t.notMatch(answer.text, /192\.0\.2|203\.0\.113/)
    return answer.status === 200 ? 200 : answer.body.error.code
  }
  const allowed = [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '2001:db8::1',
    '198.51.100.9',
    '203.0.113.1, 192.0.2.7, 10.9.1.1',
    '192.0.2.7,10.9.0.1',
  ]
  for (const forwarded of allowed) t.equal(await from(forwarded), 200, forwarded)
  const refused = [
    null,
    '203.0.113.1',
    '192.0.2.7, 203.0.113.1',
    '192.0.2.7, garbage',
    'garbage',
    '',
    '192.0.2.7:80',
    '2001:db9::1',
    'fe80::1%eth0',
    '10.9.0.1',
  ]
  for (const forwarded of refused)
    t.equal(await from(forwarded), 'ip_not_allowed', String(forwarded))
  const answer = await servers[0]!.call('/v1/probe', { key: keys.write })
  t.equal(answer.status, 200, 'a key without ranges works from anywhere')
})

test('X-Forwarded-For is ignored without a trusted proxy', async (t) => {
  const { database, servers } = await running
  const { keys, tenantId } = await seedTenant(database.sql, 'sandbox')
  const bind = async (range: string): Promise<void> => {
    await database.sql`
      update api_keys set cidrs = ${[range]} where tenant_id = ${tenantId} and scope = 'read'`
    await sleep(100)
  }
  const headers = { 'x-forwarded-for': '192.0.2.7' }
  await bind('192.0.2.0/24')
  t.equal((await servers[0]!.call('/v1/probe', { key: keys.read, headers })).status, 403)
  await bind('127.0.0.0/8')
  t.equal((await servers[0]!.call('/v1/probe', { key: keys.read, headers })).status, 200)
})

test('no call passes uncounted while PostgreSQL is down, and none gets a 500', async (t) => {
  const nowhere = openPool('postgres://127.0.0.1:1/none', { max: 1, applicationName: 'svc-test' })
  t.teardown(() => nowhere.end({ timeout: 0 }))
  const { database, servers } = await startGatedServers(t, 1, { sql: nowhere })
  const { keys } = await seedTenant(database.sql, 'sandbox')
  for (let call = 0; call < 3; call++) {
    const answer = await servers[0]!.call('/v1/probe', { key: keys.read })
    t.same([answer.status, answer.body.error.code], [503, 'dependency_unavailable'])
    t.equal(answer.headers['x-ratelimit-resource'], 'read')
    t.ok(Number(answer.headers['retry-after']) >= 1)
  }
  t.equal((await servers[0]!.call('/v1/probe')).status, 401)
})
