import { test } from 'tap'
import { endPendingKeys } from '../../../api/access/keys/index.ts'
import { KEY_MOVES, type KeyMove, moveKey } from '../../../api/access/keys/states.ts'
import { tx } from '../../../api/database/transaction.ts'
import { KEY_STATUSES } from '../../../shared/schemas/api-key.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { runJob } from '../../harness/jobs.ts'
import { callApproved, seedSafeOwner } from '../../harness/person.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

const DAY_MS = 86_400_000
const PLAIN = { name: 'Server', role: 'secret', scope: 'write' }

async function make(api: TestApi, body: object = PLAIN): Promise<Answer> {
  return callApproved(api, 'POST', '/v1/api_keys', { key: api.tenant.keys.admin, body })
}

async function move(api: TestApi, id: string, verb: string): Promise<Answer> {
  const path = '/v1/api_keys/' + id + '/' + verb
  return callApproved(api, 'POST', path, { key: api.tenant.keys.admin })
}

async function change(api: TestApi, id: string, body: object): Promise<Answer> {
  return callApproved(api, 'PATCH', '/v1/api_keys/' + id, { key: api.tenant.keys.admin, body })
}

async function shown(api: TestApi, id: string): Promise<Answer['body']> {
  return (await api.call('GET', '/v1/api_keys/' + id, { key: api.tenant.keys.admin })).body
}

async function works(api: TestApi, secret: string): Promise<Answer> {
  return api.call('GET', '/v1/cards', { key: secret })
}

async function eventsOf(api: TestApi, id: string): Promise<Answer['body'][]> {
  const path = '/v1/events?order=asc&resource_id=' + id
  return (await api.call('GET', path, { key: api.tenant.keys.read })).body.data
}

async function endDue(api: TestApi, now: number): Promise<number> {
  const { sql } = api
  return runJob(endPendingKeys, { sql, now })
}

/** Keys that earlier tests left pending would be due as well. */
async function endOthers(api: TestApi): Promise<void> {
  await endDue(api, api.clock.nowMs + 100 * DAY_MS)
}

test('only the call that makes a key shows its secret', async (t) => {
  const api = await startTestApi()
  const made = await make(api, {
    ...PLAIN,
    cidrs: ['127.0.0.0/8'],
    external_id: 'deploy-1',
    metadata: { team: 'billing' },
  })
  t.equal(made.status, 201)
  const { secret, ...key } = made.body
  t.match(secret, /^svc_sk_sandbox_[0-9A-Za-z]{49}$/)
  t.match(key, {
    id: /^key_[0-9a-z]{26}$/,
    object: 'api_key',
    created: SEEDED_AT_MS / 1000 + 60,
    livemode: false,
    environment: 'sandbox',
    name: 'Server',
    role: 'secret',
    scope: 'write',
    status: 'active',
    prefix: 'svc_sk_sandbox_',
    last4: secret.slice(-4),
    cidrs: ['127.0.0.0/8'],
    last_used_at: null,
    last_used_ip: null,
    revokes_at: null,
    revoked_at: null,
    browser_sightings: [],
    external_id: 'deploy-1',
    metadata: { team: 'billing' },
  })
  t.match(key.created_by, /^user_[0-9a-z]{26}$/)
  t.same(await shown(api, key.id), key)
  const [event, ...others] = await eventsOf(api, key.id)
  t.same(others, [])
  t.equal(event.type, 'api_key.created')
  t.same(event.data, { api_key: key }, 'the event shows what GET shows')
  t.equal((await works(api, secret)).status, 200)

  const everything = await api.sql`
    select (select string_agg(k::text, '') from api_keys k)
      || (select string_agg(convert_from(e.body, 'UTF8'), '') from events e)
      || (select string_agg(a::text, '') from audit_log a) as text`
  t.notOk(everything[0]?.['text'].includes(secret.slice(15)), 'it is stored nowhere')
  const list = await api.call('GET', '/v1/api_keys', { key: api.tenant.keys.admin })
  t.notOk(list.text.includes(secret))
  t.same(Object.keys(list.body.data[0]), Object.keys(key))
})

