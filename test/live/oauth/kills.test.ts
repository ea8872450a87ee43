// The api is killed between the use of a code or refresh token and its answer. Two pairs never
// live, and the platform goes on, or hears that it has to connect again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openPart, type Part } from '../../faults/part.ts'
import { type BasicApi, MASTER_KEY_TEXT, send } from '../../harness/api.ts'
import { COMPILED } from '../../harness/compiled.ts'
import { freePort } from '../../harness/free-ports.ts'
import { seedRoot } from '../../harness/issuing.ts'
import { approvedCode, connect, postForm } from '../../harness/oauth.ts'
import { type OwnPostgresApi, openOnOwnPostgres } from '../../harness/own-postgres.ts'
import { file } from '../../harness/per-file.ts'
import { seedTenant } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

/** Advisory locks at which a transaction waits: before its first token, and at its COMMIT. */
const LOCKS = { used: 44, committed: 45 } as const
type Point = keyof typeof LOCKS

interface Scene {
  own: OwnPostgresApi
  /** The API in the test's own process, for what comes before the kill. */
  before: BasicApi
  /** The API in a process that the test kills. */
  killed: BasicApi
  part: Part
}

let opened: Promise<Scene> | null = null

function open(): Promise<Scene> {
  opened ??= start()
  return opened
}

