// States that no order of messages may cause: an authorization beyond its limit, an inexact sum, a
// zero request that holds an amount.
import { test } from 'tap'
import { isCountable, preconditionFailure } from '../../engine/line/match-transaction.ts'
import { AMOUNT_MAX, type MinorUnits } from '../../shared/money.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { flagNames, noSums } from '../../shared/transaction-sums.ts'
import { judgedConfig, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const OF_ONE = { network_transaction_id: 'one' }
const INCREMENT: Partial<NetworkMessage> = { kind: 'incremental', ...OF_ONE }

const ADVISED: Partial<NetworkMessage> = { advice: { approved: true }, amount_cents: 5000 }

/** A line whose card may have 100.00 in one authorization. */
function limitedLine(): LineInHand {
  const line = new LineInHand(NOON)
  const amount = 10_000 as MinorUnits
  line.control('card', {
    limits: [limitConfig({ interval: 'per_authorization', amount_cents: amount })],
  })
  return line
}

/** From here on the tenant decides. */
function ask(line: LineInHand): void {
  const asked = { realtime: true, realtime_entitled: true, endpoint_id: 'we_1' }
  line.program = { ...line.program, ...asked, version: line.program.version + 1 }
}

test('increments that wait for their tenant at once count as one authorization', (t) => {
  const line = limitedLine()
  t.equal(line.buy({ ...OF_ONE, amount_cents: 4000 }), null)
  ask(line)
  const first = line.sendOpen({ ...INCREMENT, amount_cents: 3000 })
  const second = line.sendOpen({ ...INCREMENT, amount_cents: 3000 })
  const third = line.sendOpen({ ...INCREMENT, amount_cents: 1 })
  t.equal(third[0]?.decline_reason, 'limit_per_authorization', 'two are waiting already')
  const other = line.sendOpen({ network_transaction_id: 'two', amount_cents: 10_000 })
  line.answer(false)
  const fourth = line.sendOpen({ ...INCREMENT, amount_cents: 3000 })
  line.answer(true)
  line.answer(true)
  line.answer(true)
  t.same(
    [first, second, fourth, other].map(([answer]) => answer?.decline_reason),
    ['tenant_declined', null, null, null],
    'what was declined waits no more, and other authorizations have nothing to do with it',
  )
  t.equal(line.buy({ ...INCREMENT, amount_cents: 1 }), 'limit_per_authorization')
  t.equal(line.contradiction(), null)
  t.end()
})

test('an increment is compared with the rest of its authorization, which is never negative', (t) => {
  const line = limitedLine()
  t.equal(line.buy({ ...OF_ONE, amount_cents: 8000 }), null)
  line.send({ kind: 'reversal', ...OF_ONE, amount_cents: 3000 })
  t.equal(line.buy({ ...INCREMENT, amount_cents: 5001 }), 'limit_per_authorization')
  t.equal(line.buy({ ...INCREMENT, amount_cents: 5000 }), null)
  const advised = limitedLine()
  t.equal(advised.buy({ ...OF_ONE, amount_cents: 1000 }), null)
  advised.send({ kind: 'advice', ...OF_ONE, ...ADVISED })
  advised.send({ kind: 'reversal', ...OF_ONE, amount_cents: 2000 })
  t.equal(advised.buy({ ...INCREMENT, amount_cents: 10_001 }), 'limit_per_authorization')
  t.equal(advised.buy({ ...INCREMENT, amount_cents: 10_000 }), null)
  t.same(
    [line, advised].map((one) => one.contradiction()),
    [null, null],
  )
  t.end()
})

test('an authorization whose capture came first is compared as a whole', (t) => {
  const line = limitedLine()
  line.send({ kind: 'capture', final: false, ...OF_ONE, amount_cents: 6000 })
  t.equal(line.buy({ ...OF_ONE, amount_cents: 10_001 }), 'limit_per_authorization')
  t.equal(line.buy({ ...OF_ONE, amount_cents: 10_000 }), null)
  t.equal(line.contradiction(), null)
  t.end()
})

test('every approved amount can be reversed, and no sum grows beyond exact numbers', (t) => {
  const line = new LineInHand(NOON)
  t.equal(line.buy({ ...OF_ONE, amount_cents: AMOUNT_MAX - 1000 }), null)
  line.send({ kind: 'reversal', ...OF_ONE, amount_cents: AMOUNT_MAX - 1001 })
  ask(line)
  const answers = [900, 900].map((cents) => line.sendOpen({ ...INCREMENT, amount_cents: cents }))
  line.answer(true)
  line.answer(true)
  t.same(
    answers.map(([answer]) => answer?.decline_reason),
    [null, 'invalid_amount'],
  )
  line.send({ kind: 'reversal', ...OF_ONE, amount_cents: AMOUNT_MAX })
  t.equal(line.state.transactions.openHolds, 0)
  t.equal(line.contradiction(), null)
  t.end()
})

const UNTOUCHED = {
  flags: 0,
  sequence: 1,
  receivedAtMs: NOON,
  holdExpiresAtMs: 0,
  asked: null,
  early: null,
}

test('every sum of a transaction counts against the largest countable amount', (t) => {
  for (const sum of ['captured', 'captureReversed', 'refunded', 'refundReversed'] as const) {
    const transaction = { ...UNTOUCHED, sums: { ...noSums(), [sum]: AMOUNT_MAX - 1 } }
    t.same([isCountable(transaction, 1), isCountable(transaction, 2)], [true, false], sum)
  }
  for (const early of [
    { capture: AMOUNT_MAX - 1, refund: 0 },
    { capture: 0, refund: AMOUNT_MAX - 1 },
  ]) {
    const transaction = { ...UNTOUCHED, sums: noSums(), early }
    t.same([isCountable(transaction, 1), isCountable(transaction, 2)], [true, false])
  }
  t.end()
})

test('a message that adds nothing is recorded also when no sum can grow', (t) => {
  const line = new LineInHand(NOON)
  t.equal(line.buy({ ...OF_ONE, amount_cents: AMOUNT_MAX }), null)
  line.send({ kind: 'capture', ...OF_ONE, currency: 'CHF' })
  t.same(flagNames(line.entries.at(-1)?.effect?.flags ?? 0), ['unconverted'])
  const tooMuch: Partial<NetworkMessage> = { kind: 'capture', amount_cents: 1 }
  for (const id of ['one', 'two'])
    t.throws(() => line.send({ ...tooMuch, network_transaction_id: id }), /than can be counted/)
  line.send({ kind: 'reversal', ...OF_ONE, amount_cents: AMOUNT_MAX })
  t.equal(line.state.transactions.openHolds, 0)
  t.equal(line.contradiction(), null)
  t.end()
})

test('a zero request holds nothing, whatever the network bills for it', (t) => {
  const line = new LineInHand(NOON)
  const inEuro = { amount_cents: 0, currency: 'EUR' }
  for (const kind of ['account_verification', 'balance_inquiry'] as const) {
    const billed = { kind, ...inEuro, billing: { amount_cents: 777, currency: 'USD' } }
    t.throws(() => line.send(billed), /billing.amount_cents/)
    const unbilled = { kind, ...inEuro, billing: { amount_cents: 0, currency: 'USD' } }
    t.equal(line.buy(unbilled), null)
  }
  t.equal(line.state.transactions.openHolds, 0)
  t.end()
})

test('networks of one name in both environments do not share transactions', (t) => {
  const line = new LineInHand(NOON)
  t.equal(line.buy({ ...OF_ONE, amount_cents: 5000 }), null)
  const { transaction_id: inSandbox } = line.send({ kind: 'advice', ...OF_ONE, ...ADVISED })
  line.card = { ...line.card, id: 'card_live', environment: 'live' }
  const { transaction_id: inLive } = line.send({ kind: 'reversal', ...OF_ONE, amount_cents: 5000 })
  t.not(inLive, inSandbox)
  t.equal(line.state.transactions.openHolds, 1)
  t.equal(line.contradiction(), null)
  t.end()
})

test('an increment charges, whatever type it names', (t) => {
  const line = limitedLine()
  t.equal(line.buy({ ...OF_ONE, amount_cents: 9000 }), null)
  for (const transaction_type of ['refund', 'original_credit']) {
    const raise = { ...INCREMENT, transaction_type, amount_cents: 1001 }
    t.equal(line.buy(raise), 'limit_per_authorization')
  }
  t.equal(line.buy({ ...INCREMENT, transaction_type: 'refund', amount_cents: 1000 }), null)
  t.equal(line.entries.at(-1)?.effect?.sums.incremented, 1000)
  t.equal(line.contradiction(), null)
  t.end()
})

test('a notification does not count as a PIN try', (t) => {
  const line = new LineInHand(NOON)
  line.card = { ...line.card, pin_verifier: 'other' }
  const shown = { card: { token: 'ctok_1', pin: '1234' } }
  for (let count = 0; count < 5; count++) line.send({ kind: 'refund', ...shown })
  for (let count = 0; count < 3; count++) t.equal(line.buy(shown), 'pin_incorrect')
  t.equal(line.buy(shown), 'pin_tries_exceeded')
  t.end()
})

test('a rate too fine to count with is refused', (t) => {
  const line = new LineInHand(NOON)
  const rate = '9'.repeat(13)
  line.rates.set('USD/CHF', { type: 'fx_rate', id: 'USD/CHF', version: 1, rate, rate_at_ms: 0 })
  t.equal(line.buy({ currency: 'CHF' }), 'fx_rate_unavailable')
  t.end()
})

test('a preset’s extra hold ends when the last of the amount is reversed', (t) => {
  for (const [mcc, held] of [
    ['5812', 12_000],
    ['5542', 10_000],
  ] as const) {
    const line = new LineInHand(NOON)
    const merchant = { id: 'm-1', name: 'Shop', mcc, city: 'X', country: 'US' }
    const cents = mcc === '5542' ? 100 : 10_000
    line.send({ ...OF_ONE, merchant, amount_cents: cents })
    t.equal(line.entries.at(-1)?.decision.holdCents, held)
    line.send({ kind: 'reversal', ...OF_ONE, merchant, amount_cents: cents - 40 })
    t.equal(line.entries.at(-1)?.effect?.sums.reversed, cents - 40, 'a part is a part')
    line.send({ kind: 'reversal', ...OF_ONE, merchant, amount_cents: 40 })
    t.equal(line.entries.at(-1)?.effect?.sums.reversed, held)
    t.equal(line.state.transactions.openHolds, 0)
    t.equal(line.contradiction(), null)
  }
  t.end()
})

test('a reversal after the final amount is a part of it, in either currency', (t) => {
  for (const currency of ['USD', 'EUR']) {
    const line = new LineInHand(NOON)
    const rate = { type: 'fx_rate', id: 'EUR/USD', version: 1, rate: '2', rate_at_ms: 0 } as const
    line.rates.set(rate.id, rate)
    const merchant = { id: 'm-1', name: 'Fuel', mcc: '5542', city: 'X', country: 'US' }
    const fuel = { ...OF_ONE, merchant, currency }
    const times = currency === 'EUR' ? 2 : 1
    line.send({ ...fuel, amount_cents: 100 })
    line.send({ kind: 'advice', ...fuel, ...ADVISED })
    line.rates.clear()
    line.send({ kind: 'reversal', ...fuel, amount_cents: 3000 })
    t.equal(line.entries.at(-1)?.effect?.sums.reversed, 3000 * times)
    t.same(flagNames(line.entries.at(-1)?.effect?.flags ?? 0), ['amount_advised'])
    line.send({ kind: 'reversal', ...fuel, amount_cents: 2000 })
    t.equal(line.state.transactions.openHolds, 0)
    t.equal(line.contradiction(), null)
  }
  t.end()
})

test('a capture joins one transaction while two authorizations of its link wait for their tenant', (t) => {
  for (const latestFirst of [false, true]) {
    const line = new LineInHand(NOON)
    ask(line)
    const answers = [line.sendOpen(OF_ONE), line.sendOpen(OF_ONE)]
    const captured = line.send({ ...OF_ONE, kind: 'capture' })
    if (latestFirst) line.asked.reverse()
    line.answer(true)
    const [early] = answers.flat()
    t.match(early, { approved: true, transaction_id: captured.transaction_id })
    line.answer(true)
    t.equal(answers.flat().length, 2)
    t.equal(line.contradiction(), null)
  }
  t.end()
})

test('an approval of the network overtakes an authorization that waits for its tenant', (t) => {
  const { message } = judgedConfig()
  for (const [kind, sums, objection] of [
    ['authorization', {}, null],
    ['authorization', { captured: 5 }, null],
    ['authorization', { authorized: 1 }, 'issuer_overloaded'],
    ['authorization', { authorized: 1, adjusted: -1 }, null],
    ['incremental', { authorized: 1 }, null],
    ['incremental', {}, 'original_expired'],
  ] as const) {
    const met = { ...UNTOUCHED, sums: { ...noSums(), ...sums } }
    t.equal(
      preconditionFailure({ ...message, kind }, met, 1),
      objection,
      kind + JSON.stringify(sums),
    )
  }
  t.end()
})
