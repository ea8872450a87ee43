// Edges of sessions and of their pages: the cookie beyond plain loopback, streams that end with a
// session or a role, hostile text, and a frame around consent.
import { createServer } from 'node:http'
import { test } from 'tap'
import { Agent, request } from 'undici'
import { systemClock } from '../../../shared/clock.ts'
import { TENANT_CERTIFICATES, TENANT_KEY } from '../../fakes/tenant-certificates.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { openSignedIn } from '../../harness/dashboard.ts'
import { HOSTILE_ID, HOSTILE_TEXT, makeHostile } from '../../harness/hostile-text.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { overflows } from '../../harness/looks.ts'
import { addPasskey } from '../../harness/member-passkeys.ts'
import { cookiesOfConsent } from '../../harness/oauth.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { openStream } from '../../harness/stream.ts'
import { until } from '../../harness/until.ts'
import { claim, enter, OWN_SITE, visit } from '../../harness/visit.ts'

async function open(start: () => Promise<TestApi> = startTestApi) {
  const api = await start()
  await api.sql`delete from sign_in_tries`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId) }
}

test('the cookie beyond plain loopback is __Host-svc with Secure, and no other is read', async (t) => {
  const { api, person } = await open()
  const host = 'pages.example'
  const form = { ...OWN_SITE, 'content-type': 'application/x-www-form-urlencoded', host }
  const body = new URLSearchParams(claim(api, person)).toString()
  const signed = await request(api.url + '/sign-in', { method: 'POST', headers: form, body })
  await signed.body.dump()
  const set = String(signed.headers['set-cookie'])
  t.match(set, /^__Host-svc=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  const token = /=([\w-]{43});/.exec(set)?.[1] ?? ''
  const statusWith = async (cookie: string): Promise<number> => {
    const answer = await request(api.url + '/account', { headers: { host, cookie } })
    await answer.body.dump()
    return answer.statusCode
  }
  t.equal(await statusWith('__Host-svc=' + token), 200)
  t.equal(
    await statusWith('svc=' + token),
    303,
    'a cookie without the prefix could be of another host',
  )
  const cookie = '__Host-svc=' + token
  const left = await request(api.url + '/sign-out', {
    method: 'POST',
    headers: { ...form, cookie },
  })
  await left.body.dump()
  t.match(String(left.headers['set-cookie']), /^__Host-svc=; .*; Secure; Max-Age=0$/)
  t.equal(await statusWith(cookie), 303)
})

test('over TLS a browser keeps the cookie for this host and every path, and only secure', async (t) => {
  const { api, person } = await open()
  const tls = { cert: TENANT_CERTIFICATES.good, key: TENANT_KEY }
  const local = await openLocalApi(t, api, { tls })
  t.match(local.url, /^https:/)
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, {
    ...{ width: 390, scripts: false, anyCertificate: true },
  })
  await page.goto(local.url + '/sign-in')
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('input[name=code]').fill(person.codeAt(systemClock.nowMs()))
  const posted = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.keyboard.press('Enter')
  const { 'set-cookie': set = '' } = await (await posted).allHeaders()
  t.match(set, /^__Host-svc=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  t.notMatch(set, /domain/i)
  await page.waitForURL(/\/overview$/)
  const [kept, ...others] = await page.context().cookies()
  t.match(kept, {
    ...{ name: '__Host-svc', domain: 'localhost', path: '/', expires: -1 },
    ...{ httpOnly: true, secure: true, sameSite: 'Lax' },
  })
  t.same(others, [])
  const statusWith = async (cookie: string): Promise<number> => {
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    const answer = await request(local.url + '/account', { headers: { cookie }, dispatcher })
    await answer.body.dump()
    await dispatcher.close()
    return answer.statusCode
  }
  t.equal(await statusWith('__Host-svc=' + kept?.value), 200)
  t.equal(await statusWith('svc=' + kept?.value), 303, 'the plain name is not read over TLS')
  await page.goto(local.url + '/account')
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.waitForURL(/\/sign-in/)
  t.same(await page.context().cookies(), [], 'signing out removes it')
  t.same(errors, [])
})

/** An open stream of the live page of a person. */
async function streamOf(api: TestApi, person: Person) {
  await api.sql`delete from sign_in_tries`
  const cookie = await enter(api, person)
  const path = '/d/' + api.tenant.tenantId + '/sandbox/live/stream'
  return { cookie, stream: await openStream(api.url + path, '', { headers: { cookie } }) }
}

test('17: a sign-out, and another role by another process, end an open stream at once', async (t) => {
  const { api, person } = await open(startIssuingApi)
  const admin = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const own = await streamOf(api, person)
  const other = await streamOf(api, admin)
  t.same([own.stream.status, other.stream.status], [200, 200])
  await visit(api, '/sign-out', { cookie: own.cookie, form: {} })
  await until(() => own.stream.ended)
  t.match(own.stream.told.at(-1), { event: 'end', data: { reason: 'not_allowed' } })
  t.notOk(other.stream.ended, 'the stream of another person goes on')
  // A connection of its own, as another process has one.
  await api.sql`update users set role = 'analyst' where id = ${admin.id}`
  await until(() => other.stream.ended)
  t.match(other.stream.told.at(-1), { event: 'end', data: { reason: 'not_allowed' } })
})

test('26: hostile names on the pages of the account are text, and the pages hold', async (t) => {
  const { api, person } = await open()
  const { cookie } = await addPasskey(api, person, await enter(api, person))
  await makeHostile(api.sql, api.tenant.tenantId)
  await api.sql`update passkeys set name = ${HOSTILE_TEXT} where identity_id = ${person.identityId}`
  await api.sql`update sessions set agent = ${HOSTILE_TEXT}`
  const [passkey] = await api.sql`select id from passkeys where identity_id = ${person.identityId}`
  const { path, cookies } = await cookiesOfConsent(api)
  await api.sql`update oauth_clients set name = ${HOSTILE_TEXT}`
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(
    browser,
    { api, cookie },
    { width: 390, scripts: false },
  )
  await page.context().addCookies(cookies.map((each) => ({ ...each, domain: '127.0.0.1' })))
  const removal = '/account/passkeys/' + passkey?.['id'] + '/remove'
  for (const shown of ['/account', removal, path]) {
    await page.goto(api.url + shown)
    await picture(page, 'hostile' + shown.replaceAll(/[/:]+/g, '-').slice(0, 40))
    t.match(await page.locator('main').textContent(), 'onerror=alert(1)', shown)
    t.equal(await page.locator('#' + HOSTILE_ID).count(), 0, shown)
    t.equal(await overflows(page), false, shown)
  }
  t.same(errors, [])
})

test('12: a page of another site frames no consent', async (t) => {
  const { api, person } = await open()
  const cookie = await enter(api, person)
  const { path, cookies } = await cookiesOfConsent(api)
  const evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>x</title><iframe src="' + api.url + path + '"></iframe>')
  })
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', () => resolve()))
  t.teardown(() => evil.close())
  const address = evil.address()
  const port = typeof address === 'object' ? address?.port : 0
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 1280 })
  const [name = '', value = ''] = cookie.split('=')
  await page
    .context()
    .addCookies([
      { name, value, url: api.url },
      ...cookies.map((each) => ({ ...each, domain: '127.0.0.1' })),
    ])
  await page.goto(api.url + path)
  t.ok((await page.locator('main button').count()) > 0, 'the page itself asks')
  await page.goto('http://127.0.0.1:' + port + '/')
  await until(() => errors.some((text) => /frame/i.test(text)))
  const framed = page.frames().at(-1)
  t.not(framed, page.mainFrame())
  t.equal(await framed?.locator('button').count(), 0)
})
