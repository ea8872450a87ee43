// The arithmetic of billing: every worked example of the design, and properties beside an oracle
// that computes by another way.

import { test } from 'tap'
import {
  ADDON_KEYS,
  CURRENCIES,
  INTERVALS,
  isUpgrade,
  METERS,
  PLAN_KEYS,
  TRIAL_CAPS,
  termsAt,
  termsAtBoundary,
} from '../../api/billing/catalogue/index.ts'
import { boundary, INTERVAL_MONTHS, period, periodIndex } from '../../api/billing/periods.ts'
import { changeAmounts, segmentShare, share } from '../../api/billing/prorate.ts'
import { settle, usageCents } from '../../api/billing/rate.ts'
import { fc } from '../harness/properties.ts'

const DAY_MS = 86_400_000
const at = (text: string): number => Date.parse(text)
const iso = (ms: number): string => new Date(ms).toISOString()
const starter = termsAt('starter', at('2026-11-16T12:00:00Z'))
const growth = termsAt('growth', at('2026-11-16T12:00:00Z'))

interface Change {
  anchor: string
  moment: string
  up: boolean
  yearly?: boolean
  days: readonly [width: number, passed: number]
  credit: number
  debit: number
  net: number
}

const NOV = '2026-11-01T00:00:00Z'
const CHANGES: readonly Change[] = [
  { anchor: NOV, moment: '2026-11-16T12:00:00Z', up: true, days: [30, 15.5], credit: -2368, debit: 24_118, net: 21_750 },
  { anchor: NOV, moment: '2026-11-16T12:00:00Z', up: false, days: [30, 15.5], credit: -24_118, debit: 2368, net: -21_750 },
  { anchor: '2027-02-01T00:00:00Z', moment: '2027-02-11T00:00:00Z', up: true, days: [28, 10], credit: -3150, debit: 32_079, net: 28_929 },
  { anchor: '2028-02-01T00:00:00Z', moment: '2028-02-11T00:00:00Z', up: true, days: [29, 10], credit: -3210, debit: 32_693, net: 29_483 },
  { anchor: '2027-01-31T00:00:00Z', moment: '2027-02-14T06:00:00Z', up: true, days: [28, 14.25], credit: -2406, debit: 24_504, net: 22_098 },
  { anchor: NOV, moment: '2026-11-01T00:00:00.001Z', up: true, days: [30, 1 / DAY_MS], credit: -4900, debit: 49_900, net: 45_000 },
  { anchor: NOV, moment: '2026-11-30T23:59:59.999Z', up: true, days: [30, 30 - 1 / DAY_MS], credit: 0, debit: 0, net: 0 },
  { anchor: '2027-03-01T00:00:00Z', moment: '2027-06-09T00:00:00Z', up: true, yearly: true, days: [366, 100], credit: -35_612, debit: 362_661, net: 327_049 },
] // biome-ignore format: a table reads better in rows.

test('a change of the base price costs what the worked examples say', (t) => {
  for (const change of CHANGES) {
    const interval = change.yearly === true ? 'year' : 'month'
    const months = INTERVAL_MONTHS[interval]
    const anchor = at(change.anchor)
    // The anchor of the fifth row is the last of January, its change is in the second period.
    const k = periodIndex(anchor, at(change.moment), months)
    const { from, until } = period(anchor, k, months)
    const [atMs, widthMs] = [at(change.moment) - from, until - from]
    t.same([widthMs / DAY_MS, atMs], [change.days[0], Math.round(change.days[1] * DAY_MS)])
    const [low, high] = [starter, growth].map(({ baseCents }) => BigInt(baseCents[interval]))
    const prices = change.up
      ? { oldCents: low as bigint, newCents: high as bigint }
      : { oldCents: high as bigint, newCents: low as bigint }
    const expected = [change.credit, change.debit, change.net].map(BigInt)
    const { credit, debit, net } = changeAmounts(prices, { atMs, widthMs })
    t.same([credit, debit, net], expected, change.moment)
  }
  t.end()
})

test('three changes in one period cost the sum of their parts', (t) => {
  const cuts = [0, 10, 20, 25, 30].map((days) => days * DAY_MS)
  const prices = [4900n, 49_900n, 4900n, 49_900n]
  const parts = prices.map((price, index) =>
    segmentShare(price, {
      fromMs: cuts[index] as number,
      untilMs: cuts[index + 1] as number,
      widthMs: 30 * DAY_MS,
    }),
  )
  t.same(parts, [1633n, 16_634n, 816n, 8317n])
  t.equal(
    parts.reduce((sum, part) => sum + part),
    27_400n,
  )
  t.end()
})

