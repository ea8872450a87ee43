// Bad input and attacks on the endpoints of OAuth; the numbers are rows of the table of bad input.
import { randomBytes } from 'node:crypto'
import { test } from 'tap'
import type { TestApi } from '../../harness/api.ts'
import { installed } from '../../harness/installation.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import {
  approvedCode,
  authorizeUrl,
  basic,
  connect,
  decide,
  newChallenge,
  openConsent,
  postForm,
  RETURN_URL,
  registerClient,
  signIn,
  Visitor,
} from '../../harness/oauth.ts'
import { seedOperator } from '../../harness/operator.ts'
import { perform } from '../../harness/operator-desk.ts'
import { openOperator } from '../../harness/operator-person.ts'
import { callApproved, seedPerson } from '../../harness/person.ts'

const GOOD = newChallenge().challenge

async function refresh(api: TestApi, refresh_token: string, headers = {}) {
  return postForm(api, '/oauth/token', { grant_type: 'refresh_token', refresh_token }, headers)
}

async function works(api: TestApi, key: string): Promise<boolean> {
  return (await api.call('GET', '/v1/cards', { key })).status === 200
}

test('1: another redirect address gets our own page and no redirect', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api)
  const visitor = new Visitor(api)
  const wrong = [
    'https://platform.example/other?from=svc',
    'https://platform.example/Return?from=svc',
    'https://platform.example:8443/return?from=svc',
    'https://user@platform.example/return?from=svc',
    'https://platform.example/a/../return?from=svc',
    'https://platform.example/%2e/return?from=svc',
    RETURN_URL + '#part',
    RETURN_URL + '&more=1',
    'http://platform.example/return?from=svc',
  ]
  for (const redirect_uri of wrong) {
    const url = authorizeUrl(client, { challenge: GOOD, more: { redirect_uri } })
    const answer = await visitor.go(url)
    t.equal(answer.status, 400, redirect_uri)
    t.equal(answer.headers.get('location'), null)
    t.match(await answer.text(), /invalid_redirect_uri/)
  }
  const twice =
    authorizeUrl(client, { challenge: GOOD }) + '&redirect_uri=https%3A%2F%2Fevil.example'
  const answer = await visitor.go(twice)
  t.same([answer.status, answer.headers.get('location')], [400, null])
  const unknown = await visitor.go('/oauth/authorize?client_id=oac_none&redirect_uri=' + RETURN_URL)
  t.same([unknown.status, unknown.headers.get('location')], [400, null])
})

test('2: an operator registers only safe redirect addresses', async (t) => {
  const api = await startIssuingApi()
  const key = await seedOperator(api.sql)
  const register = (redirect_uri: string, application_type: string) =>
    api.call('POST', '/operator/v1/oauth_clients', {
      key,
      body: {
        environment: 'sandbox',
        kind: 'public',
        name: 'App',
        application_type,
        redirect_uris: [redirect_uri],
        scopes: ['read'],
      },
    })
  const unsafe: [string, string][] = [
    ['javascript:alert(1)', 'native'],
    ['data:text/html,x', 'native'],
    ['myapp:/back', 'native'],
    ['com.example.app:/back', 'web'],
    ['https://platform.example/#x', 'web'],
    ['https://u:p@platform.example/', 'web'],
    ['https://platform.example/a/../b', 'web'],
    ['http://platform.example/', 'web'],
    ['https://localhost/back', 'native'],
    ['/back', 'web'],
  ]
  for (const [uri, type] of unsafe) {
    const answer = await register(uri, type)
    t.same([answer.status, answer.body.error.param], [400, '/redirect_uris/0'], uri)
  }
  const safe: [string, string][] = [
    ['https://platform.example', 'web'],
    ['http://localhost:3000/back', 'web'],
    ['http://127.0.0.1/back', 'native'],
    ['com.example.app:/back', 'native'],
  ]
  for (const [uri, type] of safe) {
    const { status, body } = await register(uri, type)
    t.same([status, body.secret], [201, null], uri)
    const url = authorizeUrl(body, { challenge: GOOD, more: { redirect_uri: uri } })
    t.match(await openConsent(new Visitor(api), url), /^\/oauth\/consent\//)
  }
})

test('3: a request without a good challenge ends at the platform', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api)
  const visitor = new Visitor(api)
  const bad: { [name: string]: string }[] = [
    { code_challenge: '' },
    { code_challenge_method: 'plain' },
    { code_challenge: 'x'.repeat(42) },
    { response_type: 'token' },
    { prompt: 'none' },
    { scope: 'admin' },
  ]
  for (const more of bad) {
    const answer = await visitor.go(authorizeUrl(client, { challenge: GOOD, more }))
    t.equal(answer.status, 303, JSON.stringify(more))
    const back = new URL(answer.headers.get('location') ?? '')
    t.equal(back.origin + back.pathname, 'https://platform.example/return')
    const said = new URLSearchParams(back.hash === '' ? back.search : back.hash.slice(1))
    t.equal(back.searchParams.get('from'), 'svc')
    t.match(Object.fromEntries(said), {
      error: /^(invalid_request|unsupported_response_type|login_required|invalid_scope)$/,
      state: 'st-1',
      iss: 'https://svc.test',
    })
  }
})

