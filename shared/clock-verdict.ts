// The verdict on the system clock: other sources of time go in, and whether the clock may be used
// comes out. Pure. A wrong clock expires holds for good and moves spend windows, so a leap needs a
// second source that confirms it.
import { type EpochMs, isoInstant } from './clock.ts'
import { CLOCK_APART_MS_MAX, CLOCK_GAP_MS_MAX } from './limits.ts'

export interface ClockSources {
  /** The system clock. */
  nowMs: EpochMs
  /** The journal's last decision; 0 where there is none. */
  decidedMs: EpochMs
  /**
   * An operator accepted a last decision up to this moment although it is ahead of the clock; 0
   * where none did.
   */
  acceptedMs: EpochMs
  /**
   * The latest moment at which the clock was confirmed, in any boot of the machine; 0 where it
   * never was.
   */
  confirmedMs: EpochMs
  /**
   * The moment by the machine's running time since the clock was confirmed; null in another boot.
   */
  machineMs: EpochMs | null
  /** The database's clock; null where it was not heard lately. */
  databaseMs: EpochMs | null
  /**
   * Whether the database's clock advanced as the machine's running time did. One that leapt
   * together with the system clock stands on the same machine and confirms nothing.
   */
  databaseSteady: boolean
  /**
   * The database's clock if it went on as when an operator accepted that it is another one; null
   * where none did in this boot. One at that moment confirms nothing and contradicts nothing.
   */
  acceptedDatabaseMs: EpochMs | null
}

export interface ClockDoubt {
  source: 'journal' | 'machine' | 'database'
  /** The moment by that source. */
  saysMs: EpochMs
  /** Milliseconds by which the system clock is ahead of it. */
  aheadMs: number
}

/**
 * `confirmed`: a second source agrees and none contradicts. `unconfirmed`: the clock is plausible,
 * or confirmed by the machine and contradicted by the database: messages may be decided, and
 * nothing expires. `refused`: nothing may be decided.
 */
export interface ClockVerdict {
  state: 'confirmed' | 'unconfirmed' | 'refused'
  /** The sources that disagree with the system clock. */
  doubts: readonly ClockDoubt[]
}

/** The beginning of the sentence in `/health/ready` and in the log when the clock is refused. */
export const CLOCK_REFUSED = 'The system clock is not confirmed'

/**
 * Judges the system clock. The journal's last decision is a lower bound, the machine outweighs a
 * database that leapt along.
 */
export function judgeClock(sources: ClockSources): ClockVerdict {
  const { decidedMs, acceptedMs, machineMs, databaseMs, databaseSteady } = sources
  const ofMachine = doubtOf(sources, 'machine', machineMs)
  const isApart = doubtOf(sources, 'database', databaseMs)
  const ofDatabase = isApart !== null && isAccepted(sources) ? null : isApart
  const doubts = [ofMachine, ofDatabase].filter((doubt) => doubt !== null)
  const behind = doubtOf(sources, 'journal', decidedMs === 0 ? null : decidedMs)
  if (behind !== null && behind.aheadMs < 0 && decidedMs > acceptedMs)
    return { state: 'refused', doubts: [behind, ...doubts] }
  if (machineMs !== null && ofMachine === null)
    return { state: ofDatabase === null ? 'confirmed' : 'unconfirmed', doubts }
  const databaseAgrees = databaseMs !== null && isApart === null
  if (databaseAgrees && (machineMs === null || databaseSteady))
    return { state: 'confirmed', doubts }
  if (doubts.length > 0) return { state: 'refused', doubts }
  return judgeAlone(sources)
}

/** An operator accepted that the database's clock is this far apart. */
function isAccepted({ databaseMs, acceptedDatabaseMs }: ClockSources): boolean {
  if (databaseMs === null || acceptedDatabaseMs === null) return false
  return Math.abs(databaseMs - acceptedDatabaseMs) <= CLOCK_APART_MS_MAX
}

/** Without a second source only a short time since the last known moment is plausible. */
function judgeAlone({ nowMs, decidedMs, confirmedMs }: ClockSources): ClockVerdict {
  const knownMs = Math.max(decidedMs, confirmedMs)
  const aheadMs = nowMs - knownMs
  if (knownMs === 0 || aheadMs <= CLOCK_GAP_MS_MAX) return { state: 'unconfirmed', doubts: [] }
  return { state: 'refused', doubts: [{ source: 'journal', saysMs: knownMs, aheadMs }] }
}

function doubtOf(
  { nowMs }: ClockSources,
  source: ClockDoubt['source'],
  saysMs: EpochMs | null,
): ClockDoubt | null {
  if (saysMs === null || Math.abs(nowMs - saysMs) <= CLOCK_APART_MS_MAX) return null
  return { source, saysMs, aheadMs: nowMs - saysMs }
}

/**
 * The name by which an operator accepts a disagreement: `machine+3456000s,database+3456000s` or
 * `journal@2026-11-20T10:00:00.000Z`. It stays the same while the disagreement lasts.
 */
export function nameDoubts(doubts: readonly ClockDoubt[]): string {
  return doubts
    .map(({ source, saysMs, aheadMs }) =>
      source === 'journal'
        ? 'journal@' + isoInstant(saysMs)
        : source + signedSeconds(aheadMs) + 's',
    )
    .join(',')
}

/** Seconds by which a given name may differ: both clocks are read at slightly different moments. */
const NAME_SECONDS_MAX = 2
const CLOCK_PART = /^(machine|database)([+-]\d{1,12})s$/

/** Whether an operator named exactly these disagreements, in this order. */
export function namesDoubts(name: string, doubts: readonly ClockDoubt[]): boolean {
  const given = name.split(',')
  if (doubts.length === 0 || given.length !== doubts.length) return false
  return doubts.every((doubt, at) => {
    const text = given[at] ?? ''
    if (doubt.source === 'journal') return text === nameDoubts([doubt])
    const [, source, seconds] = CLOCK_PART.exec(text) ?? []
    const apartS = Math.abs(Number(seconds) - doubt.aheadMs / 1000)
    return source === doubt.source && apartS <= NAME_SECONDS_MAX
  })
}

const SOURCE_WORDS: { readonly [source in ClockDoubt['source']]: string } = {
  journal: 'the last decision is of ',
  machine: 'the running time of the machine says ',
  database: 'the database says ',
}

/** One sentence: the time of each source, and the deviation of the system clock. */
export function describeDoubts(nowMs: EpochMs, doubts: readonly ClockDoubt[]): string {
  const parts = doubts.map(
    ({ source, saysMs, aheadMs }) =>
      SOURCE_WORDS[source] + isoInstant(saysMs) + ' (' + signedSeconds(aheadMs) + ' s)',
  )
  return 'it says ' + isoInstant(nowMs) + ', ' + parts.join(', ')
}

function signedSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return (seconds < 0 ? '' : '+') + seconds
}