const priced = (allowance: bigint) => ({
  included: allowance,
  perThousandCents: BigInt(starter.meters.authorizations.perThousandCents),
})

test('usage costs what the worked examples say, late and corrected too', (t) => {
  const allowance = BigInt(starter.meters.authorizations.included)
  const billed = usageCents(12_345n, priced(allowance))
  t.equal(billed, 2111n)
  t.equal(usageCents(12_345n + 155n, priced(allowance)) - billed, 139n)
  t.equal(usageCents(12_345n - 500n, priced(allowance)) - billed, -450n)
  t.equal(usageCents(9999n, priced(allowance)), 0n)
  t.end()
})

test('an allowance is cut by the same rounding', (t) => {
  const cut = { fromMs: 0, untilMs: 15.5 * DAY_MS, widthMs: 30 * DAY_MS }
  t.equal(segmentShare(BigInt(starter.meters.authorizations.included), cut), 5167n)
  const rest = { ...cut, fromMs: cut.untilMs, untilMs: cut.widthMs }
  t.equal(segmentShare(BigInt(growth.meters.authorizations.included), rest), 120_833n)
  t.end()
})

test('boundaries count from the anchor and are clamped to their month', (t) => {
  const monthly = [0, 1, 2, 3].map((k) => iso(boundary(at('2027-01-31T10:00:00Z'), k)))
  t.same(monthly, [
    '2027-01-31T10:00:00.000Z',
    '2027-02-28T10:00:00.000Z',
    '2027-03-31T10:00:00.000Z',
    '2027-04-30T10:00:00.000Z',
  ])
  const leap = at('2028-02-29T00:00:00Z')
  const yearly = [0, 1, 2, 3, 4].map((k) => iso(period(leap, k, 12).from).slice(0, 10))
  t.same(yearly, ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'])
  t.end()
})

test('credit, small totals and the last invoice settle by one formula', (t) => {
  const table: [sum: bigint, credit: bigint, isFinal: boolean, expected: bigint[]][] = [
    [4900n, 0n, false, [0n, 4900n, 0n]],
    [4900n, 1000n, false, [-1000n, 3900n, 0n]],
    [4900n, 5000n, false, [-4900n, 0n, 100n]],
    [-21_750n, 0n, false, [21_750n, 0n, 21_750n]],
    [49n, 0n, false, [-49n, 0n, -49n]],
    [1n, -49n, false, [49n, 50n, 0n]],
    [49n, 0n, true, [-49n, 0n, 0n]],
    [100n, 300n, true, [-100n, 0n, 200n]],
    [0n, 0n, false, [0n, 0n, 0n]],
  ]
  for (const [sum, credit, isFinal, expected] of table) {
    const settled = settle(sum, credit, { isFinal })
    t.same([settled.creditLine, settled.total, settled.credit], expected)
    t.equal(settled.total, sum + settled.creditLine, 'the lines add up to the total')
  }
  t.end()
})

/** Rounds by long division: no doubled numerator, no common formula. */
function sharePerOracle(amount: bigint, atMs: bigint, widthMs: bigint): bigint {
  let whole = 0n
  let rest = 0n
  for (const digit of (amount * atMs).toString()) {
    rest = rest * 10n + BigInt(digit)
    let times = 0n
    while (rest >= widthMs) {
      rest -= widthMs
      times += 1n
    }
    whole = whole * 10n + times
  }
  return widthMs - rest <= rest ? whole + 1n : whole
}

test('however a period is cut, its parts are the whole, and the oracle agrees', (t) => {
  const periods = fc.record({
    amount: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    widthMs: fc.integer({ min: 1, max: 366 * DAY_MS }),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
  })
  fc.assert(
    fc.property(periods, ({ amount, widthMs, cuts }) => {
      const inner = cuts.map((cut) => Math.floor(cut * widthMs)).sort((one, other) => one - other)
      const all = [0, ...inner, widthMs]
      let sum = 0n
      for (let index = 1; index < all.length; index++) {
        const [fromMs, untilMs] = [all[index - 1] as number, all[index] as number]
        const part = segmentShare(amount, { fromMs, untilMs, widthMs })
        const oracle = (edge: number): bigint =>
          sharePerOracle(amount, BigInt(edge), BigInt(widthMs))
        if (part !== oracle(untilMs) - oracle(fromMs) || part < 0n) return false
        sum += part
      }
      return sum === amount && share(amount, widthMs, widthMs) === amount
    }),
    { numRuns: 2000 },
  )
  t.end()
})

test('a chain of changes costs what its segments cost', (t) => {
  const prices = fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { minLength: 1, maxLength: 6 })
  const widths = fc.integer({ min: 28, max: 31 }).map((days) => days * DAY_MS)
  fc.assert(
    fc.property(
      prices,
      widths,
      fc.infiniteStream(fc.nat(31 * DAY_MS)),
      (chain, widthMs, moments) => {
        const cuts = chain.slice(1).map(() => (moments.next().value as number) % (widthMs + 1))
        cuts.sort((one, other) => one - other)
        let charged = chain[0] as bigint
        cuts.forEach((atMs, index) => {
          const [oldCents, newCents] = [chain[index] as bigint, chain[index + 1] as bigint]
          charged += changeAmounts({ oldCents, newCents }, { atMs, widthMs }).net
        })
        const edges = [0, ...cuts, widthMs]
        const owed = chain.reduce((sum, price, index) => {
          const edge = (place: number): bigint =>
            sharePerOracle(price, BigInt(edges[place] as number), BigInt(widthMs))
          return sum + edge(index + 1) - edge(index)
        }, 0n)
        return charged === owed
      },
    ),
    { numRuns: 2000 },
  )
  t.end()
})