test('a repeat under its Idempotency-Key shows the same secret, and makes no other key', async (t) => {
  const api = await startTestApi()
  const call = {
    key: api.tenant.keys.admin,
    body: PLAIN,
    headers: { 'idempotency-key': 'rotation-1' },
  }
  const made = await callApproved(api, 'POST', '/v1/api_keys', call)
  const again = await api.call('POST', '/v1/api_keys', call)
  t.equal(again.text, made.text)
  const other = (await make(api, { ...PLAIN, scope: 'admin' })).body.secret
  t.match(
    await api.call('POST', '/v1/api_keys', { ...call, key: other }),
    { status: 422, body: { error: { code: 'idempotency_key_reused' } } },
    'no other key reads the secret without a person',
  )
  t.equal((await eventsOf(api, made.body.id)).length, 1)
  const all = await api.call('GET', '/v1/api_keys?role=secret', { key: api.tenant.keys.admin })
  t.equal(all.body.data.length, 5)
})

test('a key has the environment of its maker, and the requested role and scope', async (t) => {
  const api = await startTestApi()
  const visitor = await make(api, { name: 'Shop', role: 'publishable' })
  t.match(visitor.body, { role: 'publishable', scope: 'write', prefix: 'svc_pk_sandbox_' })
  t.match(visitor.body.secret, /^svc_pk_sandbox_/)
  const wide = await make(api, { name: 'Shop', role: 'publishable', scope: 'admin' })
  t.match(wide.body.error, { code: 'parameter_invalid', param: 'scope' })
  const scopeless = await make(api, { name: 'Server', role: 'secret' })
  t.match(scopeless.body.error, { code: 'parameter_missing', param: 'scope' })
  const reader = await make(api, { ...PLAIN, scope: 'read' })
  const refused = await api.call('POST', '/v1/cards/' + api.tenant.cardId + '/suspend', {
    key: reader.body.secret,
  })
  t.match(refused.body.error, { code: 'insufficient_scope', required_scope: 'write' })

  await api.sql`update tenants set kyb_status = 'approved' where id = ${api.live.tenantId}`
  const makeLive = () =>
    callApproved(api, 'POST', '/v1/api_keys', { key: api.live.keys.admin, body: PLAIN })
  t.match((await makeLive()).body.error, { code: 'second_way_missing' }, 'one device may be lost')
  await seedSafeOwner(api.sql, api.live.tenantId)
  const live = await makeLive()
  t.match(live.body, { livemode: true, prefix: 'svc_sk_live_' })
  await api.sql`update tenants set suspended_at = 1, suspended_by = 'regulator', suspend_reason = 'x'
    where id = ${api.tenant.tenantId}`
  t.match((await make(api)).body.error, { code: 'account_suspended' })
})

test('address ranges are stored in one spelling, and an invalid one is refused by its index', async (t) => {
  const api = await startTestApi()
  const { body } = await make(api, {
    ...PLAIN,
    cidrs: ['203.0.113.0/24', '2001:DB8:0:0::/32', '::ffff:10.0.0.0/104'],
  })
  t.same(body.cidrs.slice(0, 2), ['203.0.113.0/24', '2001:db8::/32'])
  t.equal((await works(api, body.secret)).body.error.code, 'ip_not_allowed')
  t.same((await change(api, body.id, { cidrs: [] })).body.cidrs, [])
  t.equal((await works(api, body.secret)).status, 200)
  for (const cidr of [
    '10.0.0.0',
    '10.0.0.0/33',
    '010.0.0.0/8',
    '10/8',
    '1.2.3.4/8,',
    'fe80::1%eth0/64',
    'x/8',
  ]) {
    const refused = await change(api, body.id, { cidrs: ['10.0.0.0/8', cidr] })
    t.match(refused.body.error, { code: 'parameter_invalid', param: '/cidrs/1' }, cidr)
  }
  const many = await change(api, body.id, { cidrs: Array(51).fill('10.0.0.0/8') })
  t.match(many.body.error, { code: 'parameter_invalid', param: 'cidrs' })
})

