// Every page of people in a real browser: three widths, light and dark, large text, forced colors,
// the keyboard, and no rule of axe-core broken.
import { test } from 'tap'
import { openBrowser } from '../../harness/browser.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { openInstallation } from '../../harness/installation.ts'
import { seedRoot } from '../../harness/issuing.ts'
import { openReceiver, sendMails } from '../../harness/mail.ts'
import { addPasskey } from '../../harness/member-passkeys.ts'
import { cookiesOfConsent } from '../../harness/oauth.ts'
import { openOperator } from '../../harness/operator-person.ts'
import { checkLooks } from '../../harness/page-looks.ts'
import { callApprovedBy, seedPerson } from '../../harness/person.ts'
import { enter, visit } from '../../harness/visit.ts'

async function open() {
  const api = await openInstallation()
  await seedRoot(api.sql)
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const { cookie } = await addPasskey(api, person, await enter(api, person))
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
  await checkLooks(t, { browser, api }, [
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
    { name: 'nothing', path: '/operator' },
  ])
})

test('the pages of a signed-in person', async (t) => {
  const { api, person, cookie } = await open()
  const browser = await openBrowser(t)
  const { keys } = api.tenant
  const [passkey] = await api.sql`select id from passkeys where identity_id = ${person.identityId}`
  const asked = await api.call('POST', '/v1/api_keys', {
    key: keys.admin,
    body: { role: 'secret', scope: 'read', name: 'Reports of the night' },
  })
  const challenge = new URL(asked.body.error.challenge_url).pathname
  await checkLooks(t, { browser, api }, [
    { name: 'account', path: '/account', cookie },
    { name: 'passkey-new', path: '/account/passkeys/new', cookie },
    { name: 'passkey-remove', path: '/account/passkeys/' + passkey?.['id'] + '/remove', cookie },
    { name: 'generator', path: '/account/generator', cookie },
    { name: 'generator-remove', path: '/account/generator/remove', cookie },
    { name: 'recovery-codes', path: '/account/recovery_codes', cookie },
    { name: 'challenge-signed-in', path: challenge, cookie },
  ])
})

test('the pages of consent, and of operators', async (t) => {
  const { api, person, cookie } = await open()
  const browser = await openBrowser(t)
  const { tenantId } = api.tenant
  const { path, cookies } = await cookiesOfConsent(api)
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values (${'user_two' + person.id.slice(-8)}, ${api.other.tenantId}, ${person.identityId}, 'owner', 0)`
  await api.sql`update tenants set kyb_status = 'pending' where id = ${tenantId}`
  const form = {
    ...{ legal_name: 'Acme GmbH', registration_number: 'HRB 1234', country: 'DE' },
    ...{ line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115' },
    ...{
      address_country: 'DE',
      website: 'https://acme.example',
      description: 'Cards for drivers.',
    },
    ...{ program_name: 'Fleet', program_currency: 'EUR' },
  }
  const goingLive = '/d/' + tenantId + '/sandbox/going_live'
  const sent = await sendConfirmed(api, goingLive, { cookie, form, by: person })
  t.equal(sent.status, 303)
  const { cookie: working } = await openOperator(api)
  await checkLooks(t, { browser, api }, [
    { name: 'consent', path, cookie, more: cookies },
    { name: 'consent-over', path, cookie },
    { name: 'authorize-wrong', path: '/oauth/authorize?client_id=none' },
    { name: 'operator', path: '/operator', cookie: working },
    { name: 'operator-review', path: '/operator/kyb/' + tenantId, cookie: working },
  ])
})
