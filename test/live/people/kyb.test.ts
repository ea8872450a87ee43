// Going live: an owner applies, an operator decides, live opens at once; and the mails about it.
import { test } from 'tap'
import type { Answer, TestApi } from '../../harness/api.ts'
import { openInstallation, runOperator } from '../../harness/installation.ts'
import { type Mail, openReceiver, sendMails } from '../../harness/mail.ts'
import { callApprovedBy, type Person, seedPerson, seedSafeOwner } from '../../harness/person.ts'

const APPLICATION = {
  legal_name: 'Acme GmbH',
  registration_number: 'HRB 1234',
  country: 'DE',
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
  website: 'https://acme.example',
  description: 'Cards for the drivers of our vans.',
  program: { name: 'Fleet', currency: 'EUR' },
}

async function open(role: 'owner' | 'admin' | 'developer' = 'owner') {
  const api = await openInstallation()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  await api.sql`update tenants set kyb_status = 'pending' where id = ${api.tenant.tenantId}`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId, role) }
}

function apply(api: TestApi, person: Person, body: object = APPLICATION): Promise<Answer> {
  const call = { key: api.tenant.keys.admin, body }
  return callApprovedBy(api, person, { method: 'POST', path: '/v1/account/kyb', call })
}

async function newMails(t: Parameters<typeof openReceiver>[0], api: TestApi): Promise<Mail[]> {
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  return [...peer.mails]
}

test('only a person who confirmed the address applies', async (t) => {
  const { api, person } = await open()
  await api.sql`update identities set verified_at = null where id = ${person.identityId}`
  const refused = await apply(api, person)
  t.match(refused, { status: 403, body: { error: { code: 'address_not_verified' } } }, refused.text)
  t.match((await api.call('GET', '/v1/account', { key: api.tenant.keys.admin })).body, {
    kyb_status: 'pending',
  })
})

test('an owner applies; the approval opens live, activates the program and tells the owners', async (t) => {
  const { api, person } = await open()
  const { tenantId, keys } = api.tenant
  const path = '/tenants/' + tenantId
  const none = await api.call('GET', '/v1/account/kyb', { key: keys.admin })
  t.equal(none.status, 404)
  const live = { environment: 'live' }
  t.match((await api.operate('POST', path + '/api_keys', live)).body.error, {
    code: 'kyb_not_approved',
  })
  const made = await apply(api, person)
  t.match(made, { status: 201, body: { ...APPLICATION, status: 'submitted' } }, made.text)
  t.equal(made.body.submitted_by, person.id)
  const account = await api.call('GET', '/v1/account', { key: keys.admin })
  t.equal(account.body.kyb_status, 'submitted')
  t.match(await apply(api, person), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'submitted' } },
  })
  const waiting = await api.operate('GET', '/tenants?kyb_status=submitted')
  t.ok(waiting.body.data.some(({ id }: { id: string }) => id === tenantId))
  t.same((await api.operate('GET', path + '/kyb')).body, made.body)

  const approved = await api.operate('POST', path + '/kyb/approve', { reason: 'Papers checked' })
  t.match(approved, { status: 200, body: { kyb_status: 'approved' } }, approved.text)
  await seedSafeOwner(api.sql, tenantId)
  const key = (await api.operate('POST', path + '/api_keys', live)).body.secret
  const programs = await api.call('GET', '/v1/programs', { key })
  t.match(programs.body.data, [{ name: 'Fleet', currency: 'EUR', status: 'active' }])
  const events = await api.call('GET', '/v1/events?type=program.activated', { key })
  t.match(events.body.data, [{ data: { program: { id: programs.body.data[0].id } } }])
  const sandbox = await api.call('GET', '/v1/events?type=program.activated', { key: keys.admin })
  t.same(sandbox.body.data, [], 'the event belongs to live')
  const known = await api.call('GET', '/v1/account/kyb', { key })
  t.match(known.body, { status: 'approved', reason: 'Papers checked' })
  t.equal((await api.call('GET', '/v1/account', { key })).body.entitlements.realtime, false)
  t.match(await newMails(t, api), [{ subject: /may go live$/, recipients: [person.email] }])

  const again = await api.operate('POST', path + '/kyb/approve', {})
  t.equal(again.status, 200)
  t.equal((await api.call('GET', '/v1/programs', { key })).body.data.length, 1)
  t.equal((await newMails(t, api)).length, 0, 'a repeated decision tells nobody')
  const { body: log } = await api.call('GET', '/v1/audit_log', { key })
  t.ok(
    log.data.some(
      ({ action, actor }: { action: string; actor: { type: string } }) =>
        action === 'POST /operator/v1/tenants/:id/kyb/approve' && actor.type === 'operator',
    ),
  )
})

