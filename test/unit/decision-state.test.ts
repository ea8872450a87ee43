import { test } from 'tap'
import {
  type DecisionState,
  emptyState,
  step,
  windowMismatch,
} from '../../engine/state/decision-state.ts'
import { decodeId, newId } from '../../shared/id.ts'
import { noSums, type Sums, TRANSACTION_FLAGS } from '../../shared/transaction-sums.ts'
import type { DecisionEntry, Effect, JournalEntry } from '../../shared/wire/journal-entry.ts'
import {
  cardSuspensionEntry,
  decisionEntry,
  ENTRY_TIME_MS,
  lateReplyEntry,
} from '../harness/entries.ts'

const HOUR_MS = 3_600_000
const LINK = Buffer.alloc(16, 5)
const PLAIN = decisionEntry({})
const PLAIN_ANSWER = {
  approved: true,
  approvedAmountCents: 1250,
  authorizationCode: '123456',
  declineReason: null,
  decidedBy: 'tenant',
  standIn: false,
  availableCents: null,
  advisedCode: null,
  receivedAtMs: ENTRY_TIME_MS,
} as const

function key(number: number): Buffer {
  return Buffer.alloc(16, number)
}

function effect(sequence: number, sums: Partial<Sums>, change: Partial<Effect> = {}): Effect {
  return { ...(PLAIN.effect as Effect), sequence, sums: { ...noSums(), ...sums }, ...change }
}

/** An entry about the only transaction of these tests. */
function entry(number: number, change: Partial<DecisionEntry>): DecisionEntry {
  return { ...PLAIN, messageKey: key(number), ...change }
}

function played(...entries: readonly JournalEntry[]): DecisionState {
  const state = emptyState()
  for (const one of entries) step(state, { type: 'entry', seq: state.seq + 1, entry: one })
  return state
}

const FX = { rate: '1.1', source: 'internal', rateAtMs: null, marginBps: 0, version: 1 } as const
const EUROS = { ...PLAIN.message, currency: 'EUR' }

function asked(state: DecisionState): unknown {
  return state.transactions.read(state.transactions.find(LINK)).asked
}

test('the state before the first entry is empty', (t) => {
  const { seq, forgotten, latestMs, transactions, recall, meters } = emptyState()
  t.same([seq, forgotten, latestMs], [0, 0, 0])
  t.same([transactions.size, recall.size, meters.size], [0, 0, 0])
  t.end()
})

test('each kind of entry changes its own subject, and a late reply changes nothing', (t) => {
  const state = played(PLAIN, cardSuspensionEntry({}), lateReplyEntry({}))
  t.equal(state.seq, 3)
  t.equal(state.tries.stoppedBy('card_1', 1), 'card_testing')
  t.equal(state.transactions.size, 1)
  t.equal(state.recall.size, 1)
  t.equal(state.meters.used(0, 0, 20261120), 1250)
  const { transactionId } = PLAIN
  const over: JournalEntry = {
    kind: 'expiry',
    transactionId: transactionId as string,
    expiredAtMs: ENTRY_TIME_MS + HOUR_MS,
    effect: effect(2, { authorized: 1250, expired: 1250 }, { holdExpiresAtMs: 0 }),
  }
  step(state, { type: 'entry', seq: 4, entry: over })
  t.equal(state.meters.used(0, 0, 20261120), 0)
  t.equal(state.transactions.openHolds, 0)
  t.equal(state.recall.size, 1, 'nobody asked, so nothing is recalled')
  t.equal(windowMismatch(state), null)
  t.end()
})

test('a reserved amount waits in its windows until the reservation ends', (t) => {
  const state = emptyState()
  const keys = [['card_1', 'UTC', 'USD', 20261120] as const]
  step(state, { type: 'reserve', keys, amount: 70, count: 1 })
  t.same([state.meters.reserved(0, 0, 20261120), state.seq], [70, 0])
  step(state, { type: 'unreserve', keys, amount: 70, count: 1 })
  t.equal(state.meters.reserved(0, 0, 20261120), 0)
  t.end()
})

test('recall uses our own clock, and each decision forgets up to four answers after 48 hours', (t) => {
  const state = emptyState()
  const at = (number: number, ms: number): void => {
    const one = entry(number, {
      receivedAtMs: ENTRY_TIME_MS + ms + 5 * HOUR_MS,
      clockOffsetMs: 5 * HOUR_MS,
      transactionId: null,
      card: null,
      effect: null,
    })
    step(state, { type: 'entry', seq: state.seq + 1, entry: one })
  }
  for (let number = 0; number < 6; number++) at(number, 0)
  const recalled = state.recall.read(state.recall.find(key(3)))
  t.match(recalled, { receivedAtMs: ENTRY_TIME_MS, transactionId: null, advisedCode: null })
  at(6, 48 * HOUR_MS)
  t.same([state.recall.size, state.latestMs], [7, ENTRY_TIME_MS + 48 * HOUR_MS])
  at(7, 48 * HOUR_MS + 1)
  t.equal(state.recall.size, 4)
  at(8, 1)
  t.equal(state.latestMs, ENTRY_TIME_MS + 48 * HOUR_MS + 1, 'time does not go back')
  t.same(
    [0, 3, 4, 5, 6, 7, 8].map((number) => state.recall.find(key(number)) !== -1),
    [false, false, false, false, true, true, true],
  )
  t.end()
})

