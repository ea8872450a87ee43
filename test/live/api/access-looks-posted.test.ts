// Pages that answer a form: the errors of every form of people, and the pages that only a form
// leads to. Each in a real browser, as in access-looks.
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
import { callApprovedBy, type Person, seedPerson } from '../../harness/person.ts'
import { enter, visit } from '../../harness/visit.ts'

const WRONG = { password: 'not the password', code: '000000' }
const NEWCOMER = { email: 'new@looks.example', name: 'New', company: 'New Ltd', country: 'DE' }
const SECRET = 'a long enough secret'

async function open() {
  const api = await openInstallation()
  await seedRoot(api.sql)
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const { cookie } = await addPasskey(api, person, await enter(api, person))
  const challenge = async () => {
    const asked = await api.call('POST', '/v1/api_keys', {
      key: api.tenant.keys.admin,
      body: { role: 'secret', scope: 'read', name: 'Reports of the night' },
    })
    return new URL(asked.body.error.challenge_url).pathname
  }
  /** A right proof, made when it is sent. */
  const proof =
    (of: Person, more: { [name: string]: string } = {}) =>
    () => {
      api.clock.nowMs += 30_000
      return { password: of.password, code: of.codeAt(api.clock.nowMs), ...more }
    }
  return { api, person, cookie, challenge, proof }
}

test('the pages that answer a form before a session', async (t) => {
  const { api, person, challenge } = await open()
  const browser = await openBrowser(t)
  const { keys, tenantId } = api.tenant
  const invited = await callApprovedBy(api, person, {
    method: 'POST',
    path: '/v1/invitations',
    call: { key: keys.admin, body: { email: 'grace@posted.example', role: 'developer' } },
  })
  t.equal(invited.status, 201, invited.text)
  const lost = await seedPerson(api.sql, tenantId, 'admin')
  const path = '/v1/people/' + lost.id + '/let_in'
  const call = { key: keys.admin }
  t.equal((await callApprovedBy(api, person, { method: 'POST', path, call })).status, 200)
  await api.operate('POST', '/people/' + person.id + '/reset_factor')
  await visit(api, '/recover', { form: { email: person.email } })
  const form = { ...NEWCOMER, form: 'idn_' + '1'.repeat(26), password: SECRET }
  await visit(api, '/sign-up', { form })
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  const linkTo = (part: string): string => {
    const pattern = new RegExp('https?://\\S+(/' + part + '/\\S+)')
    const links = peer.mails.map(({ text }) => pattern.exec(text)?.[1])
    return links.find((link) => link !== undefined) ?? '/' + part + '/none'
  }
  const weak = () => ({ password: 'short' })
  const answered = (status: number, fields: { [name: string]: string }, action?: string) => ({
    ...{ status, fields: () => fields },
    ...(action !== undefined && { action }),
  })
  const signIn = { email: person.email, ...WRONG }
  const [first, second] = [await challenge(), await challenge()]
  const noName = { ...NEWCOMER, name: '', password: SECRET }
  await checkLooks(t, { browser, api }, [
    { name: 'sign-in-wrong', path: '/sign-in', posted: answered(422, signIn) },
    { name: 'sign-up-wrong', path: '/sign-up', posted: answered(422, noName) },
    {
      name: 'sign-up-unreadable',
      path: '/sign-up',
      posted: answered(400, { form: 'x', ...NEWCOMER, password: SECRET }),
    },
    {
      name: 'sign-up-weak',
      path: '/sign-up',
      posted: answered(422, { ...NEWCOMER, password: 'passwordpassword' }),
    },
    { name: 'recover-sent', path: '/recover', posted: answered(200, { email: 'a@b.example' }) },
    { name: 'recover-wrong', path: linkTo('recover'), posted: { status: 422, fields: weak } },
    { name: 'regain-wrong', path: linkTo('regain'), posted: { status: 422, fields: weak } },
    { name: 'reset-cancelled', path: linkTo('factor_resets'), posted: answered(200, {}) },
    { name: 'verified', path: linkTo('verify'), posted: answered(200, {}) },
    {
      name: 'invitation-wrong',
      path: linkTo('invitations'),
      posted: { status: 422, fields: weak },
    },
    { name: 'recovered', path: linkTo('recover'), posted: answered(200, { password: SECRET }) },
    {
      name: 'challenge-wrong',
      path: first,
      posted: answered(422, { ...signIn, decision: 'approve' }),
    },
    { name: 'challenge-denied', path: second, posted: answered(303, { decision: 'deny' }) },
  ])
})

