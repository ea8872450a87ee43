// Passkeys of members: made, used and removed on the pages of the account, and refused where
// anything differs. The numbers are rows of the table of bad input.

import { test } from 'tap'
import { purgeCeremonies } from '../../../api/access/passkeys/index.ts'
import { type Changes, createPasskey, type Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import { PUBLIC_URL, startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { runJob } from '../../harness/jobs.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { addPasskey, ceremonyOn, plugDevice } from '../../harness/member-passkeys.ts'
import { seedOperator } from '../../harness/operator.ts'
import { seedPerson } from '../../harness/person.ts'
import { claim, cookieOf, enter, isSignedIn, visit } from '../../harness/visit.ts'

const MINUTE_MS = 60_000

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  return { api, person, cookie: await enter(api, person) }
}

/** Signs in with a passkey; `change` spoils the form. */
async function enterBy(api: TestApi, passkey: Passkey, changes: Changes = {}, change = {}) {
  const { challenge, ceremony } = await ceremonyOn(await visit(api, '/sign-in'))
  const form = { ...passkey.assert(challenge, changes), ceremony, ...change }
  return { form, answer: await visit(api, '/sign-in/passkey', { form }) }
}

test('a passkey is made in two steps, once, for one session', async (t) => {
  const { api, person, cookie } = await open()
  const other = await enter(api, person)
  const { passkey, answer, page, made } = await addPasskey(api, person, cookie)
  t.equal(page.options.authenticatorSelection.residentKey, 'required')
  t.equal(page.options.attestation, 'none')
  t.same(
    page.options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
    [-8, -7, -257],
  )
  t.equal(answer.headers.get('location'), '/account?done=passkey')
  t.notOk(await isSignedIn(api, other), 'every other session ends')
  t.match(await (await visit(api, '/account', { cookie })).text(), 'Phone &lt;1&gt;')
  const [row] = await api.sql`
    select credential_id, user_handle, name from passkeys where identity_id = ${person.identityId}`
  t.equal(row?.['credential_id'].toString('base64url'), passkey.keep().id)
  t.equal(row?.['user_handle'].toString('base64url'), page.options.user.id)
  const logged = await api.sql`
    select actor_id, action from audit_log where tenant_id = ${api.tenant.tenantId} order by seq desc limit 1`
  t.match([...logged], [{ actor_id: person.id, action: 'POST /account/passkeys' }])

  const again = await visit(api, '/account/passkeys', { cookie, form: made })
  t.equal(again.headers.get('location'), '/account?done=passkey', 'the same form, made once')
  const [kept] = await api.sql`
    select count(*)::int from passkeys where identity_id = ${person.identityId}`
  t.equal(kept?.['count'], 1)
  const current = cookieOf(again)
  t.not(current, '', 'a repeat under the cookie of before renews it once more')
  const second = await addPasskey(api, person, current, passkey)
  t.equal(second.answer.status, 422, 'the same credential')
  t.same(
    second.page.options.excludeCredentials.map(({ id }: { id: string }) => id),
    [passkey.keep().id],
  )
  t.equal(second.page.options.user.id, page.options.user.id, 'one name of the person at devices')

  const third = await addPasskey(api, person, current)
  const foreign = await enter(api, await seedPerson(api.sql, api.tenant.tenantId, 'admin'))
  t.equal(
    (await visit(api, '/account/passkeys', { cookie: foreign, form: third.made })).status,
    422,
  )
  await api.sql`delete from sign_in_tries`
  const late = createPasskey(PUBLIC_URL)
  const form = { ...claim(api, person), name: 'Late' }
  const slow = await ceremonyOn(
    await visit(api, '/account/passkeys/new', { cookie: third.cookie, form }),
  )
  api.clock.nowMs += 5 * MINUTE_MS
  const sent = { ...late.register(slow.challenge), ceremony: slow.ceremony, name: 'Late' }
  const tooLate = await visit(api, '/account/passkeys', { cookie: third.cookie, form: sent })
  t.equal(tooLate.status, 422, 'too late')
})

test('14: a new passkey is refused unless everything fits', async (t) => {
  const { api, person, cookie } = await open()
  const changes: Changes[] = [
    { flags: 0x01 },
    { flags: 0x04 },
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { type: 'webauthn.get' },
    { algorithm: -35 },
  ]
  for (const change of changes) {
    const form = { ...claim(api, person), name: 'Phone' }
    api.clock.nowMs += 30_000
    const page = await ceremonyOn(await visit(api, '/account/passkeys/new', { cookie, form }))
    const made = createPasskey(PUBLIC_URL).register(page.challenge, change)
    const sent = { ...made, ceremony: page.ceremony, name: 'Phone' }
    const answer = await visit(api, '/account/passkeys', { cookie, form: sent })
    t.equal(answer.status, 422, JSON.stringify(change))
    await api.sql`delete from sign_in_tries`
  }
  const unproved = await visit(api, '/account/passkeys/new', {
    cookie,
    form: { ...claim(api, person, { code: '000000' }), name: 'Phone' },
  })
  t.equal(unproved.status, 422)
  t.notMatch(await unproved.text(), 'data-create')
  const [row] = await api.sql`
    select count(*) from passkeys where identity_id = ${person.identityId}`
  t.equal(row?.['count'], 0)
})

test('a new factor by an operator ends passkeys and sessions of the lost device', async (t) => {
  const { api, person, cookie } = await open()
  const { passkey } = await addPasskey(api, person, cookie)
  const signedIn = cookieOf((await enterBy(api, passkey)).answer)
  t.ok(await isSignedIn(api, signedIn))
  const key = await seedOperator(api.sql)
  await api.sql`update users set role = 'admin' where id = ${person.id}`
  const path = '/operator/v1/people/' + person.id + '/reset_factor'
  t.equal((await api.call('POST', path, { key })).status, 200)
  t.equal((await enterBy(api, passkey)).answer.status, 422)
  t.notOk(await isSignedIn(api, signedIn))
  t.notOk(await isSignedIn(api, cookie))
})

test('a passkey signs in by itself, with two factors', async (t) => {
  const { api, person, cookie } = await open()
  const { passkey } = await addPasskey(api, person, cookie)
  const { answer } = await enterBy(api, passkey, {}, { next: '/account/generator' })
  t.equal(answer.headers.get('location'), '/account/generator')
  t.ok(await isSignedIn(api, cookieOf(answer)))
  const rows = await api.sql`
    select s.factor, p.counter, p.last_used_at from sessions s
    join passkeys p on p.identity_id = s.identity_id
    where s.identity_id = ${person.identityId} order by s.id desc limit 1`
  t.match([...rows], [{ factor: 'passkey', counter: 1, last_used_at: api.clock.nowMs }])
  const evil = await enterBy(api, passkey, {}, { next: '//evil.example' })
  t.equal(evil.answer.headers.get('location'), '/d', '19')
  const [kept] = await api.sql`select count(*) from webauthn_challenges`
  t.ok(kept?.['count'] > 0)
  const now = api.clock.nowMs + 60 * MINUTE_MS
  await runJob(purgeCeremonies, { sql: api.sql, now })
  const [left] = await api.sql`select count(*) from webauthn_challenges where expires_at <= ${now}`
  t.equal(left?.['count'], 0)
})

test('14: an assertion is refused unless everything fits, throttled and audited', async (t) => {
  const { api, person, cookie } = await open()
  const { passkey } = await addPasskey(api, person, cookie)
  const other = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const theirs = await addPasskey(api, other, await enter(api, other))
  const texts = new Set<string>()
  const refused = async (name: string, answer: Response) => {
    t.equal(answer.status, 422, name)
    t.notOk(answer.headers.has('set-cookie'), name)
    texts.add((await answer.text()).match(/role="alert">([^<]*)</)?.[1] ?? '')
    await api.sql`delete from sign_in_tries`
  }
  const changes: [string, Changes][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['no verification of the person', { flags: 0x01 }],
    ['no presence of the person', { flags: 0x04 }],
    ['another ceremony', { type: 'webauthn.create' }],
    ['another credential', { credentialId: Buffer.from(theirs.passkey.keep().id, 'base64url') }],
    ['an unknown credential', { credentialId: Buffer.alloc(16) }],
  ]
  for (const [name, change] of changes)
    await refused(name, (await enterBy(api, passkey, change)).answer)
  await refused('another person', (await enterBy(api, passkey, {}, { user_handle: 'AAAA' })).answer)
  const page = await ceremonyOn(await visit(api, '/sign-in'))
  const { ceremony } = await ceremonyOn(await visit(api, '/sign-in'))
  const mixed = { ...passkey.assert(page.challenge), ceremony }
  await refused('another challenge', await visit(api, '/sign-in/passkey', { form: mixed }))
  const { form, answer } = await enterBy(api, passkey)
  t.equal(answer.status, 303)
  await refused('replayed', await visit(api, '/sign-in/passkey', { form }))
  t.equal(texts.size, 1, 'one sentence for every reason')
  const replays = await api.sql`
    select actor_id from audit_log
    where tenant_id = ${api.tenant.tenantId} and action = 'passkey replayed'`
  t.same([...replays], [{ actor_id: person.id }])
  const [logged] = await api.sql`
    select count(*) from audit_log
    where tenant_id = ${api.tenant.tenantId} and action = 'passkey refused'`
  t.equal(logged?.['count'], 8, 'all but the unknown credential and the replay')

  const sealed = await enterBy(api, passkey, {}, { ceremony: 'x' })
  t.match(await sealed.answer.text(), 'open for too long')
  await api.sql`delete from sign_in_tries`
  const unknown = await enterBy(api, createPasskey(PUBLIC_URL))
  t.match(await unknown.answer.text(), 'data-unknown-credential', 'the device forgets it')
  await api.sql`delete from sign_in_tries`

  await api.sql`update identities set state = 'disabled' where id = ${person.identityId}`
  await refused('a disabled person', (await enterBy(api, passkey)).answer)
  await api.sql`update identities set state = 'active' where id = ${person.identityId}`
  await api.sql`delete from passkeys where identity_id = ${person.identityId}`
  await refused('a removed passkey', (await enterBy(api, passkey)).answer)

  const statuses: number[] = []
  for (let tries = 0; tries < 6; tries++) statuses.push((await enterBy(api, passkey)).answer.status)
  t.same(statuses, [422, 422, 422, 422, 422, 429])
})

test('two requests with one assertion sign in once', async (t) => {
  const { api, person, cookie } = await open()
  const { passkey } = await addPasskey(api, person, cookie)
  const { challenge, ceremony } = await ceremonyOn(await visit(api, '/sign-in'))
  const form = { ...passkey.assert(challenge), ceremony }
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => visit(api, '/sign-in/passkey', { form })),
  )
  t.same(answers.map(({ status }) => status).sort(), [303, 422, 422, 422])
})

