// Keeps one PostgreSQL for all test files of this checkout, as long as one of them is connected.
// The test file that comes first starts it; the abstract socket it listens on is the lock, and the
// kernel frees both when a process dies.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '../../api/database/pool.ts'
import { DATABASE, dataPathOf } from '../../scripts/postgres/cluster.ts'
import { endLeftover } from '../../scripts/postgres/leftover.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { sleep } from '../../shared/clock.ts'
import { copyMigrated } from './migrated-postgres.ts'

/** Short gaps separate the test files. */
const IDLE_MS = 3000
const IDLE_POLL_MS = 250
/** No data outlives the run: speed matters instead of durability. */
const FAST_SETTINGS = {
  // A process of many files keeps the pools of those that its tests opened themselves.
  max_connections: '500',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
}
const TEMPLATE = 'svc_template'

const [name] = process.argv.slice(2)
if (name === undefined) throw new Error('started by hand')

const users = new Set<Socket>()
const started = Promise.withResolvers<string>()
let leaving = false
const server = createServer((user) => {
  user.on('error', () => {})
  // A client that connects now retries until the next keeper answers.
  if (leaving) {
    user.destroy()
    return
  }
  users.add(user)
  user.on('close', () => users.delete(user))
  user.resume()
  started.promise.then(
    (url) => user.write(JSON.stringify({ url }) + '\n'),
    (error) => user.end(JSON.stringify({ error: String(error) }) + '\n'),
  )
})
// Another keeper already listens and serves all test files.
server.on('error', () => process.exit(0))
server.listen('\0' + name, () => {
  keep(name).then(
    () => process.exit(0),
    () => process.exit(1),
  )
})

/** Holds the name until everything is gone, so that two keepers never meet. */
async function keep(name: string): Promise<void> {
  await removeLeftovers(name)
  const directory = mkdtempSync(join(tmpdir(), name + '-'))
  try {
    await copyMigrated(directory)
    const postgres = await startPostgres({ directory, settings: FAST_SETTINGS })
    try {
      await makeTemplate(postgres.url)
      started.resolve(postgres.url)
      await Promise.race([untilIdle(), postgres.exited])
    } finally {
      leaving = true
      await postgres.stop()
    }
  } catch (error) {
    started.reject(error)
    await untilIdle()
    throw error
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Removes the files of keepers that were killed. */
async function removeLeftovers(name: string): Promise<void> {
  const left = readdirSync(tmpdir()).filter((entry) => entry.startsWith(name + '-'))
  for (const directory of left.map((entry) => join(tmpdir(), entry))) {
    await endLeftover(dataPathOf(directory))
    rmSync(directory, { recursive: true, force: true })
  }
}

async function makeTemplate(url: string): Promise<void> {
  const admin = openPool(url.replace(/[^/]+$/, 'postgres'), { max: 1, applicationName: 'svc-test' })
  await admin.unsafe('create database ' + TEMPLATE + ' template ' + DATABASE)
  await admin.end()
}

async function untilIdle(): Promise<void> {
  for (let idleMs = 0; idleMs < IDLE_MS; ) {
    await sleep(IDLE_POLL_MS)
    idleMs = users.size > 0 ? 0 : idleMs + IDLE_POLL_MS
  }
  // No client can connect between the last look and this line.
  leaving = true
}
