// The PostgreSQL of a cluster: a primary and two standbys, of which one has every commit. A
// promotion is the operator's act, here a command.
import { rmSync } from 'node:fs'
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
import { DATABASE_NAMES } from './layout.ts'
import { Promotion } from './promotion.ts'
import { endOf, streamingNames } from './server-state.ts'
import { Servers, type ServersLayout } from './servers.ts'

const LOOK_MS = 100
const STREAMING_TRIES_MAX = 300
const GIVES_UP = ' --force gives it up, with the commits that it alone has.'

interface DatabasesOptions {
  layout: ServersLayout
  say(line: string): void
  /** Keeps the name of the primary of every later start; told at a start too, after a crash. */
  onPrimary(name: string): void
}

export class Databases {
  readonly #options: DatabasesOptions
  readonly #servers: Servers
  readonly #promotion: Promotion
  #primary: string
  /** The server that was promoted last, in this run or shortly before it. */
  #promoted: string | null = null
  #isPromoting = false

  private constructor(options: DatabasesOptions) {
    this.#options = options
    this.#primary = options.layout.primary
    this.#servers = new Servers(options.layout, (line) => options.say(line))
    this.#promotion = new Promotion(options.layout.directory)
  }

  /**
   * Starts the primary and its standbys, which are copied where they are missing. A primary that
   * does not start while it has standbys is told, and stays away until one of them is promoted:
   * untilPrimary.
   */
  static async start(options: DatabasesOptions): Promise<Databases> {
    const databases = new Databases(options)
    try {
      databases.#recover()
      await databases.#startAll()
      return databases
    } catch (error) {
      await databases.stop()
      throw error
    }
  }

