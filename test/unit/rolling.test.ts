import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'tap'
import { Meters } from '../../engine/state/meters.ts'
import { RollingWindows, rollingZone, tenthOf } from '../../engine/state/rolling.ts'
import { fc } from '../harness/properties.ts'

const START = tenthOf(Date.UTC(2026, 10, 20, 12))
const EXACT_MAX = 512
const BUCKETS_MAX = 64

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes outside the heap that are still referenced. */
function arrayBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

interface Counted {
  at: number
  amount: number
  count: number
}

/** The sum of entries at most `span` tenths of a second old. */
function sumOf(ledger: readonly Counted[], now: number, span: number): [number, number] {
  const inside = ledger.filter(({ at }) => now - at <= span)
  return [
    inside.reduce((sum, { amount }) => sum + amount, 0),
    inside.reduce((sum, { count }) => sum + count, 0),
  ]
}

/** A new authorization, or (0 … 1) a reversal of, or an addition to, an earlier one. */
interface Move {
  waits: number
  amount: number
  earlier: number | null
  part: number
  looks: boolean
}

const move = fc.record({
  waits: fc.oneof(fc.nat(3), fc.nat(60)),
  amount: fc.nat(1000),
  earlier: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  part: fc.integer({ min: -10, max: 3 }),
  looks: fc.boolean(),
})

/** Plays moves on a meter and on a ledger that remembers all of them; returns the last moment. */
function play(
  meters: Meters,
  meter: number,
  moves: readonly Move[],
  check: (ledger: readonly Counted[], now: number) => void,
): { ledger: Counted[]; now: number } {
  const ledger: Counted[] = []
  let now = START
  for (const { waits, amount, earlier, part, looks } of moves) {
    now += waits
    const row = earlier === null ? undefined : ledger[Math.floor(earlier * ledger.length)]
    if (row === undefined) {
      meters.use(meter, now, amount, 1)
      ledger.push({ at: now, amount, count: 1 })
    } else {
      const change = Math.trunc((row.amount * part) / 10)
      const gone = row.amount + change === 0 ? -row.count : 0
      meters.use(meter, row.at, change, gone)
      row.amount += change
      row.count += gone
    }
    if (looks) check(ledger, now)
  }
  return { ledger, now }
}

test('a rolling window of few entries is exact to the tenth of a second', (t) => {
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 120 }),
      fc.constantFrom(10, 11, 60),
      (moves, seconds) => {
        const meters = new Meters()
        const meter = meters.open('card_1', rollingZone(seconds), 'USD')
        let same = true
        const check = (ledger: readonly Counted[], now: number): void => {
          const [amount, count] = sumOf(ledger, now, seconds * 10)
          same &&=
            meters.used(meter, 5, now) === amount && meters.usedCount(meter, 5, now) === count
        }
        const { ledger, now } = play(meters, meter, moves, check)
        check(ledger, now)
        return same
      },
    ),
    { numRuns: 300 },
  )
  t.end()
})

test('a window counts entries exactly as old as it is long, and none a tenth older', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', rollingZone(10), 'USD')
  const atMs = Date.UTC(2026, 10, 20, 12, 0, 0, 57)
  meters.use(meter, tenthOf(atMs), 500, 1)
  t.equal(meters.used(meter, 5, tenthOf(atMs + 10_000)), 500)
  t.equal(meters.used(meter, 5, tenthOf(atMs + 10_100)), 0)
  t.equal(meters.usedCount(meter, 5, tenthOf(atMs + 10_100)), 0)
  t.end()
})

test('a crowded window has 64 buckets, and its error is less than one, toward decline', (t) => {
  const seconds = 600
  const span = seconds * 10
  const width = Math.ceil(span / 63)
  fc.assert(
    fc.property(fc.array(fc.record({ waits: fc.nat(8), amount: fc.nat(100) })), (tail) => {
      const windows = new RollingWindows()
      const window = windows.open(rollingZone(seconds))
      const ledger: Counted[] = []
      let now = START
      const crowd = Array.from({ length: 2 * EXACT_MAX }, () => ({ waits: 7, amount: 3 }))
      return [...crowd, ...tail].every(({ waits, amount }, index) => {
        now += waits
        windows.use(window, now, amount, 1)
        ledger.push({ at: now, amount, count: 1 })
        if (index < EXACT_MAX || index % 16 !== 0) return true
        const entries = (windows.values(window).length - 1) / 3
        const [least, fewest] = sumOf(ledger, now, span)
        const [most, many] = sumOf(ledger, now, span + width - 1)
        const used = windows.used(window, now)
        const count = windows.usedCount(window, now)
        return (
          entries <= BUCKETS_MAX &&
          least <= used &&
          used <= most &&
          fewest <= count &&
          count <= many
        )
      })
    }),
    { numRuns: 40 },
  )
  t.end()
})

