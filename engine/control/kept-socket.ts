// Keeps the engine's private socket reachable: a socket file that was deleted or replaced is made
// anew.
import { lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { listenPrivately, socketObstacle } from './private-socket.ts'

/** Chosen: between two looks at the socket file. */
const LOOK_MS = 1000

export interface KeptSocketOptions {
  path: string
  clock: Clock
  log: Logger
  /** A server with the routes of the control socket; called for each socket file that is made. */
  newServer(): Server
}

export interface KeptSocket {
  /** Closes every connection, also those that came over an earlier socket file. */
  close(): Promise<void>
}

/**
 * Listens on the path until it is closed. Rejects with a sentence where the path cannot be had at
 * the start.
 */
export async function keepSocket(options: KeptSocketOptions): Promise<KeptSocket> {
  const kept = new Kept(options)
  await kept.listen()
  return kept
}

class Kept implements KeptSocket {
  readonly #options: KeptSocketOptions
  /** The latest one listens; connections of the earlier ones go on. */
  readonly #servers = new Set<Server>()
  /** The server forgets a connection that was upgraded, and would wait for its end. */
  readonly #sockets = new Set<Socket>()
  #latest: Server | null = null
  #identity = ''
  #complaint: string | null = null
  #timer: Timer | null = null
  #closed = false

  constructor(options: KeptSocketOptions) {
    this.#options = options
  }

  async listen(): Promise<void> {
    const { path, newServer } = this.#options
    const server = newServer()
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    await listenPrivately(server, path)
    this.#servers.add(server)
    this.#latest = server
    this.#identity = identityOf(lstatSync(path))
    this.#lookLater()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    const closed = [...this.#servers].map(
      (server) => new Promise<void>((resolve) => void server.close(() => resolve())),
    )
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(closed)
  }

  #lookLater(): void {
    if (this.#closed) return
    this.#timer = this.#options.clock.after(LOOK_MS, () => void this.#look())
  }

  async #look(): Promise<void> {
    const { path, log } = this.#options
    const found = await lstat(path).then(identityOf, () => null)
    if (this.#closed) return
    if (found === this.#identity) return this.#lookLater()
    try {
      const obstacle = found === null ? null : await socketObstacle(path)
      if (obstacle !== null) throw new Error(obstacle)
      if (this.#closed) return
      // Closing removes the file of this name. Only now is it certain that no other process uses
      // it.
      const former = this.#latest
      former?.close(() => this.#servers.delete(former))
      await this.listen()
      this.#complaint = null
      log.warn({ path }, 'the control socket was deleted; made it anew')
    } catch (error) {
      const complaint = error instanceof Error ? error.message : String(error)
      if (complaint !== this.#complaint) log.error({ path, reason: complaint }, NOT_MADE)
      this.#complaint = complaint
      this.#lookLater()
    }
  }
}

const NOT_MADE = 'the control socket is gone and cannot be made anew; the api is cut off'

/** A file of the same name with another number is another file. */
function identityOf({ dev, ino }: { dev: number; ino: number }): string {
  return dev + ':' + ino
}