test('4: a code counts only with its own verifier', async (t) => {
  const api = await startIssuingApi()
  const { client, code, verifier } = await approvedCode(api)
  const other = newChallenge().verifier
  for (const more of [{}, { code_verifier: other }, { code_verifier: 'short' }]) {
    const answer = await postForm(api, '/oauth/token', { code, client_id: client.id, ...more })
    t.equal(answer.status, 400)
    t.match(answer.body.error, /^invalid_(grant|request)$/)
  }
  const form = { code, client_id: client.id, code_verifier: verifier }
  t.equal(
    (await postForm(api, '/oauth/token', form)).status,
    200,
    'a wrong verifier leaves the code',
  )
})

test('5: a code counts once, for its client, for a minute', async (t) => {
  const api = await startIssuingApi()
  const first = await approvedCode(api)
  const { client, code, verifier } = first
  const stranger = await registerClient(api)
  const form = { code, client_id: client.id, code_verifier: verifier }
  const stolen = await postForm(api, '/oauth/token', { ...form, client_id: stranger.id })
  t.match(stolen.body, { error: 'invalid_grant' })
  const { body } = await postForm(api, '/oauth/token', form)
  t.ok(await works(api, body.access_token))
  t.match((await postForm(api, '/oauth/token', form)).body, { error: 'invalid_grant' })
  t.notOk(await works(api, body.access_token), 'the second use ends the connection')

  const late = await approvedCode(api)
  api.clock.nowMs += 61_000
  const expired = { code: late.code, client_id: late.client.id, code_verifier: late.verifier }
  t.match((await postForm(api, '/oauth/token', expired)).body, { error: 'invalid_grant' })
})

test('7: a refresh token that is used again ends the connection, and owners are told', async (t) => {
  const api = await startIssuingApi()
  const { refresh_token: first, person, client } = await connect(api)
  const second = (await refresh(api, first)).body.refresh_token
  t.match((await refresh(api, first)).body, { error: 'invalid_grant' }, 'a repeat is refused')
  const third = (await refresh(api, second)).body
  t.ok(await works(api, third.access_token), 'a repeat is no theft')
  t.match((await refresh(api, first)).body, { error: 'invalid_grant' })
  t.notOk(await works(api, third.access_token), 'the successor was used: theft')
  t.match((await refresh(api, third.refresh_token)).body, { error: 'invalid_grant' })
  const mails = await api.sql`select template from mails where recipient = ${person.email}`
  t.same(
    mails.map(({ template }) => template),
    ['connection_ended'],
  )
  const [row] = await api.sql`
    select actor_type, actor_id from audit_log where action = 'oauth_token_reused'
      and tenant_id = ${api.tenant.tenantId}`
  t.same({ ...row }, { actor_type: 'oauth', actor_id: client.id })

  const late = await connect(api)
  await refresh(api, late.refresh_token)
  api.clock.nowMs += 11_000
  t.match((await refresh(api, late.refresh_token)).body, { error: 'invalid_grant' })
  t.notOk(await works(api, late.access_token), 'after the leeway any second use is theft')
})

