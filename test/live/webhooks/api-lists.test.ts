// Filters and sort orders of lists, and that long lists stay cheap.
import { test } from 'tap'
import { listEvents } from '../../../api/webhooks/events/store.ts'
import { systemClock } from '../../../shared/clock.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { drain, seedTransaction } from '../../harness/drained.ts'
import { Story } from '../../harness/story.ts'
import { SEEDED_AT_MS, seedCard } from '../../harness/tenant.ts'

async function ids(api: TestApi, path: string): Promise<string[]> {
  const { body, status } = await api.call('GET', path, { key: api.tenant.keys.read })
  if (status !== 200) throw new Error(path + ': ' + JSON.stringify(body))
  return body.data.map(({ id }: Answer['body']) => id)
}

test('card transactions are found by merchant, category, network and amount', async (t) => {
  const api = await startTestApi()
  const made = async (merchant: { id: string; name: string; mcc: string }, amountCents: number) => {
    const story = new Story(api.tenant)
    const { id: merchantId, name: merchantName, mcc } = merchant
    await drain(
      api.sql,
      story.message('authorization', {
        event: 'authorized',
        amountCents,
        sums: { authorized: amountCents },
        message: { merchantId, merchantName, mcc, amountCents },
      }),
    )
    return story
  }
  const cafe = await made({ id: 'm-1', name: 'Café 100% Süd', mcc: '5812' }, 400)
  const fuel = await made({ id: 'm-2', name: 'FUEL_STOP', mcc: '5542' }, 9000)
  const other = await made({ id: 'm-2', name: 'FuelXstop', mcc: '5542' }, 400)
  const list = (query: string) => ids(api, '/v1/card_transactions?order=asc&' + query)
  t.same(await list('merchant_id=m-2'), [fuel.id, other.id])
  t.same(await list('merchant_name=fuel'), [fuel.id, other.id], 'in any case')
  t.same(await list('merchant_name=Fuel_'), [fuel.id], 'no character stands for others')
  t.same(await list('merchant_name=' + encodeURIComponent('cAFé 100% S')), [cafe.id])
  t.same(await list('merchant_name=stop'), [], 'from its beginning')
  t.same(await list('mcc=5812'), [cafe.id])
  t.same(await list('min_amount_cents=400&max_amount_cents=400'), [cafe.id, other.id])
  t.same(await list('min_amount_cents=401'), [fuel.id])
  t.same(await list('max_amount_cents=400&mcc=5542'), [other.id], 'filters are combined')
  t.same(await list('network_transaction_id=' + fuel.networkTransactionId), [fuel.id])
  t.same(await list('sort=amount_cents'), [cafe.id, other.id, fuel.id], 'equal ones by creation')
  t.same(await ids(api, '/v1/card_transactions?sort=amount_cents'), [fuel.id, other.id, cafe.id])
  t.same(
    await ids(api, '/v1/card_transactions?sort=amount_cents&starting_after=' + fuel.id),
    [other.id, cafe.id],
    'an id is a cursor in every sort',
  )
  await made({ id: 'm-3', name: 'Other', mcc: '5999' }, 1)
  t.same(await list('sort=amount_cents&limit=1&min_amount_cents=2'), [cafe.id])
  const first = await api.call('GET', '/v1/card_transactions?sort=amount_cents&limit=1', {
    key: api.tenant.keys.read,
  })
  const unsorted = '/v1/card_transactions?starting_after=' + first.body.next_cursor
  const refused = await api.call('GET', unsorted, { key: api.tenant.keys.read })
  t.match(refused.body.error, { code: 'invalid_cursor', param: 'starting_after' })
  const filtered = unsorted + '&sort=amount_cents&mcc=5812'
  t.same(await ids(api, filtered), [cafe.id], 'a cursor outlives a change of filters')
})

test('a parameter that is unknown, repeated or out of bounds is refused', async (t) => {
  const api = await startTestApi()
  for (const [query, code] of [
    ['mcc=5812&mcc=5542', 'parameter_invalid'],
    ['merchant=x', 'parameter_unknown'],
    ['sort=merchant_name', 'parameter_invalid'],
    ['min_amount_cents=-1', 'parameter_invalid'],
    ['min_amount_cents=1.5', 'parameter_invalid'],
    ['mcc=58', 'parameter_invalid'],
  ] as const) {
    const { status, body } = await api.call('GET', '/v1/card_transactions?' + query, {
      key: api.tenant.keys.read,
    })
    t.same([status, body.error.code], [400, code], query)
  }
})

test('cards, controls and endpoints are found by fields that people know', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const physical = await seedCard(sql, { ...tenant, createdAtMs: SEEDED_AT_MS + 1 })
  await sql`
    update cards set type = 'physical', last4 = '0007', external_id = 'card-7', status = 'suspended'
    where id = ${physical}`
  await sql`update webhook_endpoints set external_id = 'hook-1' where id = ${tenant.endpointId}`
  const cards = (query: string) => ids(api, '/v1/cards?order=asc&' + query)
  t.same(await cards('type=physical'), [physical])
  t.same(await cards('type=virtual'), [tenant.cardId])
  t.same(await cards('last4=0007'), [physical])
  t.same(await cards('external_id=card-7'), [physical])
  t.same(await cards('status=suspended'), [physical])
  t.same(await cards('status=active'), [tenant.cardId])
  t.same(await cards('program_id=' + tenant.programId), [tenant.cardId, physical])
  t.same(await cards('program_id=' + api.other.programId), [])
  t.same(await ids(api, '/v1/webhook_endpoints?external_id=hook-1'), [tenant.endpointId])
  t.same(await ids(api, '/v1/webhook_endpoints?external_id=hook-2'), [])
  const [control] = await ids(api, '/v1/spending_controls?subject_id=' + tenant.cardId)
  await sql`update spending_controls set external_id = 'ctl-1' where id = ${control ?? ''}`
  t.same(await ids(api, '/v1/spending_controls?external_id=ctl-1'), [control])
})

