// Changes that people make of how they sign in: a passkey signs exactly the form, its evidence is
// kept, the session is renewed, and a form that is sent twice acts once. The numbers are rows of
// the table of bad input.
import { Secret, TOTP } from 'otpauth'
import { test } from 'tap'
import { verifyLog } from '../../../api/platform/audit/index.ts'
import { createPasskey, type Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { PUBLIC_URL, startTestApi, type TestApi } from '../../harness/api.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { addPasskey, ceremonyOn } from '../../harness/member-passkeys.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { claim, cookieOf, enter, isSignedIn, visit } from '../../harness/visit.ts'

const NEW_PASSWORD = 'another long secret'

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  return { api, person, cookie: await enter(api, person) }
}

async function openWithPasskey() {
  const { api, person, cookie: first } = await open()
  const { passkey, cookie } = await addPasskey(api, person, first)
  return { api, person, passkey, cookie }
}

/** The hidden fields of a page's first form that proves the person, and the passkey's answer. */
async function signedForm(answer: Response, passkey: Passkey) {
  const { text, challenge, ceremony } = await ceremonyOn(answer)
  const field = (name: string) =>
    new RegExp('name="' + name + '" value="([^"]*)"').exec(text)?.[1] ?? ''
  const form = { form_id: field('form_id'), chosen: field('chosen'), name: field('name') }
  return { ...form, ...passkey.assert(challenge), ceremony }
}

function rowsOf({ sql, tenant }: TestApi, person: Person) {
  return sql<{ action: string; evidence: { fingerprint: string } | null }[]>`
    select l.action, l.approved_by, e.evidence from audit_log l
    left join factor_evidence e on e.audit_id = l.id
    where l.tenant_id = ${tenant.tenantId} and l.environment = 'live' and l.actor_id = ${person.id}
    order by l.seq desc`
}

function verified({ sql, tenant }: TestApi) {
  const owner = { tenantId: tenant.tenantId, environment: 'live' as const }
  return verifyLog(sql, owner, { from: 1, rowsMax: Number.MAX_SAFE_INTEGER })
}

test('15: a passkey signs exactly the new password, and its evidence is verified', async (t) => {
  const { api, person, passkey, cookie } = await openWithPasskey()
  const choose = (new_password: string) =>
    visit(api, '/account/password', { cookie, form: { new_password, by: 'passkey' } })
  t.match(await (await choose('short')).text(), 'A password has at least 12 characters')
  const mine = await signedForm(await choose(NEW_PASSWORD), passkey)
  const other = await signedForm(await choose('a password of an attacker'), passkey)
  const change = (form: { [name: string]: string }) =>
    visit(api, '/account/password', { cookie, form })
  t.equal((await change({ ...mine, chosen: other.chosen })).status, 422, 'another password')
  const { chosen: _chosen, ...bare } = mine
  t.equal((await change({ ...bare, new_password: NEW_PASSWORD })).status, 422, 'typed beside it')
  await api.sql`delete from sign_in_tries`
  t.equal((await change(mine)).headers.get('location'), '/account?done=password')
  const [row] = await rowsOf(api, person)
  t.match(row, { action: 'POST /account/password', approved_by: person.id })
  t.equal(row?.evidence?.fingerprint.length, 64)
  t.match(await verified(api), { valid: true, broken: null })
  await api.sql`delete from sign_in_tries`
  api.clock.nowMs += 30_000
  const form = claim(api, person, { password: NEW_PASSWORD })
  t.equal((await visit(api, '/sign-in', { form })).status, 303)
  await api.sql`alter table factor_evidence disable trigger user`
  t.teardown(() => api.sql`alter table factor_evidence enable trigger user`)
  await api.sql`
    delete from factor_evidence where audit_id = (
      select id from audit_log where actor_id = ${person.id} and action = 'POST /account/password'
    )`
  t.match(await verified(api), { valid: false, broken: { problem: 'its evidence is missing' } })
})

