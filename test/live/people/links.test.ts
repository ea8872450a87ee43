// The pages behind links of mails: a confirmed address, another password, an invitation. The
// numbers are rows of the table of bad input.
import { test } from 'tap'
import { purgeTries } from '../../../api/access/identities/index.ts'
import { invite } from '../../../api/access/invitations/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import { newId } from '../../../shared/id.ts'
import { seal } from '../../../shared/keyring.ts'
import { MASTER_KEYS, PUBLIC_URL, startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { installed } from '../../harness/installation.ts'
import { runJob } from '../../harness/jobs.ts'
import { linkIn, type Mail, openReceiver, sendMails } from '../../harness/mail.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { visit as ask, claim, cookieOf } from '../../harness/visit.ts'

const HOUR_MS = 3_600_000
const NEW_PASSWORD = 'another horse battery'

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId, 'owner') }
}

/** A page and its text; the answer of a form is not followed. */
async function visit(...asked: Parameters<typeof ask>) {
  const answer = await ask(...asked)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

async function enter(api: TestApi, person: Person, change = {}) {
  await api.sql`delete from sign_in_tries`
  const answer = await visit(api, '/sign-in', { form: claim(api, person, change) })
  api.clock.nowMs += 30_000
  return answer
}

async function newMails(t: Parameters<typeof openReceiver>[0], api: TestApi): Promise<Mail[]> {
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  return [...peer.mails]
}

/** The path of the link in a mail. */
function pathIn(mail: Mail | undefined): string {
  if (mail === undefined) throw new Error('no mail came')
  return linkIn(mail).slice(PUBLIC_URL.length)
}

function signUp(api: TestApi, email: string) {
  const form = newId('idn', api.clock.nowMs)
  const company = { name: 'Grace', company: 'Navy', country: 'US' }
  return visit(api, '/sign-up', { form: { form, email, ...company, password: NEW_PASSWORD } })
}

test('a person who signed up confirms the address by a link: by a button, once, for a day', async (t) => {
  const { api } = await open()
  const signed = await signUp(api, 'grace@navy.example')
  t.equal(signed.status, 303)
  const cookie = cookieOf(signed)
  t.match((await visit(api, '/account', { cookie })).text, 'Not confirmed yet')
  const [mail] = await newMails(t, api)
  t.match(mail, { subject: 'Confirm your address', recipients: ['grace@navy.example'] })
  const path = pathIn(mail)
  t.match(path, /^\/verify\/[\w-]{43}$/)
  for (let times = 0; times < 2; times++) t.equal((await visit(api, path)).status, 200)
  t.match((await visit(api, '/account', { cookie })).text, 'Not confirmed yet')

  const again = await visit(api, '/account/verify', { cookie, form: {} })
  t.equal(again.headers.get('location'), '/account?done=mailed')
  t.equal((await visit(api, path, { form: {} })).status, 410, 'a later link ended it')
  const later = pathIn((await newMails(t, api))[0])
  api.clock.nowMs += 24 * HOUR_MS
  t.equal((await visit(api, later, { form: {} })).status, 410)
  api.clock.nowMs -= 24 * HOUR_MS
  t.match(await visit(api, later, { form: {} }), { status: 200, text: /Address confirmed/ })
  t.equal((await visit(api, later, { form: {} })).status, 410)
  t.notMatch((await visit(api, '/account', { cookie })).text, 'Not confirmed yet')
  for (const bad of ['/verify/x', '/verify/' + 'x'.repeat(43), '/verify/..%2f..'])
    t.equal((await visit(api, bad)).status, 410, bad)
})

test('20: signing up with a known address tells nothing, and joins it after sign-in', async (t) => {
  const { api, person } = await open()
  const eve = await seedPerson(api.sql, api.other.tenantId, 'owner')
  const [unknown, known] = [await signUp(api, 'new@navy.example'), await signUp(api, person.email)]
  for (const { status, headers, text } of [unknown, known])
    t.same([status, headers.get('location'), text], [303, '/d', ''])
  const mails = await newMails(t, api)
  const mail = mails.find(({ recipients }) => recipients[0] === person.email)
  const path = pathIn(mail)
  t.match(await visit(api, path, { form: {} }), {
    status: 200,
    text: /You have an account already/,
  })
  const foreign = cookieOf(await enter(api, eve))
  t.match(
    (await visit(api, path, { cookie: foreign, form: {} })).text,
    'You have an account already',
  )
  const own = cookieOf(await enter(api, person))
  t.notMatch((await visit(api, '/account', { cookie: own })).text, 'Navy')
  t.match((await visit(api, path, { cookie: own, form: {} })).text, 'Joined')
  t.match((await visit(api, '/account', { cookie: own })).text, 'Navy')
  const left = await visit(api, '/account', { cookie: cookieOf(known) })
  t.equal(left.status, 303, 'the unconfirmed account is over')
  const both = await api.sql`
    select state from identities where email = ${person.email} order by verified_at nulls last`
  t.same(
    both.map(({ state }) => state),
    ['active', 'disabled'],
  )
})

test('20: the browser of the sign-up signs out, signs in with the known account, and joins', async (t) => {
  const { api, person } = await open()
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390, scripts: false })
  await page.goto(api.url + '/sign-up')
  for (const [name, value] of Object.entries({ email: person.email, name: 'Grace' }))
    await page.locator('input[name=' + name + ']').fill(value)
  await page.locator('input[name=company]').fill('Navy')
  await page.locator('input[name=country]').fill('US')
  await page.locator('input[name=password]').fill(NEW_PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sandbox\/overview$/)
  const mails = await newMails(t, api)
  const path = pathIn(mails.find(({ recipients }) => recipients[0] === person.email))
  await page.goto(api.url + path)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'You have an account already' }).waitFor()
  await page.getByRole('button', { name: 'Sign in with that account' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await api.sql`delete from sign_in_tries`
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('input[name=code]').fill(person.codeAt(api.clock.nowMs))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Joined' }).waitFor()
  await page.getByRole('link', { name: 'Your account' }).click()
  t.match(await page.locator('main').textContent(), 'Navy')
  t.same(errors, [])
})

