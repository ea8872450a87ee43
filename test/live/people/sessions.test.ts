// Signing up, in and out, and the page of one's own account; the numbers are rows of the table of
// bad input.

import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { test } from 'tap'
import { Credentials } from '../../../api/access/credentials/credentials.ts'
import { purgeSessions } from '../../../api/access/sessions/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { startTestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedPerson } from '../../harness/person.ts'
import { claim, cookieOf, enter, isSignedIn, OWN_SITE, visit } from '../../harness/visit.ts'

const MINUTE_MS = 60_000
async function open(role: 'owner' | 'analyst' = 'owner') {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId, role) }
}

test('a cookie is secret, for this host, and stored as a hash', async (t) => {
  const { api, person } = await open()
  const answer = await visit(api, '/sign-in', { form: claim(api, person) })
  t.equal(answer.status, 303)
  t.equal(answer.headers.get('location'), '/d')
  t.match(answer.headers.get('set-cookie'), /^svc=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const cookie = cookieOf(answer)
  const [row] =
    await api.sql`select hash, factor from sessions where identity_id = ${person.identityId}`
  t.equal(row?.['hash'].toString('hex'), hash('sha256', cookie.slice('svc='.length)))
  t.equal(row?.['factor'], 'totp')
  const page = await visit(api, '/account', { cookie })
  t.equal(page.headers.get('cache-control'), 'no-store')
  const policy = page.headers.get('content-security-policy') ?? ''
  t.match(policy, /^default-src 'none'; /)
  t.match(policy, "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; ")
  t.match(policy, "require-trusted-types-for 'script'; trusted-types 'none'")
  t.notMatch(policy, /script-src|unsafe/)
  const proxied = await fetch(api.url + '/sign-in', { method: 'POST', headers: { ...OWN_SITE } })
  t.equal(proxied.status, 422, 'an empty form is a wrong one')
})

test('pages before and after sign-in have no style or script inside', async (t) => {
  const { api, person } = await open()
  const cookie = await enter(api, person)
  for (const [path, own] of [
    ['/sign-in', ''],
    ['/sign-up', ''],
    ['/recover', ''],
    ['/account', cookie],
    ['/account/recovery_codes', cookie],
  ] as const) {
    const page = await visit(api, path, own === '' ? {} : { cookie: own })
    const text = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    t.match(policy, /^default-src 'none'; style-src 'self'; (?:script-src 'self'; )?img-src data:;/)
    t.notMatch(policy, /unsafe|sha256/)
    t.notMatch(text, /<style|style=|<script(?![^>]* src=)/, path)
    const linked = [...text.matchAll(/(?:rel="stylesheet" href|<script[^>]* src)="([^"]+)"/g)]
    t.ok(linked.length > 0, path)
    for (const [, address = ''] of linked) {
      const asset = await visit(api, address)
      t.equal(asset.status, 200, address)
      t.match(asset.headers.get('content-type'), /^text\/(?:css|javascript); charset=utf-8$/)
      t.match(asset.headers.get('cache-control'), 'immutable')
      t.ok((await asset.text()).length > 1000)
    }
  }
})

test('16: signing in ends the session of before, and any id set by another', async (t) => {
  const { api, person } = await open()
  const first = await enter(api, person)
  const answer = await visit(api, '/sign-in', { cookie: first, form: claim(api, person) })
  const second = cookieOf(answer)
  t.not(second, first)
  t.notOk(await isSignedIn(api, first))
  t.ok(await isSignedIn(api, second))
  const fixed = 'svc=' + 'x'.repeat(43)
  api.clock.nowMs += 30_000
  const other = await visit(api, '/sign-in', { cookie: fixed, form: claim(api, person) })
  t.not(cookieOf(other), fixed)
  t.notOk(await isSignedIn(api, fixed))
  t.notOk(await isSignedIn(api, second + '; ' + second), 'two cookies are none')
})

test('17: a session ends by signing out, idleness, its limit and the disabled person', async (t) => {
  const { api, person } = await open()
  const left = await enter(api, person)
  const gone = await visit(api, '/sign-out', { cookie: left, form: {} })
  t.match(gone.headers.get('set-cookie'), /^svc=; .*Max-Age=0$/)
  t.notOk(await isSignedIn(api, left))

  const idle = await enter(api, person)
  api.clock.nowMs += 29 * MINUTE_MS
  t.ok(await isSignedIn(api, idle), 'each request counts as use')
  api.clock.nowMs += 29 * MINUTE_MS
  t.ok(await isSignedIn(api, idle))
  api.clock.nowMs += 30 * MINUTE_MS
  t.notOk(await isSignedIn(api, idle))

  await api.sql`delete from sign_in_tries`
  const long = await enter(api, person)
  for (let used = 0; used < 12 * 60 - 30; used += 25) {
    api.clock.nowMs += 25 * MINUTE_MS
    await isSignedIn(api, long)
  }
  t.ok(await isSignedIn(api, long))
  api.clock.nowMs += 29 * MINUTE_MS
  t.notOk(await isSignedIn(api, long), 'at most twelve hours')

  const disabled = await enter(api, person)
  await api.sql`update identities set state = 'disabled' where id = ${person.identityId}`
  t.notOk(await isSignedIn(api, disabled))
  t.ok((await runJob(purgeSessions, { sql: api.sql, now: api.clock.nowMs })) > 0)
})

test('17: a remembered session is forgotten when the person or its role changes', async (t) => {
  const { api, person } = await open()
  const cookie = await enter(api, person)
  const known = new Credentials(api.sql, systemClock)
  known.listening()
  const digest = hash('sha256', cookie.slice('svc='.length))
  t.equal((await known.session(digest))?.memberships[0]?.role, 'owner')
  const heard: string[] = []
  const listener = await api.sql.listen('auth', (payload) => {
    heard.push(payload)
    known.forget(payload)
  })
  const changes: [() => PromiseLike<unknown>, string | undefined][] = [
    [() => api.sql`update users set role = 'analyst' where id = ${person.id}`, 'analyst'],
    [() => api.sql`update users set state = 'disabled' where id = ${person.id}`, undefined],
    [() => api.sql`delete from sessions where identity_id = ${person.identityId}`, undefined],
  ]
  for (const [change, role] of changes) {
    const before = heard.length
    await change()
    while (heard.length === before) await new Promise((resolve) => setImmediate(resolve))
    t.equal((await known.session(digest))?.memberships[0]?.role, role)
  }
  t.equal(await known.session(digest), null)
  await listener.unlisten()
})

test('18: a form from another site, or of unknown origin, changes nothing', async (t) => {
  const { api, person } = await open()
  const cookie = await enter(api, person)
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    {},
  ]) {
    for (const path of ['/sign-out', '/account/sessions/end_others', '/sign-in', '/sign-up']) {
      const answer = await visit(api, path, { cookie, headers, form: claim(api, person) })
      t.equal(answer.status, 403, path + ' ' + JSON.stringify(headers))
    }
  }
  t.ok(await isSignedIn(api, cookie))
  t.equal(
    (await visit(api, '/sign-out', { cookie, headers: { origin: api.url }, form: {} })).status,
    303,
  )
  const call = await api.call('GET', '/v1/cards', { headers: { cookie } })
  t.equal(call.status, 401, '29: no cookie opens the API')
})