test('15: each change of the account by a passkey keeps its evidence', async (t) => {
  const { api, person, passkey, cookie: first } = await openWithPasskey()
  let cookie = first
  const follow = (answer: Response): Response => {
    cookie = cookieOf(answer) || cookie
    return answer
  }
  const change = async (path: string, more: { [name: string]: string } = {}) => {
    await api.sql`delete from sign_in_tries`
    const form = await signedForm(await visit(api, path, { cookie }), passkey)
    return follow(await visit(api, path, { cookie, form: { ...form, ...more } }))
  }
  t.match(await (await change('/account/recovery_codes')).text(), 'Keep your recovery codes')

  const page = await visit(api, '/account/generator', { cookie })
  const text = await page.clone().text()
  const secret = /<dd><code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1]?.replaceAll(' ', '') ?? ''
  const offer = /name="offer" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const new_code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: api.clock.nowMs,
  })
  await api.sql`delete from sign_in_tries`
  const generator = { ...(await signedForm(page, passkey)), offer, new_code }
  const other = await visit(api, '/account/generator', { cookie })
  const foreign = /name="offer" value="([^"]*)"/.exec(await other.text())?.[1] ?? ''
  const swapped = { ...generator, offer: foreign }
  t.equal((await visit(api, '/account/generator', { cookie, form: swapped })).status, 422)
  const set = follow(await visit(api, '/account/generator', { cookie, form: generator }))
  t.match(await set.text(), 'Keep your recovery codes')

  const named = { name: 'Second', by: 'passkey' }
  const asked = await visit(api, '/account/passkeys/new', { cookie, form: named })
  const proof = await signedForm(asked, passkey)
  await api.sql`delete from sign_in_tries`
  const renamed = { ...proof, name: 'Third' }
  t.equal((await visit(api, '/account/passkeys/new', { cookie, form: renamed })).status, 422)
  const create = await ceremonyOn(
    await visit(api, '/account/passkeys/new', { cookie, form: proof }),
  )
  const made = createPasskey(PUBLIC_URL).register(create.challenge)
  const added = await visit(api, '/account/passkeys', {
    cookie,
    form: { ...made, ceremony: create.ceremony, name: 'Second' },
  })
  t.equal(follow(added).headers.get('location'), '/account?done=passkey')
  const [second] = await api.sql`
    select id from passkeys where identity_id = ${person.identityId} and name = 'Second'`
  const removal = '/account/passkeys/' + second?.['id'] + '/remove'
  t.equal((await change(removal)).headers.get('location'), '/account?done=passkey_removed')
  t.equal(
    (await change('/account/generator/remove')).headers.get('location'),
    '/account?done=generator_removed',
  )
  const all = await rowsOf(api, person)
  const rows = all.filter(({ action }) => action.startsWith('POST /account')).slice(0, 5)
  t.same(
    rows.map(({ action }) => action),
    [
      'POST /account/generator/remove',
      'POST /account/passkeys/:id/remove',
      'POST /account/passkeys',
      'POST /account/generator',
      'POST /account/recovery_codes',
    ],
  )
  t.ok(
    rows.every(({ evidence }) => evidence?.fingerprint.length === 64),
    'each has its evidence',
  )
  t.equal(new Set(rows.map(({ evidence }) => evidence?.fingerprint)).size, 5)
  t.match(await verified(api), { valid: true, broken: null })
})

async function factorsOf({ sql }: TestApi, { identityId }: Person) {
  const rows = await sql`
    select factor, stands_for is null as own from sessions where identity_id = ${identityId}
    order by own desc`
  return rows.map(({ factor, own }) => [factor, own])
}

