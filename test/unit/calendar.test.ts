import { test } from 'tap'
import {
  calendarDay,
  minuteOfDay,
  weekdayOf,
  weekOf,
  windowBounds,
} from '../../engine/state/calendar.ts'
import { fc } from '../harness/properties.ts'

const at = (text: string): number => Date.parse(text)
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

test('a day has its zone’s length, also on a change of the clock', (t) => {
  const table: [zone: string, moment: string, label: number, start: string, end: string][] = [
    [
      'UTC',
      '2026-11-20T00:00:00.000Z',
      20261120,
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ],
    [
      'UTC',
      '2026-11-20T23:59:59.999Z',
      20261120,
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ],
    // 23 hours and 25 hours.
    [
      'America/New_York',
      '2026-03-08T12:00:00Z',
      20260308,
      '2026-03-08T05:00:00.000Z',
      '2026-03-09T04:00:00.000Z',
    ],
    [
      'America/New_York',
      '2026-11-01T12:00:00Z',
      20261101,
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ],
    // A zone whose clock skips midnight: the day begins at 01:00 local.
    [
      'Africa/Cairo',
      '2026-04-24T12:00:00Z',
      20260424,
      '2026-04-23T22:00:00.000Z',
      '2026-04-24T21:00:00.000Z',
    ],
    [
      'Pacific/Kiritimati',
      '2026-12-31T10:00:00.000Z',
      20270101,
      '2026-12-31T10:00:00.000Z',
      '2027-01-01T10:00:00.000Z',
    ],
    [
      'Asia/Kathmandu',
      '2026-06-30T18:15:00.000Z',
      20260701,
      '2026-06-30T18:15:00.000Z',
      '2026-07-01T18:15:00.000Z',
    ],
  ]
  for (const [zone, moment, label, start, end] of table) {
    const day = calendarDay(zone, at(moment))
    t.same([day.label, iso(day.startMs), iso(day.endMs)], [label, start, end], zone + ' ' + moment)
  }
  t.end()
})

test('weeks begin on Monday, months and years on their first', (t) => {
  const day = calendarDay('UTC', at('2024-02-29T12:00:00Z'))
  t.same(Object.values(windowBounds(day, 'weekly')).map(iso), [
    '2024-02-26T00:00:00.000Z',
    '2024-03-04T00:00:00.000Z',
  ])
  t.same(Object.values(windowBounds(day, 'monthly')).map(iso), [
    '2024-02-01T00:00:00.000Z',
    '2024-03-01T00:00:00.000Z',
  ])
  t.same(Object.values(windowBounds(day, 'yearly')).map(iso), [
    '2024-01-01T00:00:00.000Z',
    '2025-01-01T00:00:00.000Z',
  ])
  t.same(windowBounds(day, 'all_time'), { startMs: null, endMs: null })
  t.equal(weekOf(20260101), 20251229, 'a week may begin in the year before')
  t.equal(weekOf(20261123), 20261123, 'a Monday is its own week')
  const december = calendarDay('America/New_York', at('2026-12-15T12:00:00Z'))
  t.equal(iso(windowBounds(december, 'monthly').endMs), '2027-01-01T05:00:00.000Z')
  t.end()
})

test('every day of two centuries has the right date and week in UTC', (t) => {
  const wrong: string[] = []
  for (let ms = 0; ms < Date.UTC(2170, 0, 1); ms += 86_400_000) {
    const date = new Date(ms)
    const label =
      date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
    const monday = new Date(ms - ((date.getUTCDay() + 6) % 7) * 86_400_000)
    const day = calendarDay('UTC', ms)
    const week = windowBounds(day, 'weekly')
    if (day.label !== label || day.startMs !== ms || week.startMs !== monday.getTime())
      wrong.push(date.toISOString())
  }
  t.same(wrong, [])
  t.end()
})

test('a cached day and a cached quarter of an hour end with their last moment', (t) => {
  const midnight = at('2026-11-21T05:00:00Z')
  for (const [zone, moment] of [
    ['America/New_York', midnight],
    ['UTC', at('2026-11-21T00:00:00Z')],
  ] as const) {
    t.equal(calendarDay(zone, moment - 1).label, 20261120)
    t.equal(minuteOfDay(zone, moment - 1), 1439)
    t.equal(minuteOfDay(zone, moment), 0)
    t.equal(minuteOfDay(zone, moment - 60_000), 1439, 'and backward')
    t.equal(minuteOfDay(zone, moment - 60_001), 1438)
    t.equal(calendarDay(zone, moment).label, 20261121)
    t.equal(calendarDay(zone, moment - 1).label, 20261120)
  }
  t.end()
})