test('20: a common password comes back with its field marked, and another one goes on', async (t) => {
  const { api } = await open()
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390, scripts: false })
  await page.goto(api.url + '/sign-up')
  const typed = { email: 'grace@common.example', name: 'Grace', company: 'Navy', country: 'US' }
  for (const [name, value] of Object.entries(typed))
    await page.locator('input[name=' + name + ']').fill(value)
  const password = page.getByLabel('Password')
  t.equal(await password.getAttribute('aria-invalid'), null)
  await password.fill('passwordpassword')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await picture(page, 'sign-up-common-password')
  t.equal(await page.locator('[aria-invalid]').count(), 1)
  t.equal(await password.getAttribute('aria-invalid'), 'true')
  const described = (await password.getAttribute('aria-describedby')) ?? ''
  t.match(await page.locator('#' + described).textContent(), 'Choose three or more words')
  t.ok(await password.evaluate((field) => field === document.activeElement), 'one types at once')
  t.equal(await password.inputValue(), '')
  t.equal(await page.getByLabel('Company').inputValue(), 'Navy')
  await password.fill(NEW_PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/sandbox\/overview$/)
  t.same(
    errors.filter((text) => !text.includes('422')),
    [],
  )
})

test('20: a forgotten password: one answer for every address, a mail for the known one', async (t) => {
  const { api, person } = await open()
  const disabled = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  await api.sql`update identities set state = 'disabled' where id = ${disabled.identityId}`
  await signUp(api, 'unproved@navy.example')
  await newMails(t, api)
  const emails = [person.email, disabled.email, 'nobody@navy.example', 'unproved@navy.example']
  const answers = []
  for (const email of emails) {
    await api.sql`delete from sign_in_tries`
    answers.push(await visit(api, '/recover', { form: { email } }))
  }
  t.equal(new Set(answers.map(({ status, text }) => status + text)).size, 1)
  t.match(answers[0], { status: 200, text: /If the address has an account/ })
  const mails = await newMails(t, api)
  t.same(
    mails.map(({ recipients }) => recipients[0]),
    [person.email],
  )

  const cookie = cookieOf(await enter(api, person))
  const path = pathIn(mails[0])
  t.match(await visit(api, path), { status: 200, text: /Choose another password/ })
  for (const weak of ['passwordpassword', person.email, 'Ada Ada Ada 99'])
    t.match(await visit(api, path, { form: { password: weak } }), {
      status: 422,
      text: 'id="password-problem"',
    })
  const done = await visit(api, path, { form: { password: NEW_PASSWORD } })
  t.match(done, { status: 200, text: /Password changed/ })
  t.equal((await visit(api, path, { form: { password: NEW_PASSWORD } })).status, 410)
  t.equal((await visit(api, '/account', { cookie })).status, 303, 'every session ended')
  t.equal((await enter(api, person)).status, 422, 'the password of before')
  const bare = { password: NEW_PASSWORD, code: '' }
  t.equal((await enter(api, person, bare)).status, 422, 'the mailbox is no second factor')
  t.equal((await enter(api, person, { password: NEW_PASSWORD })).status, 303)
  const [notice] = await newMails(t, api)
  t.match(notice, { subject: 'Your account was changed', recipients: [person.email] })
  t.match(notice?.text, 'The password of your account was changed.')
  const [row] = await api.sql`
    select actor_id, action from audit_log where tenant_id = ${api.tenant.tenantId}
      and environment = 'live' order by seq desc limit 1`
  t.match(row, { actor_id: person.id, action: 'POST /recover/:token' })
})

