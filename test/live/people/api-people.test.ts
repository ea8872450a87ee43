// People of a tenant: operators create, change and disable them and reset their second factor; the
// tenant sees them.
import { Secret, TOTP } from 'otpauth'
import { test } from 'tap'
import { signIn } from '../../../api/access/identities/index.ts'
import { unseal } from '../../../shared/keyring.ts'
import { type Answer, MASTER_KEYS, reachable, type TestApi } from '../../harness/api.ts'
import {
  type Installation,
  openInstallation as openAny,
  runOperator,
} from '../../harness/installation.ts'
import { seedPerson } from '../../harness/person.ts'

type Body = Answer['body']

/** Tenants of earlier tests give their addresses up. */
async function openInstallation(): Promise<Installation> {
  const api = await openAny()
  await api.sql`update identities set email = id || '@earlier.example'`
  return api
}

async function addPerson(api: Installation, email: string, role = 'owner'): Promise<Body> {
  const path = '/tenants/' + api.tenant.tenantId + '/people'
  return (await api.operate('POST', path, { email, name: email.split('@')[0], role })).body
}

interface Proof {
  email: string
  password: string
  /** A base32 secret, whose present code is used, or a recovery code. */
  totp?: string
  code?: string
}

/** True if a person of the tenant can sign in with these; uses nothing up. */
async function signsIn(api: TestApi, { email, password, totp, code }: Proof): Promise<boolean> {
  await api.sql`delete from sign_in_tries`
  const now = api.clock.nowMs
  const said =
    totp === undefined
      ? (code ?? '')
      : new TOTP({ secret: Secret.fromBase32(totp) }).generate({ timestamp: now })
  const open = (context: string, text: string) => unseal(MASTER_KEYS, context, text)
  const claim = { email, password, code: said, ip: '127.0.0.1', now }
  const signed = await signIn({ sql: api.sql, unseal: open }, claim)
  return typeof signed !== 'string'
}

const NEW_KEY = { role: 'secret', scope: 'read', name: 'Nightly export' }

function makeKey(api: TestApi, headers = {}): Promise<Answer> {
  return api.call('POST', '/v1/api_keys', { key: api.tenant.keys.admin, body: NEW_KEY, headers })
}

/** The page's status for the person who approves a call: 303 if it accepted the form. */
async function approve(api: TestApi, asked: Answer, form: object): Promise<number> {
  await api.sql`delete from sign_in_tries`
  const answer = await fetch(reachable(api, asked.body.error.challenge_url), {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ decision: 'approve', ...form }),
    redirect: 'manual',
  })
  return answer.status
}

test('an operator creates a person, who can sign in with the credentials shown once', async (t) => {
  const api = await openInstallation()
  const { tenantId } = api.tenant
  const path = '/tenants/' + tenantId + '/people'
  const made = await api.operate('POST', path, { email: 'Grace@Acme.example', name: 'Grace' })
  t.equal(made.status, 201, made.text)
  t.match(made.body, { object: 'person', email: 'grace@acme.example', role: 'owner' })
  t.equal(made.body.recovery_codes.length, 10)
  const { password, totp_secret: totp } = made.body
  const proof = { email: 'grace@acme.example', password, totp }
  t.ok(await signsIn(api, proof))
  t.notOk(await signsIn(api, { ...proof, password: 'another' }))
  t.match(await api.operate('POST', path, { email: 'grace@acme.example', name: 'G' }), {
    status: 409,
    body: { error: { code: 'already_exists', param: 'email' } },
  })
  const elsewhere = '/tenants/' + api.other.tenantId + '/people'
  const joined = await api.operate('POST', elsewhere, { email: 'grace@acme.example', name: 'G' })
  t.match(joined, {
    status: 201,
    body: { password: null, totp_secret: null, recovery_codes: [], tenant_id: api.other.tenantId },
  })
  t.ok(await signsIn(api, proof), 'one person of two tenants signs in as before')
  t.match(await api.operate('POST', path, { email: 'nobody', name: 'G' }), {
    status: 400,
    body: { error: { param: 'email' } },
  })
  t.equal(
    (await api.operate('POST', '/tenants/ten_none/people', { email: 'a@b.c', name: 'G' })).status,
    404,
  )
})

