// The windows of a limit: their subject, their bounds, and their sums.
import { test } from 'tap'
import {
  addCalendarKey,
  type Counting,
  countedLimits,
  largestCounted,
  placedLimit,
  viewOf,
  type Windows,
} from '../../engine/line/limit-views.ts'
import { emptyState } from '../../engine/state/decision-state.ts'
import { tenthOf } from '../../engine/state/rolling.ts'
import type { LimitConfig, LimitFilter } from '../../shared/wire/config-records.ts'
import { judgedConfig, limitConfig } from '../harness/judged.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const DAY = 20261120
const OWNER = { scope: 'card', subject: 'card_1' } as const
const BETS: LimitFilter = { mccs: ['7995'], countries: null, kinds: null, card_present: null }

function counting(): Counting {
  return { state: emptyState(), message: judgedConfig().message, currency: 'USD', nowMs: NOON }
}

function noWindows(): Windows {
  return { keys: [], meters: [] }
}

/** A limit placed among these windows. */
function placed(by: Counting, change: Partial<LimitConfig>, windows = noWindows(), prefix = '') {
  const [counted] = countedLimits([limitConfig(change)], prefix)
  const limit = counted === undefined ? null : placedLimit(by, OWNER, counted, windows)
  if (limit === null) throw new Error('the limit does not bind')
  return limit
}

test('windows differ by filter, and those of a draft also by the draft', (t) => {
  for (const [prefix, filter, text] of [
    ['', null, ''],
    ['', BETS, 'mccs=7995'],
    ['draft:ctl_1', null, 'draft:ctl_1'],
    ['draft:ctl_1', BETS, 'draft:ctl_1 mccs=7995'],
  ] as const)
    t.equal(countedLimits([limitConfig({ filter })], prefix)[0]?.filter, text)
  t.end()
})

test('a window lasts as long as its interval, and begins by its zone', (t) => {
  const moments = (from: string, until: string) => [from, until].map((text) => Date.parse(text))
  for (const [change, [startMs, endMs]] of [
    [{ interval: 'daily' }, moments('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z')],
    [{ interval: 'weekly' }, moments('2026-11-16T00:00:00Z', '2026-11-23T00:00:00Z')],
    [{ interval: 'monthly' }, moments('2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z')],
    [
      { interval: 'daily', time_zone: 'America/New_York' },
      moments('2026-11-20T05:00:00Z', '2026-11-21T05:00:00Z'),
    ],
    [{ interval: 'all_time' }, [null, null]],
    [{ interval: 'per_authorization' }, [null, null]],
    [{ interval: 'rolling', rolling_seconds: 90 }, [NOON - 90_000, null]],
  ] as const) {
    const by = counting()
    const windows = noWindows()
    const limit = placed(by, change, windows)
    t.same([limit.startMs, limit.endMs], [startMs, endMs], JSON.stringify(change))
    const view = viewOf(by, limit, windows.meters)
    t.same([view.startMs, view.endMs], [startMs, endMs], 'as what is shown of it')
  }
  t.end()
})

test('limits that count alike share windows, others have their own', (t) => {
  const by = counting()
  const windows = noWindows()
  addCalendarKey(windows, by, OWNER.subject, 'UTC')
  addCalendarKey(windows, by, OWNER.subject, 'UTC')
  t.same(windows.keys, [['card_1', 'UTC', 'USD', DAY]])
  const places = (change: Partial<LimitConfig>, prefix = '') => {
    const { place, at } = placed(by, change, windows, prefix)
    return [place, at]
  }
  const tenth = tenthOf(NOON)
  t.same(places({}), [0, DAY])
  t.same(places({ filter: BETS }), [1, DAY])
  t.same(places({ filter: BETS, interval: 'monthly' }), [1, DAY])
  t.same(places({ interval: 'weekly' }), [0, DAY], 'without a filter, beside one with it')
  t.same(places({ time_zone: 'Asia/Tokyo' }), [2, DAY])
  t.same(places({ interval: 'rolling', rolling_seconds: 60 }), [3, tenth])
  t.same(places({ interval: 'rolling', rolling_seconds: 61 }), [4, tenth])
  t.same(places({ interval: 'rolling', rolling_seconds: 60 }), [3, tenth])
  t.same(places({}, 'draft:ctl_1'), [5, DAY])
  t.equal(places({ interval: 'per_authorization' })[0], -1)
  t.equal(windows.keys.length, 6)
  t.same(windows.meters, [-1, -1, -1, -1, -1, -1], 'nothing was ever counted')
  t.end()
})

test('a limit of another currency is not placed', (t) => {
  const [counted] = countedLimits([limitConfig({ currency: 'EUR' })], '')
  const windows = noWindows()
  t.equal(counted && placedLimit(counting(), OWNER, counted, windows), null)
  t.same(windows.keys, [])
  t.end()
})

test('the largest sum is that of any window, reservations included', (t) => {
  const by = counting()
  const { meters } = by.state
  const windows = noWindows()
  for (const subject of ['prog_1', 'ch_1', 'card_1', 'card_2']) {
    if (subject !== 'card_2') meters.open(subject, 'UTC', 'USD')
    addCalendarKey(windows, by, subject, 'UTC')
  }
  t.equal(largestCounted(by.state, windows), 0)
  const [first = -1, second = -1, third = -1] = windows.meters
  meters.use(third, DAY, 70, 1)
  t.equal(largestCounted(by.state, windows), 70)
  meters.reserve(second, DAY, 71, 1)
  t.equal(largestCounted(by.state, windows), 71)
  meters.use(first, DAY, 60, 1)
  t.equal(largestCounted(by.state, windows), 71)
  meters.reserve(first, DAY, 40, 1)
  t.equal(largestCounted(by.state, windows), 100, 'used and reserved together')
  t.end()
})

test('a view holds the sums of its window, and zeros without one', (t) => {
  const by = counting()
  const { meters } = by.state
  const meter = meters.open(OWNER.subject, 'UTC', 'USD')
  meters.use(meter, DAY, 300, 2)
  meters.reserve(meter, DAY, 50, 1)
  const windows = noWindows()
  const held = { used: 300, usedCount: 2, reserved: 50, reservedCount: 1 }
  const nothing = { used: 0, usedCount: 0, reserved: 0, reservedCount: 0 }
  t.match(viewOf(by, placed(by, {}, windows), windows.meters), held)
  t.match(viewOf(by, placed(by, { filter: BETS }, windows), windows.meters), nothing)
  const alone = placed(by, { interval: 'per_authorization' }, windows)
  t.match(viewOf(by, alone, windows.meters), nothing, 'an authorization by itself')
  t.end()
})
