// PostgreSQL is away or silent while people sign in and platforms ask for tokens: every call says
// so, none is done by half, and all of them work afterwards.
import { test } from 'tap'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { BasicApi } from '../../harness/api.ts'
import { seedRoot } from '../../harness/issuing.ts'
import { approvedCode, connect, postForm } from '../../harness/oauth.ts'
import { type OwnPostgresApi, openOnOwnPostgres } from '../../harness/own-postgres.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { seedTenant } from '../../harness/tenant.ts'
import { happens, until } from '../../harness/until.ts'
import { cookieOf, enter, isSignedIn, visit } from '../../harness/visit.ts'

/** Below the twenty seconds of a connection timeout, far above the expected two and a half. */
const REFUSED_MS_MAX = 15_000

interface Scene {
  own: OwnPostgresApi
  api: BasicApi
  tenantId: string
  /** A signed-in person, and one who is about to sign in. */
  cookie: string
  newcomer: Person
  code: { code: string; code_verifier: string; client_id: string }
  refreshing: { access_token: string; refresh_token: string }
  ending: { access_token: string; refresh_token: string }
}

async function open(): Promise<Scene> {
  const own = await openOnOwnPostgres()
  await seedRoot(own.sql)
  const tenant = await seedTenant(own.sql, 'sandbox')
  const api = { ...own, tenant }
  const { tenantId } = tenant
  const { code, verifier, client } = await approvedCode(api)
  const refreshing = await connect(api)
  const ending = await connect(api)
  await own.sql`delete from sign_in_tries`
  const cookie = await enter(api, await seedPerson(own.sql, tenantId))
  const newcomer = await seedPerson(own.sql, tenantId)
  const asked = { code, code_verifier: verifier, client_id: client.id }
  return { own, api, tenantId, cookie, newcomer, code: asked, refreshing, ending }
}

const SIGN_UP = {
  email: 'grace@away.example',
  name: 'Grace',
  company: 'Away Ltd',
  country: 'DE',
  password: 'a long enough secret',
}

/** Rows that a call of this file would add, remove or use up. */
async function counted({ own: { sql }, tenantId }: Scene) {
  const [row] = await sql`
    select
      (select count(*)::int from sessions) as sessions,
      (select count(*)::int from identities) as identities,
      (select count(*)::int from oauth_tokens where tenant_id = ${tenantId}) as tokens,
      (select count(*)::int from oauth_tokens where used_at is not null and tenant_id = ${tenantId})
        as used,
      (select count(*)::int from oauth_grants where revoked_at is not null) as ended,
      (select count(*)::int from audit_log where tenant_id = ${tenantId}) as audited`
  return { ...row }
}

interface Outcome {
  name: string
  status: number
  text: string
  ms: number
}

async function read(page: Promise<Response>): Promise<{ status: number; text: string }> {
  const answer = await page
  return { status: answer.status, text: await answer.text() }
}

/** Every call of people and platforms that reads or writes the database. */
async function callAll(
  { api, cookie, newcomer, code, refreshing, ending }: Scene,
  totp: string,
): Promise<Outcome[]> {
  const signIn = { email: newcomer.email, password: newcomer.password, code: totp }
  const form = newId('idn', systemClock.nowMs())
  const { refresh_token } = refreshing
  const calls: { [name: string]: () => Promise<{ status: number; text: string }> } = {
    'sign-in': () => read(visit(api, '/sign-in', { form: signIn })),
    'sign-up': () => read(visit(api, '/sign-up', { form: { ...SIGN_UP, form } })),
    'sign-out': () => read(visit(api, '/sign-out', { cookie, form: {} })),
    account: () => read(visit(api, '/account', { cookie })),
    recovery: () => read(visit(api, '/recover', { form: { email: newcomer.email } })),
    token: () => postForm(api, '/oauth/token', code),
    refresh: () => postForm(api, '/oauth/token', { grant_type: 'refresh_token', refresh_token }),
    revoke: () => postForm(api, '/oauth/revoke', { token: ending.access_token }),
    call: () => api.call('GET', '/v1/cards', { key: ending.access_token }),
  }
  return Promise.all(
    Object.entries(calls).map(async ([name, call]) => {
      const begun = systemClock.nowMs()
      const { status, text } = await call()
      return { name, status, text, ms: systemClock.nowMs() - begun }
    }),
  )
}