test('a repeat under its Idempotency-Key gets the same tokens', async (t) => {
  const api = await startIssuingApi()
  const { refresh_token } = await connect(api)
  const headers = { 'idempotency-key': 'refresh-1' }
  const first = await refresh(api, refresh_token, headers)
  const again = await refresh(api, refresh_token, headers)
  t.same([again.status, again.body], [200, first.body])
  t.match((await refresh(api, refresh_token, { 'idempotency-key': 'other' })).status, 400)
  t.ok(await works(api, again.body.access_token))
  t.equal((await refresh(api, first.body.refresh_token)).status, 200)
})

test('9: a confidential client proves itself, in one way', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api, { kind: 'confidential' })
  t.match(client.secret, /^svc_cs_sandbox_/)
  const { code, verifier } = await approvedCode(api, { client })
  const form = { code, code_verifier: verifier, client_id: client.id }
  const own = basic(client)
  const wrong = basic({ ...client, secret: 'wrong' })
  const both = { ...form, client_secret: client.secret ?? '' }
  t.match(await postForm(api, '/oauth/token', form), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  t.match(await postForm(api, '/oauth/token', form, wrong), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  t.match(await postForm(api, '/oauth/token', both, own), {
    status: 400,
    body: { error: 'invalid_request' },
  })
  const given = await postForm(api, '/oauth/token', form, own)
  t.equal(given.status, 200, given.text)
  t.match(
    await refresh(api, given.body.refresh_token),
    { status: 401 },
    'a refresh needs it as well',
  )

  const key = await seedOperator(api.sql)
  const path = '/operator/v1/oauth_clients/' + client.id
  const desk = await installed(api)
  const rotated = await perform(
    { api: desk, operator: await openOperator(desk) },
    'rotate_client',
    client.id,
  )
  const [, secret = ''] = /<code class="value">(svc_\w+)</.exec(await rotated.text()) ?? []
  const second = await refresh(api, given.body.refresh_token, own)
  t.equal(second.status, 200, 'the secret of before works for a day')
  api.clock.nowMs += 24 * 3_600_000
  t.match(await refresh(api, second.body.refresh_token, own), { status: 401 })
  const third = await refresh(api, second.body.refresh_token, basic({ ...client, secret }))
  t.equal(third.status, 200)
  await api.call('POST', path + '/disable', { key })
  t.same(
    (await api.call('GET', '/v1/cards', { key: third.body.access_token })).body.error.code,
    'token_revoked',
  )
  t.match(await refresh(api, third.body.refresh_token, basic({ ...client, secret })), {
    status: 401,
  })
})

test('10: another platform ends no token, and a refresh widens no scope', async (t) => {
  const api = await startIssuingApi()
  const { access_token, refresh_token } = await connect(api)
  const stranger = await registerClient(api)
  const ended = await postForm(api, '/oauth/revoke', {
    token: access_token,
    client_id: stranger.id,
  })
  t.equal(ended.status, 200)
  t.ok(await works(api, access_token))
  const form = { grant_type: 'refresh_token', refresh_token, scope: 'card:read card:write' }
  t.match((await postForm(api, '/oauth/token', form)).body, { error: 'invalid_scope' })
  t.equal((await refresh(api, refresh_token)).status, 200, 'the token is unused')
  t.equal((await postForm(api, '/oauth/revoke', { token: 'unknown' })).status, 200)
  t.match(await postForm(api, '/oauth/revoke', {}), {
    status: 400,
    body: { error: 'invalid_request' },
  })
})

test('11: a token reaches its own tenant and environment only', async (t) => {
  const api = await startIssuingApi()
  const { access_token: key } = await connect(api)
  const own = await api.call('GET', '/v1/cards/' + api.tenant.cardId, { key })
  t.equal(own.status, 200)
  const unknown = await api.call('GET', '/v1/cards/card_none', { key })
  for (const { cardId } of [api.other, api.live]) {
    const answer = await api.call('GET', '/v1/cards/' + cardId, { key })
    t.same([answer.status, answer.body.error.code], [404, unknown.body.error.code])
  }
})

