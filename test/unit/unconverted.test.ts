// Notifications in a currency without a rate today: converted by the rate of their own transaction,
// else recorded without an amount.

import { test } from 'tap'
import { AMOUNT_MAX } from '../../shared/money.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import {
  countedAmount,
  flagNames,
  openHold,
  type Sums,
  TRANSACTION_FLAGS,
  type TransactionFlag,
  transactionStatus,
} from '../../shared/transaction-sums.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { fc } from '../harness/properties.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const OF_ONE = { network_transaction_id: 'one' }
const IN_FRANCS = { ...OF_ONE, currency: 'CHF' }
const EUROS = { type: 'fx_rate', id: 'EUR/USD', version: 7, rate_at_ms: 0 } as const
type Change = Partial<NetworkMessage>

/** The answer and the state after the last message. */
function last(line: LineInHand) {
  const entry = line.entries.at(-1)
  const effect = entry?.effect ?? null
  if (entry === undefined || effect === null) throw new Error('nothing happened')
  return {
    event: effect.event,
    moved: effect.amountCents,
    status: transactionStatus(effect.sums, effect.flags),
    flags: flagNames(effect.flags),
    hold: openHold(effect.sums),
    counted: countedAmount(effect.sums),
    sums: Object.fromEntries(Object.entries(effect.sums).filter(([, sum]) => sum !== 0)),
    fx: entry.fx,
    amount: entry.cardAmountCents,
  }
}

/**
 * A line that approved 10.00 EUR, as 20.00 USD unless another rate is given, and has no rate any
 * more.
 */
function approvedInEuros(rate = '2'): LineInHand {
  const line = new LineInHand(NOON)
  line.rates.set(EUROS.id, { ...EUROS, rate })
  line.send({ ...OF_ONE, currency: 'EUR' })
  line.rates.clear()
  return line
}

test('a notification without a rate uses that of its authorization, and is marked', (t) => {
  const line = approvedInEuros()
  const inEuros = { ...OF_ONE, currency: 'EUR' }
  const fx = { rate: '2', source: 'authorization', rateAtMs: null, marginBps: 0, version: 0 }
  const steps: [Change, Partial<Sums>][] = [
    [{ kind: 'advice', advice: { approved: true }, amount_cents: 900 }, { adjusted: -200 }],
    [{ kind: 'capture', amount_cents: 601, final: false }, { captured: 1202 }],
    [{ kind: 'capture_reversal', amount_cents: 101 }, { captureReversed: 202 }],
    [{ kind: 'refund', amount_cents: 50 }, { refunded: 100 }],
    [{ kind: 'refund_reversal', amount_cents: 20 }, { refundReversed: 40 }],
  ]
  for (const [change, sums] of steps) {
    const { approved } = line.send({ ...inEuros, ...change })
    t.equal(approved, true)
    t.match(last(line), { sums, fx, amount: 2 * (change.amount_cents ?? 0) }, String(change.kind))
    t.notOk(last(line).flags.includes('unconverted'))
  }
  line.send({ ...inEuros, kind: 'reversal', amount_cents: 900 })
  t.match(last(line), { hold: 0, fx: null }, 'a reversal gives back what is held')
  t.equal(line.contradiction(), null)
  t.end()
})

test('a present rate takes precedence over that of the authorization', (t) => {
  const line = approvedInEuros()
  line.rates.set(EUROS.id, { ...EUROS, version: 8, rate: '3' })
  line.send({ ...OF_ONE, kind: 'capture', currency: 'EUR', amount_cents: 100 })
  t.match(last(line), { sums: { captured: 300 }, fx: { source: 'internal', version: 8 } })
  t.end()
})

interface Row {
  name: string
  before?: readonly Change[]
  notification: Change
  event: string
  status: string
  hold?: number
  flags: readonly TransactionFlag[]
}

const A: Change = { ...OF_ONE, amount_cents: 1000 }
const ADVICE: Change = { kind: 'advice', advice: { approved: true } }