test('a counter that fell is told, and locks nobody out', async (t) => {
  const { api, person, cookie } = await open()
  const { passkey } = await addPasskey(api, person, cookie)
  await api.sql`delete from mails where recipient = ${person.email}`
  await api.sql`update passkeys set counter = 7 where identity_id = ${person.identityId}`
  t.equal((await enterBy(api, passkey)).answer.status, 303)
  const [row] = await api.sql`
    select actor_id from audit_log
    where tenant_id = ${api.tenant.tenantId} and action = 'passkey counter fell'`
  t.equal(row?.['actor_id'], person.id)
  const mails = await api.sql`select template from mails where recipient = ${person.email}`
  t.same([...mails], [{ template: 'security_notice' }], 'a mail tells the person')
})

test('with a passkey the password alone proves nothing', async (t) => {
  const { api, person, cookie } = await open()
  await api.sql`update identities set totp_sealed = null where id = ${person.identityId}`
  await api.sql`delete from recovery_codes where identity_id = ${person.identityId}`
  const first = await addPasskey(api, person, cookie)
  const text = await first.answer.text()
  const codes = [...text.matchAll(/<code>([\w-]+)<\/code>/g)].map(([, code = '']) => code)
  t.equal(codes.length, 10, 'the first second factor brings recovery codes')
  const tries: [string, number][] = [
    ['', 422],
    [codes[0] ?? '', 303],
    [codes[0] ?? '', 422],
    [codes[1] ?? '', 303],
  ]
  for (const [code, status] of tries) {
    const answer = await visit(api, '/sign-in', { form: claim(api, person, { code }) })
    t.equal(answer.status, status)
    await api.sql`delete from sign_in_tries`
  }
  const renewed = await visit(api, '/account/recovery_codes', {
    cookie: first.cookie,
    form: claim(api, person, { code: codes[2] ?? '' }),
  })
  t.match(await renewed.text(), 'Keep your recovery codes')
  await api.sql`delete from sign_in_tries`
  const old = await visit(api, '/sign-in', { form: claim(api, person, { code: codes[3] ?? '' }) })
  t.equal(old.status, 422, 'the earlier codes end')
})