test('12: only our own page, in the browser that began, decides', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api)
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const analyst = await seedPerson(api.sql, api.tenant.tenantId, 'analyst')
  const visitor = new Visitor(api)
  await signIn(api, visitor, person)
  const { challenge } = newChallenge()
  const path = await openConsent(visitor, authorizeUrl(client, { challenge }))
  const second = await openConsent(visitor, authorizeUrl(client, { challenge }))
  const form = { decision: 'approve', tenant: api.tenant.tenantId }
  const shown = await visitor.go(path)
  t.equal(shown.headers.get('x-frame-options'), 'DENY')
  t.match(shown.headers.get('content-security-policy'), /frame-ancestors 'none'/)
  t.notMatch(shown.headers.get('content-security-policy'), /form-action/)
  const foreign = await visitor.go(path, { form, headers: { 'sec-fetch-site': 'cross-site' } })
  t.equal(foreign.status, 403)
  const elsewhere = new Visitor(api)
  await signIn(api, elsewhere, analyst)
  t.equal((await elsewhere.go(path, { form })).status, 403, 'another browser')
  for (const altered of [
    { ...form, tenant: api.other.tenantId },
    { ...form, decision: 'yes' },
  ])
    t.equal((await visitor.go(path, { form: altered })).status, 422)
  const grants = () => api.sql`select 1 from oauth_grants where tenant_id = ${api.tenant.tenantId}`
  t.equal((await grants()).length, 0, 'nothing is granted')

  const back = await decide(visitor, path, form)
  t.ok(back.searchParams.get('code'))
  t.equal((await visitor.go(path, { form })).status, 403, 'replayed')
  const denied = await decide(visitor, second, { decision: 'deny' })
  t.match(Object.fromEntries(denied.searchParams), { error: 'access_denied', state: 'st-1' })
  t.equal((await grants()).length, 1)

  await signIn(api, visitor, analyst)
  const third = await openConsent(visitor, authorizeUrl(client, { challenge }))
  t.match(await (await visitor.go(third)).text(), /None of your tenants lets you/)
  t.equal((await visitor.go(third, { form })).status, 422, 'an analyst connects nothing')
})

test('13: state is echoed exactly, and has a limit', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api)
  const visitor = new Visitor(api)
  for (const state of ['a\nb', '"><script>alert(1)</script>', 'é€😀', '4242424242424242']) {
    const url = authorizeUrl(client, { challenge: GOOD, more: { state, prompt: 'none' } })
    const answer = await visitor.go(url)
    t.equal(new URL(answer.headers.get('location') ?? '').searchParams.get('state'), state)
  }
  const long = authorizeUrl(client, { challenge: GOOD, more: { state: 'x'.repeat(1025) } })
  const answer = await visitor.go(long)
  t.equal(answer.status, 400)
  t.match(await answer.text(), /invalid_request/)
})

test('13: a pushed state has the same limit, and codes go by the query alone', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api)
  const { challenge } = newChallenge()
  const pushed = (more: { [name: string]: string }) => {
    const { searchParams } = new URL(authorizeUrl(client, { challenge, more }), api.url)
    return postForm(api, '/oauth/par', Object.fromEntries(searchParams))
  }
  t.equal((await pushed({ state: 'x'.repeat(1024) })).status, 201)
  const wrong: { [name: string]: string }[] = [
    { state: 'x'.repeat(1025) },
    { response_mode: 'form_post' },
  ]
  for (const more of wrong) {
    t.match(await pushed(more), { status: 400, body: { error: 'invalid_request' } })
    const answer = await new Visitor(api).go(authorizeUrl(client, { challenge, more }))
    t.same([answer.status, answer.headers.get('location')], [400, null])
  }
})

