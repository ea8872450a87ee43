import { test } from 'tap'
import { createServer } from '../../../api/http/server.ts'
import { systemClock } from '../../../shared/clock.ts'
import { MASTER_KEYS, startTestApi, type TestApi, testServices } from '../../harness/api.ts'
import { seedTransaction } from '../../harness/drained.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import {
  openStream,
  type Stream,
  type StreamOptions,
  ticksOf,
  total,
} from '../../harness/stream.ts'
import { seedTenant, type TestTenant } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

const PATH = '/v1/card_transactions/stream'

/** Opens a stream of the API with a key of its tenant. */
function open(
  api: { url: string; tenant: TestTenant },
  { key = api.tenant.keys.read, ...options }: { key?: string } & StreamOptions = {},
): Promise<Stream> {
  return openStream(api.url + PATH, key, options)
}

async function seed(api: TestApi, tenant: TestTenant, amounts: readonly number[]) {
  const made = []
  for (const amountCents of amounts)
    made.push(await seedTransaction(api.sql, tenant, { amountCents }))
  return made.map(({ id }) => id)
}

test('a stream tells of transactions as PostgreSQL gets them, of its tenant only', async (t) => {
  const api = await startTestApi()
  await seed(api, api.tenant, [100])
  const stream = await open(api)
  t.equal(stream.status, 200)
  t.equal(stream.headers.get('content-type'), 'text/event-stream')
  t.equal(stream.headers.get('cache-control'), 'no-store')
  await until(() => stream.told.length === 1)
  t.same(stream.told, [{ event: 'begin', id: '1', data: {} }])
  await seed(api, api.other, [100, 101])
  const [approved, declined] = await seed(api, api.tenant, [200, 301])
  await until(() => ticksOf(stream).reduce((sum, { shown }) => sum + shown, 0) === 2)
  const rows = ticksOf(stream).flatMap(({ transactions }) => transactions)
  t.match(
    rows.find(({ id }) => id === declined),
    { status: 'declined', decline_reason: 'limit_daily', amount_cents: 301, currency: 'USD' },
  )
  t.match(
    rows.find(({ id }) => id === approved),
    { status: 'authorized', card_id: api.tenant.cardId, last4: /^\d{4}$/, approved_cents: 200 },
  )
  t.equal(stream.told.at(-1)?.id, '3')
  stream.close()
})

test('28: a stream goes on where its last event was, and from now for any other name', async (t) => {
  const api = await startTestApi()
  await seed(api, api.tenant, [100, 200, 301])
  const stream = await open(api, { headers: { 'last-event-id': '1' } })
  await until(() => ticksOf(stream).length === 1)
  t.match(ticksOf(stream), [{ counts: { transactions: 2, declined: 1 } }])
  stream.close()
  await seed(api, api.other, [100, 200, 300, 400])
  // The number of another tenant's newest transaction is one of them.
  for (const text of ['4', '99999', 'rubbish', '-5', '1; drop']) {
    const fresh = await open(api, { headers: { 'last-event-id': text } })
    await until(() => fresh.told.length > 0)
    t.same(fresh.told, [{ event: 'begin', id: '3', data: {} }], text)
    fresh.close()
  }
})

test('a stream needs the scope read, and has no HEAD', async (t) => {
  const api = await startTestApi()
  const { publishable } = api.tenant.keys
  t.match(await api.call('GET', PATH, { key: publishable }), { status: 403 })
  t.match(await api.call('GET', PATH), { status: 401 })
  const head = await api.call('HEAD', PATH, { key: api.tenant.keys.read })
  t.ok(head.status >= 400)
  t.match(await api.call('GET', PATH + '?card_id=1', { key: api.tenant.keys.read }), {
    status: 400,
  })
})

test('a revoked key ends its stream and no other', async (t) => {
  const api = await startTestApi()
  const [one, two] = [await open(api), await open(api, { key: api.tenant.keys.admin })]
  await until(() => one.told.length + two.told.length === 2)
  await api.sql`
    update api_keys set state = 'revoked'
    where tenant_id = ${api.tenant.tenantId} and scope = 'read'`
  await until(() => one.ended)
  t.same(one.told.at(-1), { event: 'end', id: '', data: { reason: 'not_allowed' } })
  await seed(api, api.tenant, [100])
  await until(() => ticksOf(two).length === 1)
  t.equal(two.ended, false)
  two.close()
})

test('28: the 65th stream of a tenant is refused, and a closed one makes room', async (t) => {
  const api = await startTestApi()
  const streams = await Promise.all(Array.from({ length: 64 }, () => open(api)))
  t.ok(streams.every(({ status }) => status === 200))
  const more = await open(api)
  t.equal(more.status, 429)
  t.equal(more.headers.get('x-ratelimit-resource'), 'connections')
  const other = await open(api, { key: api.other.keys.read })
  t.equal(other.status, 200, 'another tenant has its own')
  streams[0]?.close()
  await until(async () => {
    const again = await open(api)
    if (again.status === 200) streams.push(again)
    return again.status === 200
  })
  for (const stream of [...streams, other]) stream.close()
})

test('28: a reader that takes nothing holds nobody up, and hears all counts later', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const stalled = await open(api, { isStalled: true })
  const other = await open(api, { key: tenant.keys.admin })
  await until(() => other.told.length === 1)
  const [made] = await seed(api, tenant, [100])
  // Long names of merchants fill a connection soon: a tick shows twenty, two megabytes.
  for (let from = 1; from < 301; from += 25) {
    await sql`
      insert into card_transactions (id, tenant_id, environment, seq, card_id, cardholder_id, network,
        status, amount_cents, approved_cents, currency, created_at, merchant_name)
      select 'txn_' || tenant_id || '_' || n, tenant_id, environment, n, card_id, cardholder_id,
        network, 'authorized', 1, 1, 'USD', created_at, repeat('m', 100000)
      from card_transactions, generate_series(${from + 1}::integer, ${from + 25}::integer) n
      where id = ${made ?? ''}`
    await until(() => Number(other.told.at(-1)?.id) === from + 25)
  }
  t.equal(total(other), 301)
  stalled.resume()
  await until(() => total(stalled) === 301)
  const dropped = ticksOf(stalled).filter(
    ({ shown, counts }) => shown < 20 && counts.transactions > 20,
  )
  t.ok(dropped.length > 0, 'transactions were dropped')
  t.ok(
    ticksOf(stalled).every(({ counts, shown, skipped }) => shown + skipped === counts.transactions),
  )
  stalled.close()
  other.close()
})

test('streams end when the server closes, which does not wait for them', async (t) => {
  const { sql } = await openTestDatabase(t)
  const services = testServices({
    ...{ sql, client: null as never, masterKeys: MASTER_KEYS, clock: systemClock },
  })
  const server = createServer(services)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const tenant = await seedTenant(sql, 'sandbox')
  const stream = await open({ url, tenant })
  await until(() => stream.told.length === 1)
  await server.close()
  await until(() => stream.ended)
  t.match(stream.told.at(-1), { event: 'end', data: { reason: 'closing' } })
})
