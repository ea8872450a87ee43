// Whether the database answers at all. A server that hangs keeps its connections open and says nothing, which looks like a
// statement that runs long, and some may. So when somebody has waited a second, the database is asked something small on a
// connection of its own: who is merely slow is left alone, and when that is not answered either, nobody waits any longer.
import type { Clock } from '../../shared/clock.ts'
import { withDeadline } from './deadline.ts'
import { openPool } from './pool.ts'

/**
 * Time is counted in beats, of which there is at most one each turn of the event loop: a process that could not read the
 * database's answers blames nobody.
 */
const BEAT_MS = 250
/** A wait is this old before the database is asked, and before it is given up. */
const PATIENT_BEATS = 4
/** The database is silent when it has not answered for so long. Chosen: a first caller waits 2.5 s, later ones a second. */
const SILENT_BEATS = 6
const ANSWER_MS_MAX = 3000

/** What whoever waits shares with the work it waits for. */
export interface Wait {
  /** Nobody waits any more: the work must not begin anything, nor commit what it began. */
  over: boolean
  /** A COMMIT was sent: from here on nobody knows what came of it until it is answered. */
  committing: boolean
}

/** Nothing was heard from the database; whether it hangs or cannot be reached is not known. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent'
  readonly code = 'DATABASE_SILENT'
  /** True where a COMMIT was on its way. */
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

export class Pulse {
  readonly #clock: Clock
  /** True where the database said anything; false after a while. */
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
   * What the work returns, or DatabaseSilent as soon as the database is silent. The work may go on behind it: then its `wait` is
   * over, and a transaction that was given it is rolled back.
   */
  within<Value>(work: (wait: Wait) => Promise<Value>): Promise<Value> {
    const wait: Wait = { over: false, committing: false }
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
      if (spoke) this.#silentBeats = 0
    }
    this.#ask().then(heard, () => heard(true))
  }
}

/** How a connection fails of which nothing was heard. Every other failure is an answer. */
const SILENCE: ReadonlySet<unknown> = new Set([
  'QUERY_DEADLINE',
  'DATABASE_SILENT',
  'CONNECT_TIMEOUT',
  'ETIMEDOUT',
])

/** Asks on a connection that is closed afterwards: one that was open could be dead for reasons of its own. */
export async function databaseSpeaks(url: string): Promise<boolean> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-api-pulse' })
  try {
    await withDeadline(sql`select 1`, ANSWER_MS_MAX)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && SILENCE.has(error.code))
  } finally {
    await sql.end({ timeout: 0 })
  }
}
