// A passkey as the second factor of a call: bound to exactly this call, with evidence that anyone
// can verify again. The numbers are rows of the table of bad input.

import { test } from 'tap'
import { createPasskey, type Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import { type Call, PUBLIC_URL, reachable, startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { addPasskey, ceremonyOn, plugDevice } from '../../harness/member-passkeys.ts'
import { seedPerson } from '../../harness/person.ts'
import { enter, visit } from '../../harness/visit.ts'

const MINUTE_MS = 60_000
const NEW_KEY = { role: 'secret', scope: 'read', name: 'Nightly export' }

async function open(role: 'owner' | 'analyst' = 'owner') {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.tenant.tenantId, role)
  const { passkey, cookie } = await addPasskey(api, person, await enter(api, person))
  return { api, person, cookie, passkey }
}

function makeKey(api: TestApi, change: Call = {}) {
  return api.call('POST', '/v1/api_keys', { key: api.tenant.keys.admin, body: NEW_KEY, ...change })
}

/** A call that waits, the path of its page and of its status. */
async function ask(api: TestApi, change: Call = {}) {
  const { body } = await makeKey(api, change)
  const { challenge_url: url, challenge } = body.error
  const status = new URL(challenge.status_url).pathname
  return { page: new URL(reachable(api, url)).pathname, status, methods: challenge.methods }
}

/** Approves on the page by a passkey. */
async function approve(api: TestApi, page: string, passkey: Passkey, change = {}) {
  const { challenge, ceremony } = await ceremonyOn(await visit(api, page))
  return visit(api, page, { form: { ...passkey.assert(challenge), ceremony, ...change } })
}

async function tokenOf(api: TestApi, status: string): Promise<string> {
  return (await api.call('GET', status, { key: api.tenant.keys.admin })).body.token
}

const FACTOR_REQUIRED = { status: 403, body: { error: { code: 'factor_required' } } }

test('15: an approval by passkey is for one call, by one key, once', async (t) => {
  const { api, person, passkey } = await open()
  const asked = await ask(api)
  t.same(asked.methods, ['passkey', 'totp', 'recovery_code'])
  t.equal((await approve(api, asked.page, passkey)).status, 303)
  const token = await tokenOf(api, asked.status)
  const headers = { 'svc-factor': token }
  t.match(await makeKey(api, { headers, body: { ...NEW_KEY, scope: 'admin' } }), FACTOR_REQUIRED)
  const account = { key: api.tenant.keys.admin, body: { api_version: '2026-11-20' }, headers }
  t.match(await api.call('PATCH', '/v1/account', account), FACTOR_REQUIRED, 'another route')
  t.match(await makeKey(api, { headers, key: api.other.keys.admin }), FACTOR_REQUIRED)
  const twice = await Promise.all([makeKey(api, { headers }), makeKey(api, { headers })])
  t.same(twice.map(({ status }) => status).sort(), [201, 403])

  const late = await ask(api)
  await approve(api, late.page, passkey)
  const old = await tokenOf(api, late.status)
  api.clock.nowMs += 5 * MINUTE_MS
  t.match(await makeKey(api, { headers: { 'svc-factor': old } }), FACTOR_REQUIRED, 'too late')

  const lowered = await ask(api)
  await approve(api, lowered.page, passkey)
  const former = await tokenOf(api, lowered.status)
  await api.sql`update users set role = 'analyst' where id = ${person.id}`
  t.match(await makeKey(api, { headers: { 'svc-factor': former } }), FACTOR_REQUIRED, 'no role')
  await api.sql`update users set role = 'owner' where id = ${person.id}`
  t.equal((await makeKey(api, { headers: { 'svc-factor': former } })).status, 201)

  const voided = await ask(api)
  await approve(api, voided.page, passkey)
  const none = await tokenOf(api, voided.status)
  await api.sql`update users set state = 'disabled' where id = ${person.id}`
  t.match(await makeKey(api, { headers: { 'svc-factor': none } }), FACTOR_REQUIRED, 'disabled')
})

test('14: an assertion for another call, person or page approves nothing', async (t) => {
  const { api, passkey } = await open()
  const [one, two] = [await ask(api), await ask(api, { body: { ...NEW_KEY, scope: 'admin' } })]
  const [first, second] = [
    await ceremonyOn(await visit(api, one.page)),
    await ceremonyOn(await visit(api, two.page)),
  ]
  const signIn = await ceremonyOn(await visit(api, '/sign-in'))
  const forms: [string, { [name: string]: string }][] = [
    ['the other call', { ...passkey.assert(first.challenge), ceremony: first.ceremony }],
    ['a mixed form', { ...passkey.assert(first.challenge), ceremony: second.ceremony }],
    ['a sign-in', { ...passkey.assert(signIn.challenge), ceremony: signIn.ceremony }],
    [
      'an unknown passkey',
      { ...createPasskey(PUBLIC_URL).assert(second.challenge), ceremony: second.ceremony },
    ],
    [
      'no verification',
      { ...passkey.assert(second.challenge, { flags: 1 }), ceremony: second.ceremony },
    ],
  ]
  for (const [name, form] of forms) {
    await api.sql`delete from sign_in_tries`
    t.equal((await visit(api, two.page, { form })).status, 422, name)
  }
  const foreign = await visit(api, two.page, {
    headers: { 'sec-fetch-site': 'cross-site' },
    form: { ...passkey.assert(second.challenge), ceremony: second.ceremony },
  })
  t.equal(foreign.status, 403)
  const waits = await api.call('GET', two.status, { key: api.tenant.keys.admin })
  t.equal(waits.status, 202, 'nothing was decided')
  await api.sql`delete from sign_in_tries`
  api.clock.nowMs += 5 * MINUTE_MS
  const slow = { ...passkey.assert(second.challenge), ceremony: second.ceremony }
  t.match(await (await visit(api, two.page, { form: slow })).text(), 'open for too long')
})

test('a person without the right approves nothing by passkey', async (t) => {
  const { api, cookie, passkey } = await open('analyst')
  const asked = await ask(api)
  t.equal((await approve(api, asked.page, passkey)).status, 422)
  const text = await (await visit(api, asked.page, { cookie })).text()
  t.match(text, 'Sign in to approve', 'the session of an analyst counts for nothing')
})

test('a signed-in person approves with a code alone', async (t) => {
  const { api, person, cookie } = await open()
  const asked = await ask(api)
  t.match(await (await visit(api, asked.page, { cookie })).text(), 'Approve as ' + person.email)
  const code = person.codeAt(api.clock.nowMs)
  const alone = await visit(api, asked.page, { form: { decision: 'approve', code } })
  t.equal(alone.status, 422, 'without the session')
  const wrong = await visit(api, asked.page, { cookie, form: { decision: 'approve', code: '' } })
  t.equal(wrong.status, 422)
  const right = await visit(api, asked.page, { cookie, form: { decision: 'approve', code } })
  t.equal(right.status, 303)
  t.equal((await api.call('GET', asked.status, { key: api.tenant.keys.admin })).status, 200)
})

test('the evidence of an approval stands beside its audit row and is verified', async (t) => {
  const { api, person, passkey } = await open()
  const asked = await ask(api)
  await approve(api, asked.page, passkey)
  const headers = { 'svc-factor': await tokenOf(api, asked.status) }
  t.equal((await makeKey(api, { headers })).status, 201)
  const [row] = await api.sql`
    select l.id, l.approved_by, l.evidence_hash, e.evidence from audit_log l
    join factor_evidence e on e.audit_id = l.id where l.tenant_id = ${api.tenant.tenantId}`
  t.equal(row?.['approved_by'], person.id)
  t.equal(row?.['evidence'].credentialId, passkey.keep().id)
  const verified = async () =>
    (await api.call('GET', '/v1/audit_log/verify', { key: api.tenant.keys.admin })).body
  t.match(await verified(), { valid: true, broken: null })

  const { sql } = api
  await sql`alter table factor_evidence disable trigger user`
  await sql`alter table audit_log disable trigger user`
  t.teardown(async () => {
    await sql`alter table factor_evidence enable trigger user`
    await sql`alter table audit_log enable trigger user`
  })
  const kept = JSON.stringify(row?.['evidence'])
  const spoil = (evidence: string) => sql`
    update factor_evidence set evidence = ${evidence}::text::jsonb where audit_id = ${row?.['id']}`
  await spoil(kept.replace('"fingerprint":"', '"fingerprint":"00'))
  t.match(await verified(), { valid: false, broken: { problem: 'its evidence was changed' } })
  await spoil(kept)
  t.match(await verified(), { valid: true })
  await sql`delete from factor_evidence where audit_id = ${row?.['id']}`
  t.match(await verified(), { valid: false, broken: { problem: 'its evidence is missing' } })
  await sql`
    insert into factor_evidence (audit_id, evidence) values (${row?.['id']}, ${kept}::text::jsonb)`
  await sql`update audit_log set evidence_hash = null where id = ${row?.['id']}`
  t.match(await verified(), { valid: false, broken: { problem: 'it was changed' } })
})

test('a person approves a call with a passkey in a browser', async (t) => {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const local = await openLocalApi(t, api)
  const { page, errors } = await openWatched(await openBrowser(t), { width: 390 })
  await plugDevice(page)
  const code = (ahead = 0) => person.codeAt(systemClock.nowMs() + ahead)
  await page.goto(local.url + '/sign-in?next=/account')
  await page.evaluate("sessionStorage.noAutofill = '1'")
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByLabel('Code').fill(code())
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Laptop')
  await page.getByLabel('Your password').fill(person.password)
  await page.getByLabel('Code').fill(code(30_000))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByRole('status').waitFor()
  const ask = async () => {
    const answer = await fetch(local.url + '/v1/api_keys', {
      method: 'POST',
      headers: {
        authorization: 'Bearer ' + api.tenant.keys.admin,
        'content-type': 'application/json',
      },
      body: JSON.stringify(NEW_KEY),
    })
    return ((await answer.json()) as { error: { challenge_url: string } }).error.challenge_url
  }
  await page.goto(await ask())
  await picture(page, 'approve-signed-in-390')
  await page.getByRole('button', { name: 'Approve with a passkey' }).click()
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  await page.context().clearCookies()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(await ask())
  await picture(page, 'approve-1280-dark')
  await page.getByRole('button', { name: 'Approve with a passkey' }).click()
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  t.same(errors, [])
})
