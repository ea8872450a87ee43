// The page of a tenant's people in a browser: invite, send again, revoke. The numbers are rows of
// the table of bad input.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { openReceiver, sendMails } from '../../harness/mail.ts'
import { type Person, seedPerson } from '../../harness/person.ts'

async function open(role: PersonRole = 'owner') {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId, role) }
}

/** Fills password and code of the page's form; the next code belongs to the next step. */
async function prove(page: Page, api: TestApi, person: Person): Promise<void> {
  await api.sql`delete from sign_in_tries`
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('input[name=code]').fill(person.codeAt(api.clock.nowMs))
  api.clock.nowMs += 30_000
}

async function signIn(page: Page, api: TestApi, person: Person): Promise<void> {
  await page.goto(api.url + '/sign-in')
  await page.locator('input[name=email]').fill(person.email)
  await prove(page, api, person)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview$/)
  await page.goto(api.url + '/account')
}

async function subjects(t: Parameters<typeof openReceiver>[0], api: TestApi): Promise<string[]> {
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  return peer.mails.map(({ subject, recipients }) => subject + ' > ' + recipients[0])
}

test('an owner invites, sends again and revokes, without scripts and by keyboard', async (t) => {
  const { api, person } = await open()
  const browser = await openBrowser(t)
  for (const [width, dark] of [
    [390, true],
    [1280, false],
  ] as const) {
    const look = width + (dark ? '-dark' : '-light')
    const { page, errors } = await openWatched(browser, { width, dark, scripts: false })
    await signIn(page, api, person)
    await page.getByRole('link', { name: 'People' }).click()
    await page.waitForURL(/\/people\/ten_/)
    const email = look + '@invited.example'
    await page.locator('input[name=invited]').fill(email)
    await page.locator('input[name=role][value=support]').focus()
    await page.keyboard.press('Space')
    await prove(page, api, person)
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=invited$/)
    await picture(page, 'people-' + look)
    const isWide = await page
      .locator('body')
      .evaluate((body) => body.scrollWidth > body.clientWidth)
    t.notOk(isWide, look)
    t.match(await page.locator('.sessions').nth(1).textContent(), email)
    t.match(await subjects(t, api), [new RegExp('^Invitation to .* > ' + email)])

    await page.getByRole('link', { name: 'Change the invitation of ' + email }).click()
    await page.waitForURL(/\/invitations\/ivt_/)
    await picture(page, 'people-change-' + look)
    await prove(page, api, person)
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=resent$/)
    t.equal((await subjects(t, api)).length, 1)
    await page.getByRole('link', { name: 'Change the invitation of ' + email }).click()
    await page.getByRole('link', { name: 'Revoke the invitation' }).click()
    await prove(page, api, person)
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=revoked$/)
    t.notMatch(await page.locator('main').textContent(), email)
    t.same(errors, [])
  }
  const rows = await api.sql`
    select actor_id, action, approved_by from audit_log
    where tenant_id = ${api.tenant.tenantId} and environment = 'live' order by seq desc limit 1`
  t.match(rows, [
    { actor_id: person.id, approved_by: person.id, action: /^POST \/people\/:tenantId\/.*revoke$/ },
  ])
})

test('22: a developer, and a person of another tenant, find no such page', async (t) => {
  const { api, person: developer } = await open('developer')
  const stranger = await seedPerson(api.sql, api.other.tenantId, 'owner')
  const path = '/people/' + api.tenant.tenantId
  for (const person of [developer, stranger]) {
    await api.sql`delete from sign_in_tries`
    const { email, password } = person
    const signed = await fetch(api.url + '/sign-in', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ email, password, code: person.codeAt(api.clock.nowMs) }),
      redirect: 'manual',
    })
    api.clock.nowMs += 30_000
    const cookie = signed.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    t.equal((await fetch(api.url + path, { headers: { cookie } })).status, 404)
    const form = { invited: 'x@y.example', role: 'support', password }
    const posted = await fetch(api.url + path + '/invitations', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', cookie },
      body: new URLSearchParams({ ...form, code: person.codeAt(api.clock.nowMs) }),
      redirect: 'manual',
    })
    t.equal(posted.status, 404)
  }
  t.equal(
    (await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`).length,
    0,
  )
})

test('25: on the page too nobody gives a role above their own, nor invites by password alone', async (t) => {
  const { api, person: admin } = await open('admin')
  const post = async (person: Person, role: string): Promise<string> => {
    await api.sql`delete from sign_in_tries`
    const { email, password } = person
    const code = person.codeAt(api.clock.nowMs)
    api.clock.nowMs += 30_000
    const headers = { 'sec-fetch-site': 'same-origin' }
    const signed = await fetch(api.url + '/sign-in', {
      ...{ method: 'POST', headers, redirect: 'manual' },
      body: new URLSearchParams({ email, password, code }),
    })
    const cookie = signed.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const form = { invited: 'x@invited.example', role, password }
    const answer = await fetch(api.url + '/people/' + api.tenant.tenantId + '/invitations', {
      ...{ method: 'POST', headers: { ...headers, cookie }, redirect: 'manual' },
      body: new URLSearchParams({ ...form, code: person.codeAt(api.clock.nowMs) }),
    })
    api.clock.nowMs += 30_000
    return answer.status + ' ' + (await answer.text())
  }
  t.match(await post(admin, 'owner'), /^422 .*does not cover this/s)
  await api.sql`update identities set totp_sealed = null where id = ${admin.identityId}`
  t.match(await post(admin, 'support'), /^422 .*a password alone approves nothing/s)
  t.equal(
    (await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`).length,
    0,
  )
})
