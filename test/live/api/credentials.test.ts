import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type SecureVersion } from 'node:tls'
import { test } from 'tap'
import { Credentials } from '../../../api/access/credentials/credentials.ts'
import { readConfig } from '../../../api/config.ts'
import { openPool, type Sql } from '../../../api/database/pool.ts'
import { parseCidrs } from '../../../shared/address.ts'
import { apiKeyHash, newApiKey, newOperatorKey } from '../../../shared/api-key.ts'
import { sleep, systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { newMasterKeyText } from '../../../shared/keyring.ts'
import { TENANT_CERTIFICATES, TENANT_KEY } from '../../fakes/tenant-certificates.ts'
import { type Reply, seedOperator, startGatedServers } from '../../harness/gated-servers.ts'
import { file } from '../../harness/per-file.ts'
import { seedTenant } from '../../harness/tenant.ts'
import { happens, until } from '../../harness/until.ts'

/** Number of timed revocations. */
const REVOCATIONS = 200
/** A process without news remembers a key for ten seconds. */
const NEWS_MS_MAX = 9000
/** It remembers for a second that a key is unknown. */
const UNKNOWN_MS_MAX = 800

const running = startGatedServers(file, 2)

async function setState(sql: Sql, key: string, state: string, revokeAt: number | null = null) {
  await sql`
    update api_keys set state = ${state}, revoke_at = ${revokeAt} where hash = ${apiKeyHash(key)}`
}

function withoutIds({ text }: Reply): string {
  return text.replace(/req_[0-9a-z]{26}/, 'req_…')
}

test('a revoked key is refused by every process within milliseconds, and a restored one works', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const hash = apiKeyHash(keys.read).toString('hex')
  const delays: number[] = []
  const remembered = async (): Promise<boolean> => {
    await Promise.all(servers.map(({ credentials }) => credentials.key(hash)))
    return servers.every(({ credentials }) => !(credentials.key(hash) instanceof Promise))
  }
  // A process remembers nothing before it listens.
  await until(remembered)
  for (let round = 0; round < REVOCATIONS; round++) {
    t.ok(await remembered(), 'both remember it')
    await setState(database.sql, keys.read, 'revoked')
    const committedNs = systemClock.monotonicNs()
    await until(async () => {
      const states = await Promise.all(servers.map(({ credentials }) => credentials.key(hash)))
      return states.every((known) => known?.state === 'revoked')
    })
    delays.push((systemClock.monotonicNs() - committedNs) / 1e6)
    await setState(database.sql, keys.read, 'active')
    await until(async () => {
      const states = await Promise.all(servers.map(({ credentials }) => credentials.key(hash)))
      return states.every((known) => known?.state === 'active')
    })
  }
  delays.sort((a, b) => a - b)
  const at = (part: number): string => delays[Math.floor(REVOCATIONS * part)]!.toPrecision(3)
  t.comment('ms from commit to both processes: median ' + at(0.5) + ', p99 ' + at(0.99))
  t.ok(Number(at(0.99)) < NEWS_MS_MAX)
  await setState(database.sql, keys.read, 'revoked')
  await sleep(100)
  for (const server of servers)
    t.equal((await server.call('/v1/probe', { key: keys.read })).body.error.code, 'key_revoked')
})

