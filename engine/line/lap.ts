// How long each step of an authorization took.
import type { Line, Pending } from './line.ts'

type Lap = 'gather' | 'judge' | 'reserve' | 'ask'

/** Ends a step: records the microseconds since the step before ended. */
export function lap(
  line: Line,
  pending: Pending,
  name: Lap,
  sinceNs: number = pending.times.lastNs,
): void {
  const nowNs = line.clock.monotonicNs()
  pending.times[name] = micros(nowNs - sinceNs)
  pending.times.lastNs = nowNs
  line.metrics.observe(name, pending.times[name])
}

/** Whole microseconds of nanoseconds. */
export function micros(ns: number): number {
  return Math.round(ns / 1000)
}
