// Sign-ups whose address was never confirmed end after thirty days.
import { test } from 'tap'
import { removeSignUps } from '../../../api/platform/sandbox/remove-sign-ups.ts'
import { newId } from '../../../shared/id.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedPerson } from '../../harness/person.ts'
import { cookieOf, isSignedIn, visit } from '../../harness/visit.ts'

const DAY_MS = 86_400_000
const PASSWORD = 'another horse battery'

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  await api.sql`update identities set verified_at = created_at where verified_at is null`
  return api
}

/** Signs a person up through the page. */
async function signUp(api: TestApi, email: string) {
  await api.sql`delete from sign_in_tries`
  const form = newId('idn', api.clock.nowMs)
  const company = { name: 'Grace Hopper', company: 'Navy', country: 'US' }
  const fields = { form, email, ...company, password: PASSWORD }
  const cookie = cookieOf(await visit(api, '/sign-up', { form: fields }))
  const [member] = await api.sql<{ id: string; tenantId: string }[]>`
    select id, tenant_id as "tenantId" from users where identity_id = ${form}`
  if (member === undefined) throw new Error('nobody signed up')
  return { form, cookie, ...member }
}

/** Runs the removal some days after the API's time. */
function later(api: TestApi, days: number): Promise<number> {
  return runJob(removeSignUps, { sql: api.sql, now: api.clock.nowMs + days * DAY_MS })
}

async function remains({ sql }: TestApi, { form }: { form: string }): Promise<boolean> {
  const [row] = await sql`select state from identities where id = ${form}`
  return row?.['state'] === 'active'
}

test('a sign-up ends thirty days later if its address was not confirmed', async (t) => {
  const api = await open()
  const { sql } = api
  const { form, cookie, tenantId } = await signUp(api, 'grace@gone.example')
  await sql`
    insert into api_keys (id, tenant_id, environment, role, scope, hash, last4, created_at)
    values ('key_gone', ${tenantId}, 'sandbox', 'secret', 'read', '\\x01', 'aaaa', 0)`
  const count = async (table: string) => {
    const rows = await sql`select from ${sql(table)} where tenant_id = ${tenantId}`
    return rows.length
  }
  t.equal(await count('programs'), 1)
  t.equal(await later(api, 29.99), 0)
  t.ok(await isSignedIn(api, cookie))

  t.equal(await later(api, 30), 1)
  t.equal(await later(api, 30), 0, 'once')
  t.equal(await isSignedIn(api, cookie), false)
  t.equal(await count('programs'), 0, 'the sandbox is empty')
  t.equal((await sql`select from api_keys where id = 'key_gone' and state = 'revoked'`).length, 1)
  t.match(
    [...(await sql`select email, name, password_hash, state from identities where id = ${form}`)],
    [{ email: /@removed\.invalid$/, name: 'Removed', password_hash: null, state: 'disabled' }],
  )
  t.match([...(await sql`select name from tenants where id = ${tenantId}`)], [{ name: 'Removed' }])
  t.equal((await sql`select from mail_proofs where identity_id = ${form}`).length, 0)
  t.match(
    [
      ...(await sql`
        select action, actor_type, resource_id from audit_log
        where tenant_id = ${tenantId} and environment = 'live' order by seq`),
    ],
    [
      { action: 'POST /sign-up' },
      { action: 'timer unverified_sign_up_removal', actor_type: 'system', resource_id: form },
    ],
  )
  const back = { email: 'grace@gone.example', password: PASSWORD, code: '' }
  t.not(
    (await visit(api, '/sign-in', { form: back })).status,
    303,
    'nobody signs in as that person',
  )
  await signUp(api, 'grace@gone.example')
})

test('a sign-up stays where something is worth keeping', async (t) => {
  const api = await open()
  const { sql } = api
  const confirmed = await signUp(api, 'kept-a@kept.example')
  await sql`update identities set verified_at = 1 where id = ${confirmed.form}`
  const shared = await signUp(api, 'kept-b@kept.example')
  await seedPerson(sql, shared.tenantId, 'developer')
  const applied = await signUp(api, 'kept-c@kept.example')
  await sql`update tenants set kyb_status = 'submitted' where id = ${applied.tenantId}`
  const operator = await signUp(api, 'kept-d@kept.example')
  await sql`
    insert into operators (id, name, hash, last4, created_at, identity_id)
    values ('op_kept', 'Op', '\\x02', 'aaaa', 0, ${operator.form})`
  const twofold = await signUp(api, 'kept-e@kept.example')
  await sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values ('user_kept', ${api.tenant.tenantId}, ${twofold.form}, 'analyst', 0)`
  // A tenant that no sign-up opened is an operator's to close.
  const foreign = newId('idn', 0)
  await sql`
    insert into identities (id, email, name, created_at) values (${foreign}, 'kept-f@kept.example', 'F', 0)`
  await sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    values ('user_foreign', ${api.other.tenantId}, ${foreign}, 'owner', 0)`
  t.equal(await later(api, 400), 0)
  for (const signed of [confirmed, shared, applied, operator, twofold, { form: foreign }])
    t.ok(await remains(api, signed))
  await sql`delete from operators where id = 'op_kept'`
})

test('a sign-up that is confirmed while the removal runs stays', async (t) => {
  const api = await open()
  const held = await signUp(api, 'held@race.example')
  const free = await signUp(api, 'free@race.example')
  await api.sql.begin(async (inner) => {
    await inner`update identities set verified_at = 1 where id = ${held.form}`
    t.equal(await later(api, 30), 1, 'the other sign-up does not wait')
  })
  t.ok(await remains(api, held))
  t.equal(await remains(api, free), false)
})