test('invented platforms give an address no further calls', async (t) => {
  const api = await startIssuingApi()
  api.holdMonotonic()
  const call = async (number: number) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'oac_' + number }
    return (await postForm(api, '/oauth/token', form)).status
  }
  const statuses: number[] = []
  for (let round = 0; round < 50 && !statuses.includes(429); round++) {
    const numbers = Array.from({ length: 30 }, (_, index) => 30 * round + index)
    statuses.push(...(await Promise.all(numbers.map(call))))
  }
  t.ok(statuses.includes(429))
})

test('tokens expire by the clock of their tenant', async (t) => {
  const api = await startIssuingApi()
  const { access_token: key, refresh_token } = await connect(api)
  const { tenantId } = api.tenant
  const move = async (days: number) => {
    await api.sql`
      insert into sandbox_clocks (tenant_id, offset_ms)
      values (${tenantId}, ${days * 86_400_000})
      on conflict (tenant_id) do update set offset_ms = excluded.offset_ms`
  }
  api.clock.nowMs += 899_000
  t.ok(await works(api, key))
  api.clock.nowMs += 1000
  const expired = await api.call('GET', '/v1/cards', { key })
  t.same([expired.status, expired.body.error.code], [401, 'token_expired'])
  t.match(expired.headers.get('www-authenticate'), /error="invalid_token"/)
  await move(29)
  const second = (await refresh(api, refresh_token)).body
  t.ok(await works(api, second.access_token))
  await move(29 + 32)
  t.match((await refresh(api, second.refresh_token)).body, { error: 'invalid_grant' })
  t.notOk(await works(api, second.access_token))
})

test('a tenant lists its connections and ends one with a second factor', async (t) => {
  const api = await startIssuingApi()
  const { access_token, client, person } = await connect(api)
  const key = api.tenant.keys.admin
  const { data } = (await api.call('GET', '/v1/oauth_grants', { key })).body
  t.match(data, [
    {
      object: 'oauth_grant',
      client: { id: client.id, name: 'Ledger Co' },
      scopes: ['card:read'],
      granted_by: person.id,
      granted_by_status: 'active',
      status: 'active',
    },
  ])
  await api.sql`
    update users set state = 'disabled', removed_at = ${api.clock.nowMs} where id = ${person.id}`
  const left = await api.call('GET', '/v1/oauth_grants', { key })
  t.match(left.body.data, [{ status: 'active', granted_by_status: 'removed' }])
  t.ok(await works(api, access_token), 'the connection outlasts the person')
  const path = '/v1/oauth_grants/' + data[0].id
  t.equal((await api.call('GET', path, { key: api.other.keys.admin })).status, 404)
  const asked = await api.call('POST', path + '/revoke', { key, body: {} })
  t.equal(asked.body.error.code, 'factor_required')
  t.ok(await works(api, access_token))
  const ended = await callApproved(api, 'POST', path + '/revoke', { key, body: {} })
  t.match(ended.body, { status: 'revoked', revoke_reason: 'tenant' })
  t.notOk(await works(api, access_token))
})

test('calls of a platform are audited under its id', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api, { scopes: ['card:write'] })
  const { access_token: key } = await connect(api, { client })
  const path = '/v1/cards/' + api.tenant.cardId + '/suspend'
  const answer = await api.call('POST', path, { key, body: { reason: 'lost' } })
  t.equal(answer.status, 200, answer.text)
  const log = await api.call('GET', '/v1/audit_log', { key: api.tenant.keys.admin })
  t.match(log.body.data[0], { actor: { type: 'oauth', id: client.id } })
})

test('random bytes at the token endpoint are refused in its own form', async (t) => {
  const api = await startIssuingApi()
  for (let round = 0; round < 20; round++) {
    const raw = randomBytes(round * 20)
    const answer = await api.call('POST', '/oauth/token', {
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    t.equal(answer.status, 400, answer.text)
    t.type(answer.body.error, 'string')
  }
  const json = await api.call('POST', '/oauth/token', { body: { refresh_token: 'unknown' } })
  t.match(json, { status: 400, body: { error: 'invalid_grant' } })
  const list = await api.call('POST', '/oauth/token', { body: { refresh_token: ['a'] } })
  t.match(list, { status: 400, body: { error: 'invalid_request' } })
})
