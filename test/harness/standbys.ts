// A PostgreSQL with two physical standbys, as an operator runs them: the packaged server three
// times, copied while it runs, streaming, killed, promoted and started again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from '../../api/database/pool.ts'
import {
  askServer,
  copyPrimary,
  REPLICATION_SETTINGS,
  standbySettings,
  waitForAnyOf,
} from '../../scripts/postgres/standby.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { copyMigrated } from './migrated-postgres.ts'
import type { Teardown } from './postgres.ts'
import { until } from './until.ts'

export const STANDBYS = ['b', 'c'] as const

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

  ask<Value>(work: (sql: Sql) => Promise<Value>): Promise<Value> {
    return askServer(this.url, work)
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
  await copyMigrated(directory)
  const running = await startPostgres({ directory, settings: REPLICATION_SETTINGS })
  const primary = new Server('a', directory, running, REPLICATION_SETTINGS)
  servers.push(primary)
  for (const name of STANDBYS)
    servers.push(await startStandby(primary, { name, directory: newDirectory() }))
  await until(() =>
    primary.ask(async (sql) => (await sql`select from pg_stat_replication`).length === 2),
  )
  if (synchronous) await waitForAnyOf(primary.url, STANDBYS)
  const hosts = servers.map(({ port }) => '127.0.0.1:' + port).join(',')
  return { servers, url: primary.url.replace(/127\.0\.0\.1:\d+/, hosts) }
}

async function startStandby(
  primary: Server,
  { name, directory }: { name: string; directory: string },
): Promise<Server> {
  await copyPrimary(primary, { name, directory })
  const settings = standbySettings(name, primary.url)
  const running = await startPostgres({ directory, settings })
  return new Server(name, directory, running, settings)
}