  /** One address with all hosts. */
  get url(): string {
    const hosts = DATABASE_NAMES.map((name) => '127.0.0.1:' + this.#servers.portOf(name))
    const own = '127.0.0.1:' + this.#servers.portOf(this.#primary)
    return this.#servers.urlOf(this.#primary).replace(own, hosts.join(','))
  }

  async stop(): Promise<void> {
    // The primary first: without a standby its commits would wait.
    await this.#servers.stop(this.#primary)
    await Promise.all(DATABASE_NAMES.map((name) => this.#servers.stop(name)))
  }

  /** A line for each server. */
  status(): Promise<string> {
    return this.#servers.status()
  }

  /** Waits until the primary runs and no promotion is going on, or the signal aborts. */
  async untilPrimary(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#isPromoting || !this.#servers.isUp(this.#primary)))
      await sleep(LOOK_MS, signal)
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
   * out such a standby, and gives up a server that a cut call promoted and that does not start. One
   * promotion at a time; the call that is repeated without a name promotes no other server while
   * the one it promoted answers.
   */
  async promote(named: string | undefined, force = false): Promise<string> {
    if (this.#isPromoting) throw new Error('A promotion is going on.')
    this.#isPromoting = true
    try {
      return (await this.#finishCut(named, force)) ?? (await this.#promote(named, force))
    } finally {
      this.#isPromoting = false
    }
  }

  async #promote(named: string | undefined, force: boolean): Promise<string> {
    const former = this.#primary
    if (named === former) throw new Error(former + ' is the primary already.')
    if (named === undefined && former === this.#promoted && (await this.#answers(former)))
      throw new Error(former + ' was promoted before and answers. Name another one to promote it.')
    const standbys = DATABASE_NAMES.filter((name) => name !== former)
    if (named !== undefined && !standbys.some((name) => name === named))
      throw new Error('No standby ' + named + '; there are ' + standbys.join(' and ') + '.')
    const primaryUrl = this.#servers.urlOf(former)
    await this.#servers.end(former)
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
      if (!this.#servers.isStandby(name)) return null
      if (!this.#servers.isUp(name))
        await this.#servers.start(name, standbySettings(name, primaryUrl))
      return await endOf(this.#servers.urlOf(name))
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
    const isDone = await askServer(this.#servers.urlOf(next), async (sql) => {
      const [row] = await sql<{ done: boolean }[]>`select pg_promote(true) as done`
      return row?.done === true
    }).catch(() => false)
    if (isDone) return
    // It may still be at it: only a server that ended is known to be one or the other.
    await this.#servers.end(next)
    if (this.#servers.isPromoted(next)) return
    this.#promotion.clear()
    const failed = new Error(next + ' was not promoted.')
    await this.#goOn(former, failed)
    await this.#servers.start(next, standbySettings(next, primaryUrl))
    throw new Error(failed.message + ' ' + former + ' goes on.')
  }

  /**
   * Finishes a promotion that a call before left unfinished. Null: there was none, or the server
   * that was promoted does not start and is given up.
   */
  async #finishCut(named: string | undefined, force: boolean): Promise<string | null> {
    const cut = this.#promotion.read()
    if (cut === null || !this.#servers.isPromoted(cut)) return null
    const promoted = cut + ' was promoted by a call that was cut'
    try {
      if (!this.#servers.isUp(cut)) await this.#servers.start(cut, REPLICATION_SETTINGS)
    } catch (error) {
      if (!force) throw new Error(promoted + ', and does not start: ' + reasonOf(error) + GIVES_UP)
      this.#promotion.clear()
      return null
    }
    await this.#finish(cut)
    const told = promoted + '; it is the primary'
    if (named !== undefined && named !== cut)
      throw new Error(told + '. Call again for ' + named + '.')
    return told + ', and the others are standbys.'
  }

  /** Names the promoted server and makes standbys of the others. Does nothing twice. */
  async #finish(next: string): Promise<void> {
    this.#primary = next
    this.#options.onPrimary(next)
    this.#promoted = next
    if (!this.#servers.isUp(next)) await this.#servers.start(next, REPLICATION_SETTINGS)
    const url = this.#servers.urlOf(next)
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
      await this.#servers.start(former, REPLICATION_SETTINGS)
    } catch (error) {
      const why = reasonOf(error)
      throw new Error(reason.message + ' ' + former + ' does not start either: ' + why)
    }
  }

  /** A promotion that a crash cut is finished, or was not begun. */
  #recover(): void {
    const cut = this.#promotion.read()
    if (cut === null) return
    if (!this.#servers.isPromoted(cut)) return this.#promotion.clear()
    this.#primary = cut
    this.#promoted = cut
    this.#options.onPrimary(cut)
  }

  async #answers(name: string): Promise<boolean> {
    return this.#servers.isUp(name) && (await this.#servers.roleOf(name)) !== null
  }

  async #startAll(): Promise<void> {
    const { say } = this.#options
    const standbys = DATABASE_NAMES.filter((name) => name !== this.#primary)
    try {
      await this.#servers.start(this.#primary, REPLICATION_SETTINGS)
    } catch (error) {
      if (!standbys.some((name) => this.#servers.isStandby(name))) throw error
      return this.#startWithout(error)
    }
    for (const name of standbys) {
      if (this.#servers.isStandby(name))
        await this.#servers.start(name, this.#standbySettings(name))
      else {
        say('copying PostgreSQL ' + this.#primary + ' to the standby ' + name)
        await this.#copyStandby(name)
      }
    }
    await this.#awaitStandbys()
    this.#promotion.clear()
  }

  /** The standbys alone: only an operator promotes one. */
  async #startWithout(error: unknown): Promise<void> {
    const { say } = this.#options
    say('PostgreSQL ' + this.#primary + ' does not start: ' + reasonOf(error))
    for (const name of DATABASE_NAMES)
      if (this.#servers.isStandby(name))
        await this.#servers
          .start(name, this.#standbySettings(name))
          .catch((failed) => say('PostgreSQL ' + name + ' does not start: ' + reasonOf(failed)))
    say('nothing goes on before a standby is the primary: npm run cluster -- promote')
  }

  async #copyStandby(name: string): Promise<void> {
    await this.#servers.stop(name)
    const directory = this.#servers.directoryOf(name)
    // A directory that is half removed is no standby.
    rmSync(join(dataPathOf(directory), STANDBY_FILE), { force: true })
    rmSync(directory, { recursive: true, force: true })
    const primary = {
      url: this.#servers.urlOf(this.#primary),
      directory: this.#servers.directoryOf(this.#primary),
    }
    await copyPrimary(primary, { name, directory })
    await this.#servers.start(name, this.#standbySettings(name))
  }

  /** Waits until both stream; from then on a commit waits for one of them. */
  async #awaitStandbys(): Promise<void> {
    const url = this.#servers.urlOf(this.#primary)
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

  #standbySettings(name: string): { [name: string]: string } {
    return standbySettings(name, this.#servers.urlOf(this.#primary))
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
