import { test } from 'tap'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { addControl, SEEDED_AT_MS, seedCard } from '../../harness/tenant.ts'

async function cardOf(api: TestApi): Promise<Answer['body']> {
  const { cardId, keys } = api.tenant
  return (await api.call('GET', '/v1/cards/' + cardId, { key: keys.read })).body
}

async function cardEvents(api: TestApi): Promise<Answer['body'][]> {
  const { keys, cardId } = api.tenant
  const path = '/v1/events?order=asc&resource_id=' + cardId
  return (await api.call('GET', path, { key: keys.read })).body.data
}

test('a card shows every limit that binds it, and no secret', async (t) => {
  const api = await startTestApi()
  const { tenantId, environment, cardholderId, cardId, programId } = api.tenant
  const limits = [{ interval: 'monthly' as const }]
  const owner = { tenantId, environment }
  await addControl(api.sql, owner, { scope: 'cardholder', id: cardholderId, limits })
  await addControl(api.sql, owner, { scope: 'program', id: programId, limits })
  const card = await cardOf(api)
  t.same(
    card.limits.map(({ scope, interval }: Answer['body']) => [scope, interval]),
    [
      ['card', 'daily'],
      ['cardholder', 'monthly'],
      ['program', 'monthly'],
    ],
  )
  t.match(card, {
    id: cardId,
    object: 'card',
    created: SEEDED_AT_MS / 1000,
    livemode: false,
    type: 'virtual',
    status: 'active',
    last4: '4242',
    currency: 'USD',
    cardholder_id: cardholderId,
    program_id: programId,
  })
  t.same(
    Object.keys(card).filter((name) => /pan|cvc|finger|sealed|verifier/.test(name)),
    [],
  )
})

test('suspending takes effect, is announced once, and may be repeated', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const suspend = (reason: string) =>
    api.call('POST', '/v1/cards/' + cardId + '/suspend', { key: keys.write, body: { reason } })

  const first = await suspend('lost')
  t.equal(first.status, 200)
  t.match(first.body, { status: 'suspended', suspend_reason: 'lost', suspended_by: 'tenant' })
  t.same(first.body, await cardOf(api))
  const again = await suspend('stolen')
  t.same(again.body, first.body)

  const events = await cardEvents(api)
  t.equal(events.length, 1)
  t.match(events[0], { type: 'card.suspended', created: api.clock.nowMs / 1000 })
  t.same(events[0].data, { card: await cardOf(api) })
  t.equal(api.engine.asked.length, 2, 'each call waited for the engine')
})

test('resuming clears the reason, may be repeated, and is refused for a terminated card', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const move = (verb: string) =>
    api.call('POST', '/v1/cards/' + cardId + '/' + verb, { key: keys.write })

  await api.sql`update cards set status = 'issued' where id = ${cardId}`
  const early = await move('resume')
  t.equal(early.status, 409)
  t.match(early.body.error, {
    code: 'invalid_state',
    current_status: 'issued',
    allowed_from: ['suspended'],
  })
  await api.sql`update cards set status = 'active' where id = ${cardId}`
  await move('suspend')
  const resumed = await move('resume')
  t.equal(resumed.status, 200)
  t.equal(resumed.body.status, 'active')
  t.match(resumed.body, { suspend_reason: null, suspended_by: null })
  const again = await move('resume')
  t.same([again.status, again.body], [200, resumed.body])
  t.equal(api.engine.asked.length, 3, 'each call that was answered 200 waited for the engine')
  t.same(
    (await cardEvents(api)).map(({ type }) => type),
    ['card.suspended', 'card.resumed'],
  )
  await api.sql`update cards set status = 'terminated' where id = ${cardId}`
  t.same([(await move('suspend')).status, (await move('resume')).status], [409, 409])
})

test('a card suspended by a fraud rule may be resumed with an acknowledgement', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  await api.sql`
    update cards set status = 'suspended', suspended_by = 'fraud_rule', suspend_reason = 'card_testing'
    where id = ${cardId}`
  t.match(await cardOf(api), { suspended_by: 'fraud_rule', suspend_reason: 'card_testing' })
  const path = '/v1/cards/' + cardId
  const suspended = await api.call('POST', path + '/suspend', { key: keys.write })
  t.match(suspended.body, { suspended_by: 'fraud_rule' }, 'who was first stays')
  const body = { acknowledge_fraud: true }
  const resumed = await api.call('POST', path + '/resume', { key: keys.write, body })
  t.match(resumed, { status: 200, body: { status: 'active' } })
})