test('a rejection gives its reason by mail, opens nothing, and the tenant applies again', async (t) => {
  const { api, person } = await open()
  const path = '/tenants/' + api.tenant.tenantId
  await apply(api, person)
  t.equal((await api.operate('POST', path + '/kyb/reject', {})).status, 400, 'without a reason')
  const reason = 'The register shows another name. See https://evil.example'
  const refused = await api.operate('POST', path + '/kyb/reject', { reason })
  t.match(refused, { status: 200, body: { kyb_status: 'rejected', kyb_reason: reason } })
  const [mail] = await newMails(t, api)
  t.match(mail?.text, /The register shows another name/)
  t.notMatch(mail?.text, /https:/)
  t.equal((await api.operate('POST', path + '/api_keys', { environment: 'live' })).status, 403)
  const changed = { ...APPLICATION, legal_name: 'Acme Berlin GmbH' }
  t.match(await apply(api, person, changed), { status: 201, body: { reason: null } })
  const shown = await runOperator(
    { SVC_OPERATOR_KEY: api.operator, SVC_API_PORT: String(api.port) },
    ...['tenants', 'kyb', 'show', api.tenant.tenantId],
  )
  t.match(shown, { code: 0, out: /Acme Berlin GmbH/ }, shown.problem)
})

test('22: a developer’s approval, and wrong details, submit nothing', async (t) => {
  const { api, person: developer } = await open('developer')
  t.match(await apply(api, developer), {
    status: 403,
    body: { error: { code: 'role_not_allowed' } },
  })
  const owner = await seedPerson(api.sql, api.tenant.tenantId, 'owner')
  const bad: [object, string][] = [
    [{ ...APPLICATION, country: 'XX' }, 'country'],
    [{ ...APPLICATION, address: { ...APPLICATION.address, country: 'XX' } }, 'address.country'],
    [{ ...APPLICATION, website: 'http://acme.example' }, 'website'],
    [{ ...APPLICATION, website: 'javascript:alert(1)' }, 'website'],
    [{ ...APPLICATION, program: { name: 'Fleet', currency: 'ZZZ' } }, 'program.currency'],
    [{ ...APPLICATION, legal_name: 'a\nb' }, 'legal_name'],
    [{ ...APPLICATION, extra: 1 }, 'extra'],
  ]
  for (const [body, param] of bad)
    t.match(await apply(api, owner, body), { status: 400, body: { error: { param } } }, param)
  const { keys } = api.tenant
  t.equal((await api.call('GET', '/v1/account', { key: keys.admin })).body.kyb_status, 'pending')
  t.equal((await api.call('GET', '/v1/account/kyb', { key: keys.write })).status, 403)
  const secret = { key: api.operator, body: APPLICATION }
  t.equal((await api.call('POST', '/v1/account/kyb', secret)).status, 401)
})

test('a person whom an operator adds is told to the owners of before', async (t) => {
  const { api, person: owner } = await open()
  await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const path = '/tenants/' + api.tenant.tenantId + '/people'
  const added = { email: 'eve@acme.example', name: 'Eve. See https://evil.example', role: 'admin' }
  t.equal((await api.operate('POST', path, added)).status, 201)
  const mails = await newMails(t, api)
  t.equal(mails.length, 1)
  t.match(mails[0], { recipients: [owner.email], subject: /^An operator added Eve/ })
  t.match(mails[0]?.text, /another person: Eve.*, admin\./)
  t.notMatch(mails[0]?.text, /https:/)
  t.equal((await api.operate('POST', path, added)).status, 409)
  t.equal((await newMails(t, api)).length, 0, 'nobody was added')
})

test('an operator’s change of a person is told to the person, at the address of before too', async (t) => {
  const { api, person } = await open('admin')
  const path = '/people/' + person.id
  await api.operate('POST', path + '/reset_factor', {})
  await api.operate('PATCH', path, { email: 'moved.' + person.email })
  await api.operate('POST', path + '/disable', {})
  await api.operate('POST', path + '/disable', {})
  const mails = await newMails(t, api)
  const told = mails.map(({ recipients, text }) => recipients[0] + ' ' + text.split('\r\n\r\n')[1])
  const [before, after] = [person.email, 'moved.' + person.email]
  t.same(
    told.toSorted(),
    [
      after + ' The name or the address of your account was changed.',
      after + ' Your membership was disabled: you approve no more calls.',
      before + ' An operator replaced your authenticator and your recovery codes.',
      before + ' The name or the address of your account was changed.',
    ].toSorted(),
  )
})