test('an answer is recalled with its transaction, and a network’s decline with its own code', (t) => {
  const { decision } = PLAIN
  const id = newId('txn', ENTRY_TIME_MS)
  const declined = {
    ...decision,
    approved: false,
    approvedAmountCents: 0,
    authorizationCode: null,
    responseCode: '05',
  }
  const state = played(
    entry(1, { transactionId: id }),
    entry(2, {
      transactionId: id,
      effect: effect(2, { authorized: 1250 }),
      decision: { ...declined, declineReason: 'network_stand_in_declined', decidedBy: 'network' },
    }),
    entry(3, {
      transactionId: id,
      effect: effect(3, { authorized: 1250 }),
      decision: { ...declined, declineReason: 'limit_daily', availableCents: 3 },
    }),
  )
  const recalled = (number: number) => state.recall.read(state.recall.find(key(number)))
  t.match(recalled(1), { ...PLAIN_ANSWER, transactionId: id })
  t.match(recalled(2), { approved: false, advisedCode: '05', decidedBy: 'network' })
  t.match(recalled(3), { declineReason: 'limit_daily', advisedCode: null, availableCents: 3 })
  t.end()
})

test('a repeated notification is known as long as its transaction; a request by its answer only', (t) => {
  const state = played(
    entry(1, {}),
    entry(2, {
      message: { ...PLAIN.message, kind: 'capture' },
      effect: effect(2, { authorized: 1250, captured: 1250 }, { event: 'captured' }),
    }),
  )
  t.equal(state.transactions.knowing(LINK, key(1)), -1)
  t.not(state.transactions.knowing(LINK, key(2)), -1)
  t.end()
})

test('an approved amount in another currency is kept with its transaction, and only that', (t) => {
  const first = entry(1, { fx: FX, message: EUROS })
  t.same(asked(played(first)), { cents: 1250, currency: 'EUR' })
  t.equal(asked(played(entry(1, { message: EUROS }))), null, 'nothing was converted')
  const { decision } = PLAIN
  const nothing = entry(2, {
    fx: FX,
    message: { ...EUROS, currency: 'JPY' },
    decision: { ...decision, approvedAmountCents: 0 },
    effect: effect(1, {}),
  })
  t.equal(asked(played(nothing)), null, 'nothing was approved')
  const least = { fx: FX, message: EUROS, decision: { ...decision, approvedAmountCents: 1 } }
  t.same(asked(played(entry(1, least))), { cents: 1, currency: 'EUR' })
  const captured = entry(2, {
    fx: FX,
    message: { ...EUROS, kind: 'capture' },
    effect: effect(2, { authorized: 1250, captured: 900 }, { event: 'captured' }),
  })
  t.same(asked(played(first, captured)), { cents: 1250, currency: 'EUR' }, 'a capture adds nothing')
  const over: JournalEntry = {
    kind: 'expiry',
    transactionId: PLAIN.transactionId as string,
    expiredAtMs: ENTRY_TIME_MS + HOUR_MS,
    effect: effect(2, { authorized: 1250, expired: 1250 }),
  }
  t.same(asked(played(first, over)), { cents: 1250, currency: 'EUR' }, 'nor does its end')
  t.end()
})

test('only an advice with the final amount replaces the approved amount', (t) => {
  const first = entry(1, { fx: FX, message: EUROS })
  const advice = { approved: true, decidedBy: 'network', code: '00' } as const
  const flags = TRANSACTION_FLAGS.amount_advised
  const told = (change: Partial<DecisionEntry>, made: Partial<Effect> = {}): unknown =>
    asked(
      played(
        first,
        entry(2, {
          message: { ...PLAIN.message, kind: 'advice', advice },
          effect: effect(2, { authorized: 800 }, { flags, ...made }),
          ...change,
        }),
      ),
    )
  const before = { cents: 1250, currency: 'EUR' }
  t.equal(told({}), null, 'in the currency of the card')
  t.equal(told({ cardAmountCents: 1 }), null)
  t.same(told({ fx: FX, message: { ...EUROS, kind: 'advice', advice } }), before)
  t.same(told({}, { flags: 0 }), before, 'no final amount')
  t.same(
    told({ message: { ...PLAIN.message, kind: 'advice', advice: { ...advice, approved: false } } }),
    before,
    'the network declined',
  )
  t.same(told({ message: { ...PLAIN.message, kind: 'incremental', advice } }), before, 'no advice')
  t.same(told({ cardAmountCents: 0 }), before, 'an amount that nobody could convert')
  const zero = { ...PLAIN.message, kind: 'advice', amountCents: 0, advice } as const
  t.equal(told({ cardAmountCents: 0, message: zero }), null, 'nothing is an amount too')
  t.end()
})

test('windows can be counted again until a counted transaction was forgotten', (t) => {
  const captured = effect(1, { authorized: 1250, captured: 1250 }, { holdExpiresAtMs: 0 })
  const state = played(entry(1, { effect: captured }))
  t.equal(windowMismatch(state), null)
  const day = 24 * HOUR_MS
  const later = entry(2, {
    receivedAtMs: ENTRY_TIME_MS + 36 * day,
    transactionId: null,
    card: null,
    effect: null,
  })
  step(state, { type: 'entry', seq: 2, entry: later })
  t.same([state.transactions.size, state.forgotten], [0, 1])
  t.equal(state.meters.used(0, 4, 20261120), 1250)
  t.equal(windowMismatch(state), null)
  state.forgotten = 0
  t.match(windowMismatch(state), /^window card_1 UTC USD/)
  t.end()
})

test('a transaction is found by its id', (t) => {
  const state = played(PLAIN)
  const id = decodeId((PLAIN.transactionId as string).slice(4))
  t.same(state.transactions.idOf(state.transactions.find(LINK)), id)
  t.end()
})
