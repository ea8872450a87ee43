import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { withDeadline } from '../../api/database/deadline.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { databaseUnavailable } from '../../api/database/unavailable.ts'
import { endLeftover } from '../../scripts/postgres/leftover.ts'
import { runningPostgresUrl } from '../../scripts/postgres/running.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { sleep } from '../../shared/clock.ts'
import { RSA_CERTIFICATE } from '../fakes/network-certificates.ts'
import { TENANT_CERTIFICATES, TENANT_KEY, TEST_AUTHORITY } from '../fakes/tenant-certificates.ts'
import { repeats } from '../harness/long.ts'
import { file, perFile } from '../harness/per-file.ts'
import { startTestPostgres } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const PROCESS = fileURLToPath(new URL('../harness/postgres-process.ts', import.meta.url))
const KILLS = repeats(1, 3)
const CONNECTIONS = 10
const CALLERS = 40
/** Below the pool's connect timeout, which is what a poisoned connection waits for. */
const HEALED_MS_MAX = 4500

/** Each test leaves it running; the last one with TLS. */
const shared = perFile(() => startTestPostgres(file))

test('every connection heals after a kill under load and committed rows are there', async (t) => {
  const first = await startTestPostgres(t)
  const sql = openPool(first.url, { max: CONNECTIONS, applicationName: 'svc-test' })
  t.teardown(() => sql.end({ timeout: 1 }))
  await sql`create table kept (round bigint not null)`

  let loading = true
  const unexpected: unknown[] = []
  // These callers retry at once: their statements meet connections that are dying.
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    while (loading) {
      await sql`select ${caller}::int`.catch(async (error) => {
        if (!databaseUnavailable(error)) unexpected.push(error)
        if (error.code === 'ECONNREFUSED') await sleep(5)
      })
    }
  })
  let server = first
  const rounds: number[] = []
  for (let round = 0; round < KILLS; round++) {
    await untilAnswered(sql)
    await sql`insert into kept values (${round})`
    rounds.push(round)
    process.kill(server.pid, 'SIGKILL')
    await server.exited
    server = await server.restart()
    await untilAnswered(sql)
    const all = Array.from({ length: CONNECTIONS * 2 }, () => sql`select pg_sleep(0.05)`)
    await withDeadline(Promise.all(all), HEALED_MS_MAX)
  }
  loading = false
  await Promise.all(callers)
  t.same(unexpected, [])
  t.same(
    (await sql`select round from kept order by round`).map((row) => row['round']),
    rounds,
  )
})

async function untilAnswered(sql: Sql): Promise<void> {
  for (;;) {
    const answered = await sql`select 1`.then(
      () => true,
      () => false,
    )
    if (answered) return
    await sleep(10)
  }
}

test('a hanging server lets no caller wait forever', async (t) => {
  const server = await shared()
  const sql = openPool(server.url, {
    max: 1,
    applicationName: 'svc-test',
    statementTimeoutMs: 100,
  })
  t.teardown(() => sql.end({ timeout: 1 }))
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  process.kill(row!.pid, 'SIGSTOP')
  const hanging = sql`select 'unanswered'`.execute()
  await t.rejects(withDeadline(hanging, 50), { code: 'QUERY_DEADLINE' })
  await t.rejects(hanging, { code: 'DATABASE_SILENT' })
  process.kill(row!.pid, 'SIGCONT')
  t.same(await sql`select 'answered' as state`, [{ state: 'answered' }])
})

