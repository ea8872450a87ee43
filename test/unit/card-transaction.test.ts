// The public shape of a card transaction, field by field where other tests show it only as a whole.
import { test } from 'tap'
import { authorizationKind } from '../../shared/authorization-kind.ts'
import { RULE_CATALOG, type TraceRow } from '../../shared/rule-catalog.ts'
import { type CardTransaction, cardTransaction } from '../../shared/schemas/card-transaction.ts'
import { authorizationRequest } from '../../shared/schemas/event.ts'
import { limitHeadroom } from '../../shared/schemas/limit-headroom.ts'
import { noSums } from '../../shared/transaction-sums.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry, ENTRY_TIME_MS } from '../harness/entries.ts'

/** The shape while the tenant is asked, and after the decision. */
function shapes(change: Partial<DecisionEntry>): {
  asked: CardTransaction
  decided: CardTransaction
} {
  const entry = decisionEntry(change)
  const { transactionId, card, decision, effect } = entry
  if (transactionId === null || card === null || effect === null)
    throw new Error('an entry of a card')
  const source = { record: { ...entry, transactionId, card }, late: null, sequence: 1 }
  const life = {
    createdAtMs: entry.receivedAtMs,
    sums: effect.sums,
    flags: effect.flags,
    holdExpiresAtMs: effect.holdExpiresAtMs,
    moments: [],
    originalTransactionId: null,
  }
  return {
    asked: authorizationRequest({ ...source, decision: null }, '2026-11-20').data.transaction,
    decided: cardTransaction({ ...source, decision, effect, life }),
  }
}

function message(change: Partial<DecisionEntry['message']>): DecisionEntry['message'] {
  return { ...decisionEntry({}).message, ...change }
}

test('amounts carry the number of decimals of their currency', (t) => {
  const card = decisionEntry({}).card
  if (card === null) throw new Error('an entry of a card')
  const exponents = ['JPY', 'USD', 'KWD'].map((currency) => {
    const { decided } = shapes({ message: message({ currency }), card: { ...card, currency } })
    t.same(decided.amounts.merchant, decided.amounts.cardholder)
    t.equal(decided.currency, currency)
    return decided.amounts.merchant.exponent
  })
  t.same(exponents, [0, 2, 3])
  t.end()
})

test('an amount in another currency is shown in both, with the rate between them', (t) => {
  const { decision } = decisionEntry({})
  const { asked, decided } = shapes({
    cardAmountCents: 650,
    message: message({ currency: 'JPY', amountCents: 1000, cashbackCents: 200, feeCents: 5 }),
    fx: { rate: '0.0065', source: 'internal', rateAtMs: ENTRY_TIME_MS, marginBps: 150, version: 3 },
    decision: { ...decision, approvedAmountCents: 1000, holdCents: 650 },
    effect: { ...effectOf(650), amountCents: 650 },
  })
  for (const shown of [asked, decided]) {
    t.match(shown, {
      amount_cents: 650,
      currency: 'USD',
      amounts: {
        merchant: { amount: 1000, currency: 'JPY', exponent: 0 },
        cardholder: { amount: 650, currency: 'USD', exponent: 2 },
        hold: { amount: 650, currency: 'USD' },
        fx: {
          rate: '0.0065',
          source: 'internal',
          rate_at: '2026-11-20T12:00:00.000Z',
          markup_bps: 150,
        },
        components: { cashback: { amount: 200, currency: 'JPY' }, fee: { amount: 5 } },
      },
    })
  }
  t.match(decided, {
    approved_amount_cents: 650,
    amounts: { approved: { amount: 1000, currency: 'JPY' } },
    decision: { approved_amount_cents: 650, config: { fx_version: 3 } },
  })
  t.end()
})

function effectOf(authorized: number): NonNullable<DecisionEntry['effect']> {
  const { effect } = decisionEntry({})
  if (effect === null) throw new Error('the entry of a test has an effect')
  return { ...effect, sums: { ...noSums(), authorized } }
}

test('an unconverted amount is shown in the currency of its message', (t) => {
  const { decided } = shapes({
    cardAmountCents: 0,
    message: message({ currency: 'CLP', amountCents: 99 }),
  })
  t.match(decided, { amount_cents: 99, currency: 'CLP', amounts: { fx: null } })
  t.end()
})

test('the request to the tenant has the keys that GET shows', (t) => {
  const { asked, decided } = shapes({})
  t.same(Object.keys(asked), Object.keys(decided))
  t.match(asked, { status: 'pending', decision: null, sums: { authorized_cents: 0 } })
  t.match(decided, { status: 'authorized', hold_expires_at: '2026-11-27T12:00:00.000Z' })
  t.same(decided.preliminary, {
    would_approve: true,
    would_decline_reason: null,
    stand_in_would: { approve: true, decline_reason: null },
  })
  t.end()
})

