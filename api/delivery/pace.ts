// Spec 6.1: at most 100 events a second. Chosen: per tenant and environment, counted at fan-out, in every sliding second.
// The moments of the last hundred fan-outs are the whole state, so the bound is exact and survives a restart.
import type { EpochMs } from '../../shared/clock.ts'

export const EVENTS_PER_SECOND_MAX = 100
const WINDOW_MS = 1000
/** A last moment further ahead than this comes from a clock that was set back since: it binds nobody. */
const CLOCK_SKEW_MS_MAX = 5000

/** How many events may be fanned out at `now`. `moments` ascend, at most EVENTS_PER_SECOND_MAX of them. */
export function paceQuota(moments: readonly EpochMs[], now: EpochMs): number {
  const binding = moments.filter(
    (moment) => moment > now - WINDOW_MS && moment < now + CLOCK_SKEW_MS_MAX,
  )
  return Math.max(0, EVENTS_PER_SECOND_MAX - binding.length)
}

/** The moments after `count` fan-outs at `now`. A dispatcher whose clock is behind writes the later of the two. */
export function paceAfter(
  moments: readonly EpochMs[],
  now: EpochMs,
  count: number,
): readonly EpochMs[] {
  const known = moments.filter((moment) => moment < now + CLOCK_SKEW_MS_MAX)
  const moment = Math.max(now, known.at(-1) ?? 0)
  return [...known, ...new Array<EpochMs>(count).fill(moment)].slice(-EVENTS_PER_SECOND_MAX)
}
