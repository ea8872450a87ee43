// Invitations: a key asks, a person approves and is the inviter, the invited address accepts once.
// The numbers are rows of the table of bad input.
import { hash } from 'node:crypto'
import { test } from 'tap'
import { passwordHash } from '../../../api/access/identities/index.ts'
import { accept, invite } from '../../../api/access/invitations/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import { newId } from '../../../shared/id.ts'
import { seal } from '../../../shared/keyring.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import {
  type Answer,
  MASTER_KEYS,
  PUBLIC_URL,
  startTestApi,
  type TestApi,
} from '../../harness/api.ts'
import { linkIn, openReceiver, sendMails } from '../../harness/mail.ts'
import { type Person, seedPerson } from '../../harness/person.ts'

const DAY_MS = 24 * 3_600_000
const OWN_SITE = { 'sec-fetch-site': 'same-origin' }

async function open(role: PersonRole = 'owner') {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  return { api, inviter: await seedPerson(api.sql, api.tenant.tenantId, role) }
}

/** Makes a call that this person approves on the challenge's page. */
async function approved(
  api: TestApi,
  person: Person,
  [method, path, body]: [string, string, object],
): Promise<Answer> {
  const key = api.tenant.keys.admin
  const asked = await api.call(method, path, { key, body })
  if (asked.body?.error?.code !== 'factor_required') return asked
  const { challenge_url: url, challenge } = asked.body.error
  const { email, password } = person
  const form = { decision: 'approve', email, password, code: person.codeAt(api.clock.nowMs) }
  const decided = await fetch(api.url + new URL(url).pathname, {
    method: 'POST',
    headers: OWN_SITE,
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  if (decided.status !== 303) throw new Error('the approval answered ' + decided.status)
  // The next code belongs to the next step.
  api.clock.nowMs += 30_000
  await api.sql`delete from sign_in_tries`
  const { token } = (await api.call('GET', '/v1/factor_challenges/' + challenge.id, { key })).body
  return api.call(method, path, { key, body, headers: { 'svc-factor': token } })
}

function invited(api: TestApi, person: Person, email: string, role: PersonRole = 'developer') {
  return approved(api, person, ['POST', '/v1/invitations', { email, role }])
}

/** The token of the newest mail to an address. */
async function tokenFor(
  t: { teardown(task: () => unknown): unknown },
  api: TestApi,
  email: string,
): Promise<string> {
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  const mail = peer.mails.findLast(({ recipients }) => recipients.includes(email))
  if (mail === undefined) throw new Error('no mail to ' + email)
  return linkIn(mail).slice((PUBLIC_URL + '/invitations/').length)
}

async function join(api: TestApi, token: string, by: object, now = api.clock.nowMs) {
  const call = { tokenHash: hash('sha256', token, 'buffer'), requestId: 'req', address: null, now }
  const world = { seal: (context: string, text: string) => seal(MASTER_KEYS, context, text) }
  return tx(api.sql, (sql) => accept(sql, world, { ...call, by: by as { identityId: string } }))
}

async function stranger(api: TestApi): Promise<object> {
  const newIdentityId = newId('idn', api.clock.nowMs)
  return { newIdentityId, name: 'Grace', passwordHash: await passwordHash('correct horse') }
}

function list(api: TestApi, query = ''): Promise<Answer> {
  return api.call('GET', '/v1/invitations' + query, { key: api.tenant.keys.admin })
}

test('an owner invites an address, whose holder joins with a new identity', async (t) => {
  const { api, inviter } = await open()
  const body = { email: 'Grace@Invited.example', role: 'developer' }
  const bare = await api.call('POST', '/v1/invitations', { key: api.tenant.keys.admin, body })
  t.match(bare, { status: 403, body: { error: { code: 'factor_required' } } })
  const made = await invited(api, inviter, 'Grace@Invited.example')
  t.equal(made.status, 201, made.text)
  t.match(made.body, {
    object: 'invitation',
    email: 'grace@invited.example',
    role: 'developer',
    status: 'pending',
    invited_by: inviter.id,
    url: null,
  })
  const token = await tokenFor(t, api, 'grace@invited.example')
  t.match(token, /^[\w-]{43}$/)
  const [row] = await api.sql`select token_hash from invitations where id = ${made.body.id}`
  t.equal(row?.['token_hash'].toString('hex'), hash('sha256', token))
  t.notMatch((await list(api)).text, token)

  const joined = await join(api, token, await stranger(api))
  t.match(joined, { outcome: 'joined', tenantId: api.tenant.tenantId })
  const people = await api.call('GET', '/v1/people', { key: api.tenant.keys.admin })
  t.match(people.body.data[0], { email: 'grace@invited.example', role: 'developer' })
  const [identity] =
    await api.sql`select verified_at from identities where email = 'grace@invited.example'`
  t.equal(identity?.['verified_at'], api.clock.nowMs, 'the link proves the address')
  t.match((await list(api, '?status=accepted')).body.data, [{ id: made.body.id }])
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  t.match(peer.mails, [{ subject: /Grace joined /, recipients: [inviter.email] }])
  const { body: log } = await api.call('GET', '/v1/audit_log', { key: api.tenant.keys.admin })
  t.match(log.data[0], { action: 'POST /v1/invitations', approved_by: inviter.id })
  const [last] = await api.sql`
    select actor_type, action, resource_id from audit_log
    where tenant_id = ${api.tenant.tenantId} and environment = 'live' order by seq desc limit 1`
  t.match(last, {
    actor_type: 'person',
    action: 'POST /invitations/:token',
    resource_id: made.body.id,
  })
})

test('25: a link works once, also for two at once, and not after seven days', async (t) => {
  const { api, inviter } = await open()
  const made = await invited(api, inviter, 'once@invited.example')
  const token = await tokenFor(t, api, 'once@invited.example')
  const at = api.clock.nowMs + 7 * DAY_MS
  t.same(await join(api, token, await stranger(api), at), { outcome: 'gone' })
  const both = await Promise.all([
    join(api, token, await stranger(api)),
    join(api, token, await stranger(api)),
  ])
  t.same(both.map(({ outcome }) => outcome).toSorted(), ['gone', 'joined'])
  t.same(await join(api, token, await stranger(api)), { outcome: 'gone' })
  t.equal((await list(api, '?status=expired')).body.data.length, 0)
  t.match(
    await approved(api, inviter, ['POST', '/v1/invitations/' + made.body.id + '/resend', {}]),
    {
      status: 409,
      body: { error: { code: 'invalid_state', current_status: 'accepted' } },
    },
  )
})

test('25: another address cannot accept, and a known address signs in first', async (t) => {
  const { api, inviter } = await open()
  const eve = await seedPerson(api.sql, api.other.tenantId, 'owner')
  const ada = await seedPerson(api.sql, api.other.tenantId, 'owner')
  await invited(api, inviter, ada.email)
  const token = await tokenFor(t, api, ada.email)
  t.same(await join(api, token, { identityId: eve.identityId }), { outcome: 'other_address' })
  t.same(await join(api, token, await stranger(api)), { outcome: 'known' })
  t.match(await join(api, token, { identityId: ada.identityId }), { outcome: 'joined' })
  t.match(await invited(api, inviter, ada.email), {
    status: 409,
    body: { error: { code: 'already_exists', param: 'email' } },
  })
})

test('25: nobody invites above their own role, nor before their address is confirmed', async (t) => {
  const { api, inviter: admin } = await open('admin')
  t.match(await invited(api, admin, 'boss@invited.example', 'owner'), {
    status: 403,
    body: { error: { code: 'role_not_allowed', param: 'role' } },
  })
  t.equal((await invited(api, admin, 'peer@invited.example', 'admin')).status, 201)
  const developer = await seedPerson(api.sql, api.tenant.tenantId, 'developer')
  t.match(await invited(api, developer, 'other@invited.example', 'support'), {
    status: 403,
    body: { error: { code: 'role_not_allowed' } },
  })
  await api.sql`update identities set verified_at = null where id = ${admin.identityId}`
  t.match(await invited(api, admin, 'third@invited.example', 'support'), {
    status: 403,
    body: { error: { code: 'address_not_verified' } },
  })
  t.equal((await list(api)).body.data.length, 1)
})

test('25: a withdrawn invitation opens nothing, nor one whose inviter lost the role', async (t) => {
  const { api, inviter } = await open()
  const made = await invited(api, inviter, 'gone@invited.example')
  const token = await tokenFor(t, api, 'gone@invited.example')
  const path = '/v1/invitations/' + made.body.id
  const foreign = { key: api.other.keys.admin, body: {} }
  t.equal((await api.call('POST', path + '/revoke', foreign)).body.error.code, 'factor_required')
  const revoked = await approved(api, inviter, ['POST', path + '/revoke', {}])
  t.match(revoked, { status: 200, body: { status: 'revoked' } })
  t.same(await join(api, token, await stranger(api)), { outcome: 'gone' })

  for (const change of ['disabled', 'demoted'] as const) {
    const lost = await seedPerson(api.sql, api.tenant.tenantId, 'owner')
    const email = change + '@invited.example'
    await invited(api, lost, email)
    const late = await tokenFor(t, api, email)
    if (change === 'disabled')
      await api.sql`update users set state = 'disabled' where id = ${lost.id}`
    else await api.sql`update users set role = 'analyst' where id = ${lost.id}`
    t.same(await join(api, late, await stranger(api)), { outcome: 'gone' }, change)
  }
})

test('sent again, the link of before ends; one open invitation for an address', async (t) => {
  const { api, inviter } = await open()
  const made = await invited(api, inviter, 'again@invited.example')
  const first = await tokenFor(t, api, 'again@invited.example')
  t.match(await invited(api, inviter, 'again@invited.example'), {
    status: 409,
    body: { error: { code: 'already_exists', param: 'email' } },
  })
  api.clock.nowMs += 8 * DAY_MS
  t.match((await list(api, '?status=expired')).body.data, [{ id: made.body.id }])
  const path = '/v1/invitations/' + made.body.id + '/resend'
  const sent = await approved(api, inviter, ['POST', path, {}])
  t.match(sent, { status: 200, body: { status: 'pending', id: made.body.id } }, sent.text)
  const second = await tokenFor(t, api, 'again@invited.example')
  t.same(await join(api, first, await stranger(api)), { outcome: 'gone' })
  t.match(await join(api, second, await stranger(api)), { outcome: 'joined' })
})

test('only admins see invitations, and only those of their tenant', async (t) => {
  const { api, inviter } = await open()
  await invited(api, inviter, 'seen@invited.example')
  const other = await api.call('GET', '/v1/invitations', { key: api.other.keys.admin })
  t.same(other.body.data, [])
  const { keys } = api.tenant
  t.equal((await api.call('GET', '/v1/invitations', { key: keys.write })).status, 403)
  for (const body of [{}, { email: 'x' }, { email: 'a@b.c', role: 'king' }])
    t.equal((await api.call('POST', '/v1/invitations', { key: keys.admin, body })).status, 400)
})

test('where no mail is sent, the inviting person gets the link, and no mail is written', async (t) => {
  const { api, inviter } = await open()
  const now = api.clock.nowMs
  const world = {
    seal: (context: string, text: string) => seal(MASTER_KEYS, context, text),
    newId: (prefix: string) => newId(prefix, now),
    ...{ now, pagesUrl: PUBLIC_URL, sendsMail: false },
  }
  const { tenantId } = api.tenant
  const by = { tenantId, inviterId: inviter.id, email: 'linked@invited.example' }
  const made = await tx(api.sql, (sql) => invite(sql, world, { ...by, role: 'support' }))
  const token = made.url?.slice((PUBLIC_URL + '/invitations/').length) ?? ''
  t.match(token, /^[\w-]{43}$/)
  t.equal((await api.sql`select 1 from mails`).length, 0)
  t.match(await join(api, token, await stranger(api)), { outcome: 'joined' })
})
