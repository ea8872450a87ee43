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
import { Promotion } from './promotion.ts'
import { endOf, roleOf, streamingNames } from './server-state.ts'

const LOOK_MS = 100
const STREAMING_TRIES_MAX = 300

interface DatabasesOptions {
  layout: Pick<Layout, 'directory' | 'postgresPort' | 'standbyPorts' | 'primary'>
  say(line: string): void
  /** Keeps the name of the primary of every later start; told at a start too, after a crash. */
  onPrimary(name: string): void
}

export class Databases {
  readonly #options: DatabasesOptions
  readonly #running = new Map<string, RunningPostgres>()
  readonly #ended = new WeakSet<RunningPostgres>()
  readonly #promotion: Promotion
  #primary: string

  private constructor(options: DatabasesOptions) {
    this.#options = options
    this.#primary = options.layout.primary
    this.#promotion = new Promotion(options.layout.directory)
  }

  /** Starts the primary and its standbys, which are copied where they are missing. */
  static async start(options: DatabasesOptions): Promise<Databases> {
    const databases = new Databases(options)
    try {
      databases.#recover()
      await databases.#startAll()
      databases.#promotion.clear()
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

  /** The server that takes writes. */
  get primary(): string {
    return this.#primary
  }

  /**
   * Ends the primary, which may be dead already, and promotes a standby: the one that is named, or
   * the one that has most. The others are copied anew. A call after one that was cut finishes that
   * promotion first. Throws a sentence, and the primary goes on, where the named one lacks commits
   * or a standby does not answer: it may be the only one that has the last commits. `force` leaves
   * out such a standby.
   */
  async promote(named: string | undefined, force = false): Promise<string> {
    const cut = this.#promotion.read()
    if (cut !== null && this.#isPromoted(cut)) return this.#finishCut(cut, named)
    const former = this.#primary
    const standbys = DATABASE_NAMES.filter((name) => name !== former)
    if (named !== undefined && !standbys.some((name) => name === named))
      throw new Error('No standby ' + named + '; there are ' + standbys.join(' and ') + '.')
    const primaryUrl = this.#server(former).url
    await this.#end(former)
    const next = await this.#chosen({ named, standbys, force, primaryUrl }).catch(
      async (error: Error) => {
        await this.#goOn(former, error)
        throw new Error(error.message + ' ' + former + ' goes on.')
      },
    )
    await this.#promoteServer(next, { former, primaryUrl })
    await this.#finish(next)
    return next + ' is the primary; ' + former + ' was copied anew and is a standby.'
  }

  /** The standby that may be promoted; throws a sentence where there is none. */
  async #chosen(from: {
    named: string | undefined
    standbys: readonly string[]
    force: boolean
    primaryUrl: string
  }): Promise<string> {
    const { named, standbys, force, primaryUrl } = from
    const ends = await Promise.all(
      standbys.map(async (name) => ({ name, end: await this.#endOf(name, primaryUrl) })),
    )
    const silent = ends.filter(({ end }) => end === null).map(({ name }) => name)
    const known = ends.flatMap(({ name, end }) => (end === null ? [] : [{ name, end }]))
    if (known.length === 0) throw new Error('No standby answers.')
    if (silent.length > 0 && !force)
      throw new Error(
        silent.join(' and ') +
          ' does not answer, and may alone have the last commits; --force leaves it out.',
      )
    const most = known.reduce((one, other) => (other.end > one.end ? other : one))
    const chosen = known.find(({ name }) => name === (named ?? most.name))
    if (chosen === undefined) throw new Error(named + ' does not answer.')
    if (chosen.end < most.end)
      throw new Error(chosen.name + ' lacks commits that ' + most.name + ' has.')
    return chosen.name
  }

  /** The last byte of the log that a standby has; one that died is started. Null: no answer. */
  async #endOf(name: string, primaryUrl: string): Promise<bigint | null> {
    try {
      const data = dataPathOf(this.#directoryOf(name))
      // A start would make a new server where there is none.
      if (!existsSync(join(data, STANDBY_FILE))) return null
      if (!this.#isUp(name)) await this.#startServer(name, standbySettings(name, primaryUrl))
      return await endOf(this.#server(name).url)
    } catch {
      return null
    }
  }

  /** Promotes a standby. Where it fails, it is a standby again and the former primary goes on. */
  async #promoteServer(
    next: string,
    { former, primaryUrl }: { former: string; primaryUrl: string },
  ): Promise<void> {
    this.#promotion.write(next)
    const isDone = await askServer(this.#server(next).url, async (sql) => {
      const [row] = await sql<{ done: boolean }[]>`select pg_promote(true) as done`
      return row?.done === true
    }).catch(() => false)
    if (isDone) return
    // It may still be at it: only a server that ended is known to be one or the other.
    await this.#end(next)
    if (this.#isPromoted(next)) return
    this.#promotion.clear()
    const failed = new Error(next + ' was not promoted.')
    await this.#goOn(former, failed)
    await this.#startServer(next, standbySettings(next, primaryUrl))
    throw new Error(failed.message + ' ' + former + ' goes on.')
  }

  async #finishCut(cut: string, named: string | undefined): Promise<string> {
    await this.#finish(cut)
    const told = cut + ' was promoted by a call that was cut; it is the primary'
    if (named !== undefined && named !== cut)
      throw new Error(told + '. Call again for ' + named + '.')
    return told + ', and the others are standbys.'
  }

  /** Names the promoted server and makes standbys of the others. Does nothing twice. */
  async #finish(next: string): Promise<void> {
    this.#primary = next
    this.#options.onPrimary(next)
    if (!this.#isUp(next)) await this.#startServer(next, REPLICATION_SETTINGS)
    const { url } = this.#server(next)
    await waitForAnyOf(url, [])
    const streaming = await streamingNames(url)
    for (const name of DATABASE_NAMES)
      if (name !== next && !streaming.includes(name)) await this.#copyStandby(name)
    await this.#awaitStandbys()
    this.#promotion.clear()
  }

  /** The former primary takes writes again, after a promotion that was refused. */
  async #goOn(former: string, reason: Error): Promise<void> {
    try {
      await this.#startServer(former, REPLICATION_SETTINGS)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(reason.message + ' ' + former + ' does not start either: ' + why)
    }
  }

  /** A promotion that a crash cut is finished, or was not begun. */
  #recover(): void {
    const cut = this.#promotion.read()
    if (cut === null) return
    if (!this.#isPromoted(cut)) return this.#promotion.clear()
    this.#primary = cut
    this.#options.onPrimary(cut)
  }

  /** PostgreSQL removes the file of a standby before it opens the next timeline. */
  #isPromoted(name: string): boolean {
    const data = dataPathOf(this.#directoryOf(name))
    return existsSync(join(data, 'PG_VERSION')) && !existsSync(join(data, STANDBY_FILE))
  }

  #isUp(name: string): boolean {
    const running = this.#running.get(name)
    return running !== undefined && !this.#ended.has(running)
  }

  /** SIGKILL, where it lives: a process with its number may be another one by then. */
  async #end(name: string): Promise<void> {
    const running = this.#running.get(name)
    if (running === undefined) return
    if (!this.#ended.has(running)) process.kill(running.pid, 'SIGKILL')
    await running.stop()
    this.#running.delete(name)
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
    // A directory that is half removed is no standby.
    rmSync(join(dataPathOf(directory), STANDBY_FILE), { force: true })
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
    void running.exited.then(() => this.#ended.add(running))
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
