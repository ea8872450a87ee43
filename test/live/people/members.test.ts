// Owners and admins change the people of their tenant, over the API and on the pages. The numbers
// are rows of the table of bad input.
import { test } from 'tap'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { askOn, sendConfirmed } from '../../harness/dashboard-form.ts'
import { openReceiver, sendMails } from '../../harness/mail.ts'
import { addPasskey } from '../../harness/member-passkeys.ts'
import { seedOperator } from '../../harness/operator.ts'
import { callApprovedBy, type Person, seedPerson } from '../../harness/person.ts'
import { enter, isSignedIn, visit } from '../../harness/visit.ts'

async function open(role: PersonRole = 'owner') {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId, role) }
}

/** A change of one person over the API, approved by another. */
function change(api: TestApi, by: Person, path: string, body?: { role: string }): Promise<Answer> {
  const method = body === undefined ? 'POST' : 'PATCH'
  const call = { key: api.tenant.keys.admin, ...(body !== undefined && { body }) }
  return callApprovedBy(api, by, { method, path: '/v1/people/' + path, call })
}

async function subjects(t: Parameters<typeof openReceiver>[0], api: TestApi): Promise<string[]> {
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  return peer.mails.map(({ recipients, text }) => recipients[0] + ' ' + text.split('\r\n\r\n')[2])
}

function refusal({ status, body }: Answer): [number, string] {
  return [status, body.error?.code]
}

test('an owner changes a role, disables, enables and removes; the person is told', async (t) => {
  const { api, person: owner } = await open()
  const { tenantId, keys } = api.tenant
  const other = await seedPerson(api.sql, tenantId, 'analyst')
  const listed = async () => (await api.call('GET', '/v1/people', { key: keys.admin })).body.data
  const raised = await change(api, owner, other.id, { role: 'admin' })
  t.match(raised, { status: 200, body: { id: other.id, role: 'admin' } }, raised.text)
  t.match(await listed(), [{ id: other.id, role: 'admin' }, { id: owner.id }])
  t.match((await change(api, owner, other.id + '/disable')).body, { status: 'disabled' })
  t.match((await change(api, owner, other.id + '/enable')).body, { status: 'active' })
  t.equal((await change(api, owner, other.id + '/remove')).status, 200)
  t.match(await listed(), [{ id: owner.id }])
  t.equal((await listed()).length, 1)
  const told = await subjects(t, api)
  t.same(
    told.map((line) => line.split(' ')[0]),
    Array(4).fill(other.email),
  )
  const log = await api.sql`
    select action, approved_by from audit_log where tenant_id = ${tenantId} and approved_by is not null
    order by seq`
  t.match(log, [
    { action: 'PATCH /v1/people/:id', approved_by: owner.id },
    { action: 'POST /v1/people/:id/disable' },
    { action: 'POST /v1/people/:id/enable' },
    { action: 'POST /v1/people/:id/remove' },
  ])
  // An invitation brings the person back under the id of before.
  const call = { key: keys.admin, body: { email: other.email, role: 'support' } }
  const invited = await callApprovedBy(api, owner, {
    method: 'POST',
    path: '/v1/invitations',
    call,
  })
  t.equal(invited.status, 201, invited.text)
})

test('25: nobody changes a person above their own role, or gives a role above it', async (t) => {
  const { api, person: admin } = await open('admin')
  const { tenantId } = api.tenant
  const owner = await seedPerson(api.sql, tenantId, 'owner')
  const analyst = await seedPerson(api.sql, tenantId, 'analyst')
  const stranger = await seedPerson(api.sql, api.other.tenantId, 'owner')
  const forbidden = [403, 'role_not_allowed']
  t.same(refusal(await change(api, admin, owner.id, { role: 'analyst' })), forbidden)
  for (const move of ['disable', 'remove', 'let_in'])
    t.same(refusal(await change(api, admin, owner.id + '/' + move)), forbidden, move)
  t.same(refusal(await change(api, admin, analyst.id, { role: 'owner' })), forbidden)
  t.same(
    refusal(await change(api, admin, admin.id, { role: 'owner' })),
    forbidden,
    'nor to oneself',
  )
  for (const id of [stranger.id, 'user_0000000000000000000000000a'])
    t.same(refusal(await change(api, owner, id, { role: 'analyst' })), [404, 'resource_missing'])
  const developer = await seedPerson(api.sql, tenantId, 'developer')
  t.equal(
    (await change(api, developer, analyst.id, { role: 'support' })).status,
    403,
    'an approval of a developer in the sandbox changes nobody',
  )
  t.equal(refusal(await change(api, admin, analyst.id, { role: 'king' }))[0], 400)
  const rows =
    await api.sql`select id, role, state from users where tenant_id = ${tenantId} order by id`
  t.same(
    rows.map(({ id, role, state }) => [id, role, state]).toSorted(),
    [
      [admin.id, 'admin', 'active'],
      [owner.id, 'owner', 'active'],
      [analyst.id, 'analyst', 'active'],
      [developer.id, 'developer', 'active'],
    ].toSorted(),
  )
})

