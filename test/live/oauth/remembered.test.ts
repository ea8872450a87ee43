// A person who agreed before is not asked again, except where much is at stake; and the page on
// which a person approves a call of a platform.
import { test } from 'tap'
import { reachable, type TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import {
  authorizeUrl,
  connect,
  newChallenge,
  postForm,
  RETURN_URL,
  registerClient,
  signIn,
  Visitor,
} from '../../harness/oauth.ts'
import { seedOperator } from '../../harness/operator.ts'
import { seedPerson } from '../../harness/person.ts'

type Asked = Parameters<typeof registerClient>[1]

/** A browser that goes from the platform to the page of consent, without deciding there. */
async function goAgain(
  visitor: Visitor,
  client: Awaited<ReturnType<typeof registerClient>>,
  more: { [name: string]: string } = {},
) {
  const { verifier, challenge } = newChallenge()
  const first = await visitor.go(authorizeUrl(client, { challenge, more }))
  const shown = await visitor.go(first.headers.get('location') ?? '')
  const next = shown.headers.get('location')
  const back = next === null ? null : await visitor.go(next)
  const location = back?.headers.get('location') ?? null
  const code = location === null ? null : new URL(location).searchParams.get('code')
  return { status: shown.status, code, verifier, text: await shown.text() }
}

async function open(asked: Asked = {}) {
  const api = await startIssuingApi()
  return { api, client: await registerClient(api, asked) }
}

async function grantsOf({ sql, tenant }: TestApi): Promise<number> {
  const rows = await sql`select 1 from oauth_grants where tenant_id = ${tenant.tenantId}`
  return rows.length
}

test('the same platform, tenant and scopes need no second question', async (t) => {
  const { api, client } = await open()
  const { visitor } = await connect(api, { client })
  const again = await goAgain(visitor, client)
  t.equal(again.status, 303)
  t.type(again.code, 'string')
  const form = { code: again.code ?? '', code_verifier: again.verifier, client_id: client.id }
  const given = await postForm(api, '/oauth/token', form)
  t.equal(given.status, 200, given.text)
  t.equal(await grantsOf(api), 1, 'it is the same connection')
  const key = given.body.access_token
  t.equal((await api.call('GET', '/v1/cards', { key })).status, 200)

  t.equal((await goAgain(visitor, client, { prompt: 'consent' })).status, 200, 'asked on demand')
  await postForm(api, '/oauth/revoke', { token: key })
  t.equal((await goAgain(visitor, client)).status, 200, 'an ended connection is forgotten')
})

test('another redirect address is a question, but no other port of one’s own machine', async (t) => {
  const { api, client } = await open()
  const { visitor } = await connect(api, { client })
  const elsewhere = 'https://elsewhere.example/back'
  const key = await seedOperator(api.sql)
  const change = async (redirect_uris: string[]) => {
    const path = '/operator/v1/oauth_clients/' + client.id
    const { status, text } = await api.call('PATCH', path, { key, body: { redirect_uris } })
    t.equal(status, 200, text)
  }
  await change([RETURN_URL, elsewhere])
  t.equal((await goAgain(visitor, client)).status, 303)
  t.equal((await goAgain(visitor, client, { redirect_uri: elsewhere })).status, 200)
  await api.sql`update oauth_grants set redirect_uri = null where client_id = ${client.id}`
  t.equal((await goAgain(visitor, client)).status, 200, 'agreed to for an unknown address')

  const native = await registerClient(api, {
    application_type: 'native',
    redirect_uris: [RETURN_URL, 'http://127.0.0.1/back'],
  })
  const { visitor: app } = await connect(api, { client: native })
  const onPort = (port: number) => ({ redirect_uri: 'http://127.0.0.1:' + port + '/back' })
  t.equal((await goAgain(app, native, onPort(4001))).status, 200)
  await api.sql`
    update oauth_grants set redirect_uri = 'http://127.0.0.1/back' where client_id = ${native.id}`
  t.equal((await goAgain(app, native, onPort(4002))).status, 303)
  t.equal((await goAgain(app, native)).status, 200)
})

test('another person, other scopes and a second tenant are asked', async (t) => {
  const { api, client } = await open({ scopes: ['card:read', 'pass:read'] })
  const { visitor, person } = await connect(api, { client })
  t.equal((await goAgain(visitor, client, { scope: 'card:read' })).status, 200, 'fewer scopes')
  const colleague = new Visitor(api)
  await api.sql`delete from sign_in_tries`
  await signIn(api, colleague, await seedPerson(api.sql, api.tenant.tenantId))
  t.equal((await goAgain(colleague, client)).status, 200)
  t.equal((await goAgain(visitor, client)).status, 303)
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values (${'user_two' + person.id.slice(-8)}, ${api.other.tenantId}, ${person.identityId}, 'owner', 0)`
  t.equal((await goAgain(visitor, client)).status, 200, 'which tenant is a question')
})

test('admin is asked each time, and so are writes in live', async (t) => {
  const { api, client } = await open({ scopes: ['admin'] })
  const { visitor } = await connect(api, { client })
  t.equal((await goAgain(visitor, client)).status, 200)
  const { tenantId } = api.live
  await api.sql`update tenants set kyb_status = 'approved' where id = ${tenantId}`
  for (const [scope, status] of [
    ['card:write', 200],
    ['card:read', 303],
  ] as const) {
    const live = await registerClient(api, { environment: 'live', scopes: [scope] })
    const connected = await connect(api, { client: live, tenantId })
    t.equal((await goAgain(connected.visitor, live)).status, status, scope)
  }
})

test('a person who lost the role is asked, and cannot agree', async (t) => {
  const { api, client } = await open()
  const { visitor, person } = await connect(api, { client })
  await api.sql`update users set role = 'analyst' where id = ${person.id}`
  const { status, text } = await goAgain(visitor, client)
  t.equal(status, 200)
  t.match(text, /None of your tenants lets you connect/)
})

test('the page of an approval names the platform that asks', async (t) => {
  const { api, client } = await open({ scopes: ['admin'], name: 'Ledger & Co' })
  const { access_token: key } = await connect(api, { client })
  const body = { role: 'secret', scope: 'read', name: 'x' }
  const asked = await api.call('POST', '/v1/api_keys', { key, body })
  t.equal(asked.body.error?.code, 'factor_required', asked.text)
  const page = await fetch(reachable(api, asked.body.error.challenge_url))
  t.equal(page.status, 200)
  const text = await page.text()
  t.match(text, '<dt>Platform</dt><dd>Ledger &amp; Co</dd>')
  t.notMatch(text, '<dt>Key</dt>')
})