test('21: links are throttled by address of the visitor and by address of the mail', async (t) => {
  const { api, person } = await open()
  const statuses: number[] = []
  for (let tries = 0; tries < 6; tries++)
    statuses.push((await visit(api, '/recover', { form: { email: person.email } })).status)
  t.same(statuses, [200, 200, 200, 200, 200, 429])
  t.equal((await newMails(t, api)).length, 3, 'three mails in an hour')
  api.clock.nowMs += 5 * 60_000
  await runJob(purgeTries, { sql: api.sql, now: api.clock.nowMs + 1 })
  t.equal((await visit(api, '/recover', { form: { email: person.email } })).status, 200)
  t.equal((await newMails(t, api)).length, 0)
  api.clock.nowMs += HOUR_MS
  await visit(api, '/recover', { form: { email: person.email } })
  const path = pathIn((await newMails(t, api))[0])
  api.clock.nowMs += HOUR_MS
  t.equal((await visit(api, path)).status, 410, 'an hour old')
})

test('no log names a token or an address of a mail', async (t) => {
  const { api, person } = await open()
  api.log.level = 'trace'
  await visit(api, '/recover', { form: { email: person.email } })
  const path = pathIn((await newMails(t, api))[0])
  await visit(api, path)
  await visit(api, path, { form: { password: NEW_PASSWORD } })
  const token = path.split('/').at(-1) ?? 'none'
  t.ok(api.lines.length > 2)
  t.notMatch(api.lines.join('\n'), token)
  t.notMatch(api.lines.join('\n'), person.email)
})

test('18: forms of another site do nothing', async (t) => {
  const { api, person } = await open()
  const cookie = cookieOf(await enter(api, person))
  const token = 'x'.repeat(43)
  const paths = ['/recover', '/recover/' + token, '/verify/' + token, '/invitations/' + token]
  for (const path of [...paths, '/account/verify'])
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      {},
    ] as { [name: string]: string }[]) {
      const answer = await visit(api, path, { cookie, headers, form: { email: person.email } })
      t.equal(answer.status, 403, path)
    }
  t.equal((await newMails(t, api)).length, 0)
})

