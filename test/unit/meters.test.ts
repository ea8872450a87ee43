import { test } from 'tap'
import { CALENDAR_INTERVALS, monthOf, weekOf, yearOf } from '../../engine/state/calendar.ts'
import { Meters } from '../../engine/state/meters.ts'
import { fc } from '../harness/properties.ts'

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
  /** True if it is taken back at the end, in the windows where it was counted. */
  undone: boolean
}

interface Row {
  subject: number
  day: number
  amount: number
  reserved: boolean
}

const NOTHING = { used: 0, reserved: 0, usedCount: 0, reservedCount: 0 }

test('a meter is found by all four of its names, whatever was looked up before', (t) => {
  const name = (prefix: string) => fc.nat(2).map((number) => prefix + number)
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'rolling:60')
  const filter = fc.constantFrom('', 'mccs=5411', 'draft:ctl_1')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name('card_'), zone, name('USD'), filter, fc.boolean()), { maxLength: 60 }),
      (asked) => {
        const meters = new Meters()
        const known = new Map<string, number>()
        return asked.every(([subject, where, currency, counted, opens]) => {
          const key = [subject, where, currency, counted].join(' ')
          const found = meters.find(subject, where, currency, counted)
          if (found !== (known.get(key) ?? -1)) return false
          if (opens) known.set(key, meters.open(subject, where, currency, counted))
          return known.size === meters.size
        })
      },
    ),
  )
  t.end()
})

test('an empty subject, zone or currency is a name like any other', (t) => {
  const meters = new Meters()
  t.equal(meters.find('', '', ''), -1)
  const meter = meters.open('', '', '')
  t.equal(meters.find('', '', ''), meter)
  t.equal(meters.open('', '', ''), meter)
  t.equal(meters.size, 1)
  t.end()
})

test('an unused name finds nothing, whatever was found last', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', 'UTC', 'USD')
  for (const [subject, zone, currency] of [
    ['card_2', 'UTC', 'USD'],
    ['', 'UTC', 'USD'],
    ['card_1', 'Asia/Tokyo', 'USD'],
    ['card_1', '', 'USD'],
    ['card_1', 'UTC', 'EUR'],
    ['card_1', 'UTC', ''],
  ] as const) {
    t.equal(meters.find('card_1', 'UTC', 'USD'), meter)
    t.equal(meters.find(subject, zone, currency), -1, [subject, zone, currency].join(' '))
  }
  t.end()
})

test('many meters are found again', (t) => {
  const meters = new Meters()
  for (let card = 0; card < 10_000; card++) meters.open('card_' + card, 'UTC', 'USD')
  const wrong = Array.from({ length: 10_000 }, (_, card) => card).filter(
    (card) => meters.find('card_' + card, 'UTC', 'USD') !== card,
  )
  t.same(wrong, [])
  t.end()
})

test('windows equal a ledger that remembers every entry', (t) => {
  const step = fc.record({
    subject: fc.nat(2),
    day: fc.nat(DAYS.length - 1),
    amount: fc.nat(1000),
    // 0: the reservation is released; 1: it becomes a hold; 2: it stays reserved.
    kept: fc.nat(2),
    undone: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps: Step[]) => {
      const meters = new Meters()
      const ledger: Row[] = []
      const latest = [0, 0, 0]
      const undone: [meter: number, row: Row][] = []
      for (const { subject, day: pick, amount, kept, undone: isUndone } of steps) {
        // Time on the line never goes back for new reservations.
        const day = Math.max(DAYS[pick]!, latest[subject]!)
        latest[subject] = day
        const meter = meters.open('card_' + subject, 'UTC', 'USD')
        meters.reserve(meter, day, amount, 1)
        if (kept < 2) meters.unreserve(meter, day, amount, 1)
        if (kept === 1) meters.use(meter, day, amount, 1)
        const row = { subject, day, amount, reserved: kept === 2 }
        if (kept === 1 && isUndone) undone.push([meter, row])
        else if (kept > 0) ledger.push(row)
      }
      for (const [meter, { day, amount }] of undone) meters.use(meter, day, -amount, -1)
      return [0, 1, 2].every((subject) => {
        const meter = meters.find('card_' + subject, 'UTC', 'USD')
        if (meter === -1) return true
        const now = latest[subject]!
        return CALENDAR_INTERVALS.every((_, interval) => {
          const counted = (reserved: boolean): Row[] =>
            ledger
              .filter((row) => row.subject === subject && row.reserved === reserved)
              .filter((row) => labels(row.day)[interval] === labels(now)[interval])
          const sum = (rows: Row[]): number => rows.reduce((total, row) => total + row.amount, 0)
          const read = { ...NOTHING }
          meters.read(meter, interval, now, read)
          return (
            read.used === sum(counted(false)) &&
            read.reserved === sum(counted(true)) &&
            read.usedCount === counted(false).length &&
            read.reservedCount === counted(true).length &&
            meters.used(meter, interval, now) === sum(counted(false)) &&
            meters.reserved(meter, interval, now) === sum(counted(true)) &&
            meters.usedCount(meter, interval, now) === counted(false).length &&
            meters.reservedCount(meter, interval, now) === counted(true).length
          )
        })
      })
    }),
    { numRuns: 500 },
  )
  t.end()
})

