// The pacing of tests.
import type { Pacing } from '../../api/webhooks/delivery/pace.ts'

/** Permits that can be used at `now` only. */
export function pacingAt(now: number | (() => number)): Pacing {
  return { nowMs: typeof now === 'number' ? () => now : now, allowanceMs: () => 0 }
}