test('only operators and their own tenant can list people', async (t) => {
  const api = await openInstallation()
  const { tenantId, keys } = api.tenant
  const ada = await addPerson(api, 'ada@acme.example')
  const bob = await addPerson(api, 'bob@acme.example', 'analyst')
  await seedPerson(api.sql, api.other.tenantId)
  const path = '/tenants/' + tenantId + '/people'
  const { body } = await api.operate('GET', path)
  const { password: _p, totp_secret: _t, recovery_codes: _r, ...shown } = bob
  t.same(body.data[0], shown)
  t.same(
    body.data.map((person: Body) => [person.id, person.status, person.tenant_id]),
    [bob, ada].map(({ id }) => [id, 'active', tenantId]),
  )
  t.same((await api.operate('GET', '/people/' + bob.id)).body, shown)
  const own = await api.call('GET', '/v1/people', { key: keys.admin })
  t.equal(own.status, 200)
  t.same(
    own.body.data,
    body.data.map(({ tenant_id: _, ...person }: Body) => person),
  )
  const owners = await api.call('GET', '/v1/people?role=owner', { key: keys.admin })
  t.same(
    owners.body.data.map(({ id }: Body) => id),
    [ada.id],
  )
  const first = await api.operate('GET', path + '?limit=1')
  const second = await api.operate('GET', path + '?starting_after=' + first.body.next_cursor)
  t.same([first.body.data[0].id, second.body.data[0].id], [bob.id, ada.id])
  const narrow = await api.call('GET', '/v1/people', { key: keys.write })
  t.match(narrow.body.error, { code: 'insufficient_scope', required_scope: 'admin' })
  t.equal((await api.operate('GET', '/people/user_none')).status, 404)
  t.equal((await api.operate('GET', '/tenants/ten_none/people')).status, 404)
})

test('a person can be renamed, and signs in with a changed address', async (t) => {
  const api = await openInstallation()
  const ada = await addPerson(api, 'ada@acme.example')
  await addPerson(api, 'bob@acme.example')
  const change = (body: object): Promise<Answer> => api.operate('PATCH', '/people/' + ada.id, body)
  const changed = await change({ email: 'Countess@acme.example', name: 'Ada L.' })
  t.match(changed, { status: 200, body: { email: 'countess@acme.example', name: 'Ada L.' } })
  const proof = { password: ada.password, totp: ada.totp_secret }
  t.ok(await signsIn(api, { ...proof, email: 'countess@acme.example' }))
  t.notOk(await signsIn(api, { ...proof, email: 'ada@acme.example' }))
  t.match(await change({ email: 'bob@acme.example' }), {
    status: 409,
    body: { error: { code: 'already_exists', param: 'email' } },
  })
  t.equal((await change({})).status, 400)
  t.match(await change({ role: 'analyst' }), { status: 400, body: { error: { param: 'role' } } })
  const logged = await api.sql`
    select action, resource_id from audit_log
    where tenant_id = ${api.tenant.tenantId} and environment = 'live' order by seq desc limit 1`
  t.match([...logged], [{ action: 'PATCH /operator/v1/people/:id', resource_id: ada.id }])
})

test('a disabled person approves nothing, and earlier approvals are void', async (t) => {
  const api = await openInstallation()
  await addPerson(api, 'owner@acme.example')
  const person = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const form = () => {
    const { email, password } = person
    return { email, password, code: person.codeAt(api.clock.nowMs) }
  }
  const approved = await makeKey(api)
  t.equal(await approve(api, approved, form()), 303)
  const { id } = approved.body.error.challenge
  const status = await api.call('GET', '/v1/factor_challenges/' + id, {
    key: api.tenant.keys.admin,
  })
  const factor = { 'svc-factor': status.body.token }
  api.clock.nowMs += 30_000

  const disabled = await api.operate('POST', '/people/' + person.id + '/disable')
  t.match(disabled, { status: 200, body: { id: person.id, status: 'disabled' } })
  t.match(await makeKey(api, factor), {
    status: 403,
    body: { error: { code: 'factor_required' } },
  })
  const asked = await makeKey(api)
  t.equal(await approve(api, asked, form()), 422)
  const recovery = { ...form(), code: person.recoveryCodes[0] }
  t.equal(await approve(api, asked, recovery), 422)
  t.same((await api.operate('POST', '/people/' + person.id + '/disable')).body, disabled.body)

  const enabled = await api.operate('POST', '/people/' + person.id + '/enable')
  t.match(enabled, { status: 200, body: { status: 'active' } })
  t.equal(await approve(api, asked, form()), 303, 'with what they had')
  t.equal((await makeKey(api, factor)).status, 201)
})

test('a person disabled, or without the role, during the decision approves nothing', async (t) => {
  const api = await openInstallation()
  await addPerson(api, 'owner@acme.example')
  const person = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const asked = await makeKey(api)
  const [totp, recovery] = [person.codeAt(api.clock.nowMs), person.recoveryCodes[0]]
  const form = { email: person.email, password: person.password }
  for (const [code, lost] of [
    [totp, { state: 'disabled', role: 'admin' }],
    [recovery, { state: 'disabled', role: 'admin' }],
    [totp, { state: 'active', role: 'analyst' }],
  ] as const) {
    await api.sql`update users set state = 'active', role = 'admin' where id = ${person.id}`
    await api.sql`delete from sign_in_tries`
    let decided: Promise<number> | null = null
    await api.sql.begin(async (sql) => {
      const { state, role } = lost
      await sql`update users set state = ${state}, role = ${role} where id = ${person.id}`
      decided = approve(api, asked, { ...form, code })
      await waitsForLock(api)
    })
    t.equal(await decided, 422)
  }
})

