// Row 22 of the table of bad input: people send by hand what their role does not cover.
import { test } from 'tap'
import { reachable, type TestApi } from '../../harness/api.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import {
  authorizeUrl,
  decide,
  newChallenge,
  openConsent,
  registerClient,
  signIn,
  Visitor,
} from '../../harness/oauth.ts'
import { seedPerson } from '../../harness/person.ts'
import { claim, enter, OWN_SITE, visit } from '../../harness/visit.ts'

async function consentOf(api: TestApi, role: 'analyst' | 'developer' | 'support', live: boolean) {
  const { tenantId } = live ? api.live : api.tenant
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, tenantId, role)
  const visitor = new Visitor(api)
  await signIn(api, visitor, person)
  const client = await registerClient(api, { environment: live ? 'live' : 'sandbox' })
  const { challenge } = newChallenge()
  const path = await openConsent(visitor, authorizeUrl(client, { challenge }))
  const form = { decision: 'approve', tenant: tenantId }
  const answer = await visitor.go(path, { form })
  return { visitor, path, status: answer.status, text: await answer.text(), tenantId }
}

test('22: an analyst, and a developer in live, connect no platform by hand', async (t) => {
  const api = await startIssuingApi()
  for (const [role, live] of [
    ['analyst', false],
    ['analyst', true],
    ['support', false],
    ['developer', true],
  ] as const) {
    const { status, text, tenantId, visitor, path } = await consentOf(api, role, live)
    t.equal(status, 422, role)
    t.match(text, /Choose one of your tenants/, role)
    const grants = await api.sql`select 1 from oauth_grants where tenant_id = ${tenantId}`
    t.equal(grants.length, 0, role)
    const back = await decide(visitor, path, { decision: 'deny' })
    t.equal(back.searchParams.get('error'), 'access_denied')
  }
  const allowed = await consentOf(api, 'developer', false)
  t.equal(allowed.status, 303, 'the sandbox is a developer’s own')
})

test('22: an analyst, and a developer in live, approve no call by hand', async (t) => {
  const api = await startIssuingApi()
  for (const [role, live] of [
    ['analyst', false],
    ['support', false],
    ['analyst', true],
    ['developer', true],
  ] as const) {
    const tenant = live ? api.live : api.tenant
    await api.sql`delete from sign_in_tries`
    const person = await seedPerson(api.sql, tenant.tenantId, role)
    const body = { role: 'secret', scope: 'read', name: 'x' }
    const key = tenant.keys.admin
    const asked = await api.call('POST', '/v1/api_keys', { key, body })
    t.equal(asked.body.error?.code, 'factor_required', asked.text)
    const url = reachable(api, asked.body.error.challenge_url)
    const form = { decision: 'approve', ...claim(api, person) }
    const answer = await fetch(url, {
      method: 'POST',
      headers: OWN_SITE,
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
    t.equal(answer.status, 422, role)
    const { id } = asked.body.error.challenge
    t.equal((await api.call('GET', '/v1/factor_challenges/' + id, { key })).status, 202, role)
  }
})

test('22: an analyst finds none of the pages of people, and posts to none of them', async (t) => {
  const api = await startIssuingApi()
  const analyst = await seedPerson(api.sql, api.tenant.tenantId, 'analyst')
  const cookie = await enter(api, analyst)
  const root = '/d/' + api.tenant.tenantId + '/sandbox'
  for (const path of ['/people', '/people/' + analyst.id, '/invitations', '/invitations/new'])
    t.equal((await visit(api, root + path, { cookie })).status, 403, path)
  const form = { email: 'x@y.example', role: 'analyst' }
  const sent = await sendConfirmed(api, root + '/invitations/new', { cookie, form, by: analyst })
  t.equal(sent.status, 403)
  const rows = await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`
  t.equal(rows.length, 0)
})