for (const fault of ['away', 'hung'] as const) {
  test('PostgreSQL is ' + fault + ' during sign-in and token calls', async (t) => {
    const scene = await open()
    const { own, api, cookie, newcomer, code, refreshing, ending } = scene
    const before = await counted(scene)
    const totp = newcomer.codeAt(systemClock.nowMs())
    if (fault === 'away') await own.stop()
    else own.pause()
    const outcomes = await callAll(scene, totp)
    for (const { name, status, text, ms } of outcomes) {
      t.equal(status, 503, name + ': ' + text.slice(0, 300))
      t.ok(ms < REFUSED_MS_MAX, name + ' took ' + ms + ' ms')
    }
    const textOf = (name: string) => outcomes.find((outcome) => outcome.name === name)?.text ?? ''
    t.match(textOf('sign-in'), /Nothing was changed\. Try again in a moment/)
    for (const name of ['token', 'refresh', 'revoke'])
      t.match(JSON.parse(textOf(name)), { error: 'temporarily_unavailable' }, name)

    if (fault === 'away') await own.restart()
    else own.resume()
    await until(async () => (await visit(api, '/account', { cookie })).status !== 503)
    // Statements that the pause held up end before their rows are counted.
    const settled = await happens(async () => {
      const busy = await own.sql`
        select 1 from pg_stat_activity where application_name = 'svc-api' and state <> 'idle'`
      return busy.length === 0
    }, 60_000)
    t.ok(settled, 'no statement is left')
    t.same(await counted(scene), before, 'nothing is done by half')

    const { email, password } = newcomer
    const entered = await visit(api, '/sign-in', { form: { email, password, code: totp } })
    t.equal(entered.status, 303, 'the code of before was not used up')
    t.ok(await isSignedIn(api, cookieOf(entered)))
    t.ok(await isSignedIn(api, cookie), 'no sign-out came later')
    const given = await postForm(api, '/oauth/token', code)
    t.equal(given.status, 200, given.text)
    const { refresh_token } = refreshing
    const refreshed = await postForm(api, '/oauth/token', { refresh_token })
    t.equal(refreshed.status, 200, refreshed.text)
    const key = ending.access_token
    t.equal((await api.call('GET', '/v1/cards', { key })).status, 200)
    t.equal((await postForm(api, '/oauth/revoke', { token: key })).status, 200)
    t.equal((await api.call('GET', '/v1/cards', { key })).status, 401)
    t.equal((await visit(api, '/sign-out', { cookie, form: {} })).status, 303)
    t.notOk(await isSignedIn(api, cookie))
  })
}

test('a refresh whose commit hangs says so, and its repeat gets the same pair', async (t) => {
  const scene = await open()
  const { own, api, refreshing } = scene
  const { sql } = own
  // The COMMIT of a new token waits for the lock that the test holds.
  await sql.unsafe(`
    create function wait_at_commit() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(43); return null; end';
    create constraint trigger waits after insert on oauth_tokens
      deferrable initially deferred for each row execute function wait_at_commit()`)
  const holder = await sql.reserve()
  await holder`select pg_advisory_lock(43)`
  const { refresh_token } = refreshing
  const refresh = () =>
    postForm(api, '/oauth/token', { refresh_token }, { 'idempotency-key': 'k-1' })
  const asked = refresh()
  await until(async () => {
    const waiting = await sql`select 1 from pg_stat_activity where wait_event = 'advisory'`
    return waiting.length === 1
  })
  own.pause()
  const answer = await asked
  t.match([answer.status, answer.body], [503, { error: 'temporarily_unavailable' }])
  t.match(answer.body.error_description, /not known whether the change was made/)
  own.resume()
  await holder`select pg_advisory_unlock(43)`
  holder.release()
  await sql.unsafe('drop trigger waits on oauth_tokens')
  const repeated = await refresh()
  t.equal(repeated.status, 200, repeated.text)
  const key = repeated.body.access_token
  t.equal((await api.call('GET', '/v1/cards', { key })).status, 200)
  const living = await sql`
    select 1 from oauth_tokens t join oauth_grants g on g.id = t.grant_id
    where g.tenant_id = ${scene.tenantId} and t.kind = 'refresh' and t.used_at is null
      and g.id = (select grant_id from oauth_tokens where hash = sha256(${refresh_token}::text::bytea))`
  t.equal(living.length, 1, 'one pair lives')
})
