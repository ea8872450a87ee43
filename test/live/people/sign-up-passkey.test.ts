// Sign-up with a passkey: on the pages by hand, and in a browser with a device.
import { test } from 'tap'
import { createPasskey } from '../../../scripts/holder-peer/passkey.ts'
import { newId } from '../../../shared/id.ts'
import { PUBLIC_URL, startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { ceremonyOn, plugDevice } from '../../harness/member-passkeys.ts'
import { seedPerson } from '../../harness/person.ts'
import { cookieOf, isSignedIn, visit } from '../../harness/visit.ts'

const MADE = '/sign-up/passkey/made'

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  return api
}

function newcomer(api: TestApi, change: { [name: string]: string } = {}) {
  const form = newId('idn', api.clock.nowMs)
  return {
    form,
    email: 'grace@passkey.example',
    name: 'Grace',
    company: 'New Ltd',
    country: 'DE',
    ...change,
  }
}

/** Both steps, as a browser sends them; `change` spoils the second form. */
async function signUp(
  api: TestApi,
  fields: ReturnType<typeof newcomer>,
  change: { [name: string]: string } = {},
) {
  const passkey = createPasskey(PUBLIC_URL)
  const page = await ceremonyOn(await visit(api, '/sign-up/passkey', { form: fields }))
  const form = {
    ...fields,
    ...passkey.register(page.challenge),
    ceremony: page.ceremony,
    ...change,
  }
  return { passkey, form, page, answer: await visit(api, MADE, { form }) }
}

test('a passkey opens an account at once, and is its way to sign in', async (t) => {
  const api = await open()
  const fields = newcomer(api)
  const { passkey, form, page, answer } = await signUp(api, fields)
  t.equal(answer.status, 200)
  t.equal(page.options.user.name, fields.email)
  t.match(page.text, 'data-passkey disabled', 'its script opens the button')
  t.match(await answer.text(), /Keep your recovery codes/)
  const cookie = cookieOf(answer)
  t.ok(await isSignedIn(api, cookie))
  const rows = await api.sql`
    select i.password_hash, i.verified_at, u.role, p.environment, s.factor from identities i
    join users u on u.identity_id = i.id join programs p on p.tenant_id = u.tenant_id
    join sessions s on s.identity_id = i.id join passkeys k on k.identity_id = i.id
    where i.id = ${fields.form}`
  t.match(
    [...rows],
    [
      {
        password_hash: null,
        verified_at: null,
        role: 'owner',
        environment: 'sandbox',
        factor: 'passkey',
      },
    ],
  )
  const again = await visit(api, MADE, { form })
  t.equal(again.headers.get('location'), '/d', 'a form that is sent twice acts once, and gets in')
  t.ok(await isSignedIn(api, cookieOf(again)))
  const own = await visit(api, MADE, { form, cookie: cookieOf(again) })
  t.ok(await isSignedIn(api, cookieOf(own)))
  t.notOk(await isSignedIn(api, cookieOf(again)), 'the session of before ends')
  const [count] = await api.sql`
    select count(*)::int as passkeys from passkeys where identity_id = ${fields.form}`
  t.equal(count?.['passkeys'], 1)
  const entry = await ceremonyOn(await visit(api, '/sign-in'))
  const signed = { ...passkey.assert(entry.challenge), ceremony: entry.ceremony }
  t.equal((await visit(api, '/sign-in/passkey', { form: signed })).status, 303)
})

test('14: a repeat of a sign-up by another ceremony, passkey or address opens no session', async (t) => {
  const api = await open()
  const fields = newcomer(api)
  const { passkey, form } = await signUp(api, fields)
  const other = await signUp(api, newcomer(api, { email: 'ada@passkey.example' }))
  const page = await ceremonyOn(await visit(api, '/sign-up/passkey', { form: fields }))
  const fresh = { ...passkey.register(page.challenge), ceremony: page.ceremony }
  const stolen = { ...other.passkey.register(page.challenge), ceremony: page.ceremony }
  for (const [name, change] of Object.entries({
    'another ceremony of the same form': fresh,
    'the passkey of another person': stolen,
    'the form of another account': { ...other.form, form: fields.form, email: fields.email },
    'another address': { email: 'ada@passkey.example' },
  })) {
    const answer = await visit(api, MADE, { form: { ...form, ...change } })
    t.equal(cookieOf(answer), '', name)
  }
  await api.sql`update identities set state = 'disabled' where id = ${fields.form}`
  t.equal(cookieOf(await visit(api, MADE, { form })), '', 'a disabled person')
})

test('20: a known address gets the same page, and binds nobody', async (t) => {
  const api = await open()
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const varying = /(?:value|data-create)="[^"]*"/g
  const unknown = await visit(api, '/sign-up/passkey', { form: newcomer(api) })
  const known = await visit(api, '/sign-up/passkey', {
    form: newcomer(api, { email: person.email }),
  })
  t.equal(known.status, unknown.status)
  t.equal(
    (await known.text()).replaceAll(varying, ''),
    (await unknown.text()).replaceAll(varying, ''),
  )
  const { answer } = await signUp(api, newcomer(api, { email: person.email }))
  t.equal(answer.status, 200)
  const [row] = await api.sql`
    select count(*)::int as count from users where identity_id = ${person.identityId}`
  t.equal(row?.['count'], 1, 'the tenant of before is the only one')
})

test('14: a ceremony of other fields, of another device, or too late opens nothing', async (t) => {
  const api = await open()
  const before = await api.sql`select 1 from identities`
  for (const change of [
    { email: 'other@passkey.example' },
    { form: newId('idn', api.clock.nowMs) },
    { attestation_object: '' },
    { client_data_json: Buffer.from('{}').toString('base64url') },
    { ceremony: 'x' },
  ]) {
    await api.sql`delete from sign_in_tries`
    const { answer } = await signUp(api, newcomer(api), change)
    t.equal(answer.status, 422, JSON.stringify(change))
    t.notOk(answer.headers.get('set-cookie'))
  }
  await api.sql`delete from sign_in_tries`
  const fields = newcomer(api)
  const page = await ceremonyOn(await visit(api, '/sign-up/passkey', { form: fields }))
  api.clock.nowMs += 5 * 60_000
  const made = createPasskey(PUBLIC_URL).register(page.challenge)
  const late = await visit(api, MADE, { form: { ...fields, ...made, ceremony: page.ceremony } })
  t.equal(late.status, 422)
  const foreign = { 'sec-fetch-site': 'cross-site' }
  t.equal((await visit(api, MADE, { form: fields, headers: foreign })).status, 403)
  t.equal((await api.sql`select 1 from identities`).length, before.length)
})

test('a person signs up with a passkey in a browser', async (t) => {
  const api = await open()
  const { url } = await openLocalApi(t, api)
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390 })
  await plugDevice(page)
  await page.goto(url + '/sign-up')
  const fields = newcomer(api, { email: 'ada@device.example' })
  await page.getByLabel('Email').fill(fields.email)
  await page.getByLabel('Your name').fill(fields.name)
  await page.getByLabel('Company').fill(fields.company)
  await page.getByLabel('Country').fill(fields.country)
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await page.getByRole('heading', { name: 'Create the passkey' }).waitFor()
  await picture(page, 'sign-up-passkey-390')
  await page.getByRole('button', { name: 'Create the passkey' }).click()
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
  await page.getByRole('link', { name: 'Your account' }).first().click()
  await page.getByRole('heading', { name: 'Grace' }).waitFor()
  t.match(await page.locator('main').textContent(), 'First passkey')
  t.same(errors, [])
})