test('19: signing in leads only to a page of ours', async (t) => {
  const { api, person } = await open()
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    'https://evil.example',
    '/a\\b',
    '',
  ]) {
    const answer = await visit(api, '/sign-in', { form: claim(api, person, { next }) })
    t.equal(answer.headers.get('location'), '/d', next)
    api.clock.nowMs += 30_000
    await api.sql`delete from sign_in_tries`
  }
  const away = await visit(api, '/account/generator')
  t.equal(away.headers.get('location'), '/sign-in?next=%2Faccount%2Fgenerator')
  const back = await visit(api, '/sign-in', {
    form: claim(api, person, { next: '/account/generator' }),
  })
  t.equal(back.headers.get('location'), '/account/generator')
})

test('20, 21: unknown, known and disabled accounts answer alike, six times at most', async (t) => {
  const { api, person } = await open()
  const disabled = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  await api.sql`update identities set state = 'disabled' where id = ${disabled.identityId}`
  const wrong = [
    claim(api, person, { password: 'wrong' }),
    claim(api, person, { code: '000000' }),
    claim(api, person, { code: '' }),
    claim(api, disabled),
    { email: 'nobody@tenant.example', password: 'wrong', code: '000000' },
  ]
  const texts = new Set<string>()
  for (const form of wrong) {
    await api.sql`delete from sign_in_tries`
    const answer = await visit(api, '/sign-in', { form })
    t.equal(answer.status, 422)
    const varying = /value="[^"]*@tenant.example"|name="ceremony" value="[^"]*"|data-get="[^"]*"/g
    texts.add((await answer.text()).replaceAll(varying, ''))
  }
  t.equal(texts.size, 1)
  await api.sql`delete from sign_in_tries`
  const guess = () => visit(api, '/sign-in', { form: claim(api, person, { code: '000000' }) })
  const statuses: number[] = []
  for (let tries = 0; tries < 6; tries++) statuses.push((await guess()).status)
  t.same(statuses, [422, 422, 422, 422, 422, 429])
  t.equal(
    (await visit(api, '/sign-in', { form: claim(api, person) })).status,
    429,
    'the right one too',
  )
  api.clock.nowMs += 5 * MINUTE_MS
  t.equal((await visit(api, '/sign-in', { form: claim(api, person) })).status, 303)
})