test('no credential is cached while notifications cannot be heard, also after a killed connection', async (t) => {
  const { database, servers } = await running
  for (let round = 0; round < 5; round++) {
    const { keys } = await seedTenant(database.sql, 'sandbox')
    for (const server of servers)
      t.equal((await server.call('/v1/probe', { key: keys.read })).status, 200)
    const killed = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'svc-listen-auth' and datname = current_database()`
    t.equal(killed.length, 2)
    await setState(database.sql, keys.read, 'revoked')
    await sleep(100)
    for (const server of servers)
      t.equal((await server.call('/v1/probe', { key: keys.read })).body.error.code, 'key_revoked')
    await until(async () => {
      const [row] = await database.sql<{ count: number }[]>`
        select count(*) as count from pg_stat_activity
        where application_name = 'svc-listen-auth' and datname = current_database() and state = 'idle'`
      return row?.count === 2
    })
  }
})

test('a load begun before a change is not cached, and one load serves all waiting callers', async (t) => {
  const { database } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const hash = apiKeyHash(keys.read).toString('hex')
  const sql = openPool(database.url, { max: 1, applicationName: 'svc-test-gates' })
  t.teardown(() => sql.end({ timeout: 1 }))
  const credentials = new Credentials(sql, systemClock)
  const unheard = [credentials.key(hash), credentials.key(hash)]
  t.not(unheard[0], unheard[1], 'while nothing is heard everybody asks')
  await Promise.all(unheard)
  credentials.listening()
  const early = credentials.key(hash)
  t.equal(credentials.key(hash), early)
  credentials.forget(hash)
  t.not(credentials.key(hash), early, 'whoever comes after the change asks again')
  t.match(await early, { state: 'active' })
  t.match(await credentials.key(hash), { state: 'active' })
  t.notOk(credentials.key(hash) instanceof Promise)
  for (const payload of [hash, '']) {
    credentials.forget(payload)
    t.ok(credentials.key(hash) instanceof Promise, JSON.stringify(payload))
    await credentials.key(hash)
  }
  const [row] = await sql<
    { id: string }[]
  >`select tenant_id as id from api_keys where hash = ${apiKeyHash(keys.read)}`
  credentials.forget('tenant:' + row?.id)
  t.ok(credentials.key(hash) instanceof Promise)
  await credentials.key(hash)
  credentials.forget('tenant:other')
  t.notOk(credentials.key(hash) instanceof Promise)
  credentials.deaf()
  t.ok(credentials.key(hash) instanceof Promise)

  const nobody = apiKeyHash(newApiKey('secret', 'sandbox')).toString('hex')
  credentials.listening()
  t.equal(await credentials.key(nobody), null)
  t.equal(credentials.key(nobody), null, 'that there is nobody is remembered too')
})

test('a pending key shows its end; a made, widened or moved key counts at once', async (t) => {
  const { database, servers } = await running
  const { sql } = database
  const { keys, tenantId } = await seedTenant(sql, 'sandbox')
  const server = servers[0]!
  const call = () => server.call('/v1/probe', { key: keys.read })
  t.equal((await call()).headers['svc-key-revokes-at'], undefined)
  const revokeAt = Date.now() + 3_600_000
  await setState(sql, keys.read, 'pending', revokeAt)
  await until(async () => (await call()).headers['svc-key-revokes-at'] !== undefined, NEWS_MS_MAX)
  t.equal((await call()).headers['svc-key-revokes-at'], String(Math.floor(revokeAt / 1000)))
  await sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, ${3_600_000})`
  await until(async () => (await call()).status === 401, NEWS_MS_MAX)
  t.equal((await call()).body.error.code, 'key_revoked', 'by the time of its tenant')

  let made = ''
  const countsAtOnce = async (): Promise<boolean> => {
    made = newApiKey('secret', 'sandbox')
    const probe = async () => (await server.call('/v1/probe', { key: made })).status
    t.equal(await probe(), 401)
    await sql`
      insert into api_keys (id, tenant_id, environment, role, scope, hash, last4, created_at)
      values (${newId('key', 1)}, ${tenantId}, 'sandbox', 'secret', 'read', ${apiKeyHash(made)}, 'last', 0)`
    return happens(async () => (await probe()) === 200, UNKNOWN_MS_MAX)
  }
  t.ok(await happens(countsAtOnce, NEWS_MS_MAX), 'before the refusal is forgotten')
  await sql`update tenants set api_version = '2026-11-20' where id = ${tenantId}`
  await until(
    async () =>
      (await server.call('/v1/probe', { key: made })).headers['svc-version'] === '2026-11-20',
    NEWS_MS_MAX,
  )
})

test('only operators see an operator’s route', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const { operatorId, key } = await seedOperator(database.sql)
  const server = servers[0]!
  const known = await server.call('/v1/console/1', { key })
  t.same([known.status, known.body], [200, { operator: operatorId }])
  const unknown = await server.call('/v1/nowhere/1')
  t.equal(unknown.body.error.code, 'route_not_found')
  const credentials = [undefined, 'x', keys.admin, newOperatorKey(), newApiKey('secret', 'live')]
  for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
    for (const other of method === 'GET' ? credentials : [...credentials, key]) {
      const answer = await server.call('/v1/console/1', {
        method,
        ...(other === undefined ? {} : { key: other }),
      })
      t.equal(answer.status, 404)
      t.equal(withoutIds(answer), withoutIds(unknown), method)
      t.same(Object.keys(answer.headers), Object.keys(unknown.headers))
    }
  }
  t.equal((await server.call('/v1/c%6Fnsole/a%2Fb', { method: 'DELETE' })).status, 404)
  const tenants = await server.call('/v1/probe', { key })
  t.same([tenants.status, tenants.body.error.code], [401, 'invalid_credential'])
  await database.sql`update operators set state = 'revoked' where id = ${operatorId}`
  await until(async () => (await server.call('/v1/console/1', { key })).status === 404, NEWS_MS_MAX)
})

