// Every page of people in a real browser: three widths, light and dark, large text, forced colors,
// the keyboard, and no rule of axe-core broken.
import type { Browser } from 'playwright-core'
import { test } from 'tap'
import type { TestApi } from '../harness/api.ts'
import { openBrowser, openWatched, picture } from '../harness/browser.ts'
import { openInstallation } from '../harness/installation.ts'
import { seedRoot } from '../harness/issuing.ts'
import { axeProblems, doubleText, keyboardProblems, overflows } from '../harness/looks.ts'
import { openReceiver, sendMails } from '../harness/mail.ts'
import { addPasskey } from '../harness/member-passkeys.ts'
import { authorizeUrl, newChallenge, registerClient, Visitor } from '../harness/oauth.ts'
import { openOperator } from '../harness/operator-person.ts'
import { callApprovedBy, type Person, seedPerson } from '../harness/person.ts'
import { claim, enter, visit } from '../harness/visit.ts'

interface Shown {
  name: string
  path: string
  /** The session of the visitor; absent: nobody is signed in. */
  cookie?: string
  /** Further cookies, as `name=value; path`. */
  more?: readonly { name: string; value: string; path: string }[]
}

const LOOKS = [390, 768, 1280].flatMap((width) => [
  { width, dark: false },
  { width, dark: true },
])

/** One page for all: a closed one takes the browser along. */
async function check(
  t: { same(found: unknown, wanted: unknown, message: string): unknown },
  { browser, api }: { browser: Browser; api: Pick<TestApi, 'url'> },
  shown: readonly Shown[],
): Promise<void> {
  const { page } = await openWatched(browser, { width: 390 })
  for (const { name, path, cookie = '', more = [] } of shown) {
    const [title = '', value = ''] = cookie.split('=')
    const own = cookie === '' ? [] : [{ name: title, value, path: '/' }]
    await page.context().clearCookies()
    await page
      .context()
      .addCookies([...own, ...more].map((each) => ({ ...each, domain: '127.0.0.1' })))
    const problems: string[] = []
    const load = async (look: { width: number; dark?: boolean; forced?: boolean }) => {
      await page.setViewportSize({ width: look.width, height: 900 })
      await page.emulateMedia({
        colorScheme: look.dark === true ? 'dark' : 'light',
        forcedColors: look.forced === true ? 'active' : 'none',
      })
      await page.goto(api.url + path)
    }
    for (const look of LOOKS) {
      await load(look)
      const called = name + '-' + look.width + (look.dark ? '-dark' : '')
      await picture(page, called)
      if (await overflows(page)) problems.push(called + ' is too wide')
      if (look.width !== 768)
        problems.push(...(await axeProblems(page)).map((text) => called + ': ' + text))
      if (look.width === 390 && !look.dark) problems.push(...(await keyboardProblems(page)))
      await doubleText(page)
      if (await overflows(page)) problems.push(called + ' is too wide with text of 200 %')
      if (look.width === 390 && !look.dark) await picture(page, name + '-200')
    }
    await load({ width: 390, forced: true })
    await picture(page, name + '-forced')
    problems.push(...(await axeProblems(page)).map((text) => 'forced: ' + text))
    t.same(problems, [], name)
  }
}

async function open() {
  const api = await openInstallation()
  await seedRoot(api.sql)
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const cookie = await enter(api, person)
  await addPasskey(api, person, cookie)
  return { api, person, cookie }
}

test('the pages before a session', async (t) => {
  const { api, person } = await open()
  const browser = await openBrowser(t)
  const { tenantId, keys } = api.tenant
  const invited = await callApprovedBy(api, person, {
    method: 'POST',
    path: '/v1/invitations',
    call: { key: keys.admin, body: { email: 'grace@invited.example', role: 'developer' } },
  })
  t.equal(invited.status, 201, invited.text)
  const lost = await seedPerson(api.sql, tenantId, 'admin')
  const let_in = {
    method: 'POST',
    path: '/v1/people/' + lost.id + '/let_in',
    call: { key: keys.admin },
  }
  t.equal((await callApprovedBy(api, person, let_in)).status, 200)
  await api.operate('POST', '/people/' + person.id + '/reset_factor')
  await visit(api, '/recover', { form: { email: person.email } })
  const form = {
    form: 'idn_' + '0'.repeat(26),
    email: 'new@looks.example',
    name: 'New',
    company: 'New',
    country: 'DE',
  }
  await visit(api, '/sign-up', { form: { ...form, password: 'a long enough secret' } })
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  const linkTo = (part: string): string => {
    const found = peer.mails.map(({ text }) =>
      new RegExp('https?://\\S+(/' + part + '/\\S+)').exec(text),
    )
    return found.find((match) => match !== null)?.[1] ?? '/' + part + '/none'
  }
  const asked = await api.call('POST', '/v1/api_keys', {
    key: keys.admin,
    body: { role: 'secret', scope: 'read', name: 'Reports of the night' },
  })
  const challenge = new URL(asked.body.error.challenge_url).pathname
  await check(t, { browser, api }, [
    { name: 'sign-in', path: '/sign-in' },
    { name: 'sign-up', path: '/sign-up' },
    { name: 'recover', path: '/recover' },
    { name: 'recover-link', path: linkTo('recover') },
    { name: 'regain', path: linkTo('regain') },
    { name: 'factor-reset', path: linkTo('factor_resets') },
    { name: 'verify', path: linkTo('verify') },
    { name: 'invitation', path: linkTo('invitations') },
    { name: 'gone', path: '/recover/' + 'x'.repeat(43) },
    { name: 'challenge', path: challenge },
    { name: 'challenge-unknown', path: '/challenge/' + 'x'.repeat(43) },
    { name: 'nothing', path: '/people/none' },
  ])
})

