// The meaning of a spending control, one rule after the other, by number. Each is shown on a whole
// authorization line, and after each the windows are counted again from the transactions, from the
// journal alone and from a snapshot.

import { test } from 'tap'
import type { MinorUnits } from '../../shared/money.ts'
import type { ControlConfig, LimitConfig } from '../../shared/wire/config-records.ts'
import { limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { fc } from '../harness/properties.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const DAY_MS = 86_400_000

/** A limit of this amount, or without one. */
function limit(amount: number | null, change: Partial<LimitConfig> = {}): LimitConfig {
  return limitConfig({ amount_cents: amount as MinorUnits | null, ...change })
}

function limits(...all: LimitConfig[]): Partial<ControlConfig> {
  return { limits: all }
}

/** A line whose card has these limits, at a moment. */
function lineAt(when: string | number, ...all: LimitConfig[]): LineInHand {
  const line = new LineInHand(typeof when === 'number' ? when : Date.parse(when))
  line.control('card', limits(...all))
  return line
}

test('1. the window is that of receipt, in the zone of the limit', (t) => {
  const zone = { time_zone: 'America/Los_Angeles' }
  const line = lineAt('2026-11-20T07:59:00Z', limit(1000, { id: 'lim_la', ...zone }))
  t.equal(line.buy(), null, 'the 19th in Los Angeles')
  t.equal(line.buy(1), 'limit_daily')
  line.moveTo('2026-11-20T08:00:00Z')
  // The network's own time does not count.
  t.equal(line.buy({ transmitted_at: '2026-11-20T07:59:59Z' }), null, 'the 20th')
  t.equal(line.buy(1), 'limit_daily')
  line.control('card', limits(limit(1000)))
  t.equal(line.buy(1), 'limit_daily', 'all of it was the 20th in UTC')
  const { decision } = line.entries[0]!
  t.ok(decision.meters.some(([, inZone, , day]) => inZone === zone.time_zone && day === 20261119))
  t.equal(line.contradiction(), null)
  t.end()
})

test('2. hold, capture, reversal and expiry count in the original’s window; a force post on posting', (t) => {
  const line = lineAt('2026-11-20T12:00:00Z', limit(5000), limit(5000, { interval: 'monthly' }))
  const today = (): number => line.evaluate().max_approvable_amount_cents
  line.send({ network_transaction_id: 'kept', amount_cents: 1000 })
  line.send({ network_transaction_id: 'gone', amount_cents: 2000 })
  t.equal(today(), 2000)
  line.moveTo('2026-11-21T12:00:00Z')
  t.equal(today(), 2000, 'a new day, the same month')
  line.control('card', limits(limit(5000)))
  t.equal(today(), 5000)
  line.send({ kind: 'capture', network_transaction_id: 'kept', amount_cents: 1500, final: true })
  line.send({ kind: 'reversal', network_transaction_id: 'gone', amount_cents: 2000 })
  t.equal(today(), 5000, 'what happens to yesterday is no matter of today')
  line.send({ kind: 'capture', network_transaction_id: 'forced', amount_cents: 700, final: true })
  t.equal(today(), 4300, 'a force post is one of today')
  line.control('card', limits(limit(5000, { interval: 'monthly' })))
  t.equal(today(), 5000 - 1500 - 700)
  t.equal(line.contradiction(), null)
  t.end()
})

test('3. used is open holds + captured - reversed - expired; an excess capture counts and is flagged', (t) => {
  const line = lineAt(NOON, limit(5000, { interval: 'all_time' }))
  const left = (): number => line.evaluate().max_approvable_amount_cents
  const of = (kind: 'capture' | 'reversal', name: string, amount: number, final = false): void =>
    void line.send({ kind, network_transaction_id: name, amount_cents: amount, final })
  line.send({ network_transaction_id: 'a', amount_cents: 2000 })
  of('capture', 'a', 500)
  t.equal(left(), 3000, '1500 held, 500 captured')
  of('reversal', 'a', 1000)
  t.equal(left(), 4000, '500 held, 500 captured')
  of('capture', 'a', 200, true)
  t.equal(left(), 4300, 'the last capture gives back what it leaves')
  line.send({ network_transaction_id: 'b', amount_cents: 4300 })
  t.equal(left(), 0)
  of('capture', 'b', 6000, true)
  t.equal(left(), 0, 'more than the limit was captured')
  t.equal(line.buy(1), 'limit_all_time')
  const flags = line.entries.at(-2)!.effect!.flags
  t.ok(flags & 128, 'limit_overrun')
  line.send({ network_transaction_id: 'c', amount_cents: 0 })
  t.equal(line.contradiction(), null)
  t.end()
})

test('3. a hold that expires no longer counts', (t) => {
  const line = lineAt(NOON, limit(5000, { interval: 'all_time' }), limit(null, { count: 1 }))
  line.send({ network_transaction_id: 'a', amount_cents: 2000 })
  line.moveTo(NOON + 1000)
  t.equal(line.buy(), 'limit_count')
  line.expire('a')
  t.equal(line.evaluate().max_approvable_amount_cents, 5000)
  t.equal(line.buy(5000), null)
  t.equal(line.contradiction(), null)
  t.end()
})

test('4. used + reserved + amount <= limit approves, also on equality', (t) => {
  const line = lineAt(NOON, limit(1000))
  t.equal(line.buy(400), null)
  t.equal(line.buy(601), 'limit_daily')
  t.equal(line.buy(600), null)
  t.equal(line.buy(1), 'limit_daily')
  line.control('card', limits(limit(null, { count: 3 })))
  t.equal(line.buy(), null)
  t.equal(line.buy(), 'limit_count')
  t.equal(line.contradiction(), null)
  t.end()
})

test('5. per_authorization compares the whole chain of increments; windows count each addition', (t) => {
  const line = lineAt(NOON, limit(3000, { interval: 'per_authorization' }), limit(4000))
  const more = (amount: number): string | null =>
    line.buy({ kind: 'incremental', original_network_transaction_id: 'a', amount_cents: amount })
  line.send({ network_transaction_id: 'a', amount_cents: 1000 })
  t.equal(more(2001), 'limit_per_authorization')
  t.equal(more(1500), null)
  t.equal(more(501), 'limit_per_authorization')
  t.equal(more(500), null)
  t.equal(line.buy(1001), 'limit_daily', '3000 of the day are held')
  t.equal(line.buy(1000), null)
  line.control('card', limits(limit(9000, { interval: 'per_authorization' }), limit(4000)))
  t.equal(more(1), 'limit_daily')
  t.equal(line.contradiction(), null)
  t.end()
})

test('6. declines, verifications, inquiries and amounts of 0 use nothing', (t) => {
  const line = lineAt(NOON, limit(1000, { count: 1 }))
  t.equal(line.buy(1001), 'limit_daily')
  t.equal(line.buy({ kind: 'account_verification', amount_cents: 0 }), null)
  t.equal(line.buy({ kind: 'balance_inquiry', amount_cents: 0 }), null)
  t.equal(line.buy(0), null)
  t.ok(line.entries.every(({ decision }) => decision.meters.length === 0))
  t.equal(line.buy(1000), null)
  t.equal(line.buy({ kind: 'account_verification', amount_cents: 0 }), null, 'nor need they room')
  t.equal(line.buy(1), 'limit_daily')
  t.equal(line.contradiction(), null)
  t.end()
})

test('7. controls never decline refunds, reversals and advices, in any state of the card', (t) => {
  const line = lineAt(NOON, limit(1000))
  line.send({ network_transaction_id: 'a', amount_cents: 1000 })
  line.control('card', {
    ...limits(limit(0)),
    merchants: { mode: 'allow', values: [] },
    kinds: { mode: 'allow', values: [] },
  })
  line.card = { ...line.card, status: 'suspended', version: 2 }
  t.equal(line.buy(1), 'card_suspended')
  const advice = { approved: true, decided_by: 'network' as const }
  const configCache = [
    { kind: 'capture' as const, network_transaction_id: 'a', amount_cents: 600 },
    { kind: 'reversal' as const, network_transaction_id: 'a', amount_cents: 100 },
    { kind: 'refund' as const, network_transaction_id: 'r', amount_cents: 300 },
    { kind: 'advice' as const, network_transaction_id: 'v', amount_cents: 900, advice },
  ]
  for (const configRecord of configCache)
    t.equal(line.send(configRecord).approved, true, configRecord.kind)
  t.equal(line.contradiction(), null)
  t.end()
})

test('7. refunds do not restore a window', (t) => {
  const line = lineAt(NOON, limit(1000, { interval: 'all_time' }))
  line.send({ network_transaction_id: 'a', amount_cents: 1000 })
  line.send({ kind: 'capture', network_transaction_id: 'a', amount_cents: 1000 })
  line.send({ kind: 'refund', network_transaction_id: 'a', amount_cents: 1000 })
  t.equal(line.buy(1), 'limit_all_time')
  t.equal(line.contradiction(), null)
  t.end()
})

test('8. limits are in the card’s currency: by the network’s billing, else by our rate with margin', (t) => {
  const line = lineAt(NOON, limit(1000))
  line.rates.set('EUR/USD', {
    type: 'fx_rate',
    id: 'EUR/USD',
    version: 3,
    rate: '2',
    rate_at_ms: NOON,
  })
  const euros = (amount: number, billed?: number): string | null =>
    line.buy({
      amount_cents: amount,
      currency: 'EUR',
      ...(billed === undefined ? {} : { billing: { amount_cents: billed, currency: 'USD' } }),
    })
  t.equal(euros(501), 'limit_daily', '10.02 USD by our rate')
  t.equal(euros(501, 1), 'limit_daily', 'billed as 0.01 USD')
  t.equal(euros(301, 600), null, 'billed as 6.00 USD')
  t.equal(euros(201), 'limit_daily')
  line.program = { ...line.program, fx_margin_bps: 500, version: 2 }
  t.equal(euros(191), 'limit_daily', '4.01 USD with the margin')
  t.equal(euros(190), null, '3.99 USD')
  t.equal(line.entries.at(-1)!.fx?.rate, '2.1')
  t.equal(line.buy({ currency: 'JPY' }), 'fx_rate_unavailable')
  t.equal(line.contradiction(), null)
  t.end()
})

test('9. a day has 23 or 25 hours on a change of the clock', (t) => {
  const zone = { time_zone: 'America/New_York' }
  for (const [first, last, next, hours] of [
    ['2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z', 23],
    ['2026-11-01T04:00:00Z', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z', 25],
  ] as const) {
    t.equal((Date.parse(next) - Date.parse(first)) / 3_600_000, hours)
    const line = lineAt(Date.parse(first) - 1000, limit(1000, zone))
    t.equal(line.buy(), null, 'the day before')
    line.moveTo(first)
    t.equal(line.buy(), null, 'the first moment')
    line.moveTo(last)
    t.equal(line.buy(1), 'limit_daily', 'the last')
    line.moveTo(next)
    t.equal(line.buy(), null, 'the day after')
    t.equal(line.contradiction(), null)
  }
  t.end()
})

test('9. months end on their last day (29 February too), weeks on Sunday, years on 31 December', (t) => {
  for (const [interval, from, last, next] of [
    ['monthly', '2026-01-31T00:00:00Z', '2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z'],
    ['monthly', '2026-02-01T00:00:00Z', '2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z'],
    ['monthly', '2028-02-28T00:00:00Z', '2028-02-29T23:59:59Z', '2028-03-01T00:00:00Z'],
    ['monthly', '2026-04-30T00:00:00Z', '2026-04-30T23:59:59Z', '2026-05-01T00:00:00Z'],
    ['weekly', '2028-02-28T00:00:00Z', '2028-03-05T23:59:59Z', '2028-03-06T00:00:00Z'],
    ['weekly', '2026-12-28T00:00:00Z', '2027-01-03T23:59:59Z', '2027-01-04T00:00:00Z'],
    ['yearly', '2028-01-01T00:00:00Z', '2028-12-31T23:59:59Z', '2029-01-01T00:00:00Z'],
    ['all_time', '2026-11-20T00:00:00Z', '2031-11-20T00:00:00Z', null],
  ] as const) {
    const line = lineAt(from, limit(1000, { interval }))
    t.equal(line.buy(), null)
    line.moveTo(last)
    t.equal(line.buy(1), 'limit_' + interval, interval + ' until ' + last)
    if (next === null) continue
    line.moveTo(next)
    t.equal(line.buy(), null, interval + ' from ' + next)
  }
  t.end()
})

test('10. a limit lowered below the used amount takes nothing back: nothing remains', (t) => {
  const line = lineAt(NOON, limit(5000))
  line.send({ network_transaction_id: 'a', amount_cents: 3000 })
  line.control('card', limits(limit(1000)))
  const dry = line.evaluate()
  t.equal(dry.max_approvable_amount_cents, 0)
  t.equal(dry.decline_reason, 'limit_daily')
  t.equal(line.buy(1), 'limit_daily')
  t.equal(
    line.send({ kind: 'capture', network_transaction_id: 'a', amount_cents: 3000 }).approved,
    true,
  )
  line.control('card', limits(limit(3500, { id: 'lim_new' })))
  t.equal(line.buy(501), 'limit_daily', 'written anew, it goes on with what is used')
  t.equal(line.buy(500), null)
  t.equal(line.contradiction(), null)
  t.end()
})

test('11. null is no limit, 0 allows nothing', (t) => {
  const line = lineAt(NOON, limit(null), limit(null, { interval: 'per_authorization' }))
  t.equal(line.buy(9_000_000_000), null)
  line.control('card', limits(limit(0)))
  t.equal(line.buy(1), 'limit_daily')
  t.equal(line.buy(0), null)
  line.control('card', limits(limit(null, { count: 0 })))
  t.equal(line.buy(1), 'limit_count')
  line.control('card', { mccs: { mode: 'allow', values: [] } })
  t.equal(line.buy(1), 'merchant_category_blocked', 'an empty list allows nothing')
  line.control('card', { mccs: { mode: 'block', values: [] } })
  t.equal(line.buy(1), null, 'or blocks nothing')
  t.equal(line.contradiction(), null)
  t.end()
})

test('concurrency: a request that waits for its tenant reserves amount and number', (t) => {
  const line = lineAt(NOON, limit(1500), limit(null, { count: 2, interval: 'monthly' }))
  line.program = { ...line.program, realtime: true, endpoint_id: 'we_1' }
  const first = line.sendOpen({ amount_cents: 1000 })
  t.equal(line.buy(501), 'limit_daily', 'the first is not decided yet')
  const second = line.sendOpen({ amount_cents: 500 })
  line.control('card', limits(limit(null, { count: 2, interval: 'monthly' })))
  t.equal(line.buy(1), 'limit_count')
  line.answer(false)
  t.equal(first[0]?.decline_reason, 'tenant_declined')
  line.control('card', limits(limit(1500)))
  const third = line.sendOpen({ amount_cents: 1000 })
  line.answer(true)
  line.answer(true)
  t.ok(second[0]?.approved && third[0]?.approved)
  t.equal(line.buy(1), 'limit_daily')
  t.equal(line.contradiction(), null)
  t.end()
})

/** Events of a transaction while others are decided. */
const WHATS = [
  'buy',
  'buy',
  'answer',
  'refuse',
  'incremental',
  'reversal',
  'capture',
  'refund',
] as const

test('concurrency: approvals never exceed a limit, and every window can be counted again', (t) => {
  const moves = fc.array(
    fc.record({
      amount: fc.nat(900),
      waitsMs: fc.oneof(fc.nat(400), fc.nat(9000)),
      mcc: fc.constantFrom('5411', '5542', '5812'),
      what: fc.constantFrom(...WHATS),
    }),
    { minLength: 10, maxLength: 60 },
  )
  const rolling = { interval: 'rolling', rolling_seconds: 20 } as const
  const filter = { mccs: ['5500-5999'], countries: null, kinds: null, card_present: true }
  fc.assert(
    fc.property(moves, fc.boolean(), (all, onlyBuys) => {
      const line = lineAt('2026-11-30T23:59:30Z', limit(3000), limit(1500, rolling))
      line.control(
        'cardholder',
        { ...limits(limit(4000, { interval: 'monthly', count: 12 })), cancel_after: 15 },
        {
          ...limits(limit(900, rolling), limit(2000, { filter })),
          state: 'draft',
          merchant_lock: true,
        },
      )
      line.control('program', limits(limit(2500, { ...rolling, filter, count: 4 })))
      line.program = { ...line.program, realtime: true, endpoint_id: 'we_1' }
      let sent = 0
      for (const { amount, waitsMs, mcc, what } of all) {
        line.moveTo(line.nowMs + waitsMs)
        const merchant = { id: 'm-' + (amount % 3), name: 'x', mcc, city: '', country: 'US' }
        const original = 'n' + (sent < 2 ? 0 : sent - 1 - (amount % 2))
        const about = { network_transaction_id: original, amount_cents: amount, merchant }
        if (what === 'answer') line.answer(true)
        else if (what === 'refuse') line.answer(false)
        else if (what === 'buy' || onlyBuys)
          line.sendOpen({ ...about, network_transaction_id: 'n' + sent++ })
        else if (what === 'incremental')
          line.sendOpen({ ...about, kind: what, original_network_transaction_id: original })
        else line.send({ ...about, kind: what })
      }
      while (line.asked.length > 0) line.answer(true)
      return line.contradiction() === null && (!onlyBuys || !isOverspent(line))
    }),
    { numRuns: 150 },
  )
  t.end()
})

/** True if the amounts that an approval counted exceeded a limit of these tests at that moment. */
function isOverspent(line: LineInHand): boolean {
  const approvals = line.entries.filter(({ decision }) => decision.meters.length > 0)
  const counted = (from: number, until: number): number =>
    approvals
      .filter(({ receivedAtMs }) => receivedAtMs >= from && receivedAtMs < until)
      .reduce((sum, { decision }) => sum + decision.holdCents, 0)
  const days = new Set(approvals.map(({ receivedAtMs }) => Math.floor(receivedAtMs / DAY_MS)))
  return (
    [...days].some((day) => counted(day * DAY_MS, (day + 1) * DAY_MS) > 3000) ||
    approvals.some(({ receivedAtMs }) => counted(receivedAtMs - 20_000, receivedAtMs + 1) > 1500)
  )
}
