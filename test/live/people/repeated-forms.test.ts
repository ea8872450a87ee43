// A form that proves its person and is sent twice, by a double click, a reload or a lost answer: it
// acts once, its repeat is no replay, and the person stays signed in.
import { test } from 'tap'
import type { Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { reachable, startTestApi, type TestApi } from '../../harness/api.ts'
import { askOn } from '../../harness/dashboard-form.ts'
import { addPasskey, ceremonyOn } from '../../harness/member-passkeys.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { claim, cookieOf, enter, isSignedIn, visit } from '../../harness/visit.ts'

const GRACE_MS = 10_000

type Form = { [name: string]: string }

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const { passkey, cookie } = await addPasskey(api, person, await enter(api, person))
  return { api, person, passkey, cookie }
}

/** The hidden fields of a page's form that proves the person, and the passkey's answer. */
async function signedForm(answer: Response, passkey: Passkey): Promise<Form> {
  const { text, challenge, ceremony } = await ceremonyOn(answer)
  const field = (name: string) =>
    new RegExp('name="' + name + '" value="([^"]*)"').exec(text)?.[1] ?? ''
  const form = { form_id: field('form_id'), chosen: field('chosen'), name: field('name') }
  return { ...form, ...passkey.assert(challenge), ceremony }
}

async function replaysOf({ sql, tenant }: TestApi): Promise<number> {
  const rows = await sql`
    select 1 from audit_log where tenant_id = ${tenant.tenantId} and action = 'passkey replayed'`
  return rows.length
}

async function formIdOf(api: TestApi, path: string, cookie: string): Promise<string> {
  const text = await (await visit(api, path, { cookie })).text()
  return /name="form_id" value="([^"]*)"/.exec(text)?.[1] ?? ''
}

/** Sends the form under one cookie twice; returns the cookie of each answer. */
async function sendTwice(
  api: TestApi,
  path: string,
  { cookie, form }: { cookie: string; form: Form },
) {
  const first = await visit(api, path, { cookie, form })
  const second = await visit(api, path, { cookie, form })
  return { first, second, cookies: [cookieOf(first), cookieOf(second)] as const }
}

type Prove = (
  path: string,
  opened: { api: TestApi; person: Person; passkey: Passkey; cookie: string },
) => Promise<Form>

const PROOFS: [string, Prove][] = [
  [
    'a passkey',
    async (path, { api, passkey, cookie }) =>
      signedForm(await visit(api, path, { cookie }), passkey),
  ],
  [
    'a code',
    async (path, { api, person, cookie }) => ({
      ...claim(api, person),
      form_id: await formIdOf(api, path, cookie),
    }),
  ],
]

for (const [name, prove] of PROOFS)
  test(
    '16: the second click on a change of the account keeps its person signed in, by ' + name,
    async (t) => {
      const opened = await open()
      const { api, person, cookie } = opened
      const path = '/account/recovery_codes'
      const form = await prove(path, opened)
      const { first, second, cookies } = await sendTwice(api, path, { cookie, form })
      t.match(await first.text(), 'Keep your recovery codes')
      t.equal(second.headers.get('location'), '/account?done=codes')
      t.match(cookies[1], /^svc=[\w-]{43}$/)
      t.not(cookies[1], cookies[0])
      api.clock.nowMs += GRACE_MS
      t.ok(await isSignedIn(api, cookies[1]), 'the cookie of the last answer goes on')
      t.notOk(await isSignedIn(api, cookies[0]), 'the one of the first stood for it for seconds')
      t.notOk(await isSignedIn(api, cookie))
      for (let reloads = 0; reloads < 6; reloads++) {
        const again = await visit(api, path, { cookie: cookies[1], form })
        t.equal(again.headers.get('location'), '/account?done=codes')
        t.equal(cookieOf(again), '', 'a cookie of its own is renewed by no repeat')
      }
      t.equal(await replaysOf(api), 0)
      const rows = await api.sql`
      select 1 from audit_log
      where actor_id = ${person.id} and action = 'POST /account/recovery_codes'`
      t.equal(rows.length, 1)
      const other = await visit(api, path, { cookie, form })
      t.equal(other.status, 303)
      t.equal(cookieOf(other), '', 'after its time the cookie of before is worth nothing')
    },
  )

