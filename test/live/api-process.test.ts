import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { SAMPLE_LISTS } from '../../api/issuing/sanctions/lists.ts'
import { newApiKey } from '../../shared/api-key.ts'
import { systemClock } from '../../shared/clock.ts'
import { newMasterKeyText } from '../../shared/keyring.ts'
import { startProcess } from '../harness/api-process.ts'
import { freePort, freePorts } from '../harness/free-ports.ts'
import { parseMetrics } from '../harness/metrics-page.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'

/** A port that is taken until the test ends. */
async function listenSomewhere(t: Test): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

test('--help describes the command and its settings', async (t) => {
  const { code, stdout, stderr } = await startProcess(t, {}, ['--help']).ended
  t.equal(code, 0)
  t.equal(stderr, '')
  t.match(stdout, /^Usage: npm run api/)
  t.match(stdout, 'DATABASE_URL')
})

test('every problem of the settings is reported at once', async (t) => {
  const { code, stdout, stderr } = await startProcess(t, {
    SVC_API_PORT: 'http',
    SVC_WEBHOOK_ALLOW_CIDRS: 'home',
  }).ended
  t.equal(code, 1)
  t.equal(stdout, '')
  const problems = stderr.trim().split('\n')
  t.equal(problems.length, 3, stderr)
  for (const name of ['SVC_API_PORT', 'SVC_WEBHOOK_ALLOW_CIDRS', 'DATABASE_URL']) {
    t.equal(problems.filter((problem) => problem.startsWith(name)).length, 1, name)
  }
})

test('a port in use is reported in one sentence', async (t) => {
  const port = await listenSomewhere(t)
  const { code, stderr } = await startProcess(t, {
    SVC_API_PORT: String(port),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  }).ended
  t.equal(code, 1)
  t.match(stderr, /^The API cannot listen on 127\.0\.0\.1:\d+: the port is in use\..*\n$/)
})

test('the api serves, reports it once, logs no secret, and ends on SIGTERM', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  const { keys, tenantId } = await seedTenant(sql, 'sandbox')
  const port = await freePort()
  const misspelt = { SVC_API_PRT: '1' }
  const api = startProcess(t, { SVC_API_PORT: String(port), DATABASE_URL: url, ...misspelt })
  t.equal(await api.ready, true)
  const base = 'http://127.0.0.1:' + port
  t.equal((await fetch(base + '/health/ready')).status, 200)
  const headers = { authorization: 'Bearer ' + keys.read }
  const answer = await fetch(base + '/v1/cards?limit=1', { headers })
  t.equal(answer.status, 200)

  api.child.kill('SIGTERM')
  const { code, stdout } = await api.ended
  t.equal(code, 0)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.equal(
    lines.filter(({ msg }) => msg?.startsWith('api listening on http://127.0.0.1:')).length,
    1,
  )
  t.same(
    lines.map(({ msg }) => msg).filter((msg) => /is no setting/.test(msg)),
    ['SVC_API_PRT is no setting: SVC_API_PORT is meant?'],
  )
  // The link looks for its engine until the end.
  const ends = lines.map(({ msg }) => msg).filter((msg) => /^api stop/.test(msg))
  t.same(ends, ['api stopping', 'api stopped'])
  t.equal(lines.at(-1)?.msg, 'api stopped')
  const logged = lines.find(({ request_id }) => request_id === answer.headers.get('request-id'))
  t.match(logged, { method: 'GET', route: '/v1/cards', status: 200, tenant_id: tenantId })
  t.notOk(Object.values(keys).some((key) => stdout.includes(key)))
})

