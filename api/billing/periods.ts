// Periods of a subscription, as instants in UTC: no daylight saving moves them. Boundary k stands k
// months from the anchor, clamped to the length of its month. Counting from the boundary before
// would lose the day for ever: Jan 31, Feb 28, Mar 28.
import { assert } from '../../shared/assert.ts'
import type { EpochMs } from '../../shared/clock.ts'

/** Months of the base price's period. */
export const INTERVAL_MONTHS = { month: 1, year: 12 } as const

const MONTHS_A_YEAR = 12

/** A half-open stretch of time: `from` belongs to it, `until` does not. */
export interface Period {
  from: EpochMs
  until: EpochMs
}

/** Boundary `k` of the anchor; boundary 0 is the anchor itself. */
export function boundary(anchor: EpochMs, k: number): EpochMs {
  assert(Number.isInteger(k) && k >= 0, 'boundaries are numbered from 0')
  const date = new Date(anchor)
  const month = date.getUTCMonth() + k
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), lastDay)
  const dayMs = Date.UTC(date.getUTCFullYear(), month, day)
  return dayMs + (anchor - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()))
}

/** Period `k`: the months from boundary `k * months` on. */
export function period(anchor: EpochMs, k: number, months: number): Period {
  return { from: boundary(anchor, k * months), until: boundary(anchor, (k + 1) * months) }
}

/** The number of the period of `months` that holds `moment`, which is not before the anchor. */
export function periodIndex(anchor: EpochMs, moment: EpochMs, months: number): number {
  assert(moment >= anchor, 'no period stands before the anchor')
  const [from, to] = [new Date(anchor), new Date(moment)]
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  const passed = years * MONTHS_A_YEAR + to.getUTCMonth() - from.getUTCMonth()
  // The boundary of this calendar month may still be ahead.
  const k = boundary(anchor, passed) <= moment ? passed : passed - 1
  return Math.floor(k / months)
}