test('a repeat whose first never came is marked as one, and the tenant is asked once', (t) => {
  for (const isRepeat of [false, true]) {
    const { asked, decided } = shapes({ message: message({ isRepeat }) })
    for (const shown of [asked, decided]) {
      t.match(shown.message, { mti: '0100', is_repeat: isRepeat })
      t.equal(shown.authorization_request.attempt, 1)
    }
  }
  t.end()
})

test('an increment is sent to the tenant with the sums of its transaction', (t) => {
  const entry = decisionEntry({ message: message({ kind: 'incremental' }), cardAmountCents: 1250 })
  const { transactionId, card } = entry
  if (transactionId === null || card === null) throw new Error('an entry of a card')
  const shown = cardTransaction({
    record: { ...entry, transactionId, card },
    decision: null,
    late: null,
    sequence: 2,
    life: {
      createdAtMs: ENTRY_TIME_MS - 3_600_000,
      sums: { ...noSums(), authorized: 4000 },
      flags: 0,
      holdExpiresAtMs: 0,
      moments: [],
      originalTransactionId: null,
    },
    standInWould: { approve: false, reason: 'stand_in_declined' },
  })
  t.match(shown, {
    status: 'authorized',
    sequence: 2,
    created: (ENTRY_TIME_MS - 3_600_000) / 1000,
    authorization_request: { kind: 'incremental' },
    amounts: { requested_delta: { amount: 1250 }, cumulative: { amount: 5250 } },
    sums: { open_hold_cents: 4000 },
    preliminary: { stand_in_would: { approve: false, decline_reason: 'stand_in_declined' } },
  })
  t.end()
})

test('the shape names the entry method, the verifications and the stand-in decision', (t) => {
  const { decision } = decisionEntry({})
  const { decided } = shapes({
    pin: 'mismatch',
    threeDs: 'claimed_authenticated',
    walletToken: 'active',
    message: message({
      entryMethod: 'online',
      initiator: 'merchant',
      recurring: true,
      walletProvider: 'apple',
      walletTokenId: 'wt-1',
      threeDsId: '3ds-1',
      threeDsClaim: 'authenticated',
    }),
    decision: {
      ...decision,
      standIn: true,
      standInCap: 'per_hour',
      wouldStop: ['cvc_failures'],
      breaker: 'open',
      shadow: [{ controlId: 'ctl_1', version: 4, reason: 'limit_daily' }],
    },
  })
  t.match(decided, {
    entry: {
      card_present: false,
      initiator: 'merchant',
      recurring: true,
      wallet: 'apple',
      token_id: 'wt-1',
    },
    verification: {
      pin: 'mismatch',
      wallet_token: 'active',
      three_ds: {
        result: 'claimed_authenticated',
        transaction_id: '3ds-1',
        claim: 'authenticated',
      },
    },
    decision: {
      stand_in_detail: { cause: 'answered_approve', cap_id: 'per_hour' },
      fraud_rule: null,
      fraud_rules_in_draft: ['cvc_failures'],
      breaker: 'open',
      shadow: [{ control_id: 'ctl_1', version: 4, approve: false, decline_reason: 'limit_daily' }],
    },
  })
  t.end()
})

test('one row shows the headroom of a limit of amounts and of numbers', (t) => {
  const { number } = RULE_CATALOG.within_limit
  const row = (id: string, of: string | null, ...counted: number[]): TraceRow => [
    number,
    2,
    0,
    'card',
    id,
    'rolling',
    counted[0] ?? 0,
    'USD',
    counted[1] ?? 0,
    counted[2] ?? 0,
    1,
    ENTRY_TIME_MS - 60_000,
    null,
    'UTC',
    ...(of === null ? [] : [of]),
  ]
  const limits = limitHeadroom([
    row('lim_1', 'amount', 1000, 700, 100),
    row('lim_1', 'count', 5, 4, 1),
    row('lim_2', 'count', 3, 0, 0),
    row('lim_3', null, 10, 20, 0),
  ])
  t.match(limits, [
    { id: 'lim_1', amount_cents: 1000, remaining_cents: 200, count: 5, remaining_count: 0 },
    { id: 'lim_2', amount_cents: null, remaining_cents: null, count: 3, remaining_count: 3 },
    { id: 'lim_3', amount_cents: 10, remaining_cents: 0, count: null },
  ])
  t.equal(limits.length, 3)
  t.match(limits[0], { window_start: '2026-11-20T11:59:00.000Z', resets_at: null })
  t.end()
})

test('every kind of message has one word for its purpose', (t) => {
  const kinds = (
    [
      ['authorization', 'purchase'],
      ['authorization', 'unknown'],
      ['authorization', 'cash_withdrawal'],
      ['authorization', 'refund'],
      ['incremental', 'cash_withdrawal'],
      ['balance_inquiry', 'purchase'],
      ['capture', 'quasi_cash'],
      ['refund_reversal', 'purchase'],
    ] as const
  ).map(([kind, transactionType]) => authorizationKind({ kind, transactionType }))
  t.same(kinds, [
    'initial',
    'initial',
    'cash_withdrawal',
    'refund',
    'incremental',
    'balance_inquiry',
    'quasi_cash',
    'refund',
  ])
  t.end()
})