test('14: an answer of a passkey in another form is a replay', async (t) => {
  const { api, passkey, cookie } = await open()
  const path = '/account/recovery_codes'
  const form = await signedForm(await visit(api, path, { cookie }), passkey)
  const next = cookieOf(await visit(api, path, { cookie, form }))
  const replayed = await visit(api, path, {
    cookie: next,
    form: { ...form, form_id: await formIdOf(api, path, next) },
  })
  t.equal(replayed.status, 422)
  t.equal(await replaysOf(api), 1)
})

test('the proof for a new passkey that is sent twice leads to one page twice', async (t) => {
  const { api, passkey, cookie } = await open()
  const path = '/account/passkeys/new'
  const ask = async (): Promise<Form> => {
    await api.sql`delete from sign_in_tries`
    const form = { name: 'Second', by: 'passkey' }
    return signedForm(await visit(api, path, { cookie, form }), passkey)
  }
  const one = await ask()
  const { first, second } = await sendTwice(api, path, { cookie, form: one })
  for (const answer of [first, second]) t.match(await answer.text(), 'data-create=')
  const two = await ask()
  const answers = await Promise.all([1, 2].map(() => visit(api, path, { cookie, form: two })))
  for (const answer of answers) t.match(await answer.text(), 'data-create=')
  t.equal(await replaysOf(api), 0)
  for (const change of [{ signature: '' }, { name: 'Third' }, { signature: 'AAAA' }]) {
    await api.sql`delete from sign_in_tries`
    const answer = await visit(api, path, { cookie, form: { ...two, ...change } })
    t.equal(answer.status, 422, JSON.stringify(change))
  }
})

test('the step of a password that waited for too long says so', async (t) => {
  const { api, passkey, cookie } = await open()
  const path = '/account/password'
  const form = { new_password: 'another long secret', by: 'passkey' }
  const step = await signedForm(await visit(api, path, { cookie, form }), passkey)
  api.clock.nowMs += 5 * 60_000
  const late = await visit(api, path, { cookie, form: step })
  t.equal(late.status, 422)
  const [, problem] = /role="alert"[^>]*>([^<]*)</.exec(await late.text()) ?? []
  t.equal(problem, 'This page was open for too long. Try again. Nothing was changed.')
})

test('16: the second click on an approval keeps its person signed in', async (t) => {
  const { api, passkey, cookie: first } = await open()
  const key = api.tenant.keys.admin
  const body = { role: 'secret', scope: 'read', name: 'Nightly export' }
  const { challenge_url: address } = (await api.call('POST', '/v1/api_keys', { key, body })).body
    .error
  const path = new URL(reachable(api, address)).pathname
  const form = await signedForm(await visit(api, path, { cookie: first }), passkey)
  const onPage = await sendTwice(api, path, { cookie: first, form })
  t.equal(onPage.first.status, 303)
  t.equal(onPage.second.status, 200)
  const cookie = onPage.cookies[1]
  t.match(cookie, /^svc=[\w-]{43}$/)
  api.clock.nowMs += GRACE_MS
  t.ok(await isSignedIn(api, cookie))
  const stranger = await visit(api, path, { cookie, form: { ...form, signature: 'AAAA' } })
  t.equal(cookieOf(stranger), '')

  await api.sql`delete from sign_in_tries`
  const invite = '/d/' + api.tenant.tenantId + '/sandbox/invitations/new'
  const fields = { email: 'twice@invited.example', role: 'analyst' }
  const asked = await askOn(api, invite, { cookie, form: fields })
  const sent = { ...asked.form, ...passkey.assert(asked.challenge) }
  const inDashboard = await sendTwice(api, invite, { cookie, form: sent })
  t.same([inDashboard.first.status, inDashboard.second.status], [200, 200])
  const [, last] = inDashboard.cookies
  t.match(last, /^svc=[\w-]{43}$/)
  api.clock.nowMs += GRACE_MS
  t.ok(await isSignedIn(api, last))
  t.notOk(await isSignedIn(api, inDashboard.cookies[0]))
  t.equal(await replaysOf(api), 0)
  const invited = await api.sql`
    select 1 from invitations
    where email = ${fields.email} and tenant_id = ${api.tenant.tenantId}`
  t.equal(invited.length, 1)
})