/** Fields that prove the person on a page by a passkey. */
async function proveOn(api: TestApi, path: string, cookie: string, passkey: Passkey) {
  const { challenge, ceremony } = await ceremonyOn(await visit(api, path, { cookie }))
  return { ...passkey.assert(challenge), ceremony }
}

test('a passkey proves a change of the account, on that page and in that session only', async (t) => {
  const { api, person, cookie: first } = await open()
  const { passkey, cookie } = await addPasskey(api, person, first)
  const path = '/account/generator/remove'
  const elsewhere = await proveOn(api, '/account/recovery_codes', cookie, passkey)
  const wrong = await visit(api, path, { cookie, form: elsewhere })
  t.equal(wrong.status, 422, 'a proof of another page')
  const second = await enter(api, person)
  const proof = await proveOn(api, path, second, passkey)
  const foreign = await visit(api, path, { cookie, form: proof })
  t.equal(foreign.status, 422, 'a proof of another session')
  const right = await visit(api, path, { cookie: second, form: proof })
  t.equal(right.headers.get('location'), '/account?done=generator_removed')
  t.notOk(await isSignedIn(api, cookie))
  const twice = await visit(api, path, { cookie: second, form: proof })
  t.equal(twice.status, 422, 'once')
})

test('the last way in stays, also for two removals at once', async (t) => {
  const { api, person, cookie: first } = await open()
  const one = await addPasskey(api, person, first)
  const two = await addPasskey(api, person, one.cookie)
  const { cookie } = two
  const ids = await api.sql<{ id: string }[]>`
    select id from passkeys where identity_id = ${person.identityId} order by id`
  const pathOf = (each: number) => '/account/passkeys/' + ids[each]?.id + '/remove'
  const drop = await proveOn(api, '/account/generator/remove', cookie, one.passkey)
  const dropped = await visit(api, '/account/generator/remove', { cookie, form: drop })
  t.equal(dropped.headers.get('location'), '/account?done=generator_removed')
  const forms = [
    await proveOn(api, pathOf(0), cookie, one.passkey),
    await proveOn(api, pathOf(1), cookie, two.passkey),
  ]
  const answers = await Promise.all(
    forms.map((form, each) => visit(api, pathOf(each), { cookie, form })),
  )
  t.same(answers.map(({ status }) => status).sort(), [303, 422])
  const [left] = await api.sql`
    select count(*) from passkeys where identity_id = ${person.identityId}`
  t.equal(left?.['count'], 1)
  const other = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const theirs = await enter(api, other)
  t.equal((await visit(api, pathOf(0), { cookie: theirs })).status, 404)
  t.equal((await visit(api, pathOf(1), { cookie: theirs })).status, 404)
  const lone = await visit(api, '/account/generator/remove', {
    cookie: theirs,
    form: claim(api, other),
  })
  t.equal(lone.status, 422, 'an authenticator without a passkey stays')
})