test('a call that would be refused anyway asks for no approval', async (t) => {
  const api = await startTestApi()
  const key = api.tenant.keys.admin
  const asked = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await api.call(method, '/v1/api_keys' + path, { key, body })
    return [status, answer.error.code, answer.error.param]
  }
  const wrong = { cidrs: ['10.0.0.0/33'] }
  const range = [400, 'parameter_invalid', '/cidrs/0']
  t.same(await asked('PATCH', '/' + api.tenant.cardId, wrong), range)
  t.same(await asked('POST', '', { ...PLAIN, ...wrong }), range)
  const shop = { name: 'Shop', role: 'publishable', scope: 'admin' }
  t.same(await asked('POST', '', shop), [400, 'parameter_invalid', 'scope'])
  const { scope: _, ...scopeless } = PLAIN
  t.same(await asked('POST', '', scopeless), [400, 'parameter_missing', 'scope'])
  t.same((await asked('POST', '', PLAIN)).slice(0, 2), [403, 'factor_required'])
})

const LEGAL: { [move in KeyMove]: string } = {
  //            active   pending   revoked
  mark_pending: 'pending -         409',
  revoke: 'revoked revoked -',
}

for (const [verb, row] of Object.entries(LEGAL) as [KeyMove, string][]) {
  for (const [column, cell] of row.split(/\s+/).entries()) {
    const from = KEY_STATUSES[column]!
    test(verb + ' of a key that is ' + from + ': ' + cell, async (t) => {
      const api = await startTestApi()
      const { id } = (await make(api)).body
      if (from !== 'active') await move(api, id, from === 'pending' ? 'mark_pending' : 'revoke')
      const before = await shown(api, id)
      const answer = await move(api, id, verb)
      if (cell === '409') {
        t.match(answer.body.error, {
          code: 'invalid_state',
          current_status: from,
          allowed_from: [...KEY_MOVES[verb].from],
        })
      } else {
        t.equal(answer.status, 200)
        t.equal(answer.body.status, cell === '-' ? from : cell)
      }
      t.same(await shown(api, id), answer.status === 200 ? answer.body : before)
      if (cell === '-') t.same(answer.body, before, 'a repeat changes nothing')
    })
  }
}

test('a key marked for revocation shows its end, works for 24 hours, and is then refused', async (t) => {
  const api = await startTestApi()
  const { id, secret } = (await make(api)).body
  const marked = await move(api, id, 'mark_pending')
  t.equal(marked.body.revokes_at, api.clock.nowMs / 1000 + 86_400)
  const during = await works(api, secret)
  t.equal(during.status, 200)
  t.equal(during.headers.get('svc-key-revokes-at'), String(marked.body.revokes_at))
  t.same(
    (await eventsOf(api, id)).map(({ type }) => type),
    ['api_key.created'],
  )
  api.clock.nowMs += DAY_MS - 1
  t.equal((await works(api, secret)).status, 200)
  api.clock.nowMs += 1
  t.match((await works(api, secret)).body.error, { code: 'key_revoked' })
})

test('the timer revokes due keys and announces each exactly once, with several dispatchers', async (t) => {
  const api = await startTestApi()
  await endOthers(api)
  const due = await Promise.all(Array.from({ length: 6 }, () => make(api)))
  const later = (await make(api)).body.id
  for (const { body } of due) await move(api, body.id, 'mark_pending')
  api.clock.nowMs += 1000
  await move(api, later, 'mark_pending')
  const over = api.clock.nowMs + DAY_MS - 1000
  t.equal(await endDue(api, over - 1), 0)
  const done = await Promise.all(Array.from({ length: 4 }, () => endDue(api, over)))
  t.equal(
    done.reduce((sum, count) => sum + count, 0),
    due.length,
  )
  for (const { body } of due) {
    const events = await eventsOf(api, body.id)
    t.same(
      events.map(({ type }) => type),
      ['api_key.created', 'api_key.revoked'],
    )
    t.same(events[1].data.api_key, await shown(api, body.id))
    t.match(events[1].data.api_key, {
      status: 'revoked',
      revokes_at: null,
      revoked_at: over / 1000,
    })
  }
  t.equal((await shown(api, later)).status, 'pending')
  const [row] = await api.sql`
    select actor_type, actor_id, action from audit_log
    where resource_id = ${due[0]?.body.id} order by seq desc limit 1`
  t.same(row, { actor_type: 'system', actor_id: null, action: 'timer ' + endPendingKeys.name })
  const checked = await api.call('GET', '/v1/audit_log/verify', { key: api.tenant.keys.admin })
  t.equal(checked.body.valid, true)
})

