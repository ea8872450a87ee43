// Whether the database has every migration of this version: until then this code would ask for columns that are not there. From
// then on nothing is asked any more, because no migration is ever taken back.
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { readMigrations } from './migrate.ts'
import type { Sql } from './pool.ts'

/** Between two looks while one is missing. */
const LOOK_NS = 1e9
/** PostgreSQL's code for a table that is not there: nothing was ever migrated. */
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

  /** True from the moment they were all there. */
  get complete(): boolean {
    return this.#complete
  }

  /**
   * The first one that the database does not have, looked for once a second however many ask; null where it has them all. A database of a newer version has them too. Rejects while PostgreSQL does not answer.
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
      const applied = new Set(await appliedNumbers(this.#watch.sql))
      const missing = this.#needed.find(({ number }) => !applied.has(number))?.name ?? null
      this.#tell(missing)
      this.#complete = missing === null
      return missing
    } catch (error) {
      this.#look = null
      throw error
    }
  }

  /** One line when it begins, one when it is over. */
  #tell(missing: string | null): void {
    const { log } = this.#watch
    if (missing === null && this.#told) log.info('the database has every migration now')
    if (missing !== null && !this.#told)
      log.warn({ missing }, 'waiting: the database is older than this version: npm run migrate')
    this.#told = missing !== null
  }
}

async function appliedNumbers(sql: Sql): Promise<number[]> {
  try {
    const rows = await sql<{ number: number }[]>`select number from migration_history`
    return rows.map(({ number }) => number)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return []
    throw error
  }
}