test('the pages of a signed-in person', async (t) => {
  const { api, person, cookie } = await open()
  const browser = await openBrowser(t)
  const { tenantId, keys } = api.tenant
  const [passkey] = await api.sql`select id from passkeys where identity_id = ${person.identityId}`
  const other = await seedPerson(api.sql, tenantId, 'analyst')
  const people = '/people/' + tenantId
  const invited = await callApprovedBy(api, person, {
    method: 'POST',
    path: '/v1/invitations',
    call: { key: keys.admin, body: { email: 'grace@invited.example', role: 'developer' } },
  })
  await api.sql`update tenants set kyb_status = 'pending' where id = ${tenantId}`
  const asked = await api.call('POST', '/v1/api_keys', {
    key: keys.admin,
    body: { role: 'secret', scope: 'read', name: 'Reports of the night' },
  })
  const challenge = new URL(asked.body.error.challenge_url).pathname
  await check(t, { browser, api }, [
    { name: 'account', path: '/account', cookie },
    { name: 'passkey-new', path: '/account/passkeys/new', cookie },
    { name: 'passkey-remove', path: '/account/passkeys/' + passkey?.['id'] + '/remove', cookie },
    { name: 'generator', path: '/account/generator', cookie },
    { name: 'generator-remove', path: '/account/generator/remove', cookie },
    { name: 'recovery-codes', path: '/account/recovery_codes', cookie },
    { name: 'people', path: people, cookie },
    { name: 'invitation-change', path: people + '/invitations/' + invited.body.id, cookie },
    { name: 'member-role', path: people + '/members/' + other.id, cookie },
    { name: 'member-remove', path: people + '/members/' + other.id + '?move=remove', cookie },
    { name: 'going-live', path: '/going_live/' + tenantId, cookie },
    { name: 'challenge-signed-in', path: challenge, cookie },
  ])
})

/** A browser’s cookies of an authorization request that waits for its person. */
async function consentOf(api: TestApi, person: Person) {
  const client = await registerClient(api, {
    name: 'Ledger Co',
    scopes: ['card:read', 'card:write', 'pass:read', 'settlement:read'],
  })
  const cookies: { name: string; value: string; path: string }[] = []
  const visitor = new Visitor(api)
  const { challenge } = newChallenge()
  const begun = await visitor.go(authorizeUrl(client, { challenge }))
  for (const text of begun.headers.getSetCookie()) {
    const [pair = '', ...traits] = text.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = traits.find((trait) => /^path=/i.test(trait))?.slice('path='.length) ?? '/'
    cookies.push({ name, value, path })
  }
  return { path: begun.headers.get('location') ?? '', cookies, person }
}

test('the pages of consent, and of operators', async (t) => {
  const { api, person, cookie } = await open()
  const browser = await openBrowser(t)
  const { tenantId } = api.tenant
  const { path, cookies } = await consentOf(api, person)
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values (${'user_two' + person.id.slice(-8)}, ${api.other.tenantId}, ${person.identityId}, 'owner', 0)`
  await api.sql`update tenants set kyb_status = 'pending' where id = ${tenantId}`
  const form = {
    ...{ legal_name: 'Acme GmbH', registration_number: 'HRB 1234', country: 'DE' },
    ...{ address_line1: 'Hauptstr. 1', address_city: 'Berlin', address_postal_code: '10115' },
    ...{
      address_country: 'DE',
      website: 'https://acme.example',
      description: 'Cards for drivers.',
    },
    ...{ program_name: 'Fleet', program_currency: 'EUR' },
  }
  const sent = await visit(api, '/going_live/' + tenantId, {
    cookie,
    form: { ...form, ...claim(api, person) },
  })
  t.equal(sent.status, 303)
  api.clock.nowMs += 30_000
  const { cookie: working } = await openOperator(api)
  await check(t, { browser, api }, [
    { name: 'consent', path, cookie, more: cookies },
    { name: 'consent-over', path, cookie },
    { name: 'authorize-wrong', path: '/oauth/authorize?client_id=none' },
    { name: 'going-live-sent', path: '/going_live/' + tenantId, cookie },
    { name: 'operator', path: '/operator', cookie: working },
    { name: 'operator-review', path: '/operator/kyb/' + tenantId, cookie: working },
  ])
})
