// Guards the engine's clock. The engine decides nothing before the system clock is judged against
// the journal, the machine's running time and the database, and stops at once when the clock steps.
// A refused clock is judged again every second.
import { rename, writeFile } from 'node:fs/promises'
import type { Clock, EpochMs, Timer } from '../shared/clock.ts'
import {
  acceptedDatabase,
  type ClockAnchor,
  clockAnchorPath,
  clockAnchorText,
  databaseIsSteady,
  type Machine,
  ranSince,
  readClockAnchor,
} from '../shared/clock-anchor.ts'
import {
  CLOCK_REFUSED,
  type ClockSources,
  type ClockVerdict,
  describeDoubts,
  judgeClock,
  nameDoubts,
  namesDoubts,
} from '../shared/clock-verdict.ts'
import { CLOCK_APART_MS_MAX } from '../shared/limits.ts'
import type { Logger } from '../shared/log.ts'
import type { Result } from '../shared/result.ts'
import { forwardClock, StepWatch } from './line-clock.ts'

const JUDGE_MS = 1000
/**
 * Chosen: an anchor is written this often, so that the small steps of a kept clock never add up.
 */
const ANCHOR_MS = 60_000
/** The database's clock counts for this long after the api reported it. */
const DATABASE_MS_MAX = 30_000

export interface ClockGuardOptions {
  clock: Clock
  machine: Machine
  dataDir: string
  /** The journal's last decision, 0 where there is none. */
  decidedMs(): EpochMs
  log: Logger
  /** The clock stepped while decisions were made by it. */
  onFatal(reason: string): void
}

export class ClockGuard {
  /** The clock of decisions: it goes forward only, not behind the last decision either. */
  readonly clock: Clock
  readonly #options: ClockGuardOptions
  readonly #steps: StepWatch
  readonly #path: string
  #anchor: ClockAnchor | null
  #forward: Clock | null = null
  #verdict: ClockVerdict = { state: 'refused', doubts: [] }
  #reason: string | null = CLOCK_REFUSED
  /** The state and the doubting sources that were logged last. */
  #said = ''
  #database: { saidMs: EpochMs; heardNs: number } | null = null
  #anchoredNs = Number.NEGATIVE_INFINITY
  #timer: Timer
  #writing: Promise<void> = Promise.resolve()

  constructor(options: ClockGuardOptions) {
    const { clock, dataDir, onFatal } = options
    this.#options = options
    this.#path = clockAnchorPath(dataDir)
    this.#anchor = readClockAnchor(this.#path)
    this.#steps = new StepWatch(clock, onFatal)
    this.clock = {
      nowMs: () => (this.#forward ?? clock).nowMs(),
      monotonicNs: () => clock.monotonicNs(),
      after: (delayMs, task) => clock.after(delayMs, task),
    }
    this.#judge()
    this.#timer = clock.after(JUDGE_MS, () => this.#look())
  }

  /**
   * Why nothing may be decided by this clock, in one sentence; null while decisions may be made.
   */
  get reason(): string | null {
    return this.#reason
  }

  /** Whether holds may expire: a second source confirms the clock, and none contradicts it. */
  get confirmed(): boolean {
    return this.#verdict.state === 'confirmed'
  }

  /** Milliseconds by which the system clock is ahead of each source that is known now. */
  get aheadMs(): { readonly [source: string]: number } {
    const { nowMs, machineMs, databaseMs } = this.#sources()
    return {
      ...(machineMs === null ? {} : { machine: nowMs - machineMs }),
      ...(databaseMs === null ? {} : { database: nowMs - databaseMs }),
    }
  }

  /** The database's clock as it is now. */
  databaseSays(databaseMs: EpochMs): void {
    this.#database = { saidMs: databaseMs, heardNs: this.#options.clock.monotonicNs() }
    this.#judge()
  }

  /**
   * An operator accepts the clock against the sources that he names; refuses any other name with a
   * sentence.
   */
  async accept(name: string): Promise<Result<null, string>> {
    this.#judge()
    const { state, doubts } = this.#verdict
    if (state === 'confirmed' || doubts.length === 0)
      return { ok: false, error: 'The system clock is not in question.' }
    const { clock, decidedMs, log } = this.#options
    if (!namesDoubts(name, doubts)) {
      const words = describeDoubts(clock.nowMs(), doubts) + '. ' + wayOut(nameDoubts(doubts))
      return { ok: false, error: 'The disagreement is another one: ' + words }
    }
    const acceptedMs = decidedMs() > clock.nowMs() ? decidedMs() : (this.#anchor?.acceptedMs ?? 0)
    await this.#write(this.#newAnchor(acceptedMs, this.#databaseMs()))
    log.warn({ disagreement: name }, 'an operator accepted the system clock')
    this.#judge()
    return { ok: true, value: null }
  }

  async stop(): Promise<void> {
    this.#timer.cancel()
    await this.#writing
  }

  #look(): void {
    if (this.#forward !== null) this.#steps.follow()
    this.#judge()
    this.#timer = this.#options.clock.after(JUDGE_MS, () => this.#look())
  }

  #sources(): ClockSources {
    const { clock, machine, decidedMs } = this.#options
    const nowMs = clock.nowMs()
    const anchor = this.#anchor
    const ranMs = ranSince(anchor, momentOf(machine))
    const databaseMs = this.#databaseMs()
    return {
      nowMs,
      decidedMs: decidedMs(),
      acceptedMs: anchor?.acceptedMs ?? 0,
      confirmedMs: anchor?.nowMs ?? 0,
      machineMs: anchor === null || ranMs === null ? null : anchor.nowMs + ranMs,
      databaseMs,
      databaseSteady: databaseIsSteady(anchor, ranMs, databaseMs),
      acceptedDatabaseMs: acceptedDatabase(anchor, ranMs),
    }
  }

  /**
   * The database's clock, gone on since it was heard: a step of the system clock does not move it.
   */
  #databaseMs(): EpochMs | null {
    const heard = this.#database
    if (heard === null) return null
    const { clock } = this.#options
    const agoMs = (clock.monotonicNs() - heard.heardNs) / 1e6
    return agoMs > DATABASE_MS_MAX ? null : heard.saidMs + agoMs
  }