test('expired entries are dropped whether the amount or the number is read first', (t) => {
  for (const asked of ['used', 'usedCount'] as const) {
    const windows = new RollingWindows()
    const window = windows.open(rollingZone(10))
    windows.use(window, START, 500, 2)
    t.equal(windows[asked](window, START + 100), asked === 'used' ? 500 : 2)
    t.equal(windows[asked](window, START + 101), 0)
  }
  t.end()
})

test('a crowded window with one bucket left is still made of buckets', (t) => {
  const windows = new RollingWindows()
  const window = windows.open(rollingZone(630))
  for (let index = 0; index <= EXACT_MAX; index++) windows.use(window, START + index, 1, 1)
  const last = START + EXACT_MAX
  t.equal(windows.usedCount(window, last + 6300), 13)
  t.same(windows.values(window)[0], 1)
  windows.use(window, last, -1, -1)
  t.equal(windows.used(window, last + 6300), 12)
  t.end()
})

test('a crowded window that empties is exact again', (t) => {
  const windows = new RollingWindows()
  const window = windows.open(rollingZone(100))
  for (let index = 0; index <= EXACT_MAX; index++) windows.use(window, START + index, 1, 1)
  t.equal(windows.values(window)[0], 1, 'in buckets')
  t.equal(windows.used(window, START + 5000), 0)
  windows.use(window, START + 5000, 7, 1)
  t.same(windows.values(window), [0, START + 5000, 7, 1])
  t.end()
})

test('a window is exact up to its largest number of entries, and coarse with one more', (t) => {
  const windows = new RollingWindows()
  const window = windows.open(rollingZone(100))
  for (let index = 0; index < EXACT_MAX; index++) windows.use(window, START + index, 1, 1)
  t.equal(windows.values(window)[0], 0)
  t.equal(windows.values(window).length, 1 + 3 * EXACT_MAX)
  windows.use(window, START + EXACT_MAX, 1, 1)
  t.equal(windows.values(window)[0], 1)
  t.end()
})

test('an amount without a number is counted, reversed and dropped like any other', (t) => {
  const windows = new RollingWindows()
  const window = windows.open(rollingZone(10))
  windows.use(window, START, 500, 1)
  windows.use(window, START + 1, 300, 0)
  windows.use(window, START + 1, -100, 0)
  windows.use(window, START + 2, 0, 1)
  windows.use(window, START + 3, 0, 0)
  t.same(windows.values(window), [0, START, 500, 1, START + 1, 200, 0, START + 2, 0, 1])
  windows.use(window, START + 2, 0, -1)
  windows.use(window, START + 1, -200, 0)
  t.same(windows.values(window), [0, START, 500, 1])
  windows.use(window, START + 1, 1, 0)
  t.equal(windows.used(window, START + 101), 1)
  t.equal(windows.used(window, START + 102), 0)
  t.same(windows.values(window), [0])
  t.end()
})

test('an entry as old as the window can be reversed, and a new count agrees', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', rollingZone(10), 'USD')
  meters.use(meter, START, 500, 1)
  t.equal(meters.used(meter, 5, START + 100), 500)
  t.not(meters.mismatch(meters.emptied()), null)
  meters.use(meter, START, -200, 0)
  t.equal(meters.used(meter, 5, START + 100), 300)
  t.equal(meters.used(meter, 5, START + 101), 0)
  t.equal(meters.mismatch(meters.emptied()), null)
  meters.use(meter, START + 200, 1, 2)
  const again = meters.emptied()
  again.use(meter, START + 200, 1, 1)
  t.not(meters.mismatch(again), null, 'a number alone that differs')
  t.end()
})

test('a reversal of an entry that has left the window takes nothing from others', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', rollingZone(10), 'USD')
  meters.use(meter, START, 500, 1)
  meters.use(meter, START + 101, 300, 1)
  meters.use(meter, START, -500, -1)
  t.equal(meters.used(meter, 5, START + 101), 300)
  t.equal(meters.usedCount(meter, 5, START + 101), 1)
  meters.use(meter, START + 101, -300, -1)
  t.equal(meters.used(meter, 5, START + 101), 0)
  t.end()
})

