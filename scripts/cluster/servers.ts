// The servers of PostgreSQL of a cluster: their files, addresses and processes. The files of a
// server tell all of it: a dead one has an address too.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataPathOf } from '../postgres/cluster.ts'
import { urlOf } from '../postgres/running.ts'
import { STANDBY_FILE } from '../postgres/standby.ts'
import { type RunningPostgres, startPostgres } from '../postgres.ts'
import { DATABASE_NAMES, type Layout } from './layout.ts'
import { roleOf } from './server-state.ts'

/** The part of the layout that concerns PostgreSQL. */
export type ServersLayout = Pick<Layout, 'directory' | 'postgresPort' | 'standbyPorts' | 'primary'>

export class Servers {
  readonly #layout: ServersLayout
  readonly #say: (line: string) => void
  readonly #running = new Map<string, RunningPostgres>()
  readonly #ended = new WeakSet<RunningPostgres>()

  constructor(layout: ServersLayout, say: (line: string) => void) {
    this.#layout = layout
    this.#say = say
  }

  directoryOf(name: string): string {
    const [first] = DATABASE_NAMES
    return join(this.#layout.directory, name === first ? 'postgres' : 'postgres-' + name)
  }

  portOf(name: string): number {
    const { postgresPort, standbyPorts } = this.#layout
    const ports = [postgresPort, ...standbyPorts]
    return ports[DATABASE_NAMES.indexOf(name)] ?? 0
  }

  /** The address, also of a server that does not run. Throws where no server was made yet. */
  urlOf(name: string): string {
    // Each is a copy of the first one, with its password.
    const password = [name, ...DATABASE_NAMES]
      .map((of) => join(this.directoryOf(of), 'password'))
      .find((path) => existsSync(path))
    if (password === undefined) throw new Error('PostgreSQL ' + name + ' was not made yet.')
    return urlOf({ password: readFileSync(password, 'utf8').trim(), port: this.portOf(name) })
  }

  isUp(name: string): boolean {
    const running = this.#running.get(name)
    return running !== undefined && !this.#ended.has(running)
  }

  isStandby(name: string): boolean {
    return existsSync(join(dataPathOf(this.directoryOf(name)), STANDBY_FILE))
  }

  /** PostgreSQL removes the file of a standby before it opens the next timeline. */
  isPromoted(name: string): boolean {
    return this.#hasData(name) && !this.isStandby(name)
  }

  #hasData(name: string): boolean {
    return existsSync(join(dataPathOf(this.directoryOf(name)), 'PG_VERSION'))
  }

  /** Makes a server only where there is none at all: an empty one replaces no lost one. */
  async start(name: string, settings: { readonly [name: string]: string }): Promise<void> {
    const directory = this.directoryOf(name)
    if (!this.#hasData(name) && DATABASE_NAMES.some((other) => this.#hasData(other)))
      throw new Error('PostgreSQL ' + name + ' lost its files in ' + directory + '.')
    const options = { directory, port: this.portOf(name), log: this.#say, settings }
    const running = await startPostgres(options)
    this.#running.set(name, running)
    void running.exited.then(() => this.#ended.add(running))
  }

  /** SIGKILL, where it lives: a process with its number may be another one by then. */
  async end(name: string): Promise<void> {
    const running = this.#running.get(name)
    if (running === undefined) return
    if (!this.#ended.has(running)) process.kill(running.pid, 'SIGKILL')
    await running.stop()
    this.#running.delete(name)
  }

  async stop(name: string): Promise<void> {
    await this.#running.get(name)?.stop()
  }

  /** A line for each server. */
  async status(): Promise<string> {
    const lines = DATABASE_NAMES.map(async (name) => {
      const seen = this.#running.has(name) ? await this.roleOf(name) : null
      return 'PostgreSQL ' + name + '  ' + (seen ?? 'does not answer')
    })
    return (await Promise.all(lines)).join('\n')
  }

  /** Null: it does not answer. */
  roleOf(name: string): Promise<string | null> {
    return roleOf(this.urlOf(name)).catch(() => null)
  }
}