  #judge(): void {
    const sources = this.#sources()
    this.#verdict = judgeClock(sources)
    this.#say(sources)
    if (this.#verdict.state === 'refused') this.#forward = null
    else this.#forward ??= this.#begin(sources)
    this.#keepAnchor()
  }

  /**
   * From here on decisions are made by the clock. One that an operator accepted goes on behind the
   * last decision.
   */
  #begin({ nowMs, decidedMs, acceptedMs }: ClockSources): Clock {
    this.#steps.begin()
    return forwardClock(this.#steps, decidedMs <= acceptedMs ? nowMs : decidedMs)
  }

  #say(sources: ClockSources): void {
    const { log } = this.#options
    const { state, doubts } = this.#verdict
    const name = nameDoubts(doubts)
    const words = doubts.length === 0 ? '' : describeDoubts(sources.nowMs, doubts)
    this.#reason = state === 'refused' ? refusal(words, name) : null
    const said = state + ' ' + doubts.map(({ source }) => source).join()
    if (said === this.#said) return
    const first = this.#said === ''
    this.#said = said
    if (this.#reason !== null) log.error({ disagreement: name }, this.#reason)
    else if (doubts.length > 0)
      log.warn(
        { disagreement: name },
        'a clock disagrees, no hold expires meanwhile: ' + words + '. ' + wayOut(name),
      )
    else if (!first) log.info({ state }, 'the system clock is accepted')
  }

  #keepAnchor(): void {
    const nowNs = this.#options.clock.monotonicNs()
    if (!this.confirmed || nowNs - this.#anchoredNs < ANCHOR_MS * 1e6) return
    // Without the file the next start has one source less.
    const { acceptedMs, acceptedDatabaseMs } = this.#sources()
    this.#write(this.#newAnchor(acceptedMs, acceptedDatabaseMs)).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'the anchor of the clock cannot be written'),
    )
  }

  /** `otherMs` is the moment of a database whose clock an operator accepted as another one. */
  #newAnchor(acceptedMs: EpochMs, otherMs: EpochMs | null): ClockAnchor {
    const { clock, machine } = this.#options
    const nowMs = clock.nowMs()
    const databaseMs = this.#databaseMs()
    return {
      bootId: machine.bootId,
      uptimeMs: machine.uptimeMs(),
      nowMs,
      databaseMs: this.#confirmedDatabaseMs(nowMs),
      acceptedMs,
      acceptedDatabaseMs: databaseMs !== null && isNear(databaseMs, nowMs) ? null : otherMs,
    }
  }

  /** The database's clock where it agrees, else how it would have gone on since it did. */
  #confirmedDatabaseMs(nowMs: EpochMs): EpochMs | null {
    const databaseMs = this.#databaseMs()
    if (databaseMs !== null && isNear(databaseMs, nowMs)) return databaseMs
    const ranMs = ranSince(this.#anchor, momentOf(this.#options.machine))
    if (ranMs === null || this.#anchor === null || this.#anchor.databaseMs === null) return null
    return this.#anchor.databaseMs + ranMs
  }

  /** One after the other; rejects where the file cannot be written. */
  #write(anchor: ClockAnchor): Promise<void> {
    this.#anchor = anchor
    this.#anchoredNs = this.#options.clock.monotonicNs()
    const written = this.#writing.then(() => replaceFile(this.#path, clockAnchorText(anchor)))
    this.#writing = written.catch(() => undefined)
    return written
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(path + '.tmp', text, { mode: 0o600 })
  await rename(path + '.tmp', path)
}

function momentOf(machine: Machine): { bootId: string; uptimeMs: number } {
  return { bootId: machine.bootId, uptimeMs: machine.uptimeMs() }
}

function isNear(one: EpochMs, other: EpochMs): boolean {
  return Math.abs(one - other) <= CLOCK_APART_MS_MAX
}

function wayOut(name: string): string {
  return 'An operator accepts the clock by name: npm run journal -- accept-clock ' + name
}

function refusal(words: string, name: string): string {
  return (
    CLOCK_REFUSED +
    ': ' +
    words +
    '. Nothing is decided until they agree, or until an operator accepts the clock by name: npm run journal -- accept-clock ' +
    name
  )
}