test('a change unconfirmed by the engine is 503, persists, and is confirmed by a repeat', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const suspend = () => api.call('POST', '/v1/cards/' + cardId + '/suspend', { key: keys.write })
  api.engine.covers = false
  const unconfirmed = await suspend()
  t.equal(unconfirmed.status, 503)
  t.equal(unconfirmed.body.error.code, 'dependency_unavailable')
  t.equal(unconfirmed.headers.get('retry-after'), '1')
  t.equal((await cardOf(api)).status, 'suspended')

  api.engine.covers = true
  t.equal((await suspend()).status, 200)
  t.equal((await cardEvents(api)).length, 1)
  const [change] =
    await api.sql`select max(xid::text::bigint) as xid from config_change where id = ${cardId}`
  const asked = api.engine.asked.map(Number)
  t.equal(
    asked[0],
    change?.['xid'],
    'the first call waited for the transaction that changed the card',
  )
  t.ok(asked.at(-1)! >= asked[0]!)
})

test('fifty suspensions at once have one effect', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const path = '/v1/cards/' + cardId + '/suspend'
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => api.call('POST', path, { key: keys.write })),
  )
  t.ok(answers.every(({ status }) => status === 200))
  t.equal((await cardEvents(api)).length, 1)
})

test('a card’s own limits are replaced, and kept ones keep their ids', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const put = (limits: unknown) =>
    api.call('PUT', '/v1/cards/' + cardId + '/limits', { key: keys.write, body: { limits } })
  const held = (await cardOf(api)).limits[0]

  const changed = await put([
    { interval: 'daily', amount_cents: 0 },
    { interval: 'daily', amount_cents: 5, time_zone: 'Asia/Kolkata', currency: 'USD' },
  ])
  t.equal(changed.status, 200)
  t.same(changed.body, await cardOf(api))
  t.match(changed.body.limits, [
    { id: held.id, interval: 'daily', amount_cents: 0, time_zone: 'UTC', currency: 'USD' },
    { interval: 'daily', amount_cents: 5, time_zone: 'Asia/Kolkata' },
  ])

  const version = async () => {
    const [row] = await api.sql`select version from controls where subject_id = ${cardId}`
    return row?.['version']
  }
  const before = await version()
  t.same((await put(changed.body.limits.map(plain))).body, changed.body)
  t.equal(await version(), before, 'writing what is there changes nothing')
  const named = (time_zone: string) => put([{ interval: 'daily', amount_cents: 5, time_zone }])
  for (const [given, kept] of [
    ['utc', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
  ] as const) {
    t.equal((await named(given)).body.limits[0].time_zone, kept, 'one zone has one name')
  }
  t.same((await put([])).body.limits, [])
})

function plain({ interval, amount_cents, time_zone }: Answer['body']): unknown {
  return { interval, amount_cents, time_zone }
}

test('contradictory limits are refused by field and change nothing', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const path = '/v1/cards/' + cardId + '/limits'
  const daily = { interval: 'daily', amount_cents: 1 }
  const table: [unknown, string | null][] = [
    [{}, 'limits'],
    [{ limits: {} }, 'limits'],
    [{ limits: [{ interval: 'hourly', amount_cents: 1 }] }, '/limits/0/interval'],
    [
      { limits: [daily, { ...daily, interval: 'weekly', amount_cents: -1 }] },
      '/limits/1/amount_cents',
    ],
    [{ limits: [{ ...daily, amount_cents: 1.5 }] }, '/limits/0/amount_cents'],
    [{ limits: [{ ...daily, amount_cents: '1' }] }, '/limits/0/amount_cents'],
    [{ limits: [{ ...daily, amount_cents: 2 ** 53 }] }, '/limits/0/amount_cents'],
    [{ limits: [{ interval: 'daily' }] }, '/limits/0/amount_cents'],
    [{ limits: [{ ...daily, currency: 'EUR' }] }, '/limits/0/currency'],
    [{ limits: [{ ...daily, time_zone: 'Mars/Olympus' }] }, '/limits/0/time_zone'],
    [{ limits: [{ ...daily, time_zone: '+02:00' }] }, '/limits/0/time_zone'],
    [{ limits: [{ ...daily, scope: 'card' }] }, '/limits/0/scope'],
    [{ limits: [daily, daily] }, '/limits/1'],
    [{ limits: Array.from({ length: 25 }, () => daily) }, 'limits'],
  ]
  const before = await cardOf(api)
  for (const [body, param] of table) {
    const answer = await api.call('PUT', path, { key: keys.write, body })
    t.same([answer.status, answer.body.error?.param], [400, param], JSON.stringify(body))
  }
  t.same(await cardOf(api), before)
})

