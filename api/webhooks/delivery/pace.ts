// Spec 8: at most 100 sends a second. Chosen: each HTTP request counts, whatever its endpoint and
// its cause, per tenant and environment, in every sliding second, over all dispatchers.
//
// A send leaves with a permit. PostgreSQL keeps the latest hundred permits of a tenant; a
// dispatcher grants new ones under the lock of that row, in the transaction that leases their
// deliveries. A permit is its last usable moment: a delivery that has not left by then goes back
// and waits for another one. A second that held 101 sends would hold one whose permit was granted
// last, and 100 others whose permits ended less than a second before that grant, which `paceQuota`
// refuses. A permit that was never used, because its dispatcher died, counts as used.
import type { EpochMs } from '../../../shared/clock.ts'

export const SENDS_PER_SECOND_MAX = 100
const BULK_PER_SECOND_MAX = 90
const WINDOW_MS = 1000
/**
 * Smoothing: bulk takes a tenth of its share in a tenth of the second, the first lane a quarter.
 */
const STEP_MS = 100
const BULK_PER_STEP_MAX = 9
const ALL_PER_STEP_MAX = 25
/**
 * A tenant that asks for its hundred in every second gets them more evenly: the others would feel
 * its bursts. Beside bulk's part the first lane still has its tenth of the second at once.
 */
const STEADY_PER_STEP_MAX = 19
const STEADY_MS = 2000
/**
 * A permit that ends further ahead comes from a clock that was set back since: it does not count.
 */
const CLOCK_SKEW_MS_MAX = 5000
/**
 * Events are fanned out although no send may leave, where none was for so many steps: retries never
 * shut them out.
 */
const STALLED_STEPS = 12
const STALLED_EVENTS_MAX = 8

/** The time by which all dispatchers pace: the database's. */
export interface Pacing {
  nowMs(): EpochMs
  /** How long a permit of this dispatcher can be used, in milliseconds. */
  allowanceMs(): number
}

/** The right to send once, by the database's clock. */
export interface Permit {
  grantedAt: EpochMs
  /** The last moment at which it can be used. */
  endsAt: EpochMs
}

/** One that is granted now. It binds others once `paceAfter` has it. */
export function permitNow(pacing: Pacing): Permit {
  const grantedAt = pacing.nowMs()
  return { grantedAt, endsAt: grantedAt + pacing.allowanceMs() }
}

/** How many may go now, and how many of them may be bulk. */
export interface PaceQuota {
  all: number
  bulk: number
}

/** A tenant's pace as PostgreSQL stores it. */
export interface TenantPace {
  /**
   * The last usable moments of its latest permits, ascending; SENDS_PER_SECOND_MAX of them at most.
   */
  moments: readonly EpochMs[]
  /**
   * The tenth of a second, counted from the epoch, in which events were fanned out last, and how
   * many.
   */
  fanOutStep: number
  fannedOut: number
}

/** Permits that may be granted now. `allowanceMs` is that of the dispatcher that asks. */
export function paceQuota(
  moments: readonly EpochMs[],
  now: EpochMs,
  allowanceMs: number,
): PaceQuota {
  const after = (from: EpochMs): number =>
    moments.filter((moment) => moment > from && moment < now + CLOCK_SKEW_MS_MAX).length
  const second = after(now - WINDOW_MS)
  const step = after(now - STEP_MS + allowanceMs)
  const all = Math.min(SENDS_PER_SECOND_MAX - second, allPerStep(moments, now) - step)
  const bulk = Math.min(BULK_PER_SECOND_MAX - second, BULK_PER_STEP_MAX - step)
  return { all: Math.max(0, all), bulk: Math.max(0, bulk) }
}

function allPerStep(moments: readonly EpochMs[], now: EpochMs): number {
  const oldest = moments.at(-SENDS_PER_SECOND_MAX)
  const steady =
    oldest !== undefined && oldest > now - STEADY_MS && oldest < now + CLOCK_SKEW_MS_MAX
  return steady ? STEADY_PER_STEP_MAX : ALL_PER_STEP_MAX
}

/** When the next permit of the lane may be granted: `now` where it may be at once. */
export function paceOpensAt(
  moments: readonly EpochMs[],
  now: EpochMs,
  { lane, allowanceMs }: { lane: 0 | 1; allowanceMs: number },
): EpochMs {
  const known = moments.filter((moment) => moment < now + CLOCK_SKEW_MS_MAX)
  const perSecond = lane === 0 ? SENDS_PER_SECOND_MAX : BULK_PER_SECOND_MAX
  const perStep = lane === 0 ? allPerStep(moments, now) : BULK_PER_STEP_MAX
  const second = (known.at(-perSecond) ?? Number.NEGATIVE_INFINITY) + WINDOW_MS
  const step = (known.at(-perStep) ?? Number.NEGATIVE_INFINITY) + STEP_MS - allowanceMs
  return Math.max(now, second, step)
}

/**
 * The permits after `count` more were granted that end at `until`. They stay in order where another
 * dispatcher's end later.
 */
export function paceAfter(
  moments: readonly EpochMs[],
  until: EpochMs,
  count: number,
): readonly EpochMs[] {
  const known = moments.filter((moment) => moment < until + CLOCK_SKEW_MS_MAX)
  const moment = Math.max(until, known.at(-1) ?? 0)
  return [...known, ...new Array<EpochMs>(count).fill(moment)].slice(-SENDS_PER_SECOND_MAX)
}

/**
 * How many events may be fanned out now: as many as may be sent, so that others wait as events and
 * not as deliveries.
 */
export function fanOutQuota(
  { moments, fanOutStep, fannedOut }: TenantPace,
  now: EpochMs,
  allowanceMs: number,
): PaceQuota {
  const step = stepOf(now)
  const done = fanOutStep === step ? fannedOut : 0
  const least = Math.abs(step - fanOutStep) >= STALLED_STEPS ? STALLED_EVENTS_MAX : 0
  const sends = paceQuota(moments, now, allowanceMs)
  const all = Math.min(ALL_PER_STEP_MAX - done, Math.max(sends.all, least))
  const bulk = Math.min(BULK_PER_STEP_MAX - done, Math.max(sends.bulk, least))
  return { all: Math.max(0, all), bulk: Math.max(0, bulk) }
}

/** The pace after `events` were fanned out at `now`. */
export function afterFanOut(pace: TenantPace, now: EpochMs, events: number): TenantPace {
  if (events === 0) return pace
  const step = stepOf(now)
  const before = pace.fanOutStep === step ? pace.fannedOut : 0
  return { ...pace, fanOutStep: step, fannedOut: before + events }
}

function stepOf(now: EpochMs): number {
  return Math.floor(now / STEP_MS)
}
