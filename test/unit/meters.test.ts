import fc from 'fast-check'
import { test } from 'tap'
import { CALENDAR_INTERVALS, monthOf, weekOf, yearOf } from '../../engine/state/calendar.ts'
import { Meters } from '../../engine/state/meters.ts'

const DAYS = [
  20251228, 20251229, 20251231, 20260101, 20260104, 20260105, 20260131, 20260201, 20260228,
  20260301,
]

/** The label of the window a day lies in, per interval. */
const labels = (day: number): number[] => [day, weekOf(day), monthOf(day), yearOf(day), 0]

interface Step {
  subject: number
  day: number
  amount: number
  kept: number
}

test('windows equal a ledger that remembers everything', (t) => {
  const step = fc.record({
    subject: fc.nat(2),
    day: fc.nat(DAYS.length - 1),
    amount: fc.nat(1000),
    // 0: the reservation is released; 1: it becomes a hold; 2: it stays reserved.
    kept: fc.nat(2),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps: Step[]) => {
      const meters = new Meters()
      const ledger: { subject: number; day: number; amount: number; reserved: boolean }[] = []
      const latest = [0, 0, 0]
      for (const { subject, day: pick, amount, kept } of steps) {
        // Time on the line never goes back for new reservations.
        const day = Math.max(DAYS[pick]!, latest[subject]!)
        latest[subject] = day
        const meter = meters.open('card_' + subject, 'UTC', 'USD')
        meters.reserve(meter, day, amount)
        if (kept < 2) meters.unreserve(meter, day, amount)
        if (kept === 1) meters.use(meter, day, amount)
        if (kept > 0) ledger.push({ subject, day, amount, reserved: kept === 2 })
      }
      return [0, 1, 2].every((subject) => {
        const meter = meters.find('card_' + subject, 'UTC', 'USD')
        if (meter === -1) return true
        return CALENDAR_INTERVALS.every((_, interval) =>
          [true, false].every((reserved) => {
            const now = latest[subject]!
            const sum = ledger
              .filter((row) => row.subject === subject && row.reserved === reserved)
              .filter((row) => labels(row.day)[interval] === labels(now)[interval])
              .reduce((total, row) => total + row.amount, 0)
            return (
              sum ===
              (reserved ? meters.reserved(meter, interval, now) : meters.used(meter, interval, now))
            )
          }),
        )
      })
    }),
    { numRuns: 500 },
  )
  t.end()
})

test('an entry of an older day counts only in the windows it shares with the newest', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', 'UTC', 'USD')
  meters.use(meter, 20260201, 100)
  meters.use(meter, 20260131, 50)
  t.same(
    [0, 1, 2, 3, 4].map((interval) => meters.used(meter, interval, 20260201)),
    [100, 150, 100, 150, 150],
  )
  t.end()
})

test('meters are apart by subject, zone and currency, and survive being kept', (t) => {
  const meters = new Meters()
  for (let subject = 0; subject < 10_000; subject++) {
    for (const [zone, currency] of [
      ['UTC', 'USD'],
      ['UTC', 'EUR'],
      ['Europe/Berlin', 'EUR'],
    ] as const) {
      meters.use(meters.open('card_' + subject, zone, currency), 20260101, subject)
    }
  }
  const copy = new Meters()
  for (const row of meters.rows()) copy.restore(row)
  t.equal(copy.size, 30_000)
  t.same([...copy.rows()], [...meters.rows()])
  t.equal(copy.used(copy.find('card_777', 'Europe/Berlin', 'EUR'), 0, 20260101), 777)
  t.equal(copy.find('card_777', 'Europe/Berlin', 'USD'), -1)
  t.end()
})