test('the list pages both ways without loss or duplicate while cards are added', async (t) => {
  const api = await startTestApi()
  const { keys } = api.tenant
  for (let index = 1; index < 10; index++) {
    await seedCard(api.sql, { ...api.tenant, createdAtMs: SEEDED_AT_MS + index * 1000 })
  }
  const list = async (query: string) =>
    (await api.call('GET', '/v1/cards?' + query, { key: keys.read })).body
  const ids = (page: Answer['body']): string[] => page.data.map(({ id }: Answer['body']) => id)
  const all = ids(await list('limit=100'))
  t.equal(all.length, 10)
  t.same(all, [...all].sort().reverse())
  t.same(ids(await list('order=asc')), [...all].reverse())

  const seen: string[] = []
  let page = await list('limit=4')
  for (;;) {
    seen.push(...ids(page))
    if (!page.has_more) break
    await seedCard(api.sql, { ...api.tenant, createdAtMs: SEEDED_AT_MS + 60_000 })
    page = await list('limit=4&starting_after=' + page.next_cursor)
  }
  t.same(seen, all)
  t.equal(page.next_cursor, null)

  const back = await list('limit=3&ending_before=' + all[9])
  t.same(ids(back), all.slice(6, 9))
  t.equal(back.has_more, true)
})

test('filters narrow the list, and an unknown parameter is refused', async (t) => {
  const api = await startTestApi()
  const { keys, cardholderId } = api.tenant
  await seedCard(api.sql, { ...api.tenant, createdAtMs: SEEDED_AT_MS + 5000 })
  const get = (query: string) => api.call('GET', '/v1/cards?' + query, { key: keys.read })
  const count = async (query: string) => (await get(query)).body.data.length
  t.equal(await count('status=active&cardholder_id=' + cardholderId), 2)
  t.equal(await count('status=suspended'), 0)
  t.equal(await count('cardholder_id=' + api.other.cardholderId), 0)
  t.equal(await count('created[gte]=2026-11-20T12:00:05Z'), 1)
  t.equal(await count('created[lte]=2026-11-20T12:00:00Z'), 1)
  t.equal(await count('created_after=2026-11-20'), 2)
  t.same((await get('status=terminated')).body, { data: [], has_more: false, next_cursor: null })

  const table: [string, string, string | null][] = [
    ['stauts=active', 'parameter_unknown', 'stauts'],
    ['status=gone', 'parameter_invalid', 'status'],
    ['limit=0', 'parameter_invalid', 'limit'],
    ['limit=101', 'parameter_invalid', 'limit'],
    ['limit=x', 'parameter_invalid', 'limit'],
    ['limit=1&limit=2', 'parameter_invalid', 'limit'],
    ['order=up', 'parameter_invalid', 'order'],
    ['created_after=yesterday', 'parameter_invalid', 'created_after'],
    ['created[gte]=2026-02-30', 'parameter_invalid', 'created[gte]'],
    ['cardholder_id=%00', 'parameter_invalid', 'cardholder_id'],
    ['starting_after=nonsense', 'invalid_cursor', 'starting_after'],
  ]
  for (const [query, code, param] of table) {
    const { status, body } = await get(query)
    t.same([status, body.error?.code, body.error?.param], [400, code, param], query)
  }
  const both = await get('starting_after=x&ending_before=y')
  t.same([both.status, both.body.error.code], [400, 'parameters_exclusive'])
})