/** An invitation by a person of the tenant; returns the path of its link. */
async function inviteTo(
  t: Parameters<typeof openReceiver>[0],
  api: TestApi,
  { inviter, email }: { inviter: Person; email: string },
): Promise<string> {
  const now = api.clock.nowMs
  const world = {
    seal: (context: string, text: string) => seal(MASTER_KEYS, context, text),
    newId: (prefix: string) => newId(prefix, now),
    ...{ now, pagesUrl: PUBLIC_URL, sendsMail: true },
  }
  const { tenantId } = api.tenant
  const input = { tenantId, inviterId: inviter.id, email, role: 'developer' as const }
  await tx(api.sql, (sql) => invite(sql, world, input))
  return pathIn((await newMails(t, api))[0])
}

test('25: a known person comes back from sign-in to the invitation, and joins once', async (t) => {
  const { api, person } = await open()
  const ada = await seedPerson(api.sql, api.other.tenantId, 'analyst')
  const eve = await seedPerson(api.sql, api.other.tenantId, 'owner')
  const path = await inviteTo(t, api, { inviter: person, email: ada.email })
  const stranger = await visit(api, path)
  t.match(stranger.text, 'href="/sign-in?next=' + encodeURIComponent(path) + '"')
  const form = { form: newId('idn', api.clock.nowMs), name: 'Ada', password: NEW_PASSWORD }
  t.match((await visit(api, path, { form })).text, 'Sign in to accept')
  const foreign = cookieOf(await enter(api, eve))
  t.match((await visit(api, path, { cookie: foreign, form: {} })).text, 'Only ' + ada.email)
  const back = await enter(api, ada, { next: path })
  t.equal(back.headers.get('location'), path)
  const cookie = cookieOf(back)
  t.match((await visit(api, path, { cookie })).text, /Join/)
  const joined = await visit(api, path, { cookie, form: {} })
  t.equal(joined.headers.get('location'), '/account?done=joined')
  t.equal((await visit(api, path, { cookie, form: {} })).status, 410)
  const members = await api.sql`
    select tenant_id, role from users where identity_id = ${ada.identityId} order by created_at`
  t.same(members.map(({ role }) => role).toSorted(), ['analyst', 'developer'])
})

test('26: the pages in a browser: narrow, wide, light, dark, without scripts, by keyboard', async (t) => {
  const { api, person } = await open()
  const hostile = '<script>alert(1)</script> \u202eevil ' + 'w'.repeat(80)
  await api.sql`update tenants set name = ${hostile} where id = ${api.tenant.tenantId}`
  const browser = await openBrowser(t)
  for (const [width, dark] of [
    [390, true],
    [1280, false],
  ] as const) {
    const look = width + (dark ? '-dark' : '-light')
    const { page, errors } = await openWatched(browser, { width, dark, scripts: false })
    const show = async (path: string, name: string) => {
      await page.goto(api.url + path)
      await picture(page, name + '-' + look)
      const isWide = await page
        .locator('body')
        .evaluate((body) => body.scrollWidth > body.clientWidth)
      t.notOk(isWide, name + ' ' + look)
    }
    const email = 'grace.' + look + '@invited.example'
    const path = await inviteTo(t, api, { inviter: person, email })
    await show(path, 'invitation')
    t.match(await page.locator('h1').textContent(), '<script>alert(1)</script>')
    await page.locator('input[name=name]').focus()
    await page.keyboard.type('Grace')
    await page.keyboard.press('Tab')
    await page.keyboard.type(NEW_PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/account\?done=joined$/)
    await picture(page, 'joined-' + look)
    t.match(await page.locator('[role=status]').textContent(), 'You have joined')
    await show(path, 'gone-link')
    await page.context().clearCookies()
    await show('/recover', 'recover')
    await page.locator('input[name=email]').fill(email)
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Look at your mail')
    await picture(page, 'recover-sent-' + look)
    const mails = await newMails(t, api)
    await show(pathIn(mails.find(({ recipients }) => recipients[0] === email)), 'new-password')
    await api.sql`delete from sign_in_tries`
    // Pages of status 410 are part of the visit.
    t.same(
      errors.filter((text) => !text.includes('410')),
      [],
    )
  }
})