test('a live key is told by a sandbox installation that it is at the wrong one', async (t) => {
  const { servers } = await startGatedServers(t, 1, { installation: 'sandbox' })
  const ask = (key: string) => servers[0]!.call('/v1/probe', { key })
  const live = newApiKey('secret', 'live')
  t.match(await ask(live), {
    status: 401,
    body: {
      error: { code: 'invalid_credential', message: /installation serves the sandbox only/ },
    },
  })
  const mistyped = live.slice(0, -1) + (live.at(-1) === 'x' ? 'y' : 'x')
  for (const key of [mistyped, newApiKey('secret', 'sandbox')]) {
    const { error } = (await ask(key)).body
    t.match(error, { code: 'invalid_credential', message: 'The credential is not valid.' })
  }
})

test('an insufficient scope is refused with the required one; sandbox routes are absent in live', async (t) => {
  const { database, servers } = await running
  const [sandbox, live] = [
    await seedTenant(database.sql, 'sandbox'),
    await seedTenant(database.sql, 'live'),
  ]
  const server = servers[0]!
  const refused = await server.call('/v1/probe', { method: 'POST', key: sandbox.keys.read })
  t.match(refused.body.error, {
    code: 'insufficient_scope',
    required_scope: 'write',
    granted_scopes: ['read'],
  })
  t.equal(
    refused.headers['www-authenticate'],
    'Bearer realm="svc", error="insufficient_scope", scope="write"',
  )
  const page = await server.call('/v1/probe', { key: sandbox.keys.publishable })
  t.match(page.body.error, {
    code: 'insufficient_scope',
    required_scope: 'read',
    message: 'Publishable keys only call GET /v1/page and POST /v1/page; use a secret key.',
  })
  t.same(page.body.error.granted_scopes, [])
  t.equal((await server.call('/v1/page', { key: sandbox.keys.publishable })).status, 200)

  const wipe = (key: string) => server.call('/v1/wipe', { method: 'POST', key })
  t.equal((await wipe(sandbox.keys.admin)).status, 200)
  t.equal(withoutIds(await wipe(live.keys.admin)), withoutIds(await server.call('/nowhere')))
})