const ROWS = 30_000
/** A statement has a time limit, also on a busy machine. */
const ROWS_AT_ONCE = 5000

test('a deep page and every search of a long list read a few rows by an index', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  await seedTransaction(sql, tenant, { amountCents: 1250 })
  for (let from = 0; from < ROWS; from += ROWS_AT_ONCE) {
    await sql`
    insert into card_transactions (
      id, tenant_id, environment, seq, card_id, cardholder_id, network, status, amount_cents,
      approved_cents, currency, created_at, merchant_id, merchant_name, mcc, network_transaction_id
    )
    select 'txn_' || lpad(n::text, 26, '0'), ${tenant.tenantId}, ${tenant.environment}, n + 10,
      ${tenant.cardId}, ${tenant.cardholderId}, 'simnet', 'authorized', (n * 7919) % 100000, 0, 'USD',
      ${SEEDED_AT_MS}::bigint + n, 'm-' || n % 5000, 'Shop ' || n % 5000, lpad((n % 700)::text, 4, '0'), 'ntx-' || n
    from generate_series(${from + 1}::integer, ${from + ROWS_AT_ONCE}::integer) n`
  }
  await sql`analyze card_transactions`
  const owned = sql`tenant_id = ${tenant.tenantId} and environment = ${tenant.environment}`
  const like = (text: string) =>
    sql`lower(merchant_name) ~>=~ ${text} and lower(merchant_name) ~<~ ${text + '\u{10ffff}'}`
  for (const [what, condition, order] of [
    ['a deep cursor', sql`seq < 5000`, sql`seq desc`],
    ['a merchant', sql`merchant_id = 'm-17'`, sql`seq desc`],
    ['a merchant, deep', sql`merchant_id = 'm-17' and seq < 9000`, sql`seq desc`],
    ['a name', like('shop 4711'), sql`seq desc`],
    ['a category', sql`mcc = '0123' and seq < 9000`, sql`seq desc`],
    ['a network’s id', sql`network_transaction_id = 'ntx-99'`, sql`seq desc`],
    ['the largest', sql`true`, sql`amount_cents desc, seq desc`],
    [
      'a deep cursor by amount',
      sql`(amount_cents, seq) < (50000::bigint, 9000::bigint)`,
      sql`amount_cents desc, seq desc`,
    ],
    ['amounts', sql`amount_cents between 70000 and 70100`, sql`seq desc`],
  ] as const) {
    const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>`
      explain (analyze, buffers, format json)
      select id from card_transactions where ${owned} and ${condition} order by ${order} limit 26`
    const plan = row?.['QUERY PLAN'][0].Plan
    const pages = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
    t.ok(pages > 0 && pages < 400, what + ' reads ' + pages + ' pages')
    t.notMatch(JSON.stringify(plan), /Seq Scan/, what)
  }
})

const EVENTS = 200_000
const DAYS = 30
const DAY_MS = 24 * 3_600_000

test('a list of events over thirty days reads a few rows of each day, however deep', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const from = systemClock.nowMs()
  for (let day = 0; day <= DAYS; day += 1)
    await sql`select make_days(${from + day * DAY_MS}::bigint, 0)`
  for (let first = 1; first <= EVENTS; first += 4 * ROWS_AT_ONCE) {
    await sql`
      insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
      select id_floor('evt', at) || lpad(n::text, 16, '0'), ${tenant.tenantId},
        case n % 2 when 0 then 'live' else 'sandbox' end, n, 'card.activated', '2026-12-01',
        'card_' || n % 5000, at, '{}'
      from generate_series(${first}::integer, ${first + 4 * ROWS_AT_ONCE - 1}::integer) n,
        lateral (select ${from}::bigint + n::bigint * ${(DAYS * DAY_MS) / EVENTS}::bigint as at) moment`
  }
  await sql`analyze events`
  const [sizes] = await sql<[{ days: number; rows: number }]>`
    select count(distinct tableoid)::integer as days, count(*)::integer as rows from events
    where resource_id like 'card\\_%' and body = '{}'`
  t.match(sizes, { days: DAYS + 1, rows: EVENTS })
  const owned = sql`tenant_id = ${tenant.tenantId} and environment = 'sandbox'`
  for (const [what, condition] of [
    ['the newest', sql`seq < 9223372036854775807`],
    ['a deep cursor', sql`seq < 5000`],
    ['a resource', sql`resource_id = 'card_17' and seq < 100000`],
  ] as const) {
    const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>`
      explain (analyze, buffers, format json)
      select id, seq, body from events where ${owned} and ${condition} order by seq desc limit 26`
    const plan = row?.['QUERY PLAN'][0].Plan
    const pages = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
    t.ok(pages > 0 && pages < 400, what + ' reads ' + pages + ' pages')
    t.notMatch(JSON.stringify(plan), /Seq Scan|"Sort"/, what)
  }
  const { tenantId } = tenant
  const owner = { tenantId, environment: 'sandbox', clockOffsetMs: 0 } as const
  let seen: number[] = []
  for (let after: { starting_after?: string } = {}; seen.length < 300; ) {
    const page = await listEvents(sql, owner, { limit: 100, ...after })
    seen = [...seen, ...page.rows.map(({ seq }) => seq)]
    after = { starting_after: page.nextCursor ?? '' }
  }
  const expected = Array.from({ length: 300 }, (_, index) => EVENTS - 1 - 2 * index)
  t.same(seen, expected)
})

interface Plan {
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
}