test('16: a factor renews the session: another id at once, the one of before for seconds', async (t) => {
  const { api, person } = await open()
  await api.sql`update identities set totp_sealed = null where id = ${person.identityId}`
  const cookie = await enter(api, person, { code: '' })
  await api.sql`delete from sessions where identity_id = ${person.identityId} and factor <> 'password'`
  t.same(await factorsOf(api, person), [['password', true]])
  const page = await (await visit(api, '/account/generator', { cookie })).text()
  const secret = /<dd><code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]?.replaceAll(' ', '') ?? ''
  const offer = /name="offer" value="([^"]*)"/.exec(page)?.[1] ?? ''
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const set = await visit(api, '/account/generator', {
    cookie,
    form: {
      password: person.password,
      offer,
      new_code: totp.generate({ timestamp: api.clock.nowMs }),
    },
  })
  t.equal(set.status, 200)
  const renewed = cookieOf(set)
  t.match(renewed, /^svc=[\w-]{43}$/)
  t.not(renewed, cookie)
  t.same(await factorsOf(api, person), [
    ['totp', true],
    ['password', false],
  ])
  const text = await (await visit(api, '/account', { cookie: renewed })).text()
  t.match(text, 'password and code')
  t.notMatch(text, 'password only', 'the cookie of before is no session of its own')
  t.ok(await isSignedIn(api, cookie), 'a request under way still comes through')
  api.clock.nowMs += 10_000
  t.notOk(await isSignedIn(api, cookie))
  t.ok(await isSignedIn(api, renewed))

  // Approving a call in the dashboard is a factor too.
  api.clock.nowMs += 30_000
  const by = { ...person, codeAt: (now: number) => totp.generate({ timestamp: now }) }
  const root = '/d/' + api.tenant.tenantId + '/sandbox'
  const form = { email: 'renewed@invited.example', role: 'analyst' }
  const sent = await sendConfirmed(api, root + '/invitations/new', { cookie: renewed, form, by })
  t.equal(sent.status, 200)
  const third = cookieOf(sent)
  t.not(third, '')
  t.notOk(await isSignedIn(api, renewed))
  t.ok(await isSignedIn(api, third))
  await visit(api, '/sign-out', { cookie: third, form: {} })
  t.same(await factorsOf(api, person), [], 'nothing of it is left')
})

test('16: a person who added a passkey is signed in with it, and works as an operator', async (t) => {
  const { api, person, cookie } = await openWithPasskey()
  await api.sql`
    insert into operators (id, name, hash, last4, created_at, identity_id)
    values ('op_renewed', 'Renewed', ${Buffer.from(person.id)}, '0000', 0, ${person.identityId})`
  t.equal((await visit(api, '/operator', { cookie })).status, 200)
})

test('a form of the account that is sent twice acts once, with one answer', async (t) => {
  const { api, person, cookie } = await open()
  await api.sql`delete from mails`
  const page = await (await visit(api, '/account', { cookie })).text()
  const part = page.slice(page.indexOf('action="/account/password"'))
  const form_id = /name="form_id" value="([^"]*)"/.exec(part)?.[1] ?? ''
  const form = { ...claim(api, person), form_id, new_password: NEW_PASSWORD }
  const send = (change = {}) =>
    visit(api, '/account/password', { cookie, form: { ...form, ...change } })
  const answers = await Promise.all([send(), send()])
  answers.push(await send())
  t.same(
    answers.map(({ headers }) => headers.get('location')),
    Array(3).fill('/account?done=password'),
  )
  const rows = (await rowsOf(api, person)).filter(
    ({ action }) => action === 'POST /account/password',
  )
  t.equal(rows.length, 1)
  t.equal((await api.sql`select 1 from mails`).length, 1)
  const another = await send({ new_password: 'yet another secret' })
  t.equal(another.status, 422, 'the same form with another content is another form')
  await api.sql`delete from sign_in_tries`
  const codes = await visit(api, '/account/recovery_codes', { cookie })
  const id = /name="form_id" value="([^"]*)"/.exec(await codes.text())?.[1] ?? ''
  const renew = () =>
    visit(api, '/account/recovery_codes', {
      cookie,
      form: { ...claim(api, person, { password: NEW_PASSWORD }), form_id: id },
    })
  api.clock.nowMs += 5_000
  // Each repeat under the cookie of before renews once more: the last answer goes on.
  const next = cookieOf(answers.at(-1) as Response)
  t.ok(await isSignedIn(api, next))
  api.clock.nowMs += 25_000
  const again = () =>
    visit(api, '/account/recovery_codes', {
      cookie: next,
      form: { ...claim(api, person, { password: NEW_PASSWORD }), form_id: id },
    })
  t.equal((await renew()).status, 303, 'the cookie of before is over')
  t.match(await (await again()).text(), 'Keep your recovery codes')
  const repeat = await again()
  t.equal(repeat.headers.get('location'), '/account?done=codes')
  t.notMatch(await repeat.text(), /[\w]{4}-[\w]{4}/, 'codes are shown once')
})