test('web pages may call only the routes open to them', async (t) => {
  const { database, servers } = await running
  const { keys } = await seedTenant(database.sql, 'sandbox')
  const server = servers[0]!
  const headers = { origin: 'https://shop.example' }
  const preflight = await server.call('/v1/page', { method: 'OPTIONS', headers })
  t.equal(preflight.status, 204)
  t.match(preflight.headers, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': /Authorization/,
  })
  const open = [
    await server.call('/v1/page', { key: keys.publishable, headers }),
    await server.call('/v1/page', { headers }),
    await server.call('/v1/page?x=1', { key: keys.publishable, headers }),
  ]
  t.same(
    open.map(({ status }) => status),
    [200, 401, 400],
  )
  for (const answer of open) {
    t.equal(answer.headers['access-control-allow-origin'], '*')
    t.match(answer.headers['access-control-expose-headers'], /X-RateLimit-Remaining/)
    t.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
  const closed = [
    await server.call('/v1/probe', { key: keys.read, headers }),
    await server.call('/v1/probe', { method: 'OPTIONS', headers }),
    await server.call('/nowhere', { method: 'OPTIONS', headers }),
  ]
  t.same(
    closed.map(({ status }) => status),
    [200, 405, 404],
  )
  for (const answer of closed) t.equal(answer.headers['access-control-allow-origin'], undefined)
})

test('a key’s last use and its web pages are recorded, once a minute', async (t) => {
  const { database, servers } = await running
  const { sql } = database
  const { keys } = await seedTenant(sql, 'sandbox')
  const server = servers[0]!
  const headers = { origin: 'https://shop.example' }
  for (let call = 0; call < 3; call++) await server.call('/v1/probe', { key: keys.read, headers })
  await server.call('/v1/page', { key: keys.publishable, headers })
  const stored = async (key: string) =>
    (
      await sql<{ id: string; at: number | null; ip: string | null }[]>`
        select id, last_used_at as at, last_used_ip as ip from api_keys where hash = ${apiKeyHash(key)}`
    )[0]!
  await until(async () => (await stored(keys.publishable)).at !== null)
  const used = await stored(keys.read)
  t.ok(used.at !== null && Math.abs(used.at - Date.now()) < 30_000)
  t.equal(used.ip, '127.0.0.1')
  t.equal((await stored(keys.write)).at, null)
  const pages = [used.id, (await stored(keys.publishable)).id]
  const seen = () => sql`
    select key_id, origin, count, first_at = last_at as once from secret_key_sightings
    where key_id = any(${pages}::text[])`
  await until(async () => (await seen()).length > 0)
  t.same(
    [...(await seen())],
    [{ key_id: used.id, origin: 'https://shop.example', count: 1, once: true }],
    'a publishable key belongs there',
  )
  const audited = await auditOf(sql, used.id)
  t.match(audited, [
    { action: 'secret_key_in_browser', resource_id: used.id, address: '127.0.0.1' },
  ])
  t.match(audited[0]?.['request_id'], /^req_/)
  await servers[1]!.call('/v1/probe', { key: keys.read, headers })
  await until(async () => (await seen())[0]?.['count'] === 2)
  t.equal((await auditOf(sql, used.id)).length, 1, 'a page is told of once')
})

async function auditOf(sql: Sql, keyId: string) {
  return sql`select action, resource_id, address, request_id from audit_log where actor_id = ${keyId}`
}

test('a use of a key from outside its ranges is audited, a bounded number of times', async (t) => {
  const opened = parseCidrs('127.0.0.1/32')
  if (!opened.ok) throw new Error(opened.error)
  const { database, servers } = await startGatedServers(t, 1, { trustedProxies: opened.value })
  const { sql } = database
  const { keys, tenantId } = await seedTenant(sql, 'sandbox')
  await sql`update api_keys set cidrs = '{192.0.2.0/24}' where hash = ${apiKeyHash(keys.read)}`
  await sleep(100)
  const from = (address: string) =>
    servers[0]!.call('/v1/probe', { key: keys.read, headers: { 'x-forwarded-for': address } })
  const first = await from('2001:db8::1')
  const hsts = async (proto: string) => {
    const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': proto }
    const reply = await servers[0]!.call('/v1/probe', { headers })
    return reply.headers['strict-transport-security']
  }
  t.equal(await hsts('https'), 'max-age=31536000', 'a trusted proxy took the call by HTTPS')
  t.equal(await hsts('http'), undefined)
  t.same(
    [first.status, first.headers.connection],
    [403, 'close'],
    'it holds none of the connections',
  )
  for (const address of ['2001:db8::1', '2001:db8::2']) t.equal((await from(address)).status, 403)
  for (let last = 1; last <= 20; last++) await from('203.0.113.' + last)
  const stored = () =>
    sql`select action, address from audit_log where tenant_id = ${tenantId} order by seq`
  await until(async () => (await stored()).length >= 10)
  await sleep(300)
  const rows = await stored()
  t.equal(rows.length, 10)
  t.match(rows[0], { action: 'ip_not_allowed', address: '2001:db8::1' })
  t.match(rows[1], { address: '203.0.113.1' }, 'who has one address of a network has them all')
})