test('an entry of an older day counts only in the windows it shares with the newest', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', 'UTC', 'USD')
  meters.use(meter, 20260201, 100, 1)
  meters.use(meter, 20260131, 50, 1)
  t.same(
    [0, 1, 2, 3, 4].map((interval) => meters.used(meter, interval, 20260201)),
    [100, 150, 100, 150, 150],
  )
  t.same(
    [0, 1, 2, 3, 4].map((interval) => meters.usedCount(meter, interval, 20260201)),
    [1, 2, 1, 2, 2],
  )
  t.end()
})

test('a window that has ended shows no sums and no reservations', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', 'UTC', 'USD')
  meters.use(meter, 20251231, 100, 1)
  meters.reserve(meter, 20251231, 50, 1)
  // A Thursday: the week continues, and every other window but all time has ended.
  const told = (interval: number): number[] => [
    meters.used(meter, interval, 20260101),
    meters.reserved(meter, interval, 20260101),
    meters.usedCount(meter, interval, 20260101),
    meters.reservedCount(meter, interval, 20260101),
  ]
  const read = { ...NOTHING }
  meters.read(meter, 0, 20260101, read)
  t.same(read, NOTHING)
  t.same([0, 1, 2, 3, 4].map(told), [
    [0, 0, 0, 0],
    [100, 50, 1, 1],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [100, 50, 1, 1],
  ])
  meters.unreserve(meter, 20251231, 50, 1)
  t.equal(meters.reserved(meter, 4, 20260101), 0)
  t.end()
})

test('reservations are not stored, in windows of either kind', (t) => {
  const meters = new Meters()
  for (const zone of ['UTC', 'rolling:60']) {
    const meter = meters.open('card_1', zone, 'USD')
    meters.use(meter, 20260101, 100, 1)
    const kept = JSON.stringify([...meters.rows()])
    meters.reserve(meter, 20260101, 50, 7)
    t.equal(JSON.stringify([...meters.rows()]), kept, zone)
  }
  t.same(
    [...meters.rows()].map((row) => row.length),
    [15, 9],
  )
  t.end()
})

test('stored windows hold used amounts from day to all time, then numbers', (t) => {
  const meters = new Meters()
  meters.use(meters.open('card_1', 'UTC', 'USD'), 20251231, 9, 4)
  const meter = meters.open('card_2', 'UTC', 'USD')
  meters.use(meter, 20251231, 100, 1)
  meters.use(meter, 20260101, 7, 2)
  t.same(
    [...meters.rows()],
    [
      ['card_1', 'UTC', 'USD', 20251231, '', 9, 9, 9, 9, 9, 4, 4, 4, 4, 4],
      ['card_2', 'UTC', 'USD', 20260101, '', 7, 107, 7, 7, 107, 2, 3, 2, 2, 3],
    ],
  )
  t.end()
})

test('meters differ by subject, zone, currency and filter, and survive storage', (t) => {
  const meters = new Meters()
  for (let subject = 0; subject < 2000; subject++) {
    for (const [zone, currency, filter] of [
      ['UTC', 'USD', ''],
      ['UTC', 'EUR', ''],
      ['UTC', 'EUR', 'countries=DE'],
      ['Europe/Berlin', 'EUR', ''],
      ['rolling:60', 'EUR', ''],
    ] as const) {
      const meter = meters.open('card_' + subject, zone, currency, filter)
      meters.use(meter, 20260101, subject, filter === '' ? 1 : 2)
    }
  }
  const copy = new Meters()
  for (const row of meters.rows()) copy.restore(row)
  t.equal(copy.size, 10_000)
  t.equal(copy.mismatch(meters), null)
  t.equal(JSON.stringify([...copy.rows()]), JSON.stringify([...meters.rows()]))
  t.equal(copy.reserved(copy.find('card_1777', 'UTC', 'EUR'), 0, 20260101), 0)
  t.equal(copy.reservedCount(copy.find('card_1777', 'UTC', 'EUR'), 0, 20260101), 0)
  t.equal(copy.used(copy.find('card_1777', 'Europe/Berlin', 'EUR'), 0, 20260101), 1777)
  t.equal(copy.usedCount(copy.find('card_1777', 'UTC', 'EUR'), 0, 20260101), 1)
  t.equal(copy.usedCount(copy.find('card_1777', 'UTC', 'EUR', 'countries=DE'), 0, 20260101), 2)
  t.equal(copy.used(copy.find('card_1777', 'rolling:60', 'EUR'), 0, 20260101), 1777)
  t.equal(copy.find('card_1777', 'Europe/Berlin', 'USD'), -1)
  t.equal(copy.find('card_1777', 'UTC', 'EUR', 'countries=US'), -1)
  t.equal(copy.find('card_1777', 'rolling:61', 'EUR'), -1)
  t.end()
})

test('a new count names a window that differs', (t) => {
  const meters = new Meters()
  meters.use(meters.open('card_1', 'UTC', 'USD'), 20260131, 100, 1)
  meters.use(meters.open('ch_1', 'UTC', 'USD', 'kinds=initial'), 20260131, 100, 1)
  const again = meters.emptied()
  again.use(0, 20260131, 100, 1)
  t.match(meters.mismatch(again), 'window ch_1 UTC USD 20260131 kinds=initial ')
  again.use(1, 20260131, 100, 1)
  t.equal(meters.mismatch(again), null)
  again.use(1, 20260131, 0, 1)
  t.match(meters.mismatch(again), 'window ch_1', 'a number alone')
  t.end()
})
