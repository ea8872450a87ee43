// Checks whether the database has every migration of this version: until then this code would query
// missing columns. Once complete, the check stops, because no migration is ever undone.
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { readMigrations } from './migrate.ts'
import type { Sql } from './pool.ts'

/** Nanoseconds between two checks while one is missing. */
const LOOK_NS = 1e9
/** PostgreSQL's code for a missing table: the database was never migrated. */
const UNDEFINED_TABLE = '42P01'

export interface DatabaseWatch {
  sql: Sql
  clock: Clock
  log: Logger
}

export class AwaitedMigrations {
  readonly #watch: DatabaseWatch
  readonly #needed = readMigrations()
  #complete = false
  #told = false
  #look: Promise<string | null> | null = null
  #lookedNs = 0

  constructor(watch: DatabaseWatch) {
    this.#watch = watch
  }

  /** True once all migrations were present. */
  get complete(): boolean {
    return this.#complete
  }

  /**
   * Returns the first migration that the database lacks, checked once a second for any number of
   * callers; null when complete. A database of a newer version is complete too. Rejects while
   * PostgreSQL does not answer.
   */
  missing(): Promise<string | null> {
    const now = this.#watch.clock.monotonicNs()
    if (this.#look === null || now - this.#lookedNs >= LOOK_NS) {
      this.#lookedNs = now
      this.#look = this.#lookNow()
    }
    return this.#look
  }

  async #lookNow(): Promise<string | null> {
    try {
      const applied = new Set(await appliedNames(this.#watch.sql))
      const missing = this.#needed.find(({ name }) => !applied.has(name))?.name ?? null
      this.#tell(missing)
      this.#complete = missing === null
      return missing
    } catch (error) {
      this.#look = null
      throw error
    }
  }

  /** Logs one message when the wait begins and one when it ends. */
  #tell(missing: string | null): void {
    const { log } = this.#watch
    if (missing === null && this.#told) log.info('the database has every migration now')
    if (missing !== null && !this.#told)
      log.warn({ missing }, 'waiting: the database is older than this version: npm run migrate')
    this.#told = missing !== null
  }
}

async function appliedNames(sql: Sql): Promise<string[]> {
  try {
    const rows = await sql<{ name: string }[]>`select name from migration_history`
    return rows.map(({ name }) => name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return []
    throw error
  }
}