// biome-ignore format: a table reads better in rows.
const TABLE: readonly Row[] = [
  { name: 'a capture of nothing we know', notification: { kind: 'capture' }, event: 'captured', status: 'captured', flags: ['force_post'] },
  { name: 'a capture of what is held', before: [A], notification: { kind: 'capture' }, event: 'captured', status: 'authorized', hold: 1000, flags: [] },
  { name: 'a capture of what was declined', before: [{ ...A, currency: 'CHF' }], notification: { kind: 'capture' }, event: 'captured', status: 'captured', flags: ['captured_after_decline'] },
  { name: 'a capture of what was reversed', before: [A, { ...A, kind: 'reversal' }], notification: { kind: 'capture' }, event: 'captured', status: 'captured', flags: ['captured_after_reversal'] },
  { name: 'a refund of nothing we know', notification: { kind: 'refund' }, event: 'refunded', status: 'refunded', flags: ['unlinked'] },
  { name: 'a refund of what was captured', before: [A, { ...A, kind: 'capture' }], notification: { kind: 'refund' }, event: 'refunded', status: 'captured', flags: ['final'] },
  { name: 'a reversal of what is held', before: [A], notification: { kind: 'reversal' }, event: 'reversed', status: 'authorized', hold: 1000, flags: [] },
  { name: 'a capture reversal', before: [A, { ...A, kind: 'capture' }], notification: { kind: 'capture_reversal' }, event: 'reversed', status: 'captured', flags: ['final'] },
  { name: 'a refund reversal of nothing we know', notification: { kind: 'refund_reversal' }, event: 'refunded', status: 'refunded', flags: ['unlinked'] },
  { name: 'an advice of nothing we know', notification: ADVICE, event: 'authorized', status: 'authorized', flags: [] },
  { name: 'an advice of the final amount', before: [A], notification: ADVICE, event: 'authorized', status: 'authorized', hold: 1000, flags: [] },
]

for (const { name, before = [], notification, event, status, hold = 0, flags } of TABLE) {
  test('unconverted, ' + name + ' is kept, flagged and moves nothing', (t) => {
    const line = new LineInHand(NOON)
    for (const message of before) line.send(message)
    const sums = before.length === 0 ? {} : last(line).sums
    const message = { ...IN_FRANCS, ...notification, id: 'f' }
    const { approved, approved_amount_cents } = line.send(message)
    t.same([approved, approved_amount_cents], [true, 1000], 'the network hears what it said')
    t.match(last(line), { event, moved: 0, status, hold, fx: null })
    t.same(last(line).sums, sums)
    t.same(last(line).flags.sort(), [...flags, 'unconverted'].sort())
    const entries = line.entries.length
    t.equal(line.send(message).approved, true, 'its repeat gets the same answer')
    t.equal(line.entries.length, entries)
    t.equal(line.contradiction(), null)
    t.end()
  })
}

test('a message without an amount is not marked as unconverted', (t) => {
  for (const notification of [
    { kind: 'advice', advice: { approved: false, decline_reason: '51' } },
    { kind: 'capture', amount_cents: 0 },
    { kind: 'reversal' },
  ] as Change[]) {
    const line = new LineInHand(NOON)
    line.send({ ...IN_FRANCS, ...notification })
    t.notOk(last(line).flags.includes('unconverted'), String(notification.kind))
    t.same(last(line).sums, {}, 'and it moves none')
  }
  t.end()
})

test('a notification at its authorization’s rate may come to one minor unit, or to none', (t) => {
  for (const [rate, moved, fx] of [
    ['0.5', 1, { rate: '1', source: 'authorization' }],
    ['0.4', 0, null],
  ] as const) {
    const line = approvedInEuros(rate)
    line.send({ ...OF_ONE, kind: 'capture', currency: 'EUR', amount_cents: 1, final: false })
    t.match(last(line), { moved, fx })
  }
  t.end()
})

test('an unconverted capture can be reversed and sent again with its amount', (t) => {
  const line = new LineInHand(NOON)
  const billing = { amount_cents: 1100, currency: 'USD' }
  line.send({ ...OF_ONE, amount_cents: 1200 })
  line.send({ ...IN_FRANCS, kind: 'capture' })
  line.send({ ...IN_FRANCS, kind: 'capture_reversal', billing })
  t.match(last(line), { moved: 0, hold: 1200 }, 'it moved nothing, so nothing is taken back')
  line.send({ ...IN_FRANCS, kind: 'capture', billing })
  t.match(last(line), { status: 'captured', moved: 1100, counted: 1100, hold: 0 })
  t.equal(line.contradiction(), null)
  t.end()
})

test('an unconverted refund does not count as one that is still to come', (t) => {
  const line = new LineInHand(NOON)
  line.send({ ...IN_FRANCS, kind: 'refund' })
  line.send({ ...OF_ONE, kind: 'refund_reversal', amount_cents: 40 })
  t.match(last(line), { moved: 0, status: 'refunded' })
  t.end()
})