test('a reservation stays in a rolling window until it is ended', (t) => {
  const meters = new Meters()
  const meter = meters.open('card_1', rollingZone(10), 'USD')
  meters.reserve(meter, START, 500, 1)
  t.equal(meters.reserved(meter, 5, START + 50), 500)
  t.equal(meters.reservedCount(meter, 5, START + 50), 1)
  meters.unreserve(meter, START, 500, 1)
  t.equal(meters.reserved(meter, 5, START + 50), 0)
  t.end()
})

test('exact and crowded windows are stored and counted again alike', (t) => {
  fc.assert(
    fc.property(
      fc.array(move, { minLength: 1, maxLength: 80 }),
      fc.boolean(),
      fc.nat(300),
      (moves, crowded, later) => {
        const meters = new Meters()
        const seconds = 70
        const meter = meters.open('card_1', rollingZone(seconds), 'USD', 'kinds=initial')
        const crowd: Move[] = Array.from({ length: crowded ? EXACT_MAX + 10 : 0 }, () => ({
          waits: 1,
          amount: 5,
          earlier: null,
          part: 0,
          looks: false,
        }))
        const { ledger, now } = play(meters, meter, [...crowd, ...moves], (_, at) =>
          meters.used(meter, 5, at),
        )
        meters.used(meter, 5, now + later)
        const copy = new Meters()
        for (const row of meters.rows()) copy.restore(row)
        const again = meters.emptied()
        for (const { at, amount, count } of ledger) again.use(meter, at, amount, count)
        const wrong = meters.emptied()
        for (const { at, amount, count } of ledger) wrong.use(meter, at, amount, count)
        wrong.use(meter, now + later, 1, 0)
        return (
          copy.mismatch(meters) === null &&
          JSON.stringify([...copy.rows()]) === JSON.stringify([...meters.rows()]) &&
          meters.mismatch(again) === null &&
          meters.mismatch(wrong) !== null
        )
      },
    ),
    { numRuns: 200 },
  )
  t.end()
})

test('many windows share one store, and reuse each other’s memory', (t) => {
  const meters = new Meters()
  const seconds = rollingZone(10)
  for (let round = 0; round < 5; round++) {
    for (let card = 0; card < 3000; card++) {
      const meter = meters.open('card_' + card, seconds, 'USD')
      const now = START + round * 200
      meters.use(meter, now, card, 1)
      meters.use(meter, now + 1, 1, 1)
      if (meters.used(meter, 5, now + 1) !== card + 1) t.fail('card ' + card + ' lost something')
    }
  }
  t.equal(meters.size, 3000)
  const one = meters.open('card_0', seconds, 'USD')
  const before = arrayBytes()
  for (let index = 1; index <= 1_000_000; index++) meters.use(one, START + 1000 + 200 * index, 1, 1)
  const grown = arrayBytes() - before
  t.ok(grown < 5e6, 'a million entries, each over when the next came: ' + grown + ' bytes more')
  t.end()
})

test('five thousand windows each keep their own sums', (t) => {
  const windows = new RollingWindows()
  const numbers = Array.from({ length: 5000 }, () => windows.open(rollingZone(60)))
  for (const window of numbers) {
    windows.use(window, START, window + 1, 1)
    windows.reserve(window, 7, 2)
  }
  const wrong = numbers.filter((window) => {
    const read = { used: 0, reserved: 0, usedCount: 0, reservedCount: 0 }
    windows.read(window, START + 600, read)
    return read.used !== window + 1 || read.usedCount !== 1
  })
  t.same(wrong, [])
  const read = { used: 9, reserved: 9, usedCount: 9, reservedCount: 9 }
  windows.read(4999, START + 601, read)
  t.same(read, { used: 0, reserved: 7, usedCount: 0, reservedCount: 2 })
  t.end()
})

test('two counts must share every whole entry, and may differ in the oldest bucket', (t) => {
  const windows = new RollingWindows()
  const exact = windows.open(rollingZone(600))
  windows.use(exact, START, 5, 1)
  windows.use(exact, START + 10, 6, 2)
  t.same(windows.comparable(exact), [START, 5, 1, START + 10, 6, 2])
  const coarse = windows.open(rollingZone(600))
  for (let later = 0; later < 7000; later += 10) windows.use(coarse, START + later, 1, 1)
  const [, ...kept] = windows.values(coarse)
  t.same(windows.comparable(coarse), kept.slice(3))
  t.end()
})