test('a person adds a passkey in a browser, signs in with it and removes it', async (t) => {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const local = await openLocalApi(t, api)
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390 })
  await plugDevice(page)
  // Notes each call and lets it through: the browser alone knows its store.
  await page.addInitScript(`
    const known = globalThis.PublicKeyCredential
    const signal = known?.signalUnknownCredential?.bind(known)
    if (signal !== undefined)
      known.signalUnknownCredential = (told) => {
        sessionStorage.signalled = JSON.stringify(told)
        return signal(told)
      }`)
  const code = (ahead = 0) => person.codeAt(systemClock.nowMs() + ahead)
  await page.goto(local.url.replace('localhost', '127.0.0.1') + '/account')
  t.match(page.url(), /^http:\/\/localhost:/, 'passkeys belong to a name')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByLabel('Code').fill(code())
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  await picture(page, 'passkey-new-390')
  await page.getByLabel('Name').fill('Ada’s phone')
  await page.getByLabel('Your password').fill(person.password)
  await page.getByLabel('Code').fill(code(30_000))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Create the passkey' }).waitFor()
  await picture(page, 'passkey-create-390')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('status').waitFor()
  t.match(await page.getByRole('status').innerText(), 'The passkey is added')
  await picture(page, 'account-passkey-390')
  const width = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  t.ok((await width()) <= 0)
  await page.evaluate("sessionStorage.noAutofill = '1'")
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await picture(page, 'sign-in-passkey-390')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(/\/overview$/)
  await page.goto(local.url + '/account')
  await page.evaluate('delete sessionStorage.noAutofill')
  await page.getByRole('button', { name: 'Sign out' }).click()
  // The autofill of the sign-in page offers the passkey.
  await page.waitForURL(/\/overview$/)
  await page.goto(local.url + '/account')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, 'account-passkey-1280-dark')
  await page.getByRole('link', { name: 'Remove Ada’s phone' }).click()
  await picture(page, 'passkey-remove-1280-dark')
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await page.getByRole('status').waitFor()
  t.match(await page.getByRole('status').innerText(), 'The passkey is removed')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('alert').filter({ hasText: 'does not sign in here' }).waitFor()
  await picture(page, 'sign-in-unknown-1280-dark')
  const signalled = await page.evaluate<string>('sessionStorage.signalled')
  t.match(JSON.parse(signalled), { rpId: 'localhost', credentialId: /^[\w-]{20,}$/ })
  t.ok((await width()) <= 0)
  const expected = /^Failed to load resource: the server responded with a status of 4/
  t.same(
    errors.filter((error) => !expected.test(error)),
    [],
  )
})
