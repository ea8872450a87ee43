// Detects whether the database answers at all. A hung server keeps its connections open and stays
// silent, just like a statement that legitimately runs long. When a caller has waited a second, the
// pulse sends a trivial statement on its own connection: if it is answered, slow statements go on;
// if not, every wait ends.
import type { Clock } from '../../shared/clock.ts'
import { withDeadline } from './deadline.ts'
import { openPool } from './pool.ts'
import { databaseSilent } from './unavailable.ts'

/**
 * Time is counted in beats, at most one per turn of the event loop: a process that could not read
 * the database's answers does not blame the database.
 */
const BEAT_MS = 250
/** Beats a wait lasts before the database is probed, and before the wait is given up. */
const PATIENT_BEATS = 4
/**
 * Beats without an answer after which the database counts as silent. Chosen: a first caller waits
 * 2.5 s, later ones a second.
 */
const SILENT_BEATS = 6
const ANSWER_MS_MAX = 3000

/** State that a waiting caller shares with its work. */
export interface Wait {
  /** The caller has given up: the work must not begin a statement, nor commit an earlier one. */
  over: boolean
  /** A COMMIT was sent: its result is unknown until the database answers. */
  committing: boolean
}

/** The database stayed silent; whether it hangs or is unreachable is unknown. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent'
  readonly code = 'DATABASE_SILENT'
  /** True when a COMMIT was in flight. */
  readonly inDoubt: boolean

  constructor(inDoubt: boolean) {
    super('the database says nothing')
    this.inDoubt = inDoubt
  }
}

interface Waiter {
  wait: Wait
  sinceBeat: number
  giveUp(error: DatabaseSilent): void
}

export class DatabaseWatchdog {
  readonly #clock: Clock
  /** Resolves to true when the database goes on; false after a while, or where no commit ends. */
  readonly #ask: () => Promise<boolean>
  /** Oldest first. */
  readonly #waiters = new Set<Waiter>()
  #beating = false
  #beat = 0
  #askedBeat = -PATIENT_BEATS
  #asking = false
  #silentBeats = 0

  constructor(parts: { clock: Clock; ask: () => Promise<boolean> }) {
    this.#clock = parts.clock
    this.#ask = parts.ask
  }

  /**
   * Returns the result of the work, or throws DatabaseSilent as soon as the database is silent. The
   * work may continue in the background: then its `wait` is over, and a transaction that received
   * the `wait` is rolled back.
   */
  within<Value>(
    work: (wait: Wait) => Promise<Value>,
    wait: Wait = { over: false, committing: false },
  ): Promise<Value> {
    const working = work(wait)
    return new Promise((resolve, reject) => {
      const waiter = { wait, sinceBeat: this.#beat, giveUp: reject }
      this.#waiters.add(waiter)
      this.#keepBeating()
      working.then(
        (value) => {
          this.#waiters.delete(waiter)
          resolve(value)
        },
        (error) => {
          this.#waiters.delete(waiter)
          reject(error)
        },
      )
    })
  }

  #keepBeating(): void {
    if (this.#beating) return
    this.#beating = true
    this.#clock.after(BEAT_MS, () => {
      this.#beating = false
      this.#beatOnce()
    })
  }

  #beatOnce(): void {
    const [oldest] = this.#waiters
    if (oldest === undefined) {
      this.#silentBeats = 0
      return
    }
    this.#beat += 1
    this.#keepBeating()
    if (this.#asking || this.#silentBeats > 0) this.#silentBeats += 1
    if (this.#silentBeats >= SILENT_BEATS) this.#giveUp()
    const asked = this.#beat - this.#askedBeat < PATIENT_BEATS
    if (!this.#asking && !asked && this.#isPatient(oldest)) this.#askNow()
  }

  #isPatient({ sinceBeat }: Waiter): boolean {
    return this.#beat - sinceBeat >= PATIENT_BEATS
  }

  #giveUp(): void {
    for (const waiter of this.#waiters) {
      if (!this.#isPatient(waiter)) return
      this.#waiters.delete(waiter)
      waiter.wait.over = true
      waiter.giveUp(new DatabaseSilent(waiter.wait.committing))
    }
  }

  #askNow(): void {
    this.#asking = true
    this.#askedBeat = this.#beat
    const heard = (spoke: boolean): void => {
      this.#asking = false
      this.#silentBeats = spoke ? 0 : Math.max(1, this.#silentBeats)
    }
    this.#ask().then(heard, () => heard(true))
  }
}

/**
 * Probes on a connection that is closed afterwards: an open one could be dead for reasons of its
 * own. A server whose commits wait for a standby answers reads, and counts as silent: no timeout of
 * its own ends such a wait, and a cancelled one would look like a commit that its standby has.
 */
export async function databaseSpeaks(url: string): Promise<boolean> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-api-pulse' })
  try {
    const waiting = await withDeadline(
      sql`
        select from pg_stat_activity
        where wait_event = 'SyncRep' and usename = current_user and datname = current_database()
          and state_change < now() - interval '1 second'
        limit 1`,
      ANSWER_MS_MAX,
    )
    return waiting.length === 0
  } catch (error) {
    return !databaseSilent(error)
  } finally {
    await sql.end({ timeout: 0 })
  }
}
