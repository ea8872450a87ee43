// Second factors: a call, a person, a page, and the same call again. The browser is real.

import type { Page } from 'playwright-core'
import { test } from 'tap'
import { bodyFields } from '../../../api/access/factors/body-fields.ts'
import { purgeChallenges } from '../../../api/access/factors/index.ts'
import { purgeTries } from '../../../api/access/identities/index.ts'
import {
  type Answer,
  type Call,
  PUBLIC_URL,
  reachable,
  startTestApi,
  type TestApi,
} from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { runJob } from '../../harness/jobs.ts'
import { callApproved, type Person, seedPerson } from '../../harness/person.ts'
import { exchange } from '../../harness/raw-http.ts'

const MINUTE_MS = 60_000
const NEW_KEY = { role: 'secret', scope: 'read', name: 'Nightly <b>export</b>' }

function makeKey(api: TestApi, change: Call = {}): Promise<Answer> {
  const call = { key: api.tenant.keys.admin, body: NEW_KEY, ...change }
  return api.call('POST', '/v1/api_keys', call)
}

/** Number of keys that its calls have created. */
async function madeKeys(api: TestApi): Promise<number> {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*) from api_keys where tenant_id = ${api.tenant.tenantId}`
  return (row?.count ?? 0) - Object.keys(api.tenant.keys).length
}

interface Asked {
  url: string
  status(key?: string): Promise<Answer>
}

/** A call that waits for approval. */
async function ask(api: TestApi, change: Call = {}): Promise<Asked> {
  const { body } = await makeKey(api, change)
  const { challenge_url: url, challenge } = body.error
  const path = new URL(challenge.status_url).pathname
  return {
    url: reachable(api, url),
    status: (key = api.tenant.keys.admin) => api.call('GET', path, { key }),
  }
}

function submit(url: string, form: { [name: string]: string }, headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
}

function approval(api: TestApi, person: Person, change: { [name: string]: string } = {}) {
  const { email, password } = person
  return { decision: 'approve', email, password, code: person.codeAt(api.clock.nowMs), ...change }
}

/** A token for one call, as a person approves it. */
async function tokenFor(api: TestApi, person: Person, change: Call = {}): Promise<string> {
  const asked = await ask(api, change)
  await submit(asked.url, approval(api, person))
  // The next code belongs to the next step.
  api.clock.nowMs += 30_000
  return (await asked.status()).body.token
}

const FACTOR_REQUIRED = { status: 403, body: { error: { code: 'factor_required' } } }

test('a call without an approval gets the challenge, and only its caller may read it', async (t) => {
  const api = await startTestApi()
  const refused = await makeKey(api)
  t.match(refused, {
    status: 403,
    body: {
      error: {
        type: 'permission_denied',
        code: 'factor_required',
        challenge_url: new RegExp('^' + PUBLIC_URL + '/challenge/[\\w-]{43}$'),
        challenge: {
          id: /^fch_[0-9a-z]{26}$/,
          expires_at: Math.floor(api.clock.nowMs / 1000) + 15 * 60,
          methods: ['passkey', 'totp', 'recovery_code'],
        },
      },
    },
  })
  t.match(refused.headers.get('www-authenticate'), /error="insufficient_user_authentication"/)
  const { challenge } = refused.body.error
  t.equal(challenge.status_url, PUBLIC_URL + '/v1/factor_challenges/' + challenge.id)
  t.equal(await madeKeys(api), 0)

  const path = new URL(challenge.status_url).pathname
  const pending = await api.call('GET', path, { key: api.tenant.keys.admin })
  t.match(pending, { status: 202, body: { id: challenge.id, status: 'pending', token: null } })
  t.equal(pending.headers.get('retry-after'), '2')
  for (const key of [api.tenant.keys.read, api.other.keys.admin])
    t.equal((await api.call('GET', path, { key })).status, 404, 'another credential')
  t.equal(
    (await makeKey(api, { key: api.tenant.keys.write })).body.error.code,
    'insufficient_scope',
  )
  t.equal((await makeKey(api, { body: {} })).status, 400, 'nobody is asked about nonsense')
  t.match(await makeKey(api, { headers: { 'svc-factor': 'svc_factor_x' } }), FACTOR_REQUIRED)
})

test('no Host header changes an address in an answer', async (t) => {
  const api = await startTestApi()
  const body = JSON.stringify(NEW_KEY)
  const { text } = await exchange(
    api.port,
    [
      'POST /v1/api_keys HTTP/1.1',
      'Host: attacker.example',
      'X-Forwarded-Host: attacker.example',
      'X-Forwarded-Proto: https',
      'Authorization: Bearer ' + api.tenant.keys.admin,
      'Content-Type: application/json',
      'Content-Length: ' + body.length,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  t.notMatch(text, 'attacker')
  const { error } = JSON.parse(text.split('\r\n\r\n')[1] ?? '')
  for (const url of [error.challenge_url, error.challenge.status_url, error.doc_url])
    t.equal(new URL(url).origin, PUBLIC_URL)
})

test('an approval is for one call, by one key, once', async (t) => {
  const api = await startTestApi()
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const token = await tokenFor(api, person)
  const headers = { 'svc-factor': token }
  const other = { ...NEW_KEY, scope: 'admin' }
  const misplaced = await makeKey(api, { headers, body: other })
  t.match(misplaced, FACTOR_REQUIRED, 'another body')
  t.match(misplaced.body.error, {
    message: /^This Svc-Factor belongs to another call.* open challenge_url\.$/,
    challenge: { id: /^fch_/ },
  })
  const account = { key: api.tenant.keys.admin, body: { api_version: '2026-11-20' }, headers }
  t.match(await api.call('PATCH', '/v1/account', account), FACTOR_REQUIRED, 'another route')
  const foreign = await makeKey(api, { headers, key: api.other.keys.admin })
  t.match(foreign, FACTOR_REQUIRED)
  t.match(foreign.body.error.message, /^A person has to approve/, 'others learn nothing of it')
  t.equal(await madeKeys(api), 0)

  const twice = await Promise.all([makeKey(api, { headers }), makeKey(api, { headers })])
  t.same(twice.map(({ status }) => status).sort(), [201, 403], 'of two at once, one')
  t.match(await makeKey(api, { headers }), FACTOR_REQUIRED, 'used')
  t.equal(await madeKeys(api), 1)
  const [audit] = await api.sql`
    select approved_by from audit_log where tenant_id = ${api.tenant.tenantId} order by seq desc limit 1`
  t.equal(audit?.['approved_by'], person.id)

  const late = await tokenFor(api, person)
  api.clock.nowMs += 5 * MINUTE_MS
  t.match(await makeKey(api, { headers: { 'svc-factor': late } }), FACTOR_REQUIRED, 'too old')
})

test('a failed call keeps its approval, and a repeat under its key needs no other', async (t) => {
  const api = await startTestApi()
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const keyed = { headers: { 'idempotency-key': 'k-f' } }
  t.match(await makeKey(api, keyed), FACTOR_REQUIRED)
  const token = await tokenFor(api, person, keyed)
  const headers = { ...keyed.headers, 'svc-factor': token }
  await api.sql`alter table api_keys add constraint broken check (created_at < 0) not valid`
  t.equal((await makeKey(api, { headers })).status, 500)
  await api.sql`alter table api_keys drop constraint broken`
  const made = await makeKey(api, { headers })
  t.equal(made.status, 201)
  for (const again of [headers, keyed.headers]) {
    const repeated = await makeKey(api, { headers: again })
    t.same([repeated.status, repeated.text], [201, made.text], 'the secret that is shown once too')
    t.equal(repeated.headers.get('idempotent-replayed'), 'true')
  }
  t.equal(await madeKeys(api), 1)
  const reused = await makeKey(api, { ...keyed, body: { ...NEW_KEY, scope: 'admin' } })
  t.match(reused, { status: 422, body: { error: { code: 'idempotency_key_reused' } } })
})

test('only an owner or admin can approve, with the right factors, in a few tries', async (t) => {
  const api = await startTestApi()
  const { sql } = api
  const { tenantId } = api.tenant
  const owner = await seedPerson(sql, tenantId)
  const admin = await seedPerson(sql, tenantId, 'admin')
  const analyst = await seedPerson(sql, tenantId, 'analyst')
  const stranger = await seedPerson(sql, api.other.tenantId)
  const forget = async () => void (await sql`delete from sign_in_tries`)
  const { url, status } = await ask(api)
  const code = owner.codeAt(api.clock.nowMs)
  const wrong = [
    approval(api, owner, { password: 'wrong' }),
    approval(api, owner, { code: code === '000000' ? '000001' : '000000' }),
    approval(api, owner, { code: owner.codeAt(api.clock.nowMs - 2 * MINUTE_MS) }),
    approval(api, owner, { email: 'nobody@tenant.example' }),
    approval(api, analyst),
    approval(api, stranger, { code: stranger.codeAt(api.clock.nowMs) + '0' }),
    approval(api, owner, { code: analyst.recoveryCodes[0]! }),
    {},
  ]
  for (const form of wrong) {
    await forget()
    const answer = await submit(url, form)
    t.equal(answer.status, 422)
    t.match(await answer.text(), /did not match a person who may approve/)
  }
  await forget()
  for (let tries = 0; tries < 5; tries++)
    t.equal((await submit(url, approval(api, owner, { password: 'wrong' }))).status, 422)
  t.equal((await submit(url, approval(api, owner))).status, 429, 'right, and too late')
  t.equal(
    (await submit(url, approval(api, admin))).status,
    429,
    'another account, the same address',
  )
  api.clock.nowMs += 5 * MINUTE_MS
  t.equal((await submit(url, approval(api, admin))).status, 303)
  t.equal((await status()).status, 200)

  const second = await ask(api)
  const used = approval(api, admin)
  t.equal((await submit(second.url, used)).status, 422, 'a code is taken once')
  const recovery = approval(api, owner, { code: ' ' + owner.recoveryCodes[3]!.toUpperCase() })
  t.equal((await submit(second.url, recovery)).status, 303)
  const third = await ask(api)
  t.equal((await submit(third.url, recovery)).status, 422, 'a recovery code too')
  t.equal((await third.status()).status, 202)
  api.clock.nowMs += 60 * MINUTE_MS
  t.ok((await runJob(purgeTries, { sql, now: api.clock.nowMs + 1 })) > 0)
  t.ok((await runJob(purgeChallenges, { sql, now: api.clock.nowMs + 1 })) > 0)
  t.equal((await fetch(third.url)).status, 404)
})

test('a denied call, an undecided one and a foreign form approve nothing', async (t) => {
  const api = await startTestApi()
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const first = await ask(api)
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await submit(first.url, { decision: 'deny' }, headers)
    t.equal(answer.status, 403)
  }
  const old = (origin: string) =>
    fetch(first.url, {
      method: 'POST',
      headers: origin === '' ? {} : { origin },
      body: new URLSearchParams({ decision: 'deny' }),
      redirect: 'manual',
    })
  // Node's fetch sends no Sec-Fetch-Site, like an old browser.
  t.equal((await old('https://evil.example')).status, 403)
  t.equal((await old('')).status, 403)
  t.equal((await first.status()).status, 202)
  t.equal((await old(api.url)).status, 303)
  t.match(await first.status(), { status: 403, body: { error: { code: 'factor_denied' } } })
  t.equal(
    (await submit(first.url, approval(api, person))).status,
    200,
    'nothing to decide any more',
  )
  t.match(await first.status(), { status: 403, body: { error: { code: 'factor_denied' } } })

  const second = await ask(api)
  api.clock.nowMs += 15 * MINUTE_MS
  t.match(await second.status(), { status: 410, body: { error: { code: 'factor_expired' } } })
  t.equal((await fetch(second.url)).status, 410)
  t.equal((await submit(second.url, approval(api, person))).status, 303)
  t.equal((await second.status()).status, 410)
  t.equal((await fetch(api.url + '/challenge/' + 'x'.repeat(43))).status, 404)
  for (const [status, body] of [
    [415, 'text'],
    [413, new URLSearchParams({ email: 'a'.repeat(9000) })],
  ] as const) {
    const answer = await fetch(first.url, { method: 'POST', body })
    t.same([answer.status, /Not understood/.test(await answer.text())], [status, true])
  }
  const form = { method: 'POST', body: new URLSearchParams({ a: 'b' }) }
  const elsewhere = { ...form, headers: { authorization: 'Bearer ' + api.tenant.keys.admin } }
  t.equal((await fetch(api.url + '/v1/api_keys', elsewhere)).status, 415, 'forms are for pages')
  t.equal(
    (await callApproved(api, 'POST', '/v1/api_keys', { key: api.tenant.keys.admin, body: NEW_KEY }))
      .status,
    201,
  )
})

test('a person reads the call they approve, and no secret', (t) => {
  const body = {
    name: 'a',
    client_secret: 'x',
    pin: '4711',
    card: { pan: '4111 1111 1111 1111', note: '4111111111111111' },
    ranges: ['10.0.0.0/8', ''],
    none: {},
    limit: null,
  }
  t.same(
    bodyFields(body).map(({ name, value }) => name + ' = ' + value),
    [
      'name = a',
      'client_secret = not shown',
      'pin = not shown',
      'none = {}',
      'limit = null',
      'card.pan = not shown',
      'card.note = [pan]',
      'ranges.0 = 10.0.0.0/8',
      'ranges.1 = (empty)',
    ],
  )
  t.same(bodyFields({}), [])
  t.equal(bodyFields({ text: 'a'.repeat(301) })[0]?.value, 'a'.repeat(300) + '…')
  const many = Array.from({ length: 201 }, (_, index) => index)
  const hidden = bodyFields({ metadata: { many }, scope: 'admin' })
  t.same([hidden.length, hidden.at(-1)?.name], [201, '…'], 'it says that there is more')
  t.same(hidden[0], { name: 'scope', value: 'admin' }, 'nothing hides what stands at the top')
  t.same(
    bodyFields({ name: 'read\u202enimda\u200b', 'a\nb': 1 }).map(({ name, value }) => [
      name,
      value,
    ]),
    [
      ['name', 'read\\u{202e}nimda\\u{200b}'],
      ['a\\u{a}b', '1'],
    ],
    'text reads as what it is',
  )
  t.end()
})

async function fill(page: Page, person: Person, code: string): Promise<void> {
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByLabel('Code').fill(code)
}

test('a browser shows the whole story: asked, wrong code, approved, done; denied; too late', async (t) => {
  const api = await startTestApi()
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  await api.sql`
    update api_keys set name = 'Tenant console'
    where tenant_id = ${api.tenant.tenantId} and scope = 'admin'`
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390 })
  const wide = await openWatched(browser, { width: 1280, dark: true })
  const asked = await ask(api)

  await page.goto(asked.url)
  await picture(page, 'waiting-390')
  t.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Approve this call?')
  const text = await page.locator('main').innerText()
  for (const shown of ['Make an API key.', 'POST /v1/api_keys', NEW_KEY.name, '127.0.0.1', 'admin'])
    t.match(text, shown)
  t.match(text, 'Tenant console')
  t.match(text, '…' + api.tenant.keys.admin.slice(-4))
  t.equal(await page.locator('b').count(), 0, 'what a caller sends is text')
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  t.ok(overflow <= 0, 'it fits a phone')
  await wide.page.goto(asked.url)
  await picture(wide.page, 'waiting-1280-dark')

  await fill(page, person, '000000')
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await picture(page, 'wrong-390')
  t.equal(await page.getByLabel('Email').inputValue(), person.email)
  t.equal(await page.getByLabel('Password').inputValue(), '', 'a secret is never sent back')
  t.equal((await asked.status()).status, 202)

  await fill(page, person, person.codeAt(api.clock.nowMs))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  await picture(page, 'approved-390')
  const after = await page.content()
  for (const secret of [NEW_KEY.name, person.password, person.email, '/v1/api_keys'])
    t.notOk(after.includes(secret), 'gone from the page: ' + secret)
  await page.reload()
  t.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Approved', 'one-time')
  const { token } = (await asked.status()).body
  t.equal((await makeKey(api, { headers: { 'svc-factor': token } })).status, 201)

  const denied = await ask(api)
  await wide.page.goto(denied.url)
  await wide.page.keyboard.press('Tab')
  t.equal(await wide.page.evaluate('document.activeElement.name'), 'email')
  await wide.page.getByRole('button', { name: 'Deny' }).click()
  await wide.page.getByRole('heading', { name: 'Denied' }).waitFor()
  await picture(wide.page, 'denied-1280-dark')
  t.equal((await denied.status()).status, 403)

  const late = await ask(api)
  api.clock.nowMs += 15 * MINUTE_MS
  await page.goto(late.url)
  await page.getByRole('heading', { name: 'Too late' }).waitFor()
  const expected = /^Failed to load resource: the server responded with a status of 4/
  t.same(
    [...errors, ...wide.errors].filter((error) => !expected.test(error)),
    [],
  )
})
