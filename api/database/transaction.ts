// The only way to run a transaction. postgres.js can send statements of a dead transaction to a new
// connection, where they commit by themselves; here every statement is checked in the instant it is
// sent. Never call sql.begin directly.
import type postgres from 'postgres'
import { assert } from '../../shared/assert.ts'
import { sleep } from '../../shared/clock.ts'
import { ConnectionGuard } from './connection-guard.ts'
import { DatabaseSilent, type Wait } from './database-watchdog.ts'
import type { Sql, SqlTypes } from './pool.ts'

/** Statements of one transaction. Valid until the work returns. */
export type TxSql = postgres.TransactionSql<SqlTypes>

/**
 * The connection closed since BEGIN. The transaction did not commit, unless the connection closed
 * while COMMIT was in flight.
 */
class TxLost extends Error {
  override readonly name = 'TxLost'
  readonly code = 'TX_LOST'
  /** True when its COMMIT was in flight. */
  readonly inDoubt: boolean

  constructor(options: { inDoubt: boolean; cause?: unknown }) {
    super('the database connection closed during the transaction', { cause: options.cause })
    this.inDoubt = options.inDoubt
  }
}

export interface TxOptions {
  /**
   * The work may run a second time, even when the first run committed without our knowledge: it
   * carries an idempotency row, a compare-and-set or the like. Then it is repeated once after
   * TX_LOST, and several times after 40001 and 40P01 (conflicts).
   */
  safeToRepeat?: boolean
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /**
   * The wait of the caller: once it is over, no further statement is sent, and the transaction is
   * rolled back.
   */
  wait?: Wait | null
}

/** PostgreSQL aborted this transaction in favor of another: a serialization failure, a deadlock. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const CONFLICTS_MAX = 3
/**
 * Milliseconds the winner has to take its lock, doubled each time: an immediate retry would take
 * the lock away again.
 */
const CONFLICT_MS = 20
/**
 * Errors of a BEGIN whose connection died before it, also when the server announced the end (57P01,
 * terminated).
 */
const NEVER_BEGUN: ReadonlySet<unknown> = new Set(['TX_LOST', '57P01'])

/**
 * Runs the work in one transaction: commits when it returns, rolls back when it throws. The work
 * awaits only its own statements. Throws TxLost when the connection closed, even if the work itself
 * would not have noticed.
 */
export async function tx<Value>(
  sql: Sql,
  work: (sql: TxSql) => Promise<Value>,
  options: TxOptions = {},
): Promise<Value> {
  const { safeToRepeat = false, wait } = options
  for (let repeats = 0; ; repeats++) {
    let begun = false
    const begin = (inner: TxSql): Promise<Value> => {
      begun = true
      return work(inner)
    }
    try {
      return await attempt(sql, begin, options)
    } catch (error) {
      const code = codeOf(error)
      const conflict = safeToRepeat && CONFLICTS.has(code) && repeats < CONFLICTS_MAX
      const gone = begun ? safeToRepeat && code === 'TX_LOST' : NEVER_BEGUN.has(code)
      if (wait?.over || !(conflict || (gone && repeats === 0))) throw error
      if (conflict) await sleep(CONFLICT_MS << repeats)
    }
  }
}

async function attempt<Value>(
  sql: Sql,
  work: (sql: TxSql) => Promise<Value>,
  options: TxOptions,
): Promise<Value> {
  const wait = options.wait ?? { over: false, committing: false }
  if (wait.over) throw new DatabaseSilent(wait.committing)
  const connectionGuard = new ConnectionGuard()
  const isolation = options.isolation === undefined ? '' : 'isolation level ' + options.isolation
  try {
    const result = await sql.connectionGuards.begin(connectionGuard, () =>
      sql.begin(isolation, (inner) => untilLost({ connectionGuard, wait }, inner, work)),
    )
    return result as Value
  } catch (error) {
    if (connectionGuard.lost || codeOf(error) === 'CONNECTION_CLOSED') {
      throw new TxLost({ inDoubt: wait.committing, cause: error })
    }
    throw error
  }
}

/**
 * Never settles after a loss: the driver would answer with a ROLLBACK on a connection that is no
 * longer ours.
 */
function untilLost<Value>(
  { connectionGuard, wait }: { connectionGuard: ConnectionGuard; wait: Wait },
  inner: TxSql,
  work: (sql: TxSql) => Promise<Value>,
): Promise<Value> {
  assert(connectionGuard.attached, 'the driver began a transaction on an unknown connection')
  const guard = new Guard(connectionGuard, wait)
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      guard.over = true
      if (!connectionGuard.lost) finish()
    }
    work(guard.wrap(inner)).then(
      (value) =>
        settle(() => {
          if (wait.over) return reject(new DatabaseSilent(false))
          wait.committing = true
          resolve(value)
        }),
      (error) => settle(() => reject(error)),
    )
  })
}

/** A query of the driver: a promise whose handler sends it when it is awaited. */
interface Query extends Promise<unknown> {
  handler(query: Query): void
  reject(reason: Error): void
}

class Guard {
  /** The work has returned: COMMIT or ROLLBACK is on its way. */
  over = false
  readonly #connectionGuard: ConnectionGuard
  readonly #wait: Wait

  constructor(connectionGuard: ConnectionGuard, wait: Wait) {
    this.#connectionGuard = connectionGuard
    this.#wait = wait
  }

  wrap(inner: TxSql): TxSql {
    const guarded = {
      unsafe: (...details: Parameters<TxSql['unsafe']>) => this.#check(inner.unsafe(...details)),
      // The driver's own notify takes another connection of the pool, and waits for it while
      // holding this one.
      notify: (channel: string, payload: string) =>
        this.#check(inner`select pg_notify(${channel}, ${payload})`),
      savepoint: (work: (sql: TxSql) => Promise<unknown>) =>
        inner.savepoint((nested) => work(this.wrap(nested))),
    }
    return new Proxy(inner, {
      apply: (target, _self, details) => this.#check(Reflect.apply(target, undefined, details)),
      get: (target, name) =>
        name in guarded ? guarded[name as keyof typeof guarded] : Reflect.get(target, name),
    })
  }

  /**
   * Fragments and parameters pass; a query is refused now if it is too late, and checked again when
   * it is sent.
   */
  #check<Made>(made: Made): Made {
    if (!(made instanceof Promise)) return made
    const refusal = this.#refusal()
    if (refusal !== null) throw refusal
    const query = made as Promise<unknown> as Query
    const send = query.handler
    query.handler = (sent) => {
      const late = this.#refusal()
      if (late !== null) return query.reject(late)
      // A statement that is still queued when the connection closes would never be answered.
      const release = this.#connectionGuard.onLoss(() => query.reject(lost()))
      Promise.prototype.then.call(query, release, release)
      send(sent)
    }
    return made
  }

  #refusal(): Error | null {
    if (this.#connectionGuard.lost) return lost()
    if (this.#wait.over) return new DatabaseSilent(false)
    return this.over ? new Error('a statement was sent after its transaction had ended') : null
  }
}

function lost(): TxLost {
  return new TxLost({ inDoubt: false })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