test('the metrics of the api show requests, refusals, repeats, factors, the pool and the drain', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  const { keys } = await seedTenant(sql, 'sandbox')
  const anHourAgo = systemClock.nowMs() - 3_600_000
  await sql`
    insert into journal_cursor (one, shard, journal_id, seq, caught_up_at)
    values (true, 's1', 'jrn_1', 1, ${anHourAgo})`
  await sql`
    insert into fx_rates (id, rate, rate_at)
    values ('EUR/USD', '1.085', ${anHourAgo}), ('GBP/USD', '1.27', ${anHourAgo + 1_800_000})`
  const [port, metricsPort] = await freePorts(2)
  const api = startProcess(t, {
    SVC_API_PORT: String(port),
    SVC_API_METRICS_PORT: String(metricsPort),
    DATABASE_URL: url,
  })
  t.equal(await api.ready, true)
  const base = 'http://127.0.0.1:' + port
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(base + path, {
      method,
      headers: {
        authorization: 'Bearer ' + keys.admin,
        'content-type': 'application/json',
        'idempotency-key': 'metrics-' + method + path,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { error } = (await answer.json()) as { error?: { code: string; challenge_url: string } }
    return { status: answer.status, error }
  }
  for (const path of ['/v1/cards', '/v1/cards/card_0']) await call('GET', path)
  for (const time of ['first', 'again'])
    t.equal((await call('POST', '/v1/scanners', { name: 'Door' })).status, 201, time)
  const key = { role: 'secret', scope: 'read', name: 'Nightly' }
  const asked = await call('POST', '/v1/api_keys', key)
  t.equal(asked.error?.code, 'factor_required')
  const form = async (fields: { [name: string]: string }): Promise<number> => {
    const page = base + new URL(asked.error?.challenge_url ?? '').pathname
    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams(fields)
    return (await fetch(page, { method: 'POST', headers, body, redirect: 'manual' })).status
  }
  const stranger = { email: 'nobody@example.com', password: 'wrong', code: '000000' }
  t.equal(await form({ decision: 'approve', ...stranger }), 422)
  t.equal(await form({ decision: 'deny' }), 303)

  const page = await (await fetch('http://127.0.0.1:' + metricsPort + '/metrics')).text()
  const families = parseMetrics(page)
  const value = (name: string, labels = ''): number | undefined => {
    const family = families.get(name.replace(/_count$/, '')) ?? families.get(name)
    return family?.samples.get(name + labels)
  }
  const route = '{method="GET",route="/v1/cards/:id",status="4xx"}'
  t.equal(value('svc_request_seconds_count', route), 1)
  t.equal(value('svc_refusals_total', '{code="resource_missing"}'), 1)
  t.equal(value('svc_idempotent_replays_total'), 1)
  for (const outcome of ['asked', 'wrong', 'denied'])
    t.equal(value('svc_factor_challenges_total', '{outcome="' + outcome + '"}'), 1, outcome)
  t.ok((value('svc_database_connections') ?? 0) >= 1)
  t.type(value('svc_database_connections_busy'), 'number')
  t.equal(value('svc_drain_quarantined_entries'), 0)
  t.equal(value('svc_standbys'), 0)
  const age = value('svc_fx_rates_age_seconds') ?? 0
  t.ok(age >= 3600 && age < 7200, 'the oldest rate counts')
  t.ok((value('svc_database_timeline') ?? 0) >= 1)
  const lag = value('svc_drain_lag_seconds', '{shard="s1"}') ?? 0
  t.ok(lag >= 3600 && lag < 7200, 'the lag grows while nobody drains')
  for (const [name, { help }] of families) t.ok(help.length > 5, name + ' is explained')
})

test('without the engine the api listens, reads, and answers 503 where it needs the engine', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  const { keys, cardId } = await seedTenant(sql, 'sandbox')
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'svc-gone-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  // A dead process left its socket: it exists, and no process accepts there.
  const socket = join(directory, 'engine.sock')
  const dies = 'process.kill(process.pid, "SIGKILL")'
  const script = 'require("net").createServer().listen(process.argv[1], () => ' + dies + ')'
  spawnSync(process.execPath, ['-e', script, socket])
  const api = startProcess(t, {
    SVC_API_PORT: String(port),
    DATABASE_URL: url,
    SVC_ENGINE_SOCKET: socket,
  })
  t.equal(await api.ready, true)
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch('http://127.0.0.1:' + port + path, {
      method,
      headers: { authorization: 'Bearer ' + keys.admin, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { error } = (await answer.json()) as { error?: { code: string } }
    return [answer.status, error?.code ?? null]
  }
  t.same(await call('GET', '/v1/cards/' + cardId), [200, null])
  const asked = { amount_cents: 100, merchant: { id: 'm-1', mcc: '5411', country: 'US' } }
  const away = [503, 'dependency_unavailable']
  t.same(await call('POST', '/v1/cards/' + cardId + '/evaluate', asked), away)
  t.same(await call('POST', '/v1/cards/' + cardId + '/suspend', {}), away)
})

test('a sandbox installation accepts no live key', async (t) => {
  const { url, sql } = await openTestDatabase(t)
  const { keys } = await seedTenant(sql, 'live')
  const status = async (environment: { [name: string]: string }): Promise<number> => {
    const port = await freePort()
    const settings = { SVC_API_PORT: String(port), DATABASE_URL: url, ...environment }
    await startProcess(t, settings).ready
    const headers = { authorization: 'Bearer ' + keys.read }
    return (await fetch('http://127.0.0.1:' + port + '/v1/cards', { headers })).status
  }
  t.equal(await status({}), 401)
  const live = {
    SVC_ENVIRONMENT: 'live',
    SVC_MASTER_KEY: newMasterKeyText(),
    SVC_SCREENING_LISTS: 'ofac:' + SAMPLE_LISTS[0]?.path,
  }
  t.equal(await status(live), 200)
})

test('live refuses a generated master key', async (t) => {
  const settings = { SVC_ENVIRONMENT: 'live', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const { code, stderr } = await startProcess(t, settings).ended
  t.equal(code, 1)
  t.match(stderr, 'SVC_MASTER_KEY must be set in live')
})

test('live screens against lists of real people, and the start fails without any', async (t) => {
  const base = {
    SVC_MASTER_KEY: newMasterKeyText(),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  }
  const none = await startProcess(t, { ...base, SVC_ENVIRONMENT: 'live' }).ended
  t.equal(none.code, 1)
  t.match(none.stderr, 'SVC_SCREENING_LISTS must be set in live')
  const away = await startProcess(t, { ...base, SVC_SCREENING_LISTS: 'pep:/nowhere' }).ended
  t.equal(away.code, 1)
  t.match(away.stderr, 'the list /nowhere cannot be read')
})

test('the api ends with its parent process', async (t) => {
  const api = startProcess(t, {
    SVC_API_PORT: String(await freePort()),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  })
  t.equal(await api.ready, true)
  api.child.disconnect()
  t.equal((await api.ended).code, 0)
})

test('without PostgreSQL the api lives, is not ready, and answers 503', async (t) => {
  const port = await freePort()
  const api = startProcess(t, {
    SVC_API_PORT: String(port),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  })
  t.equal(await api.ready, true)
  const base = 'http://127.0.0.1:' + port
  t.equal((await fetch(base + '/health/live')).status, 200)
  const ready = await fetch(base + '/health/ready')
  const headers = { authorization: 'Bearer ' + newApiKey('secret', 'sandbox') }
  const called = await fetch(base + '/v1/cards', { headers })
  for (const answer of [ready, called]) {
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '1')
    const { error } = (await answer.json()) as { error: { code: string } }
    t.equal(error.code, 'dependency_unavailable')
  }
})