test('every moment lies within its day, in every zone of this runtime', (t) => {
  let wrong = 0
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    for (let month = 0; month < 12; month += 3) {
      const moment = Date.UTC(2026, month, 28, 23, 30)
      const day = calendarDay(zone, moment)
      if (
        moment < day.startMs ||
        moment >= day.endMs ||
        calendarDay(zone, day.endMs).label === day.label
      )
        wrong += 1
    }
  }
  t.equal(wrong, 0)
  t.end()
})

test('the bounds of a window are computed once a day', (t) => {
  const day = calendarDay('America/New_York', Date.UTC(2026, 10, 20, 12))
  const sameDay = calendarDay('America/New_York', Date.UTC(2026, 10, 20, 20))
  for (const interval of ['weekly', 'monthly', 'yearly'] as const)
    t.equal(windowBounds(day, interval), windowBounds(sameDay, interval), interval)
  t.end()
})

test('a day is computed once, and is the same object from its first moment to its last', (t) => {
  for (const zone of ['UTC', 'America/New_York']) {
    const day = calendarDay(zone, at('2026-11-20T12:00:00Z'))
    t.equal(calendarDay(zone, day.startMs), day, zone)
    t.equal(calendarDay(zone, day.endMs - 1), day, zone)
  }
  t.end()
})

test('the clock of a zone is read once in a quarter of an hour', (t) => {
  const zone = 'Asia/Kathmandu'
  const quarter = at('2026-11-20T12:15:00Z')
  minuteOfDay(zone, quarter - 1)
  t.equal(
    looksDuring(() => {
      for (const later of [7 * 60_000, 0, 60_000, 15 * 60_000 - 1])
        minuteOfDay(zone, quarter + later)
    }),
    1,
  )
  t.equal(
    looksDuring(() => minuteOfDay(zone, quarter + 15 * 60_000)),
    1,
  )
  t.end()
})

/** Number of reads of any zone's clock. */
function looksDuring(body: () => void): number {
  const real = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format')!
  let looks = 0
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    ...real,
    get() {
      looks += 1
      return real.get!.call(this)
    },
  })
  try {
    body()
  } finally {
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', real)
  }
  return looks
}

test('more than 700 zones empty the cache, which is then filled anew', (t) => {
  const now = at('2026-11-20T12:00:00Z')
  const forgottenAt: number[] = []
  let known = calendarDay('UTC', now)
  for (let number = 1; number <= 1500; number++) {
    calendarDay('Nowhere/' + number, now)
    if (calendarDay('UTC', now) === known) continue
    known = calendarDay('UTC', now)
    forgottenAt.push(number)
  }
  t.equal(forgottenAt.length, 2)
  // UTC itself is one of the zones, and so is the one that exceeded the bound.
  t.equal(forgottenAt[1]! - forgottenAt[0]!, 699)
  t.same(calendarDay('UTC', now), known)
  t.end()
})

test('an unknown zone counts as UTC', (t) => {
  const moment = at('2026-11-20T23:30:00Z')
  t.same({ ...calendarDay('Mars/Olympus', moment), zone: 'UTC' }, calendarDay('UTC', moment))
  t.end()
})

test('the minute of the day follows the zone’s clock through every change of it', (t) => {
  const zones = [
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
  ]
  const clocks = new Map(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat('en-GB', {
        timeZone,
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
    ]),
  )
  const changes = ['2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z', '2026-04-04T15:00:00Z'].map(at)
  const moment = fc.oneof(
    fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
    fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -7_200_000, max: 7_200_000 }))
      .map(([change, away]) => change + away),
  )
  fc.assert(
    fc.property(fc.constantFrom(...zones), moment, (zone, now) => {
      const minute = minuteOfDay(zone, now)
      const weekday = weekdayOf(calendarDay(zone, now).label)
      const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
      const hour = String(Math.floor(minute / 60)).padStart(2, '0')
      const shown = hour + ':' + String(minute % 60).padStart(2, '0')
      return clocks.get(zone)!.format(now) === names[weekday - 1] + ' ' + shown
    }),
    { numRuns: 1000 },
  )
  t.end()
})
