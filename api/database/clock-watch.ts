// Decides whether this process may trust its clock. Due times, expiries and retention depend on it:
// a clock wrong by hours would use up five attempts in a row, drop days of events or end keys and
// disputes. No such step happens while another source contradicts the clock, whichever of the two
// is wrong.
import { type Clock, type EpochMs, sleep } from '../../shared/clock.ts'
import {
  acceptedDatabase,
  type ClockAnchor,
  databaseIsSteady,
  type Machine,
  ranSince,
  readLatestAnchor,
  systemMachine,
} from '../../shared/clock-anchor.ts'
import {
  CLOCK_REFUSED,
  type ClockSources,
  describeDoubts,
  judgeClock,
} from '../../shared/clock-verdict.ts'
import { CLOCK_APART_MS_MAX } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import { withDeadline } from './deadline.ts'
import type { Sql } from './pool.ts'

const COMPARE_MS = 1000
/** Chosen: a start waits this long for a database that is silent. */
const START_MS_MAX = 2000

interface ClockWatchOptions {
  clock: Clock
  log: Logger
  machine?: Machine
  /**
   * The data directory with the anchors of the machine's engines, which an operator's word renews;
   * null or absent: this process keeps its own only.
   */
  dataDir?: string | null
}

interface Present {
  nowMs: EpochMs
  /** The clock less the monotonic one. */
  setMs: number
  uptimeMs: number
}

export class ClockWatch {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #machine: Machine
  readonly #dataDir: string | null
  /** Null before the first comparison. */
  #agreed: boolean | null = null
  /** The clock less the monotonic one, when it was compared last. */
  #setMs: number
  #anchor: ClockAnchor | null = null
  #aheadMs = 0
  #doubts = ''

  constructor({ clock, log, machine = systemMachine, dataDir = null }: ClockWatchOptions) {
    this.#clock = clock
    this.#log = log
    this.#machine = machine
    this.#dataDir = dataDir
    this.#setMs = setMs(clock)
  }

  /**
   * Whether the sources agreed when they were compared, and the clock was not set since: that is
   * seen at once.
   */
  get agrees(): boolean {
    return this.#agreed === true && this.#unset
  }

  /** Why the clock may not be believed; null while it may. */
  get reason(): string | null {
    if (this.agrees) return null
    if (this.#agreed === null) return CLOCK_REFUSED + ': it was not compared yet'
    if (this.#agreed) return CLOCK_REFUSED + ': it was set, and not compared since'
    return CLOCK_REFUSED + ': ' + this.#doubts
  }

  /** Milliseconds by which the clock was ahead of the database's at the last comparison. */
  get aheadMs(): number {
    return this.#aheadMs
  }

  get #unset(): boolean {
    return Math.abs(setMs(this.#clock) - this.#setMs) <= CLOCK_APART_MS_MAX
  }

  /**
   * `ask` answers with the database's moment; however long that takes says nothing about the
   * clocks.
   */
  async compare(ask: () => Promise<EpochMs>): Promise<void> {
    const asked = this.#present()
    const theirs = await ask()
    this.#aheadMs = apartMs({ asked: asked.nowMs, theirs, answered: this.#clock.nowMs() })
    const databaseMs = asked.nowMs - this.#aheadMs
    const sources = this.#sources(asked, databaseMs)
    const { state, doubts } = judgeClock(sources)
    const agreed = state === 'confirmed'
    this.#doubts = describeDoubts(asked.nowMs, doubts)
    if (agreed) this.#anchor = this.#anchorAt(asked, sources)
    this.#tell(agreed)
    this.#agreed = agreed
    this.#setMs = asked.setMs
  }

  #present(): Present {
    const nowMs = this.#clock.nowMs()
    return { nowMs, setMs: setMs(this.#clock), uptimeMs: this.#machine.uptimeMs() }
  }

  #sources({ nowMs, uptimeMs }: Present, databaseMs: EpochMs): ClockSources {
    const anchor = this.#latestAnchor()
    const ranMs = ranSince(anchor, { bootId: this.#machine.bootId, uptimeMs })
    return {
      nowMs,
      // The journal is the engine's source.
      decidedMs: 0,
      acceptedMs: 0,
      confirmedMs: 0,
      machineMs: anchor === null || ranMs === null ? null : anchor.nowMs + ranMs,
      databaseMs,
      databaseSteady: databaseIsSteady(anchor, ranMs, databaseMs),
      acceptedDatabaseMs: acceptedDatabase(anchor, ranMs),
    }
  }

  /** The engines' anchors are read while this process has none, or while its own does not fit. */
  #latestAnchor(): ClockAnchor | null {
    const own = this.#anchor
    if (this.#dataDir === null || (own !== null && this.agrees)) return own
    const kept = readLatestAnchor(this.#dataDir, this.#machine.bootId)
    if (kept === null) return own
    return own === null || kept.uptimeMs > own.uptimeMs ? kept : own
  }

  #anchorAt({ nowMs, uptimeMs }: Present, sources: ClockSources): ClockAnchor {
    const { databaseMs, acceptedDatabaseMs } = sources
    const { bootId } = this.#machine
    return { bootId, uptimeMs, nowMs, databaseMs, acceptedMs: 0, acceptedDatabaseMs }
  }

  /** Each change is said once. */
  #tell(agreed: boolean): void {
    if (agreed === this.#agreed || (agreed && this.#agreed === null)) return
    const apart = { apart_ms: this.#aheadMs }
    if (agreed) this.#log.info(apart, 'the system clock is confirmed, timers go on')
    else this.#log.error({ ...apart, clocks: this.#doubts }, 'the clocks disagree, jobs wait')
  }
}

/**
 * Compares once before anything goes by the clock. A database that does not answer in time leaves
 * the clock unconfirmed.
 */
export async function compareAtStart(watch: ClockWatch, sql: Sql): Promise<void> {
  const compared = watch.compare(() => databaseNow(sql))
  await withDeadline(compared, START_MS_MAX).catch(() => undefined)
}

/**
 * Compares with the database every second until the signal. A database that is away changes
 * nothing.
 */
export async function keepComparing(
  watch: ClockWatch,
  sql: Sql,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await watch.compare(() => databaseNow(sql)).catch(() => undefined)
    await sleep(COMPARE_MS, signal)
  }
}

function setMs(clock: Clock): number {
  return clock.nowMs() - clock.monotonicNs() / 1e6
}

/**
 * How much later it is with us, at least; 0 where it may be the same. The database's moment was
 * between two of ours.
 */
function apartMs(moments: { asked: EpochMs; theirs: EpochMs; answered: EpochMs }): number {
  const { asked, theirs, answered } = moments
  if (theirs < asked) return asked - theirs
  return Math.min(0, answered - theirs)
}

/** The moment by the database's clock, not by its transaction. */
export async function databaseNow(sql: Sql): Promise<EpochMs> {
  const [row] = await sql<[{ now: EpochMs }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now
  `
  return row.now
}