test('the pages that answer a form of a signed-in person', async (t) => {
  const { api, person, cookie, challenge, proof } = await open()
  const browser = await openBrowser(t)
  const wrong = (more: { [name: string]: string } = {}, action?: string) => ({
    ...{ status: 422, fields: () => ({ ...WRONG, ...more }) },
    ...(action !== undefined && { action }),
  })
  const [first, second] = [await challenge(), await challenge()]
  const code = () => proof(person)()['code'] ?? ''
  // An approval gives its session another cookie.
  const later = await enter(api, person)
  await checkLooks(t, { browser, api }, [
    {
      name: 'password-wrong',
      path: '/account',
      cookie,
      posted: wrong({ new_password: SECRET }, '/account/password'),
    },
    {
      name: 'password-weak',
      path: '/account',
      cookie,
      posted: wrong({ new_password: 'passwordpassword' }, '/account/password'),
    },
    {
      name: 'passkey-new-wrong',
      path: '/account/passkeys/new',
      cookie,
      posted: wrong({ name: 'X' }),
    },
    {
      name: 'passkey-create',
      path: '/account/passkeys/new',
      cookie,
      posted: { status: 200, fields: proof(person, { name: 'Telephone of the office' }) },
    },
    {
      name: 'generator-wrong',
      path: '/account/generator',
      cookie,
      posted: wrong({ new_code: '1' }),
    },
    { name: 'generator-remove-wrong', path: '/account/generator/remove', cookie, posted: wrong() },
    { name: 'recovery-codes-wrong', path: '/account/recovery_codes', cookie, posted: wrong() },
    {
      name: 'challenge-code-wrong',
      path: first,
      cookie,
      posted: { status: 422, fields: () => ({ decision: 'approve', code: '000000' }) },
    },
    {
      name: 'challenge-approved',
      path: second,
      cookie,
      posted: { status: 303, fields: () => ({ decision: 'approve', code: code() }) },
    },
    {
      name: 'recovery-codes-new',
      path: '/account/recovery_codes',
      cookie: later,
      posted: { status: 200, fields: proof(person) },
    },
  ])
})

test('the pages that answer a form of consent, and of an operator', async (t) => {
  const { api, person, cookie } = await open()
  const browser = await openBrowser(t)
  const { tenantId } = api.tenant
  const { path, cookies } = await cookiesOfConsent(api)
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values (${'user_two' + person.id.slice(-8)}, ${api.other.tenantId}, ${person.identityId}, 'owner', 0)`
  await api.sql`update tenants set kyb_status = 'pending' where id = ${tenantId}`
  const application = {
    ...{ legal_name: 'Acme GmbH', registration_number: 'HRB 1234', country: 'DE' },
    ...{ line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115' },
    ...{ address_country: 'DE', website: 'https://acme.example', description: 'Cards.' },
    ...{ program_name: 'Fleet', program_currency: 'EUR' },
  }
  const goingLive = '/d/' + tenantId + '/sandbox/going_live'
  api.clock.nowMs += 30_000
  const sent = await sendConfirmed(api, goingLive, { cookie, form: application, by: person })
  t.equal(sent.status, 303)
  // The confirmation gave the session another cookie.
  const later = await enter(api, person)
  const { cookie: working } = await openOperator(api)
  const review = '/operator/kyb/' + tenantId
  const reject = (reason: string, status: number) => ({
    ...{ action: review + '/reject', fields: () => ({ reason }), status },
  })
  const noTenant = { status: 422, fields: () => ({ decision: 'approve', tenant: '' }) }
  await checkLooks(t, { browser, api }, [
    { name: 'consent-wrong', path, cookie: later, more: cookies, posted: noTenant },
    { name: 'operator-no-reason', path: review, cookie: working, posted: reject('', 422) },
    {
      name: 'operator-rejects',
      path: review,
      cookie: working,
      posted: reject('The register shows another name and another address.', 200),
    },
  ])
})