test('the server ends when the process that started it ends, however that happens', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-postgres-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const starter = spawn(process.execPath, [PROCESS, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(starter.stdout, 'data')
  const pid = Number(String(said))
  t.ok(existsSync('/proc/' + pid + '/cwd'))
  const pidFile = join(directory, 'data', 'postmaster.pid')
  starter.kill('SIGKILL')
  while (existsSync(pidFile)) await sleep(20)
  t.notOk(existsSync(pidFile), 'an orderly end: nothing to recover')
})

test('a second start takes over the files of a server that is still running', async (t) => {
  const first = await startTestPostgres(t)
  t.equal(runningPostgresUrl(first.directory), first.url)
  const second = await startPostgres({ directory: first.directory })
  t.teardown(() => second.stop())
  await first.exited
  const sql = openPool(second.url, { max: 1, applicationName: 'svc-test' })
  t.same(await sql`select 1 as one`, [{ one: 1 }])
  await sql.end()
  await second.stop()
  await endLeftover(join(first.directory, 'data'))
  t.equal(runningPostgresUrl(first.directory), null)
})

test('only the owner can read password, log and data, and the log holds no statements', async (t) => {
  const server = await startTestPostgres(t)
  const sql = openPool(server.url, { max: 1, applicationName: 'svc-test' })
  await t.rejects(sql`select 'canary-statement' / 0`)
  await sql.end()
  await server.stop()
  const modes = ['data', 'password', 'postgres.log'].map((name) =>
    (statSync(join(server.directory, name)).mode & 0o777).toString(8),
  )
  t.same(modes, ['700', '600', '600'])
  const log = readFileSync(join(server.directory, 'postgres.log'), 'utf8')
  t.match(log, /ready to accept connections/)
  t.notMatch(log, /canary-statement/)
})

test('a port in use and a setting that PostgreSQL refuses are reported in one sentence each', async (t) => {
  const server = await shared()
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-postgres-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  await t.rejects(startPostgres({ directory, port: server.port }), {
    name: 'StartProblem',
    message: /Address already in use/,
  })
  await t.rejects(startPostgres({ directory, settings: { shared_buffers: 'much' } }), {
    name: 'StartProblem',
    message: /invalid value for parameter "shared_buffers"/,
  })
})

test('sslmode and sslrootcert decide how the server is checked', async (t) => {
  const server = await shared()
  const directory = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const root = join(directory, 'root.pem')
  const stranger = join(directory, 'stranger.pem')
  writeFileSync(root, TEST_AUTHORITY)
  writeFileSync(stranger, RSA_CERTIFICATE)
  const attempt = async (parameters: string): Promise<unknown> => {
    const sql = openPool(server.url + '?' + parameters, { max: 1, applicationName: 'svc-test' })
    try {
      const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      return row?.['ssl']
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  const serveWith = async (certificate: string): Promise<void> => {
    const sql = openPool(server.url, { max: 1, applicationName: 'svc-test' })
    const data = join(server.directory, 'data')
    const { uid, gid } = statSync(data)
    for (const [name, pem] of [
      ['server.crt', certificate],
      ['server.key', TENANT_KEY],
    ] as const) {
      writeFileSync(join(data, name), pem, { mode: 0o600 })
      chownSync(join(data, name), uid, gid)
    }
    await sql`alter system set ssl = on`
    await sql`select pg_reload_conf()`
    await sql.end({ timeout: 1 })
  }
  await serveWith(TENANT_CERTIFICATES.good)
  await until(async () => (await attempt('sslmode=require')) === true)
  for (const [parameters, outcome] of [
    ['sslmode=disable', false],
    ['sslmode=verify-full&sslrootcert=' + root, true],
    ['sslrootcert=' + root, true],
    ['sslmode=verify-ca&sslrootcert=' + root, true],
    ['sslmode=verify-full', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['sslmode=verify-full&sslrootcert=' + stranger, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['sslmode=require&sslrootcert=' + stranger, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ] as const)
    t.equal(await attempt(parameters), outcome, parameters)
  await serveWith(TENANT_CERTIFICATES.otherName)
  await until(async () => (await attempt('sslrootcert=' + root)) !== true)
  t.equal(await attempt('sslmode=verify-full&sslrootcert=' + root), 'ERR_TLS_CERT_ALTNAME_INVALID')
  t.equal(await attempt('sslmode=verify-ca&sslrootcert=' + root), true, 'the name is not checked')
  t.throws(
    () => openPool(server.url + '?sslrootcert=/nowhere.pem', { max: 1, applicationName: 'x' }),
    {
      message: 'DATABASE_URL names /nowhere.pem, which cannot be read',
    },
  )
})