test('only TLS 1.2 and 1.3 are accepted, and bad files are named before any listener opens', async (t) => {
  const cert = TENANT_CERTIFICATES.good
  const { servers } = await startGatedServers(t, 1, { tls: { cert, key: TENANT_KEY } })
  const port = servers[0]!.port
  t.equal(await versionSpoken(port, 'TLSv1.2', 'TLSv1.3'), 'TLSv1.3')
  t.equal(await versionSpoken(port, 'TLSv1.2', 'TLSv1.2'), 'TLSv1.2')
  for (const path of ['/v1/probe', '/nowhere'])
    t.match(await overTls(port, path), /\r\nstrict-transport-security: max-age=31536000\r\n/i)
  t.match(await overTls(port, ' '), / 400 [^{]*\r\nStrict-Transport-Security: max-age=31536000\r\n/)
  const lax = createServer({ cert, key: TENANT_KEY, minVersion: 'TLSv1', ciphers: OLD_CIPHERS })
  t.teardown(() => lax.close())
  await new Promise<void>((resolve) => lax.listen(0, '127.0.0.1', resolve))
  const laxPort = (lax.address() as AddressInfo).port
  t.equal(await versionSpoken(laxPort, 'TLSv1', 'TLSv1.1'), 'TLSv1.1', 'our client can')
  t.equal(
    await versionSpoken(port, 'TLSv1', 'TLSv1.1'),
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'the server says that it is the version',
  )

  const directory = mkdtempSync(join(tmpdir(), 'svc-api-tls-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const [certPath, keyPath] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  writeFileSync(certPath, cert)
  writeFileSync(keyPath, TENANT_KEY)
  const read = (change: { [name: string]: string }) =>
    readConfig({
      DATABASE_URL: 'postgres://localhost/x',
      SVC_DATA_DIR: directory,
      SVC_MASTER_KEY: newMasterKeyText(),
      ...change,
    })
  const good = read({ SVC_API_TLS_CERT: certPath, SVC_API_TLS_KEY: keyPath })
  t.ok(good.ok && good.value.tls?.cert === cert && good.value.tls.key === TENANT_KEY)
  const problems = (change: { [name: string]: string }): string => {
    const result = read(change)
    return result.ok ? 'read' : result.error.join(' ')
  }
  t.match(problems({ SVC_API_TLS_CERT: certPath }), /SVC_API_TLS_CERT needs SVC_API_TLS_KEY/)
  t.match(problems({ SVC_API_TLS_KEY: keyPath }), /SVC_API_TLS_KEY needs SVC_API_TLS_CERT/)
  t.match(problems({ SVC_API_TLS_CERT: keyPath, SVC_API_TLS_KEY: certPath }), /no PEM certificate/)
})

/** Libraries use the signatures of TLS 1.0 and 1.1 only on request. */
const OLD_CIPHERS = 'DEFAULT@SECLEVEL=0'

/** The version that client and server agree on, or the code of the client's error. */
/** The whole answer to a GET, its headers included. */
function overTls(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.write('GET ' + path + ' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    })
    socket.on('data', (part) => {
      text += part
    })
    socket.on('close', () => resolve(text))
  })
}

function versionSpoken(port: number, minVersion: SecureVersion, maxVersion: SecureVersion) {
  return new Promise<string | null>((resolve) => {
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ciphers: OLD_CIPHERS }
    const socket = connect({ ...options, minVersion, maxVersion }, () => {
      resolve(socket.getProtocol())
      socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? null))
  })
}