async function start(): Promise<Scene> {
  const own = await openOnOwnPostgres()
  await seedRoot(own.sql)
  await own.sql.unsafe(`
    create function wait_used() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(${LOCKS.used}); return new; end';
    create trigger waits_used before insert on oauth_tokens
      for each row execute function wait_used();
    create function wait_committed() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(${LOCKS.committed}); return null; end';
    create constraint trigger waits_committed after insert on oauth_tokens
      deferrable initially deferred for each row execute function wait_committed()`)
  const tenant = await seedTenant(own.sql, 'sandbox')
  const directory = mkdtempSync(join(tmpdir(), 'svc-oauth-kills-'))
  const port = await freePort()
  const part = openPart('api/main.ts', directory, {
    ...COMPILED,
    PATH: process.env['PATH'],
    SVC_DATA_DIR: directory,
    SVC_MASTER_KEY: MASTER_KEY_TEXT,
    SVC_API_PORT: String(port),
    DATABASE_URL: own.databaseUrl,
  })
  file.teardown(async () => {
    await part.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  await part.start()
  const url = 'http://127.0.0.1:' + port
  const before = { ...own, tenant }
  const killed: BasicApi = {
    ...before,
    url,
    call: (method, path, call = {}) => send(url + path, method, call),
  }
  return { own, before, killed, part }
}

type Form = { [name: string]: string }
const KEY = { 'idempotency-key': 'after-the-kill' }

/** Kills the api while it answers the call; resolves when another one listens. */
async function killDuring(
  { own: { sql }, killed, part }: Scene,
  point: Point,
  { form, headers = {} }: { form: Form; headers?: Form },
): Promise<void> {
  const holder = await sql.reserve()
  await holder`select pg_advisory_lock(${LOCKS[point]})`
  const answered = postForm(killed, '/oauth/token', form, headers).then(
    ({ status }) => status,
    () => null,
  )
  await until(async () => {
    const waiting = await sql`select 1 from pg_stat_activity where wait_event = 'advisory'`
    return waiting.length === 1
  })
  // A stopped process reads no result of its COMMIT.
  part.signal(point === 'used' ? 'SIGKILL' : 'SIGSTOP')
  if (point === 'used') await part.exited
  await holder`select pg_advisory_unlock(${LOCKS[point]})`
  holder.release()
  await until(async () => {
    const busy = await sql`
      select 1 from pg_stat_activity where state <> 'idle' and backend_type = 'client backend'
        and pid <> pg_backend_pid()`
    return busy.length === 0
  })
  if (point === 'committed') await part.kill()
  if ((await answered) !== null) throw new Error('the call was answered before the kill')
  await part.start()
}

/** Refresh tokens of the connection that give another pair. */
async function livingPairs({ own: { sql } }: Scene, secret: string): Promise<number> {
  const rows = await sql`
    select 1 from oauth_tokens t join oauth_grants g on g.id = t.grant_id and g.revoked_at is null
    where t.kind = 'refresh' and t.used_at is null
      and g.id = (select grant_id from oauth_tokens where hash = sha256(${secret}::text::bytea))`
  return rows.length
}

async function works(api: BasicApi, key: string): Promise<boolean> {
  return (await api.call('GET', '/v1/cards', { key })).status === 200
}

test('a code whose call was rolled back by the kill works again', async (t) => {
  const scene = await open()
  const { code, verifier, client } = await approvedCode(scene.before)
  const form = { code, code_verifier: verifier, client_id: client.id }
  await killDuring(scene, 'used', { form })
  t.equal(await livingPairs(scene, code), 0)
  const given = await postForm(scene.killed, '/oauth/token', form)
  t.equal(given.status, 200, given.text)
  t.ok(await works(scene.killed, given.body.access_token))
  t.equal(await livingPairs(scene, code), 1)
})

test('a code whose answer was lost in the kill leads to another connection', async (t) => {
  const scene = await open()
  const { code, verifier, client } = await approvedCode(scene.before)
  const form = { code, code_verifier: verifier, client_id: client.id }
  await killDuring(scene, 'committed', { form })
  t.equal(await livingPairs(scene, code), 1, 'the pair that nobody received')
  const again = await postForm(scene.killed, '/oauth/token', form)
  t.match([again.status, again.body], [400, { error: 'invalid_grant' }])
  t.equal(await livingPairs(scene, code), 0, 'it ended with its connection')
  t.ok(await works(scene.killed, (await connect(scene.before, { client })).access_token))
})

test('a refresh that was rolled back by the kill works again', async (t) => {
  const scene = await open()
  const { access_token, refresh_token } = await connect(scene.before)
  await killDuring(scene, 'used', { form: { refresh_token } })
  t.ok(await works(scene.killed, access_token))
  const given = await postForm(scene.killed, '/oauth/token', { refresh_token })
  t.equal(given.status, 200, given.text)
  t.equal(await livingPairs(scene, refresh_token), 1)
})

test('a refresh whose answer was lost is answered again under its Idempotency-Key', async (t) => {
  const scene = await open()
  const { refresh_token } = await connect(scene.before)
  await killDuring(scene, 'committed', { form: { refresh_token }, headers: KEY })
  t.equal(await livingPairs(scene, refresh_token), 1)
  // A slow start of the api does not outlast the leeway of a repeat.
  await scene.own.sql`
    update oauth_tokens set used_at = ${scene.before.clock.nowMs}
    where hash = sha256(${refresh_token}::text::bytea)`
  const without = await postForm(scene.killed, '/oauth/token', { refresh_token })
  t.match([without.status, without.body], [400, { error: 'invalid_grant' }])
  const given = await postForm(scene.killed, '/oauth/token', { refresh_token }, KEY)
  t.equal(given.status, 200, given.text)
  t.equal(await livingPairs(scene, refresh_token), 1, 'the same pair, and no second one')
  t.ok(await works(scene.killed, given.body.access_token))
  const { refresh_token: next } = given.body
  t.equal((await postForm(scene.killed, '/oauth/token', { refresh_token: next })).status, 200)
})

test('a refresh whose answer was lost for good leads to another connection', async (t) => {
  const scene = await open()
  const { refresh_token, client } = await connect(scene.before)
  await killDuring(scene, 'committed', { form: { refresh_token } })
  await scene.own.sql`
    update oauth_tokens set used_at = ${scene.before.clock.nowMs - 11_000}
    where hash = sha256(${refresh_token}::text::bytea)`
  const late = await postForm(scene.killed, '/oauth/token', { refresh_token })
  t.match([late.status, late.body], [400, { error: 'invalid_grant' }])
  t.equal(await livingPairs(scene, refresh_token), 0, 'the connection ended')
  t.ok(await works(scene.killed, (await connect(scene.before, { client })).access_token))
})
