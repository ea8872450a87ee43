// An address with several hosts of PostgreSQL over TLS, and hosts that are away or silent.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { databaseSpeaks } from '../../api/database/database-watchdog.ts'
import { openPool } from '../../api/database/pool.ts'
import { TEST_AUTHORITY } from '../fakes/tenant-certificates.ts'
import { runNodeScript } from '../faults/script.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePorts } from '../harness/free-ports.ts'
import { startTestPostgres } from '../harness/postgres.ts'
import { serveTls } from '../harness/postgres-tls.ts'
import { until } from '../harness/until.ts'

/** A server over TLS beside a host that is away, in one address. */
async function encrypted(t: Test) {
  const server = await startTestPostgres(t)
  await serveTls(server)
  const [away] = await freePorts(1)
  const directory = mkdtempSync(join(tmpdir(), 'svc-hosts-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const root = join(directory, 'root.pem')
  writeFileSync(root, TEST_AUTHORITY)
  const both = server.url.replace('127.0.0.1', '127.0.0.1:' + away + ',127.0.0.1')
  return { server, root, url: both + '?sslmode=verify-full&sslrootcert=' + root }
}

test('a command over TLS with several hosts ends', async (t) => {
  const { url } = await encrypted(t)
  const environment = { ...COMPILED, PATH: process.env['PATH'], DATABASE_URL: url }
  t.match(await runNodeScript('scripts/migrate.ts', [], environment), { code: 0 })
})

test('a file for TLS that is away for a moment costs only the dials of that moment', async (t) => {
  const { server, root, url } = await encrypted(t)
  const sql = openPool(url, { max: 1, applicationName: 'svc-hosts' })
  t.teardown(() => sql.end({ timeout: 1 }))
  const works = (): Promise<boolean> =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  await until(works)
  renameSync(root, root + '.away')
  const admin = openPool(server.url, { max: 1, applicationName: 'svc-test' })
  t.teardown(() => admin.end({ timeout: 1 }))
  await admin`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-hosts'`
  await until(async () => !(await works()))
  renameSync(root + '.away', root)
  await until(works)
})

test('a primary that vanished without a word counts as silent, one that refuses does not', async (t) => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as { port: number }
  const [one, other] = await freePorts(2)
  const url = (first: number | undefined): string =>
    'postgres://svc:x@127.0.0.1:' + first + ',127.0.0.1:' + other + '/svc'
  t.equal(await databaseSpeaks(url(port)), false)
  t.equal(await databaseSpeaks(url(one)), true)
})
