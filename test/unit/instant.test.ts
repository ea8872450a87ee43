// Moments as text are what a Date makes of them, whatever the day.
import fc from 'fast-check'
import { test } from 'tap'
import { isoInstant } from '../../shared/clock.ts'

const LATEST_MS = 8_640_000_000_000_000

test('a moment is written as a Date writes it', (t) => {
  const moments = fc.oneof(
    fc.integer({ min: -LATEST_MS, max: LATEST_MS }),
    fc.integer({ min: 0, max: 4_102_444_800_000 }),
    fc.double({ min: -1e12, max: 4e12, noNaN: true }),
    fc.constantFrom(0, -1, 999, 1000, 86_399_999, 86_400_000, -86_400_000, LATEST_MS, -LATEST_MS),
  )
  fc.assert(
    fc.property(moments, (moment) => isoInstant(moment) === new Date(moment).toISOString()),
    { numRuns: 5000 },
  )
  t.throws(() => isoInstant(Number.NaN), RangeError)
  t.throws(() => isoInstant(2 * LATEST_MS), RangeError)
  t.end()
})
