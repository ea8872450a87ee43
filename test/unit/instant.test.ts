// Moments as text equal those of a Date, for any day.

import { test } from 'tap'
import { isoInstant, parseInstant } from '../../shared/clock.ts'
import { fc } from '../harness/properties.ts'

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

test('a moment is read as a Date reads it, whichever moment came before', (t) => {
  const digits = (count: number, max: number) =>
    fc.integer({ min: 0, max }).map((number) => String(number).padStart(count, '0'))
  const day = fc.oneof(
    fc.constantFrom(
      '2026-11-20',
      '2026-02-29',
      '2024-02-29',
      '2026-13-01',
      '2026-00-10',
      '0000-01-01',
    ),
    fc.tuple(digits(4, 9999), digits(2, 13), digits(2, 32)).map((parts) => parts.join('-')),
  )
  const time = fc.oneof(
    fc.constantFrom('00:00:00', '23:59:59', '24:00:00', '23:60:00', '10:00:60', '1x:00:00'),
    fc.tuple(digits(2, 25), digits(2, 61), digits(2, 61)).map((parts) => parts.join(':')),
  )
  const fraction = fc.constantFrom('', '.000', '.123', '.1', '.12x', '.123456789', '.', ',123')
  const zone = fc.constantFrom('Z', 'z', '+00:00', '-07:30', '', '+24:00')
  const mark = fc.constantFrom('T', 'T', 'T', 't', ' ')
  const text = fc.tuple(day, mark, time, fraction, zone).map((parts) => parts.join(''))
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/
  const isRead = (one: string): boolean => {
    const moment = form.test(one) ? Date.parse(one) : Number.NaN
    return Object.is(parseInstant(one), Number.isNaN(moment) ? null : moment)
  }
  // Several moments of one day: the second uses the cached day.
  const texts = fc.tuple(text, fc.array(fc.tuple(mark, time, fraction, zone), { maxLength: 4 }))
  fc.assert(
    fc.property(texts, ([first, others]) =>
      [first, ...others.map((parts) => first.slice(0, 10) + parts.join(''))].every(isRead),
    ),
    { numRuns: 20_000 },
  )
  t.end()
})