test('a link to an address that an operator replaced opens nothing', async (t) => {
  const { api, person } = await open()
  const installation = await installed(api)
  await visit(api, '/recover', { form: { email: person.email } })
  const path = pathIn((await newMails(t, api))[0])
  t.equal((await visit(api, path)).status, 200)
  const change = (body: object) => installation.operate('PATCH', '/people/' + person.id, body)
  t.equal((await change({ name: 'Augusta' })).status, 200)
  t.equal((await visit(api, path)).status, 200, 'another name ends no link')
  t.equal((await change({ email: 'moved.' + person.email })).status, 200)
  t.equal((await visit(api, path, { form: { password: NEW_PASSWORD } })).status, 410)
})

test('20: an address gets three links in an hour, however many people sign up with it', async (t) => {
  const { api, person } = await open()
  for (const email of ['often@navy.example', person.email]) {
    for (let times = 0; times < 4; times++) {
      await api.sql`delete from sign_in_tries where subject not like 'mail:%'`
      const signed = await signUp(api, email)
      t.same([signed.status, signed.headers.get('location')], [303, '/d'])
    }
    t.equal((await newMails(t, api)).length, 3, email)
  }
  await visit(api, '/recover', { form: { email: person.email } })
  const [reset] = await newMails(t, api)
  t.equal(reset?.subject, 'Choose another password', 'sign-ups take no link of a password away')
  api.clock.nowMs += HOUR_MS
  await api.sql`delete from sign_in_tries where subject not like 'mail:%'`
  await signUp(api, 'often@navy.example')
  t.equal((await newMails(t, api)).length, 1, 'an hour later one goes again')
})

test('an owner who signed up stays an owner where the confirmed person has a lower role', async (t) => {
  const { api } = await open()
  const cookie = cookieOf(await signUp(api, 'hopper@navy.example'))
  const path = pathIn((await newMails(t, api))[0])
  const [row] = await api.sql`
    select u.tenant_id, u.identity_id from users u join identities i on i.id = u.identity_id
    where i.email = 'hopper@navy.example'`
  const { tenant_id: tenantId, identity_id: unconfirmed } = row ?? {}
  const analyst = await seedPerson(api.sql, tenantId, 'analyst')
  await api.sql`
    update identities set email = 'hopper@navy.example' where id = ${analyst.identityId}`
  const own = cookieOf(await enter(api, { ...analyst, email: 'hopper@navy.example' }))
  t.match((await visit(api, path, { cookie: own, form: {} })).text, 'Joined')
  t.equal((await visit(api, '/account', { cookie })).status, 303, 'the unconfirmed account is over')
  const owners = await api.sql`
    select u.id from users u join identities i on i.id = u.identity_id
    where u.tenant_id = ${tenantId} and u.role = 'owner' and u.state = 'active'
      and i.state = 'active' and i.id <> ${unconfirmed}`
  t.same(
    owners.map(({ id }) => id),
    [analyst.id],
  )
})

test('20: two people confirm one address at once: one has it, the other is asked to sign in', async (t) => {
  const { api } = await open()
  await signUp(api, 'both@navy.example')
  await api.sql`delete from sign_in_tries where subject not like 'mail:%'`
  await signUp(api, 'both@navy.example')
  const paths = (await newMails(t, api)).map(pathIn)
  t.equal(paths.length, 2)
  const pages = await Promise.all(paths.map((path) => visit(api, path, { form: {} })))
  t.same(
    pages.map(({ status }) => status),
    [200, 200],
  )
  const held = await api.sql`
    select from identities where email = 'both@navy.example' and verified_at is not null`
  t.equal(held.length, 1)
})