function newcomer(change: { [name: string]: string } = {}) {
  return {
    form: newId('idn', Date.UTC(2026, 10, 20, 12)),
    email: 'grace@new.example',
    name: 'Grace',
    company: 'New <Ltd>',
    country: 'de',
    password: 'a long enough secret',
    ...change,
  }
}

test('21: the sign-up form signs in to no account but its own of just now', async (t) => {
  const { api, person } = await open()
  const { password, email, identityId } = person
  const before = api.clock.nowMs - 5 * MINUTE_MS
  await api.sql`
    update identities set totp_sealed = null, created_at = ${before} where id = ${identityId}`
  const send = async (change: { [name: string]: string }) => {
    await api.sql`delete from sign_in_tries`
    const answer = await visit(api, '/sign-up', { form: newcomer({ password, ...change }) })
    return [answer.headers.get('location'), cookieOf(answer)]
  }
  t.same(await send({ form: identityId, email }), ['/sign-in', ''], 'an account of before')
  await api.sql`update identities set created_at = ${api.clock.nowMs} where id = ${identityId}`
  for (const other of ['one@other.example', 'two@other.example'])
    t.same(await send({ form: identityId, email: other }), ['/sign-in', ''], 'another address')
  const form = newcomer()
  t.match(await send(form), ['/d', /^svc=/])
  t.match(await send(form), ['/d', /^svc=/])
  api.clock.nowMs += 5 * MINUTE_MS
  t.same(await send(form), ['/sign-in', ''], 'too late for a repeat')
})

test('no name of a page may be a card number', async (t) => {
  const { api } = await open()
  const number = '4111 1111 1111 1111'
  for (const change of [{ name: 'Grace ' + number }, { company: number }]) {
    const answer = await visit(api, '/sign-up', { form: newcomer(change) })
    t.equal(answer.status, 422)
    const page = await answer.text()
    t.match(page, /passes as the number of a payment card/)
    t.notMatch(page, number)
  }
  const email = number.replaceAll(' ', '') + '@new.example'
  t.equal((await visit(api, '/sign-up', { form: newcomer({ email }) })).status, 422)
  const [{ count } = { count: 1 }] = await api.sql<{ count: number }[]>`
    select count(*)::int from identities where name like '%4111%' or email like '4111%'`
  t.equal(count, 0)
})