/** The days of months by a table, walked one month at a time. */
function boundaryPerOracle(anchor: number, k: number): string {
  const [year = 0, month = 0, day = 0] = iso(anchor).slice(0, 10).split('-').map(Number)
  let [walkedYear, walkedMonth] = [year, month]
  for (let step = 0; step < k; step++) {
    walkedMonth += 1
    if (walkedMonth === 13) [walkedYear, walkedMonth] = [walkedYear + 1, 1]
  }
  const isLeap = walkedYear % 4 === 0 && (walkedYear % 100 !== 0 || walkedYear % 400 === 0)
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  const walkedDay = Math.min(day, lengths[walkedMonth - 1] as number)
  const two = (number: number): string => String(number).padStart(2, '0')
  return walkedYear + '-' + two(walkedMonth) + '-' + two(walkedDay) + iso(anchor).slice(10)
}

test('periods follow each other without a gap and hold their moments', (t) => {
  const anchors = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2038-12-31T23:59:59Z') })
  fc.assert(
    fc.property(anchors, fc.nat(400), fc.constantFrom(1, 12), (anchor, k, months) => {
      const { from, until } = period(anchor, k, months)
      return (
        iso(boundary(anchor, k)) === boundaryPerOracle(anchor, k) &&
        until === period(anchor, k + 1, months).from &&
        from < until &&
        [from, until - 1].every((moment) => periodIndex(anchor, moment, months) === k)
      )
    }),
    { numRuns: 2000 },
  )
  t.end()
})

test('usage is rated as an oracle that counts in thousandths of a cent', (t) => {
  const quantities = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const prices = fc.bigInt({ min: 0n, max: 1_000_000n })
  fc.assert(
    fc.property(quantities, quantities, prices, (quantity, included, perThousandCents) => {
      const cents = usageCents(quantity, { included, perThousandCents })
      const thousandths = quantity <= included ? 0n : (quantity - included) * perThousandCents
      const [whole, rest] = [thousandths / 1000n, thousandths % 1000n]
      return cents === (rest >= 500n ? whole + 1n : whole)
    }),
  )
  t.end()
})

test('every plan prices every meter, and a newer catalogue waits for a boundary', (t) => {
  t.same(Object.keys(starter.meters), [...METERS])
  t.same(Object.keys(growth.meters), [...METERS])
  t.same(termsAtBoundary('growth', { at: at('2026-11-16T12:00:00Z'), reached: null }), growth)
  t.same(
    termsAtBoundary('growth', { at: at('2026-11-16T12:00:00Z'), reached: '2026-11-01' }),
    growth,
  )
  t.ok(ADDON_KEYS.every((key) => starter.meters[key].included === 0))
  t.ok(Object.keys(TRIAL_CAPS).every((meter) => METERS.some((known) => known === meter)))
  t.equal(isUpgrade('starter', 'growth'), true)
  t.equal(isUpgrade('enterprise', 'growth'), false)
  t.equal(isUpgrade('growth', 'growth'), false)
  t.same([...PLAN_KEYS], ['starter', 'growth', 'enterprise'])
  for (const interval of INTERVALS) t.ok(growth.baseCents[interval] > starter.baseCents[interval])
  t.same([...CURRENCIES], ['USD', 'EUR'])
  t.end()
})
