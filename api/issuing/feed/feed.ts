// The feeds of this process: one poller per watched owner, and the limits of their readers.
import type { Clock } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { Owner, Principal } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { CONNECTIONS_MAX } from '../../http/connections.ts'
import { tooMany } from '../../http/rate/answer.ts'
import { FeedPoller, type FeedSource } from './poller.ts'
import type { FeedConnection, FeedReader } from './reader.ts'
import { lastFours, newestSeq, rowsAfter } from './store.ts'

/** Streams of one process, over all tenants. */
const STREAMS_MAX = 200
const WAIT_MS = 5000

export interface FeedParts {
  sql: Sql
  clock: Clock
  log: Logger
}

export class Feed {
  readonly #parts: FeedParts
  readonly #sourceOf: (owner: Owner) => FeedSource
  readonly #pollers = new Map<string, Promise<FeedPoller>>()
  /** Open streams by owner; a stream that is being opened counts. */
  readonly #open = new Map<string, number>()
  #isClosed = false

  constructor(
    parts: FeedParts,
    sourceOf = (owner: Owner): FeedSource => tableSource(parts.sql, owner),
  ) {
    this.#parts = parts
    this.#sourceOf = sourceOf
  }

  /**
   * Opens a stream. Refuses the 65th of one owner and the 201st of the process with 429. Rejects
   * while the database is away.
   */
  async open(principal: Principal, connection: FeedConnection): Promise<FeedReader> {
    const name = principal.tenantId + principal.environment
    const total = [...this.#open.values()].reduce((all, one) => all + one, 0)
    const own = this.#open.get(name) ?? 0
    if (own >= CONNECTIONS_MAX || total >= STREAMS_MAX || this.#isClosed)
      throw tooMany('connection_limit', WAIT_MS, { Connection: 'close' })
    this.#open.set(name, own + 1)
    try {
      const poller = await this.#pollerOf(name, principal)
      const reader = await poller.add(connection)
      reader.body.once('close', () => this.#left(name))
      // A stream that was being opened was none that closing could end.
      if (this.#isClosed) reader.end('closing')
      return reader
    } catch (error) {
      this.#left(name)
      throw error
    }
  }

  /** Looks at every reader's credential: one has changed, or may have. */
  check(): void {
    for (const poller of this.#pollers.values()) poller.then((one) => one.check(), IGNORED)
  }

  /** Ends every stream; later ones are refused. */
  close(): void {
    this.#isClosed = true
    for (const poller of this.#pollers.values()) poller.then((one) => one.close(), IGNORED)
  }

  /**
   * The poller goes with the last stream. One that is being opened keeps it: a second poller of the
   * owner would leave the first one's streams without checks of their credentials.
   */
  #left(name: string): void {
    const rest = (this.#open.get(name) ?? 1) - 1
    if (rest > 0) this.#open.set(name, rest)
    else {
      this.#open.delete(name)
      this.#pollers.delete(name)
    }
  }

  #pollerOf(name: string, principal: Principal): Promise<FeedPoller> {
    const running = this.#pollers.get(name)
    if (running !== undefined) return running
    const begun = this.#begin(principal)
    this.#pollers.set(name, begun)
    // A later stream asks anew, unless another poller has begun meanwhile.
    begun.catch(() => {
      if (this.#pollers.get(name) === begun) this.#pollers.delete(name)
    })
    return begun
  }

  async #begin(principal: Principal): Promise<FeedPoller> {
    const { clock, log } = this.#parts
    const source = this.#sourceOf(principal)
    return new FeedPoller({ source, clock, log }, await source.newestSeq())
  }
}

const IGNORED = (): void => undefined

function tableSource(sql: Sql, { tenantId, environment }: Owner): FeedSource {
  const owner = { tenantId, environment }
  return {
    newestSeq: () => newestSeq(sql, owner),
    rowsAfter: (after, limit) => rowsAfter(sql, owner, { after, limit }),
    lastFours: (cardIds) => lastFours(sql, owner, cardIds),
  }
}