test('20: sign-up gives a tenant at once, once per form, also for a known address', async (t) => {
  const { api, person } = await open()
  const form = newcomer()
  const answers = await Promise.all([1, 2].map(() => visit(api, '/sign-up', { form })))
  t.same(
    answers.map(({ headers }) => headers.get('location')),
    ['/d', '/d'],
  )
  for (const answer of answers) t.ok(await isSignedIn(api, cookieOf(answer)))
  const guessed = await visit(api, '/sign-up', { form: { ...form, password: 'another long text' } })
  t.same([guessed.headers.get('location'), cookieOf(guessed)], ['/sign-in', ''])
  const next = await visit(api, '/sign-up', { form, cookie: cookieOf(answers[1] as Response) })
  t.ok(await isSignedIn(api, cookieOf(next)))
  t.notOk(await isSignedIn(api, cookieOf(answers[1] as Response)), 'the session of before ends')
  const cookie = cookieOf(answers[0] as Response)
  const home = await visit(api, '/d', { cookie })
  t.match(home.headers.get('location'), /^\/d\/ten_[^/]*\/sandbox\/overview$/)
  const text = await (await visit(api, '/account', { cookie })).text()
  t.match(text, 'New &lt;Ltd&gt;')
  const rows = await api.sql`
    select t.id, t.kyb_status, u.role, p.environment, p.status, i.verified_at from identities i
    join users u on u.identity_id = i.id join tenants t on t.id = u.tenant_id
    join programs p on p.tenant_id = t.id where i.id = ${form.form}`
  t.match(
    [...rows],
    [
      {
        kyb_status: 'pending',
        role: 'owner',
        environment: 'sandbox',
        status: 'active',
        verified_at: null,
      },
    ],
  )
  const [row] = await api.sql`
    select actor_type, actor_id, action from audit_log where tenant_id = ${rows[0]?.['id']}`
  t.match(row, { actor_type: 'person', actor_id: /^user_/, action: 'POST /sign-up' })

  const taken = await visit(api, '/sign-up', { form: newcomer({ email: person.email }) })
  t.same([taken.status, taken.headers.get('location')], [303, '/d'], 'it tells nothing')
  t.equal(
    (await visit(api, '/sign-in', { form: claim(api, person) })).status,
    303,
    'and binds nobody',
  )
  await api.sql`delete from sign_in_tries`
  for (const change of [
    { email: 'nobody' },
    { name: '' },
    { company: 'b'.repeat(101) },
    { country: 'QQ' },
    { password: 'short' },
    { password: 'passwordpassword' },
    { password: 'Grace@new 2026' },
  ]) {
    const refused = await visit(api, '/sign-up', { form: newcomer(change) })
    t.equal(refused.status, 422, JSON.stringify(change))
    t.notMatch(await refused.text(), /value="(short|password|Grace@)/, 'no password comes back')
    await api.sql`delete from sign_in_tries`
  }
  t.equal((await visit(api, '/sign-up', { form: newcomer({ form: 'x' }) })).status, 400)
})

test('one person sees and ends only their own sessions', async (t) => {
  const { api, person } = await open()
  const other = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const [first, second] = [await enter(api, person), await enter(api, person)]
  const theirs = await enter(api, other)
  const [row] = await api.sql`select id from sessions where identity_id = ${other.identityId}`
  await visit(api, '/account/sessions/' + row?.['id'] + '/end', { cookie: first, form: {} })
  t.ok(await isSignedIn(api, theirs))
  await visit(api, '/account/sessions/end_others', { cookie: first, form: {} })
  t.same([await isSignedIn(api, first), await isSignedIn(api, second)], [true, false])
  const again = await enter(api, person)
  const wrong = await visit(api, '/account/password', {
    cookie: first,
    form: { password: 'wrong', code: '000000', new_password: 'another long secret' },
  })
  t.equal(wrong.status, 422)
  const weak = await visit(api, '/account/password', {
    cookie: first,
    form: { ...claim(api, person), new_password: 'passwordpassword' },
  })
  t.equal(weak.status, 422)
  t.match(await weak.text(), 'id="new_password-problem"')
  const changed = await visit(api, '/account/password', {
    cookie: first,
    form: { ...claim(api, person), new_password: 'another long secret' },
  })
  t.equal(changed.headers.get('location'), '/account?done=password')
  t.same([await isSignedIn(api, first), await isSignedIn(api, again)], [true, false])
  const logged = await api.sql`
    select actor_id, action from audit_log where tenant_id = ${api.tenant.tenantId} order by seq desc limit 1`
  t.match([...logged], [{ actor_id: person.id, action: 'POST /account/password' }])
  api.clock.nowMs += 30_000
  await api.sql`delete from sign_in_tries`
  t.equal((await visit(api, '/sign-in', { form: claim(api, person) })).status, 422)
})

test('a sign-in is answered once, and no line of the log complains', async (t) => {
  const { api, person } = await open()
  api.log.level = 'warn'
  api.lines.length = 0
  const entered = await visit(api, '/sign-in', { form: claim(api, person) })
  t.equal(entered.status, 303)
  t.ok(cookieOf(entered))
  t.same(api.lines, [])
  api.log.level = 'silent'
})

test('a person signs up, sets up an authenticator and signs in, without any script', async (t) => {
  const { api } = await open()
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390, scripts: false })
  const form = newcomer({ email: 'ada@browser.example' })
  await page.goto(api.url + '/sign-in')
  await picture(page, 'sign-in-390')
  await page.getByRole('link', { name: 'Open a sandbox' }).click()
  await picture(page, 'sign-up-390')
  await page.getByLabel('Email').fill(form.email)
  await page.getByLabel('Your name').fill(form.name)
  await page.getByLabel('Company').fill(form.company)
  await page.getByLabel('Country').fill(form.country)
  await page.getByLabel('Password').fill(form.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sandbox\/overview$/)
  await page.goto(api.url + '/account')
  await page.getByRole('heading', { name: 'Grace' }).waitFor()
  await picture(page, 'account-390')
  await page.getByRole('link', { name: 'Set up an authenticator' }).click()
  await picture(page, 'generator-390')
  const secret = (await page.locator('dd code').innerText()).replaceAll(' ', '')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByLabel('Password').fill(form.password)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await page
    .getByRole('textbox', { name: 'Code' })
    .fill(totp.generate({ timestamp: api.clock.nowMs }))
  await page.getByLabel('Password').fill(form.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
  await picture(page, 'recovery-390')
  t.equal(await page.locator('.codes li').count(), 10)
  await page.getByRole('link', { name: 'Your account' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  const wide = await openWatched(browser, { width: 1280, dark: true })
  await wide.page.goto(api.url + '/account')
  await picture(wide.page, 'sign-in-1280-dark')
  await wide.page.getByLabel('Email').fill(form.email)
  await wide.page.getByLabel('Password').fill(form.password)
  await wide.page.getByLabel('Code').fill(totp.generate({ timestamp: api.clock.nowMs }))
  await wide.page.keyboard.press('Enter')
  await wide.page.waitForURL(/\/account$/)
  await wide.page.getByRole('heading', { name: 'Grace' }).waitFor()
  await picture(wide.page, 'account-1280-dark')
  for (const { page: shown } of [{ page }, wide]) {
    const width = await shown.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    t.ok(width <= 0, 'nothing stands beside the page')
  }
  const expected = /^Failed to load resource: the server responded with a status of 4/
  t.same(
    [...errors, ...wide.errors].filter((error) => !expected.test(error)),
    [],
  )
})