test('an approval is void if its person is disabled while the call waits', async (t) => {
  const api = await openInstallation()
  await addPerson(api, 'owner@acme.example')
  const person = await seedPerson(api.sql, api.tenant.tenantId, 'admin')
  const asked = await makeKey(api)
  const { email, password } = person
  t.equal(await approve(api, asked, { email, password, code: person.codeAt(api.clock.nowMs) }), 303)
  const { id } = asked.body.error.challenge
  const path = '/v1/factor_challenges/' + id
  const { token } = (await api.call('GET', path, { key: api.tenant.keys.admin })).body
  let made: Promise<Answer> | null = null
  await api.sql.begin(async (sql) => {
    await sql`select from factor_challenges where id = ${id} for update`
    made = makeKey(api, { 'svc-factor': token })
    await waitsForLock(api)
    t.equal((await api.operate('POST', '/people/' + person.id + '/disable')).status, 200)
  })
  t.match(await made, { status: 403, body: { error: { code: 'factor_required' } } })
  await api.operate('POST', '/people/' + person.id + '/enable')
  t.equal((await makeKey(api, { 'svc-factor': token })).status, 201, 'it was not used up')
})

/** Resolves when a statement waits for the lock this test holds. */
async function waitsForLock({ sql }: TestApi): Promise<void> {
  for (;;) {
    const [waiting] = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting !== undefined) return
  }
}

test('the last active owner stays, also when two are disabled at once', async (t) => {
  const api = await openInstallation()
  const ada = await addPerson(api, 'ada@acme.example')
  const bob = await addPerson(api, 'bob@acme.example')
  await addPerson(api, 'eve@acme.example', 'admin')
  const disable = (id: string): Promise<Answer> => api.operate('POST', '/people/' + id + '/disable')
  const both = await Promise.all([disable(ada.id), disable(bob.id)])
  t.same(both.map(({ status }) => status).sort(), [200, 409])
  t.match(both.find(({ status }) => status === 409)?.body.error, { code: 'last_owner' })
  const left = both[0]?.status === 200 ? bob : ada
  t.match(await disable(left.id), { status: 409, body: { error: { code: 'last_owner' } } })
  t.equal((await disable('user_none')).status, 404)
})

test('a new second factor ends the previous one, and is shown once', async (t) => {
  const api = await openInstallation()
  const ada = await addPerson(api, 'ada@acme.example')
  const { email, password } = ada
  // The reset of an owner waits a day.
  await api.sql`update users set role = 'admin' where id = ${ada.id}`
  const reset = await api.operate('POST', '/people/' + ada.id + '/reset_factor')
  t.match(reset, {
    status: 200,
    body: { id: ada.id, totp_secret: /^[A-Z2-7]{32}$/, works_at: null },
  })
  const { totp_secret: totp, recovery_codes: codes } = reset.body
  t.equal(codes.length, 10)
  t.notOk(await signsIn(api, { email, password, totp: ada.totp_secret }))
  t.notOk(await approves(ada.recovery_codes[0]), 'nor a recovery code of before')
  t.ok(await signsIn(api, { email, password, totp }))
  t.ok(await approves(codes[0]))
  t.equal((await api.operate('POST', '/people/user_none/reset_factor')).status, 404)

  async function approves(code: string): Promise<boolean> {
    return (await approve(api, await makeKey(api), { email, password, code })) === 303
  }
})

test('the command line lists people, changes them, and ends their rights', async (t) => {
  const api = await openInstallation()
  const settings = {
    SVC_DATA_DIR: t.testdir(),
    SVC_API_PORT: String(api.port),
    SVC_OPERATOR_KEY: api.operator,
  }
  const people = (...words: string[]) => runOperator(settings, 'people', ...words)
  const ada = await addPerson(api, 'ada@acme.example')
  const bob = await addPerson(api, 'bob@acme.example')
  const [changed, reset] = await Promise.all([
    people('change', ada.id, '--name', 'Ada L.'),
    people('reset-factor', ada.id),
  ])
  t.match(changed.out, /^name +Ada L\.$/m)
  t.match(reset.out, /shown this once:\nTOTP {6}[A-Z2-7]{32}\nrecovery codes\n {10}[\w-]{19}\n/)
  const disabled = await people('disable', bob.id)
  t.match(disabled.out, /^status +disabled$/m)
  const [listed, last] = await Promise.all([
    people('list', api.tenant.tenantId, '--status', 'active'),
    people('disable', ada.id),
  ])
  t.match(
    listed.out,
    new RegExp('^' + ada.id + ' +ada@acme.example +Ada L\\. +owner +active ', 'm'),
  )
  t.match(last, { code: 1, problem: /^last_owner: / })
  t.match((await people('enable', bob.id)).out, /^status +active$/m)
})
