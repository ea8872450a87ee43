// Finds the primary among several hosts of PostgreSQL. A standby refuses writes, and an old primary
// that nobody stopped goes on answering with old rows: the host of the highest timeline counts.
import type { Socket } from 'node:net'
import { type Clock, systemClock } from '../../shared/clock.ts'

/** Milliseconds between two looks while a connection is open. */
const LOOK_MS = 1000

/** The answer of one host; null: it is a standby, or does not answer in time. */
export type AskHost = (url: string) => Promise<{ timeline: number } | null>

export class PrimaryFinder {
  readonly #urls: readonly string[]
  readonly #ask: AskHost
  readonly #clock: Clock
  /** Open connections with the host that each goes to. */
  readonly #sockets = new Map<Socket, string>()
  #looking: Promise<string | null> | null = null
  /** A host of an earlier timeline is an old primary. */
  #timeline = 0
  #watching = false

  constructor(urls: readonly string[], ask: AskHost, clock: Clock = systemClock) {
    this.#urls = urls
    this.#ask = ask
    this.#clock = clock
  }

  /** The address of the primary; null where no host is one. Callers that come together share it. */
  find(): Promise<string | null> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  /** Ends the connection as soon as another host is the primary. */
  follow(socket: Socket, url: string): void {
    this.#sockets.set(socket, url)
    socket.once('close', () => this.#sockets.delete(socket))
    this.#watch()
  }

  async #look(): Promise<string | null> {
    const asked = this.#urls.map(async (url) => ({ url, answer: await this.#ask(url) }))
    let found: string | null = null
    for (const { url, answer } of await Promise.all(asked))
      if (answer !== null && answer.timeline >= this.#timeline) {
        if (found !== null && answer.timeline === this.#timeline) continue
        this.#timeline = answer.timeline
        found = url
      }
    return found
  }

  #watch(): void {
    if (this.#watching) return
    this.#watching = true
    this.#clock.after(LOOK_MS, () => void this.#endOthers())
  }

  async #endOthers(): Promise<void> {
    this.#watching = false
    if (this.#sockets.size === 0) return
    const primary = await this.find()
    for (const [socket, url] of this.#sockets)
      if (primary !== null && url !== primary) socket.destroy(notPrimary())
    this.#watch()
  }
}

/** The failure of a connection where no host is the primary, or another one is now. */
export function notPrimary(): Error {
  const message = 'no host of DATABASE_URL is the primary that this connection needs'
  return Object.assign(new Error(message), { code: 'ECONNREFUSED' })
}
