// The PostgreSQL of a cluster: a primary and two standbys, of which one has every commit. A
// promotion is the operator's act, here a command.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../shared/clock.ts'
import { dataPathOf } from '../postgres/cluster.ts'
import {
  askServer,
  copyPrimary,
  REPLICATION_SETTINGS,
  STANDBY_FILE,
  standbySettings,
  waitForAnyOf,
} from '../postgres/standby.ts'
import { type RunningPostgres, startPostgres } from '../postgres.ts'
import { DATABASE_NAMES, type Layout } from './layout.ts'

const LOOK_MS = 100
const STREAMING_TRIES_MAX = 300

interface DatabasesOptions {
  layout: Layout
  say(line: string): void
  /** Keeps the name of the primary of every later start. */
  onPrimary(name: string): void
}

export class Databases {
  readonly #options: DatabasesOptions
  readonly #running = new Map<string, RunningPostgres>()
  #primary: string

  private constructor(options: DatabasesOptions) {
    this.#options = options
    this.#primary = options.layout.primary
  }

  /** Starts the primary and its standbys, which are copied where they are missing. */
  static async start(options: DatabasesOptions): Promise<Databases> {
    const databases = new Databases(options)
    try {
      await databases.#startAll()
      return databases
    } catch (error) {
      await databases.stop()
      throw error
    }
  }

  /** One address with all hosts. */
  get url(): string {
    const { url, port } = this.#server(this.#primary)
    const hosts = DATABASE_NAMES.map((name) => '127.0.0.1:' + this.#portOf(name))
    return url.replace('127.0.0.1:' + port, hosts.join(','))
  }

  async stop(): Promise<void> {
    // The primary first: without a standby its commits would wait.
    await this.#running.get(this.#primary)?.stop()
    await Promise.all([...this.#running.values()].map((server) => server.stop()))
  }

  /** A line for each server. */
  async status(): Promise<string> {
    const lines = DATABASE_NAMES.map(async (name) => {
      const server = this.#running.get(name)
      const seen = server === undefined ? null : await roleOf(server.url).catch(() => null)
      return 'PostgreSQL ' + name + '  ' + (seen ?? 'does not answer')
    })
    return (await Promise.all(lines)).join('\n')
  }

  /**
   * Kills the primary and promotes a standby, the one that is named or the one that has most; the
   * others are copied anew. Throws a sentence where the named one lacks commits.
   */
  async promote(named: string | undefined): Promise<string> {
    const former = this.#primary
    const standbys = DATABASE_NAMES.filter((name) => name !== former)
    if (named !== undefined && !standbys.some((name) => name === named))
      throw new Error('No standby ' + named + '; there are ' + standbys.join(' and ') + '.')
    const old = this.#server(former)
    process.kill(old.pid, 'SIGKILL')
    await old.stop()
    const ends = await Promise.all(
      standbys.map(async (name) => ({ name, end: await endOf(this.#server(name).url) })),
    )
    const most = ends.reduce((one, other) => (other.end > one.end ? other : one))
    const next = named ?? most.name
    const chosen = ends.find(({ name }) => name === next)
    if (chosen === undefined || chosen.end < most.end) {
      await this.#startServer(former, REPLICATION_SETTINGS)
      throw new Error(next + ' lacks commits that ' + most.name + ' has; ' + former + ' goes on.')
    }
    const { url } = this.#server(next)
    await askServer(url, (sql) => sql`select pg_promote(true)`)
    await waitForAnyOf(url, [])
    this.#primary = next
    this.#options.onPrimary(next)
    for (const name of DATABASE_NAMES) if (name !== next) await this.#copyStandby(name)
    await this.#awaitStandbys()
    return next + ' is the primary; ' + former + ' was copied anew and is a standby.'
  }

  async #startAll(): Promise<void> {
    const { say } = this.#options
    await this.#startServer(this.#primary, REPLICATION_SETTINGS)
    for (const name of DATABASE_NAMES) {
      if (name === this.#primary) continue
      if (existsSync(join(dataPathOf(this.#directoryOf(name)), STANDBY_FILE)))
        await this.#startServer(name, this.#standbySettings(name))
      else {
        say('copying PostgreSQL ' + this.#primary + ' to the standby ' + name)
        await this.#copyStandby(name)
      }
    }
    await this.#awaitStandbys()
  }

  async #copyStandby(name: string): Promise<void> {
    await this.#running.get(name)?.stop()
    const directory = this.#directoryOf(name)
    rmSync(directory, { recursive: true, force: true })
    const primary = {
      url: this.#server(this.#primary).url,
      directory: this.#directoryOf(this.#primary),
    }
    await copyPrimary(primary, { name, directory })
    await this.#startServer(name, this.#standbySettings(name))
  }

  /** Waits until both stream; from then on a commit waits for one of them. */
  async #awaitStandbys(): Promise<void> {
    const { url } = this.#server(this.#primary)
    const streaming = (): Promise<number> =>
      askServer(url, async (sql) => (await sql`select from pg_stat_replication`).length)
    const standbys = DATABASE_NAMES.filter((name) => name !== this.#primary)
    for (let tries = 0; (await streaming()) < standbys.length; tries++) {
      if (tries === STREAMING_TRIES_MAX)
        throw new Error('A standby of PostgreSQL does not stream; see the logs.')
      await sleep(LOOK_MS)
    }
    await waitForAnyOf(url, standbys)
  }

  async #startServer(name: string, settings: { readonly [name: string]: string }): Promise<void> {
    const directory = this.#directoryOf(name)
    const { say } = this.#options
    const running = await startPostgres({ directory, port: this.#portOf(name), log: say, settings })
    this.#running.set(name, running)
  }

  #standbySettings(name: string): { [name: string]: string } {
    return standbySettings(name, this.#server(this.#primary).url)
  }

  #server(name: string): RunningPostgres {
    const server = this.#running.get(name)
    if (server === undefined) throw new Error('PostgreSQL ' + name + ' does not run.')
    return server
  }

  #directoryOf(name: string): string {
    const [first] = DATABASE_NAMES
    return join(this.#options.layout.directory, name === first ? 'postgres' : 'postgres-' + name)
  }

  #portOf(name: string): number {
    const { postgresPort, standbyPorts } = this.#options.layout
    const ports = [postgresPort, ...standbyPorts]
    return ports[DATABASE_NAMES.indexOf(name)] ?? 0
  }
}

function roleOf(url: string): Promise<string> {
  return askServer(url, async (sql) => {
    const [row] = await sql<{ standby: boolean; streaming: number }[]>`
      select pg_is_in_recovery() as standby,
             (select count(*)::int from pg_stat_replication) as streaming`
    if (row === undefined) return 'does not answer'
    return row.standby ? 'standby' : 'PRIMARY  ' + row.streaming + ' standbys stream'
  })
}

/** The last byte of the log that a standby has. */
function endOf(url: string): Promise<bigint> {
  return askServer(url, async (sql) => {
    const [row] = await sql<{ bytes: string }[]>`
      select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::text as bytes`
    return BigInt(row?.bytes ?? 0)
  })
}