test('the last owner is never demoted, disabled or removed', async (t) => {
  const { api, person: owner } = await open()
  const last = [409, 'last_owner']
  t.same(refusal(await change(api, owner, owner.id, { role: 'admin' })), last)
  t.same(refusal(await change(api, owner, owner.id + '/disable')), last)
  t.same(refusal(await change(api, owner, owner.id + '/remove')), last)
  const second = await seedPerson(api.sql, api.tenant.tenantId)
  await api.sql`update identities set state = 'disabled' where id = ${second.identityId}`
  t.same(
    refusal(await change(api, owner, owner.id, { role: 'admin' })),
    last,
    'a disabled one counts not',
  )
  await api.sql`update identities set state = 'active' where id = ${second.identityId}`
  t.equal((await change(api, owner, owner.id, { role: 'admin' })).status, 200)
})

test('24: of two owners who remove each other at once, one stays', async (t) => {
  const { api, person: first } = await open()
  for (const move of ['remove', 'disable'] as const) {
    const second = await seedPerson(api.sql, api.tenant.tenantId)
    const path = '/d/' + api.tenant.tenantId + '/sandbox/people/'
    const cookies = [await enter(api, first), await enter(api, second)]
    await api.sql`delete from sign_in_tries`
    const statuses = await Promise.all(
      [
        { cookie: cookies[0], by: first, of: second },
        { cookie: cookies[1], by: second, of: first },
      ].map(async ({ cookie = '', by, of }) => {
        return (await sendConfirmed(api, path + of.id + '/' + move, { cookie, by })).status
      }),
    )
    t.equal(statuses.filter((status) => status === 303).length, 1, statuses.join())
    const owners = await api.sql`
      select id from users where tenant_id = ${api.tenant.tenantId} and role = 'owner'
        and state = 'active'`
    t.equal(owners.length, 1, move)
    // The next round begins with the first owner again.
    await api.sql`
      update users set state = 'active', removed_at = null where id = ${first.id}`
    await api.sql`update users set state = 'disabled' where id = ${second.id}`
    api.clock.nowMs += 30_000
  }
})

test('another role acts on the next request, and a removed person sees nothing', async (t) => {
  const { api, person: owner } = await open()
  const other = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const cookie = await enter(api, other)
  const path = '/d/' + api.tenant.tenantId + '/sandbox/people'
  t.equal((await visit(api, path, { cookie })).status, 200)
  t.equal((await change(api, owner, other.id, { role: 'analyst' })).status, 200)
  t.equal((await visit(api, path, { cookie })).status, 403)
  t.equal((await change(api, owner, other.id + '/remove')).status, 200)
  t.ok(await isSignedIn(api, cookie), 'the person stays a person')
  t.match(await (await visit(api, '/account', { cookie })).text(), /No tenant\. Ask an owner/)
})

