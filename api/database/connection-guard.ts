// Ties a transaction to its connection: the lifeline hears of a close in the same instant, before
// any other code can run. postgres.js itself goes on using a connection object that has reconnected
// meanwhile, outside any transaction.
import { assert } from '../../shared/assert.ts'

/** The driver's connection object, as its `begin` hands it to `onexecute`. */
interface Connection {
  id: number
}

type Unsafe = (text: string, args: unknown[], options: UnsafeOptions) => unknown

interface UnsafeOptions {
  onexecute?: (connection: Connection) => unknown
}

export class ConnectionGuard {
  /**
   * The connection closed since BEGIN: the transaction is rolled back, or its COMMIT is in doubt.
   */
  lost = false
  #connectionId: number | null = null
  readonly #listeners = new Set<() => void>()

  get attached(): boolean {
    return this.#connectionId !== null
  }

  attach(connectionId: number): void {
    this.#connectionId = connectionId
  }

  get connectionId(): number | null {
    return this.#connectionId
  }

  /** Calls back at the loss, until the returned function is called. */
  onLoss(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  cut(): void {
    this.lost = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }
}

/** The lifelines of one pool: at most one per connection. */
export class ConnectionGuards {
  readonly #byConnection = new Map<number, ConnectionGuard>()
  #starting: ConnectionGuard | null = null

  /**
   * Watches the pool's BEGINs, the only moment when the driver names the connection of a
   * transaction.
   */
  watch(pool: { unsafe: unknown }): void {
    const unsafe = pool.unsafe as Unsafe
    const watched: Unsafe = (text, args, options) => {
      const connectionGuard = this.#starting
      const reserve = options?.onexecute
      if (connectionGuard === null || reserve === undefined) return unsafe(text, args, options)
      this.#starting = null
      return unsafe(text, args, {
        ...options,
        onexecute: (connection) => {
          connectionGuard.attach(connection.id)
          this.#byConnection.set(connection.id, connectionGuard)
          return reserve(connection)
        },
      })
    }
    pool.unsafe = watched
  }

  /** Runs the driver's `begin`, which must send its BEGIN before it returns. */
  async begin<Value>(
    connectionGuard: ConnectionGuard,
    start: () => Promise<Value>,
  ): Promise<Value> {
    this.#starting = connectionGuard
    try {
      const running = start()
      assert(this.#starting === null, 'the driver sends BEGIN in a way that is not watched')
      return await running
    } finally {
      this.#starting = null
      const { connectionId } = connectionGuard
      if (connectionId !== null && this.#byConnection.get(connectionId) === connectionGuard) {
        this.#byConnection.delete(connectionId)
      }
    }
  }

  closed(connectionId: number): void {
    const connectionGuard = this.#byConnection.get(connectionId)
    this.#byConnection.delete(connectionId)
    connectionGuard?.cut()
  }
}
