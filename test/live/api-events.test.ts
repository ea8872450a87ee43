import { test } from 'tap'
import { type Answer, startTestApi, type TestApi } from '../harness/api.ts'

async function list(api: TestApi, query = ''): Promise<Answer['body']> {
  return (await api.call('GET', '/v1/events' + query, { key: api.tenant.keys.read })).body
}

async function suspendAndResume(api: TestApi): Promise<void> {
  const path = '/v1/cards/' + api.tenant.cardId
  for (const verb of ['suspend', 'resume']) {
    const { status } = await api.call('POST', path + '/' + verb, { key: api.tenant.keys.write })
    if (status !== 200) throw new Error(verb + ' answered ' + status)
  }
}

test('an event is shown as it is sent: the stored bytes, under its own id and in every list', async (t) => {
  const api = await startTestApi()
  await suspendAndResume(api)
  const page = await list(api)
  t.same(
    page.data.map(({ type }: Answer['body']) => type),
    ['card.resumed', 'card.suspended'],
  )
  const [newest] = page.data
  t.match(newest.id, /^evt_[0-9a-z]{26}$/)
  t.same(Object.keys(newest), ['id', 'type', 'created', 'api_version', 'data'])
  const one = await api.call('GET', '/v1/events/' + newest.id, { key: api.tenant.keys.read })
  t.same(one.body, newest)
  const [row] = await api.sql`select body from events where id = ${newest.id}`
  t.equal(one.text, row?.['body'].toString())
})

test('events of one tenant are numbered without gaps, also under contention', async (t) => {
  const api = await startTestApi()
  const path = '/v1/cards/' + api.tenant.cardId + '/'
  const key = api.tenant.keys.write
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      api.call('POST', path + (index % 2 === 0 ? 'suspend' : 'resume'), { key }),
    ),
  )
  const rows = await api.sql<{ seq: number }[]>`
    select seq from events where tenant_id = ${api.tenant.tenantId} order by seq`
  t.same(
    rows.map(({ seq }) => seq),
    rows.map((_, index) => index + 1),
  )
  const [queued] =
    await api.sql`select count(*)::int as events from event_outbox where tenant_id = ${api.tenant.tenantId}`
  t.equal(queued?.['events'], rows.length)
  const types = (await list(api, '?order=asc&limit=100')).data.map(
    ({ type }: Answer['body']) => type,
  )
  const alternating = types.every(
    (type: string, index: number) => type === (index % 2 === 0 ? 'card.suspended' : 'card.resumed'),
  )
  t.ok(alternating, 'the order of events is the order of moves')
})

test('events are filtered by type and resource, and belong to their tenant', async (t) => {
  const api = await startTestApi()
  await suspendAndResume(api)
  t.equal((await list(api, '?type=card.resumed')).data.length, 1)
  t.equal((await list(api, '?resource_id=' + api.tenant.cardId)).data.length, 2)
  t.equal((await list(api, '?resource_id=' + api.other.cardId)).data.length, 0)
  t.match((await list(api, '?type=card.melted')).error, {
    code: 'parameter_invalid',
    param: 'type',
  })
  const others = await api.call('GET', '/v1/events', { key: api.other.keys.read })
  t.same(others.body, { data: [], has_more: false, next_cursor: null })
})