test('the grace of a key follows the tenant’s clock', async (t) => {
  const api = await startTestApi()
  await endOthers(api)
  const { id } = (await make(api)).body
  await move(api, id, 'mark_pending')
  await api.sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${api.tenant.tenantId}, ${DAY_MS})`
  t.equal(await endDue(api, api.clock.nowMs), 1)
  const key = await shown(api, id)
  t.equal(key.revoked_at, (api.clock.nowMs + DAY_MS) / 1000)
})

test('only one of a person and a timer revokes the same key', async (t) => {
  const api = await startTestApi()
  const { id } = (await make(api)).body
  await move(api, id, 'mark_pending')
  api.clock.nowMs += DAY_MS
  const owner = { tenantId: api.tenant.tenantId, environment: 'sandbox' as const }
  const revoke = () =>
    tx(api.sql, (sql) => moveKey(sql, owner, { id, move: 'revoke', now: api.clock.nowMs }))
  await Promise.all([revoke(), endDue(api, api.clock.nowMs), revoke()])
  t.same(
    (await eventsOf(api, id)).map(({ type }) => type),
    ['api_key.created', 'api_key.revoked'],
  )
})

test('a key without an end never expires: it works ten years later', async (t) => {
  const api = await startTestApi()
  await endOthers(api)
  const { id, secret } = (await make(api)).body
  api.clock.nowMs += 10 * 365.25 * DAY_MS
  t.equal(await endDue(api, api.clock.nowMs), 0)
  t.equal((await works(api, secret)).status, 200)
  t.match(await shown(api, id), { status: 'active', revokes_at: null })
})

test('a key may revoke itself, and that is its last call', async (t) => {
  const api = await startTestApi()
  const { id, secret } = (await make(api, { ...PLAIN, scope: 'admin' })).body
  const gone = await callApproved(api, 'POST', '/v1/api_keys/' + id + '/revoke', { key: secret })
  t.match(gone.body, { id, status: 'revoked', revoked_at: api.clock.nowMs / 1000 })
  t.match((await works(api, secret)).body.error, { code: 'key_revoked' })
})

test('a key shows its last use, its address, and its web pages', async (t) => {
  const api = await startTestApi()
  const { id } = (await make(api)).body
  const { tenantId } = api.tenant
  await api.sql`update api_keys set last_used_at = ${SEEDED_AT_MS}, last_used_ip = '203.0.113.9' where id = ${id}`
  for (const [origin, last] of [
    ['https://a.example', 1000],
    ['https://b.example', 3000],
  ] as const)
    await api.sql`insert into secret_key_sightings
      (tenant_id, environment, key_id, origin, first_at, last_at, count)
      values (${tenantId}, 'sandbox', ${id}, ${origin}, 1000, ${last}, 2)`
  t.match(await shown(api, id), {
    last_used_at: SEEDED_AT_MS / 1000,
    last_used_ip: '203.0.113.9',
    browser_sightings: [
      { origin: 'https://b.example', first_at: 1, last_at: 3, count: 2 },
      { origin: 'https://a.example', first_at: 1, last_at: 1, count: 2 },
    ],
  })
})

test('name, ranges and metadata of a key change, its permissions do not', async (t) => {
  const api = await startTestApi()
  const { id } = (await make(api, { ...PLAIN, metadata: { a: '1', b: '2' } })).body
  const changed = await change(api, id, { name: 'Worker', external_id: 'w', metadata: { a: null } })
  t.match(changed.body, { name: 'Worker', external_id: 'w', metadata: { b: '2' }, scope: 'write' })
  t.same(await shown(api, id), changed.body)
  t.match((await change(api, id, { scope: 'admin' })).body.error, {
    code: 'parameter_unknown',
    param: 'scope',
  })
  t.match((await change(api, id, {})).body.error, { code: 'parameter_invalid' })
  const taken = await make(api, { ...PLAIN, external_id: 'w' })
  t.match(taken.body.error, { code: 'already_exists', resource_id: id })
  await move(api, id, 'revoke')
  t.match((await change(api, id, { name: 'x' })).body.error, {
    code: 'invalid_state',
    current_status: 'revoked',
  })
})

test('keys are listed by status, role and external id, and belong to their tenant', async (t) => {
  const api = await startTestApi()
  const { id } = (await make(api, { ...PLAIN, external_id: 'mine' })).body
  await move(api, id, 'mark_pending')
  const list = async (query: string) =>
    (await api.call('GET', '/v1/api_keys' + query, { key: api.tenant.keys.admin })).body.data
  const ids = async (query: string) => (await list(query)).map((key: { id: string }) => key.id)
  t.same(await ids('?status=pending'), [id])
  t.same(await ids('?external_id=mine'), [id])
  t.equal((await list('?role=publishable')).length, 1)
  t.equal((await list('?status=revoked')).length, 0)
  t.equal((await list('?limit=2')).length, 2)
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['POST', '/mark_pending', undefined],
    ['POST', '/revoke', undefined],
    ['PATCH', '', { name: 'theirs' }],
  ] as const) {
    const key = api.other.keys.admin
    const foreign = await callApproved(api, method, '/v1/api_keys/' + id + path, { key, body })
    t.equal(foreign.status, 404, method + path)
    const narrow = await api.call(method, '/v1/api_keys/' + id + path, {
      key: api.tenant.keys.write,
      body,
    })
    t.match(narrow.body.error, { code: 'insufficient_scope', required_scope: 'admin' })
  }
})

test('a key that is made with an end is refused from then on, and revoked by the job', async (t) => {
  const api = await startTestApi()
  await endOthers(api)
  const end = Math.floor(api.clock.nowMs / 1000) + 3600
  const made = await make(api, { ...PLAIN, expires_at: end })
  t.equal(made.status, 201, made.text)
  const { id, secret, expires_at: shownEnd } = made.body
  t.equal(shownEnd, end)
  t.match(await shown(api, id), { status: 'active', expires_at: end, revokes_at: null })
  t.equal((await works(api, secret)).status, 200)
  api.clock.nowMs = end * 1000
  const late = await works(api, secret)
  t.equal(late.status, 401)
  t.equal(late.body.error.code, 'key_expired')
  t.equal(await endDue(api, api.clock.nowMs), 1)
  t.match(await shown(api, id), { status: 'revoked', revoked_at: end, expires_at: end })
  t.match(
    (await eventsOf(api, id)).map(({ type }) => type),
    ['api_key.created', 'api_key.revoked'],
  )
  t.equal((await works(api, secret)).body.error.code, 'key_revoked')
  t.equal(await endDue(api, api.clock.nowMs), 0)
})

test('the end of a key is moved ahead or taken away, and never lies in the past', async (t) => {
  const api = await startTestApi()
  const now = Math.floor(api.clock.nowMs / 1000)
  const past = await make(api, { ...PLAIN, expires_at: now - 1 })
  t.match(past.body.error, { code: 'parameter_invalid', param: 'expires_at' }, past.text)
  const { id, secret } = (await make(api, { ...PLAIN, expires_at: now + 60 })).body
  t.equal((await change(api, id, { expires_at: now })).body.error.param, 'expires_at')
  t.equal((await change(api, id, { name: 'Other' })).body.expires_at, now + 60)
  t.equal((await change(api, id, { expires_at: now + 120 })).body.expires_at, now + 120)
  api.clock.nowMs = (now + 60) * 1000
  t.equal((await works(api, secret)).status, 200)
  t.equal((await change(api, id, { expires_at: null })).body.expires_at, null)
  api.clock.nowMs = (now + 120) * 1000
  t.equal((await works(api, secret)).status, 200)
})
