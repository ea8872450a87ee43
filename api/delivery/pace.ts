// Spec 6.1: at most 100 events a second. Chosen: per tenant and environment, counted at fan-out, in every sliding second.
// The moments of the last hundred fan-outs are the whole state, so the bound is exact and survives a restart.
//
// Bulk leaves room: a tenth of every second is kept for what comes first in line, and what bulk takes it takes evenly, so that
// a card's event behind a hundred thousand others finds a place at once.
import type { EpochMs } from '../../shared/clock.ts'

export const EVENTS_PER_SECOND_MAX = 100
const BULK_PER_SECOND_MAX = 90
const WINDOW_MS = 1000
/** Of a tenth of the window bulk takes a tenth of its share, and never waits for more than that. */
const STEP_MS = 100
const BULK_PER_STEP_MAX = 9
/** A last moment further ahead than this comes from a clock that was set back since: it binds nobody. */
const CLOCK_SKEW_MS_MAX = 5000
const STEADY_MS = 2000

/** How many events may be fanned out now, and how many of them may be bulk. */
export interface PaceQuota {
  all: number
  bulk: number
}

/** `moments` ascend, at most EVENTS_PER_SECOND_MAX of them. */
export function paceQuota(moments: readonly EpochMs[], now: EpochMs): PaceQuota {
  const since = (ms: number): number =>
    moments.filter((moment) => moment > now - ms && moment < now + CLOCK_SKEW_MS_MAX).length
  const second = since(WINDOW_MS)
  const bulk = Math.min(BULK_PER_SECOND_MAX - second, BULK_PER_STEP_MAX - since(STEP_MS))
  return { all: Math.max(0, EVENTS_PER_SECOND_MAX - second), bulk: Math.max(0, bulk) }
}

/** Whether it asks for all it can get, not only now: its last hundred events all went within the last two seconds. */
export function isSteady(moments: readonly EpochMs[], now: EpochMs): boolean {
  const [oldest] = moments
  if (oldest === undefined || moments.length < EVENTS_PER_SECOND_MAX) return false
  return oldest > now - STEADY_MS && oldest < now + CLOCK_SKEW_MS_MAX
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
