import { test } from 'tap'
import { convert, impliedRate, toMessageCurrency } from '../../engine/line/convert.ts'
import { isCredit } from '../../shared/authorization-kind.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import type { FxRateConfig } from '../../shared/wire/config-records.ts'
import type { AuthorizationRecord, MessageRecord } from '../../shared/wire/journal-entry.ts'
import { judgedConfig } from '../harness/judged.ts'
import { fc } from '../harness/properties.ts'
import { SimulatedConfig } from '../simulation/simulated-config.ts'

const RATES: { readonly [pair: string]: string } = {
  'EUR/USD': '1.10',
  'USD/JPY': '150',
  'KWD/USD': '3.25',
  'GBP/USD': '0',
  'CHF/USD': '1',
}

class Rates extends SimulatedConfig {
  override fxRate(id: string): FxRateConfig | null {
    const rate = RATES[id]
    return rate === undefined ? null : { type: 'fx_rate', id, version: 4, rate, rate_at_ms: 77 }
  }
}

const configCache = new Rates()
const { program, message } = judgedConfig()

function converted(change: Partial<MessageRecord>, card: string, marginBps = 0) {
  return convert(
    configCache,
    { ...message, ...change },
    { ...program, fx_margin_bps: marginBps },
    card,
  )
}

// Minor units on both sides: JPY has no decimals, KWD three.
const NETWORK_RATE = {
  rate: '1.234',
  source: 'network',
  rateAtMs: null,
  marginBps: 0,
  version: 4,
  verified: true,
}
const TABLE: readonly [
  amount: number,
  from: string,
  to: string,
  marginBps: number,
  result: number,
][] = [
  [1000, 'USD', 'USD', 300, 1000],
  [1000, 'EUR', 'USD', 0, 1100],
  [1000, 'EUR', 'USD', 250, 1128],
  [1100, 'USD', 'EUR', 0, 1000],
  [1, 'EUR', 'USD', 0, 1],
  [10_000, 'USD', 'JPY', 0, 15_000],
  [15_000, 'JPY', 'USD', 0, 10_000],
  [1, 'JPY', 'USD', 0, 1],
  [1000, 'KWD', 'USD', 0, 325],
  [325, 'USD', 'KWD', 0, 1000],
  [0, 'EUR', 'USD', 0, 0],
]

for (const [amountCents, currency, to, marginBps, result] of TABLE) {
  test(`${amountCents} ${currency} is ${result} ${to} with ${marginBps} bps`, (t) => {
    t.equal(converted({ amountCents, currency }, to, marginBps)?.cardAmountCents, result)
    t.end()
  })
}

test('the network’s billing amount in the card’s currency wins over a rate of ours', (t) => {
  const billing = { billingAmountCents: 1234, billingCurrency: 'USD' }
  t.same(
    converted({ amountCents: 1000, currency: 'EUR', ...billing, billingRate: '1.234' }, 'USD', 900),
    {
      cardAmountCents: 1234,
      fx: NETWORK_RATE,
      billing: {
        billed: 1234,
        expected: 1100,
        toleranceBps: 500,
        action: 'take_larger',
        isMismatch: true,
      },
    },
  )
  t.equal(
    converted({ amountCents: 1000, currency: 'EUR', ...billing }, 'USD')?.fx?.rate,
    '1.234',
    'the rate its two amounts make',
  )
  t.equal(
    converted({ amountCents: 1000, currency: 'EUR', ...billing, billingCurrency: 'GBP' }, 'USD')?.fx
      ?.source,
    'internal',
    'a billing amount in a third currency is of no use',
  )
  t.end()
})

test('the rate is kept with its margin, moment and version', (t) => {
  t.same(converted({ currency: 'EUR', amountCents: 1 }, 'USD', 100)?.fx, {
    rate: '1.111',
    source: 'internal',
    rateAtMs: 77,
    marginBps: 100,
    version: 4,
  })
  t.end()
})