test('an authorization after its unconverted capture is held until more is known', (t) => {
  const line = new LineInHand(NOON)
  const captured = line.send({ ...IN_FRANCS, kind: 'capture' })
  const authorized = line.send({ ...OF_ONE, amount_cents: 1000 })
  t.match(authorized, { approved: true, transaction_id: captured.transaction_id })
  t.match(last(line), { status: 'authorized', hold: 1000, counted: 1000 })
  line.expire('one')
  line.send({ ...IN_FRANCS, kind: 'capture' })
  t.match(last(line), { status: 'captured', flags: ['captured_after_expiry'] })
  t.equal(line.contradiction(), null)
  t.end()
})

test('an unconverted final amount does not lose the rate of the authorization', (t) => {
  const line = approvedInEuros()
  line.send({ ...OF_ONE, ...ADVICE, currency: 'EUR', amount_cents: 800 })
  line.send({ ...IN_FRANCS, ...ADVICE, amount_cents: 700 })
  t.ok(last(line).flags.includes('unconverted'))
  line.send({ ...OF_ONE, kind: 'capture', currency: 'EUR', amount_cents: 100, final: false })
  t.match(last(line), { moved: 200, fx: { source: 'authorization' } })
  t.end()
})

test('an amount that the authorization’s rate makes too large is unconverted', (t) => {
  const line = approvedInEuros()
  line.send({ ...OF_ONE, kind: 'refund', currency: 'EUR', amount_cents: AMOUNT_MAX })
  t.match(last(line), { moved: 0 })
  t.not(TRANSACTION_FLAGS.unconverted & (line.entries.at(-1)?.effect?.flags ?? 0), 0)
  const even = approvedInEuros('1')
  const largest = { ...OF_ONE, kind: 'refund', currency: 'EUR', amount_cents: AMOUNT_MAX } as const
  t.throws(() => even.send(largest), /more than can be counted/, 'an amount, and no sum')
  t.end()
})

test('reversals in another currency are flagged as they are in the card’s own', (t) => {
  const step = fc.record({
    kind: fc.constantFrom('capture' as const, 'reversal' as const),
    amount_cents: fc.constantFrom(0, 1, 100, 499, 500, 501, 900, 999, 1000, 1001, 5000),
  })
  const shops = fc.constantFrom('5411', '5812', '5542')
  fc.assert(
    fc.property(shops, fc.array(step, { minLength: 1, maxLength: 4 }), (mcc, steps) => {
      const merchant = { id: 'm-1', name: 'Shop', mcc, city: 'X', country: 'US' }
      const [inEuros, inDollars] = ['EUR', 'USD'].map((currency) => {
        const line = new LineInHand(NOON)
        const times = currency === 'USD' ? 2 : 1
        line.rates.set(EUROS.id, { ...EUROS, rate: '2' })
        line.send({ ...OF_ONE, merchant, currency, amount_cents: 1000 * times })
        return steps.map((step) => {
          const amount_cents = step.amount_cents * times
          line.send({ ...OF_ONE, ...step, merchant, currency, amount_cents, final: false })
          const { sums, flags, moved } = last(line)
          return { sums, flags, moved }
        })
      })
      t.same(inEuros, inDollars)
    }),
    { numRuns: 40 },
  )
  t.end()
})

test('a reversal in another currency beyond the open hold is flagged', (t) => {
  const captured = (cents: number): Change => ({
    kind: 'capture',
    amount_cents: cents,
    final: false,
  })
  const back = (cents: number): Change => ({ kind: 'reversal', amount_cents: cents })
  for (const [steps, moved, flags] of [
    [[back(1000)], 2000, []],
    [[back(1001)], 2000, ['over_reversed']],
    [[captured(100), back(900)], 1800, []],
    [[captured(100), back(1000)], 1800, ['over_reversed']],
    [[captured(1000), back(1000)], 0, ['over_reversed']],
    [[back(AMOUNT_MAX)], 2000, ['over_reversed']],
  ] as [Change[], number, TransactionFlag[]][]) {
    const line = approvedInEuros()
    for (const step of steps) line.send({ ...OF_ONE, currency: 'EUR', ...step })
    t.match(last(line), { moved, hold: 0 })
    t.same(last(line).flags, flags, JSON.stringify(steps))
    t.equal(line.contradiction(), null)
  }
  t.end()
})
