// The calls that the dashboard makes inside the process: they pass all gates, and nothing else
// opens them.
import { test } from 'tap'
import { enterAs, startDashboard } from '../../harness/dashboard.ts'
import { seedPerson } from '../../harness/person.ts'
import { enter, visit } from '../../harness/visit.ts'

test('29: a forged ticket, and a cookie on /v1, open nothing', async (t) => {
  const { api, cookie } = await startDashboard()
  const forged = 'svc_ticket_' + 'A'.repeat(43)
  t.equal((await api.call('GET', '/v1/account', { key: forged })).status, 401)
  t.equal((await api.call('GET', '/v1/account', { headers: { cookie } })).status, 401)
  const form = { cookie, 'sec-fetch-site': 'same-origin' }
  t.equal((await api.call('POST', '/v1/api_keys', { headers: form, body: {} })).status, 401)
})

test('more pages than a tenant has connections, and reads of their own bucket', async (t) => {
  const { api, cookie, root } = await startDashboard()
  for (let count = 0; count < 30; count++) {
    const text = await (await visit(api, root + '/overview', { cookie })).text()
    t.notMatch(text, /connection_limit|tenant_limit/)
  }
  const answer = await api.call('GET', '/v1/account', { key: api.tenant.keys.read })
  t.equal(answer.headers.get('x-ratelimit-resource'), 'read')
  t.ok(Number(answer.headers.get('x-ratelimit-remaining')) > 900)
})

test('23: the path of another tenant or environment reads like an unknown one', async (t) => {
  const { api, cookie, root } = await startDashboard()
  const foreign = '/d/' + api.other.tenantId + '/sandbox/overview'
  const paths = [foreign, '/d/ten_unknown/sandbox/overview', root + '/nothing', root + '/cards/a/b']
  const answers = await Promise.all(paths.map((path) => visit(api, path, { cookie })))
  t.same(
    answers.map(({ status }) => status),
    [404, 404, 404, 404],
  )
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  t.equal(new Set(texts).size, 1)
  const posted = await visit(api, '/d/' + api.other.tenantId + '/sandbox/cards/x/suspend', {
    cookie,
    form: { form_id: 'f'.repeat(24) },
  })
  t.equal(posted.status, 404)
  t.equal(await posted.text(), texts[0])
  const elsewhere = root + '/cards/card_' + '0'.repeat(26)
  t.equal((await visit(api, elsewhere, { cookie })).status, 404)
  t.equal((await visit(api, root + '/cards/' + api.other.cardId, { cookie })).status, 404)
})

test('a form acts once, however often it is sent', async (t) => {
  const { api, cookie, root, things, person } = await startDashboard()
  const path = root + '/cards/' + things.get('cards')
  const form = { form_id: 'once'.repeat(6), reason: '<b>lost</b> it' }
  const sent = await Promise.all(
    [1, 2, 3].map(() => visit(api, path + '/suspend', { cookie, form })),
  )
  for (const answer of sent) {
    t.equal(answer.status, 303)
    t.match(answer.headers.get('location'), path + '?done=')
  }
  const page = await (await visit(api, sent[0]?.headers.get('location') ?? '', { cookie })).text()
  t.match(page, 'The card is suspended.')
  t.match(page, '&lt;b&gt;lost&lt;/b&gt; it')
  const rows = await api.sql`
    select actor_type, actor_id from audit_log
    where tenant_id = ${api.tenant.tenantId} and action = 'POST /v1/cards/:id/suspend'`
  t.same([...rows], [{ actor_type: 'person', actor_id: person.id }])
  const again = await visit(api, path + '/activate', {
    cookie,
    form: { form_id: 'other'.repeat(5) },
  })
  t.equal(again.status, 400, 'a virtual card is never activated')
  t.match(await again.text(), '/docs/errors#')
})

test('a card is offered where the API would issue one', async (t) => {
  const { api, cookie, root } = await startDashboard()
  const { cardholderId } = api.tenant
  const text = async () =>
    (await visit(api, root + '/cardholders/' + cardholderId, { cookie })).text()
  t.match(await text(), 'Issue the card')
  const identity = (status: string) => api.sql`
    update cardholders set identity = jsonb_set(identity, '{status}', to_jsonb(${status}::text))
    where id = ${cardholderId}`
  for (const [status, sentence] of [
    ['pending', 'The identity is being checked.'],
    ['requires_action', 'The check of the identity asks for more'],
    ['rejected', 'The identity was rejected'],
    ['not_started', 'A card needs a checked identity.'],
  ] as const) {
    await identity(status)
    t.match(await text(), sentence)
    t.notMatch(await text(), 'Issue the card', status)
  }
})

test('pages that moved into the dashboard are found at their old addresses', async (t) => {
  const { api, cookie, root } = await startDashboard()
  for (const page of ['people', 'going_live']) {
    const moved = await visit(api, '/' + page + '/' + api.tenant.tenantId, { cookie })
    t.equal(moved.headers.get('location'), root + '/' + page)
    t.equal((await visit(api, root + '/' + page, { cookie })).status, 200)
    for (const id of ['none', 'ten_A', '%2F%2Fevil.example'])
      t.equal((await visit(api, '/' + page + '/' + id, { cookie })).status, 404, id)
  }
})

test('18: a form of another site, or without a name for its origin, does nothing', async (t) => {
  const { api, cookie, root, things } = await startDashboard()
  const path = root + '/cards/' + things.get('cards') + '/suspend'
  const form = { form_id: 'f'.repeat(24) }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    {},
  ]) {
    const answer = await visit(api, path, {
      cookie,
      form,
      headers: headers as object as { [name: string]: string },
    })
    t.equal(answer.status, 403)
  }
  const [card] = await api.sql`select status from cards where id = ${things.get('cards') ?? ''}`
  t.equal(card?.['status'], 'active')
})

test('22: a form by hand gets the answer that the API gives the role', async (t) => {
  const { api, root, things } = await startDashboard()
  const { cookie } = await enterAs(api, 'analyst')
  const path = root + '/cards/' + things.get('cards')
  const page = await (await visit(api, path, { cookie })).text()
  t.notMatch(page, 'commandfor="suspend"')
  const answer = await visit(api, path + '/suspend', { cookie, form: { form_id: 'f'.repeat(24) } })
  t.equal(answer.status, 403)
  t.match(await answer.text(), 'insufficient_scope')
})

test('17: a person who leaves the tenant has no pages from the next call on', async (t) => {
  const { api, root } = await startDashboard()
  const person = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  await api.sql`delete from sign_in_tries`
  const cookie = await enter(api, person)
  t.equal((await visit(api, root + '/overview', { cookie })).status, 200)
  await api.sql`update users set state = 'disabled' where id = ${person.id}`
  t.equal((await visit(api, root + '/overview', { cookie })).status, 404)
  const none = await visit(api, root + '/cards?status=active', {})
  t.equal(none.status, 303)
  t.match(none.headers.get('location'), /^\/sign-in\?next=%2Fd%2Ften_/)
})
