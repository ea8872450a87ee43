// A PostgreSQL with two physical standbys, as an operator runs them: the packaged server three
// times, copied while it runs, streaming, killed, promoted and started again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import type { Teardown } from './postgres.ts'
import { until } from './until.ts'

export const STANDBYS = ['b', 'c'] as const
const PRIMARY_SETTINGS = { wal_keep_size: '256MB', wal_sender_timeout: '2s' }

export interface Replicated {
  /** The three servers, the first primary first. */
  readonly servers: readonly Server[]
  /** One address with all three hosts. */
  readonly url: string
}

export class Server {
  readonly name: string
  readonly directory: string
  readonly #settings: { readonly [name: string]: string }
  #running: RunningPostgres

  constructor(
    name: string,
    directory: string,
    running: RunningPostgres,
    settings: { readonly [name: string]: string },
  ) {
    this.name = name
    this.directory = directory
    this.#running = running
    this.#settings = settings
  }

  get url(): string {
    return this.#running.url
  }

  get port(): number {
    return this.#running.port
  }

  /** kill -9 of the postmaster; its processes notice and end. */
  async kill(): Promise<void> {
    process.kill(this.#running.pid, 'SIGKILL')
    await this.#running.stop()
  }

  stop(): Promise<void> {
    return this.#running.stop()
  }

  /** Starts it again on its files, as what they say it is. */
  async start(): Promise<void> {
    const { port } = this
    this.#running = await startPostgres({
      directory: this.directory,
      port,
      settings: this.#settings,
    })
  }

  /** A standby becomes the primary of the next timeline. */
  async promote(): Promise<void> {
    await this.ask(async (sql) => {
      await sql`select pg_promote(true)`
    })
  }

  async ask<Value>(work: (sql: Sql) => Promise<Value>): Promise<Value> {
    const sql = openPool(this.url, { max: 1, applicationName: 'svc-test' })
    try {
      return await work(sql)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

/** `synchronous`: a commit waits until one of the standbys has it. */
export async function startReplicated(
  t: Teardown,
  { synchronous }: { synchronous: boolean },
): Promise<Replicated> {
  const servers: Server[] = []
  const directories: string[] = []
  t.teardown(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  })
  const newDirectory = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-test-replica-'))
    directories.push(directory)
    return directory
  }
  const directory = newDirectory()
  const running = await startPostgres({ directory, settings: PRIMARY_SETTINGS })
  const primary = new Server('a', directory, running, PRIMARY_SETTINGS)
  servers.push(primary)
  await migrate(primary.url, () => undefined)
  for (const name of STANDBYS)
    servers.push(await startStandby(primary, { name, directory: newDirectory() }))
  await until(() =>
    primary.ask(async (sql) => (await sql`select from pg_stat_replication`).length === 2),
  )
  if (synchronous)
    await primary.ask(async (sql) => {
      await sql.unsafe("alter system set synchronous_standby_names = 'ANY 1 (b, c)'")
      await sql`select pg_reload_conf()`
    })
  const hosts = servers.map(({ port }) => '127.0.0.1:' + port).join(',')
  return { servers, url: primary.url.replace(/127\.0\.0\.1:\d+/, hosts) }
}

async function startStandby(
  primary: Server,
  { name, directory }: { name: string; directory: string },
): Promise<Server> {
  const data = join(directory, 'data')
  await primary.ask(async (sql) => {
    await sql`select pg_backup_start(${name}, true)`
    await copy(join(primary.directory, 'data'), data)
    const [row] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
    for (const file of ['postmaster.pid', 'postmaster.opts'])
      rmSync(join(data, file), { force: true })
    own(join(data, 'backup_label'), row?.labelfile ?? '', data)
    own(join(data, 'standby.signal'), '', data)
  })
  cpSync(join(primary.directory, 'password'), join(directory, 'password'))
  const { password } = new URL(primary.url)
  const source = `host=127.0.0.1 port=${primary.port} user=svc password=${password} application_name=${name}`
  const settings = {
    ...PRIMARY_SETTINGS,
    primary_conninfo: source,
    wal_retrieve_retry_interval: '100ms',
  }
  const running = await startPostgres({ directory, settings })
  return new Server(name, directory, running, settings)
}

/** Files that the server removes meanwhile are no failure: the log tells the standby of them. */
async function copy(from: string, to: string): Promise<void> {
  const child = spawn('cp', ['-a', from, to], { stdio: 'ignore' })
  await once(child, 'exit')
  statSync(join(to, 'PG_VERSION'))
}

/** A file of the server's account. */
function own(path: string, text: string, like: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  const { uid, gid } = statSync(like)
  chownSync(path, uid, gid)
}