test('a member who lost every factor comes in again by a link of an owner', async (t) => {
  const { api, person: owner } = await open()
  const { tenantId } = api.tenant
  const lost = await seedPerson(api.sql, tenantId, 'admin')
  const cookie = await enter(api, lost)
  const sent = await change(api, owner, lost.id + '/let_in')
  t.match(sent, { status: 200, body: { id: lost.id, url: null } }, sent.text)
  const now = api.clock.nowMs
  t.equal(sent.body.expires_at, Math.floor(now / 1000) + 24 * 3600)
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now })
  const [mail] = peer.mails.filter(({ subject }) => subject.startsWith('Come in again'))
  t.same(mail?.recipients, [lost.email])
  const link = new URL(/https?:\/\/\S+\/regain\/\S+/.exec(mail?.text ?? '')?.[0] ?? 'x:').pathname
  t.ok(await isSignedIn(api, cookie), 'nothing changes before the link is used')
  const shown = await visit(api, link)
  t.match(await shown.text(), /Your passkeys, authenticator and recovery codes end/)
  t.equal((await visit(api, link, { form: { password: 'passwordpassword' } })).status, 422)
  const password = 'another long secret'
  t.equal((await visit(api, link, { form: { password } })).status, 200)
  t.notOk(await isSignedIn(api, cookie), 'every session ended')
  t.equal((await visit(api, link, { form: { password } })).status, 410, 'once')
  await api.sql`delete from sign_in_tries`
  const signed = await visit(api, '/sign-in', { form: { email: lost.email, password, code: '' } })
  t.equal(signed.status, 303)
  const codes = await api.sql`select 1 from recovery_codes where identity_id = ${lost.identityId}`
  t.equal(codes.length, 0)
  const log = await api.sql`
    select action from audit_log where tenant_id = ${tenantId} and actor_id = ${lost.id}
    order by seq desc limit 1`
  t.match(log, [{ action: 'POST /regain/:token' }])
})

test('nobody lets themselves in, or a person of another tenant; the link ends after a day', async (t) => {
  const { api, person: owner } = await open()
  const { tenantId } = api.tenant
  t.same(refusal(await change(api, owner, owner.id + '/let_in')), [403, 'role_not_allowed'])
  const shared = await seedPerson(api.sql, tenantId, 'analyst')
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values (${'user_elsewhere' + shared.id.slice(-8)}, ${api.other.tenantId}, ${shared.identityId}, 'owner', 0)`
  const refused = await change(api, owner, shared.id + '/let_in')
  t.same(refusal(refused), [403, 'role_not_allowed'])
  t.match(refused.body.error.message, /other tenants/)
  const operator = await seedPerson(api.sql, tenantId, 'analyst')
  await seedOperator(api.sql)
  await api.sql`
    update operators set identity_id = ${operator.identityId}
    where id = (select max(id) from operators where state = 'active')`
  const kept = await change(api, owner, operator.id + '/let_in')
  t.same(refusal(kept), [403, 'role_not_allowed'], 'no owner takes an operator over')
  t.match(kept.body.error.message, /operator/)
  const lost = await seedPerson(api.sql, tenantId, 'analyst')
  t.equal((await change(api, owner, lost.id + '/let_in')).status, 200)
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  const text = peer.mails.find(({ recipients }) => recipients[0] === lost.email)?.text ?? ''
  const link = new URL(/https?:\/\/\S+\/regain\/\S+/.exec(text)?.[0] ?? 'x:').pathname
  const work = (identityId: string) => api.sql`
    update operators set identity_id = ${identityId} where id = (select max(id) from operators)`
  await work(lost.identityId)
  const password = 'another long secret'
  t.equal((await visit(api, link, { form: { password } })).status, 410, 'an operator by now')
  await work(operator.identityId)
  t.equal((await visit(api, link)).status, 200)
  api.clock.nowMs += 24 * 3_600_000
  t.equal((await visit(api, link)).status, 410)
})

test('a passkey that removes one person removes no other', async (t) => {
  const { api, person: owner } = await open()
  const { tenantId } = api.tenant
  const { passkey, cookie } = await addPasskey(api, owner, await enter(api, owner))
  const [one, two] = [
    await seedPerson(api.sql, tenantId, 'analyst'),
    await seedPerson(api.sql, tenantId, 'analyst'),
  ]
  const pathOf = ({ id }: Person) => '/d/' + tenantId + '/sandbox/people/' + id + '/remove'
  const asked = await askOn(api, pathOf(one), { cookie, form: {} })
  const form = { ...asked.form, ...passkey.assert(asked.challenge) }
  const elsewhere = await askOn(api, pathOf(two), { cookie, form: {} })
  const { factor_handle = '' } = elsewhere.form
  const sent = await visit(api, pathOf(two), { cookie, form: { ...form, factor_handle } })
  t.equal(sent.status, 422, 'the passkey signed about somebody else')
  t.equal((await visit(api, pathOf(one), { cookie, form })).status, 303)
  const left = await api.sql`
    select id from users where tenant_id = ${tenantId} and removed_at is null order by id`
  t.same(
    left.map((row) => row['id']),
    [owner.id, two.id].toSorted(),
  )
})
