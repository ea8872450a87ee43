// Finds the primary among several hosts of PostgreSQL. A standby refuses writes, and an old primary
// that nobody stopped goes on answering with old rows: the host of the highest timeline counts. It
// is forgotten once every host answers and neither a primary nor a standby is on it or a later one:
// the database was put back on purpose.
import type { Socket } from 'node:net'
import { type Clock, systemClock, type Timer } from '../../shared/clock.ts'

/** Milliseconds between two looks while a connection is open. */
const LOOK_MS = 1000

/** A host that takes no writes, with the timeline that it has followed so far. */
export interface Standby {
  standby: number
}

/** The timeline of a primary, or a standby. `away`: nobody answers; `silent`: not in time. */
export type HostAnswer = number | Standby | 'away' | 'silent'

export type AskHost = (url: string) => Promise<HostAnswer>

export class PrimaryFinder {
  readonly #urls: readonly string[]
  readonly #ask: AskHost
  readonly #clock: Clock
  /** Open connections with the host that each goes to. */
  readonly #sockets = new Map<Socket, string>()
  #finding: Promise<string | Error> | null = null
  /** The host that was found last. */
  #primary: string | null = null
  /** A host of an earlier timeline is an old primary. */
  #timeline = 0
  /** Answers of primaries on that timeline. */
  #told = 0
  #timer: Timer | null = null

  constructor(urls: readonly string[], ask: AskHost, clock: Clock = systemClock) {
    this.#urls = urls
    this.#ask = ask
    this.#clock = clock
  }

  /**
   * The address of the primary, or the failure of a dial where no host is one. Never rejects.
   * Callers that come together share an answer.
   */
  find(): Promise<string | Error> {
    this.#finding ??= this.#confirmed().finally(() => {
      this.#finding = null
    })
    return this.#finding
  }

  /** Ends the connection as soon as another host is the primary. */
  follow(socket: Socket, url: string): void {
    this.#sockets.set(socket, url)
    // A listener would not do: the driver removes all of them before it encrypts a connection.
    const emit = socket.emit.bind(socket)
    socket.emit = (event: string | symbol, ...details: unknown[]): boolean => {
      if (event === 'close') this.#closed(socket)
      return emit(event, ...details)
    }
    this.#watch()
  }

  #closed(socket: Socket): void {
    this.#sockets.delete(socket)
    if (this.#sockets.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
  }

  /** The primary of before is enough: another host may be silent for long. */
  #confirmed(): Promise<string | Error> {
    return new Promise((resolve) => {
      const before = this.#primary
      const heard = (url: string, answer: HostAnswer): void => {
        if (url === before && answer === this.#timeline) resolve(url)
      }
      void this.#askAll(heard).then(resolve)
    })
  }

  async #askAll(heard: (url: string, answer: HostAnswer) => void): Promise<string | Error> {
    const toldBefore = this.#told
    const asked = this.#urls.map(async (url) => {
      const answer = await this.#ask(url).catch(() => 'away' as const)
      if (typeof answer === 'number' && answer >= this.#timeline) {
        this.#timeline = answer
        this.#told += 1
      }
      heard(url, answer)
      return { url, answer }
    })
    const answers = await Promise.all(asked)
    // Looks overlap: another one may have heard the known timeline meanwhile.
    if (this.#told === toldBefore) this.#timeline = putBackTo(answers) ?? this.#timeline
    const found = answers.filter(({ answer }) => answer === this.#timeline).map(({ url }) => url)
    const [first] = found
    if (first === undefined) return notPrimary(answers.some(({ answer }) => answer === 'silent'))
    if (this.#primary === null || !found.includes(this.#primary)) this.#primary = first
    return this.#primary
  }

  #watch(): void {
    this.#timer ??= this.#clock.after(LOOK_MS, () => void this.#endOthers())
  }

  async #endOthers(): Promise<void> {
    this.#timer = null
    const primary = await this.#askAll(() => undefined)
    for (const [socket, url] of this.#sockets)
      if (typeof primary === 'string' && url !== primary) socket.destroy(notPrimary(false))
    if (this.#sockets.size > 0) this.#watch()
  }
}

/** The timeline that is the latest on every host, and a primary's; null where there is none. */
function putBackTo(answers: readonly { answer: HostAnswer }[]): number | null {
  let [latest, followed] = [0, 0]
  for (const { answer } of answers) {
    if (answer === 'away' || answer === 'silent') return null
    if (typeof answer === 'number') latest = Math.max(latest, answer)
    else followed = Math.max(followed, answer.standby)
  }
  return latest > 0 && followed <= latest ? latest : null
}

/** A host that did not answer in time may be the primary: the failure is then a silence. */
function notPrimary(silent: boolean): Error {
  const message = 'no host of DATABASE_URL is the primary that this connection needs'
  return Object.assign(new Error(message), { code: silent ? 'ETIMEDOUT' : 'ECONNREFUSED' })
}