test('a missing rate, a zero rate and an amount beyond counting convert to nothing', (t) => {
  t.equal(converted({ currency: 'SEK' }, 'USD'), null)
  t.equal(converted({ currency: 'GBP' }, 'USD'), null)
  t.equal(converted({ currency: 'KWD', amountCents: Number.MAX_SAFE_INTEGER }, 'JPY'), null)
  t.equal(converted({ currency: 'EUR', amountCents: Number.MAX_SAFE_INTEGER }, 'USD'), null)
  t.end()
})

test('conversion never loses more than half a minor unit, and a margin never makes it cheaper', (t) => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), fc.nat(2000), (amountCents, marginBps) => {
      const plain = converted({ amountCents, currency: 'EUR' }, 'USD')?.cardAmountCents ?? -1
      const dearer = converted({ amountCents, currency: 'EUR' }, 'USD', marginBps)?.cardAmountCents
      return Math.abs(plain - amountCents * 1.1) <= 0.500001 && (dearer ?? -1) >= plain
    }),
  )
  t.end()
})

test('the largest countable amount is converted, and none beyond it', (t) => {
  const even = { amountCents: AMOUNT_MAX, currency: 'CHF' }
  t.equal(converted(even, 'USD')?.cardAmountCents, AMOUNT_MAX)
  t.equal(converted({ ...even, amountCents: AMOUNT_MAX + 1 }, 'USD'), null)
  t.equal(converted(even, 'USD', 1), null, 'nor with a margin')
  t.end()
})

test('the rate of two amounts is in whole units, whatever decimals their currencies have', (t) => {
  for (const [amountCents, currency, cents, card, rate] of [
    [1000, 'EUR', 1100, 'USD', '1.1'],
    [1000, 'EUR', 50, 'USD', '0.05'],
    [1, 'EUR', 7, 'USD', '7'],
    [3, 'EUR', 1, 'USD', '0.333333333333'],
    [15_000, 'JPY', 10_000, 'USD', '0.006666666666'],
    [10_000, 'USD', 15_000, 'JPY', '150'],
    [1000, 'KWD', 325, 'USD', '3.25'],
    [1000, 'USD', 0, 'EUR', '0'],
    [0, 'USD', 100, 'EUR', '0'],
  ] as const)
    t.equal(impliedRate({ ...message, amountCents, currency }, cents, card), rate)
  t.end()
})

test('the network’s billing is used if it is in the card’s currency, also if it is zero', (t) => {
  const billed = (change: Partial<MessageRecord>) =>
    converted({ currency: 'EUR', amountCents: 1000, kind: 'capture', ...change }, 'USD')
  t.match(billed({ billingAmountCents: 0, billingCurrency: 'USD' }), {
    cardAmountCents: 0,
    fx: { rate: '0', source: 'network' },
  })
  t.equal(billed({ billingAmountCents: null, billingCurrency: 'USD' })?.cardAmountCents, 1100)
  t.equal(billed({ billingAmountCents: 900, billingCurrency: 'EUR' })?.cardAmountCents, 1100)
  t.end()
})

test('a partial approval is converted to the message’s currency and rounded down', (t) => {
  for (const [asked, cardAmountCents, approved, inMessage] of [
    [1000, 1100, 1100, 1000],
    [1000, 1100, 1200, 1000],
    [1000, 1100, 1099, 999],
    [1000, 1100, 1, 0],
    [1000, 1100, 0, 0],
    [7, 3, 2, 4],
    [0, 0, 0, 0],
    [AMOUNT_MAX, AMOUNT_MAX, AMOUNT_MAX - 1, AMOUNT_MAX - 1],
  ] as const) {
    const record = { message: { ...message, amountCents: asked }, cardAmountCents }
    t.equal(toMessageCurrency(record as AuthorizationRecord, approved), inMessage)
  }
  t.end()
})

test('a refund and an original credit pay out; their increments charge', (t) => {
  for (const [kind, transactionType, credit] of [
    ['authorization', 'purchase', false],
    ['authorization', 'refund', true],
    ['authorization', 'original_credit', true],
    ['advice', 'refund', true],
    ['incremental', 'refund', false],
    ['incremental', 'original_credit', false],
  ] as const)
    t.equal(isCredit({ ...message, kind, transactionType }), credit, kind + ' ' + transactionType)
  t.end()
})
