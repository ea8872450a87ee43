// A dry run returns the line's decision, and the largest amount it would approve.

import { test } from 'tap'
import { maxApprovable } from '../../engine/rules/max-approvable.ts'
import { rejudge } from '../../engine/rules/order.ts'
import type { LimitView } from '../../engine/rules/rule.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { ControlConfig, LimitConfig } from '../../shared/wire/config-records.ts'
import { allow, block, boundControl, judgedConfig, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { fc } from '../harness/properties.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER

const filter = fc.record({
  mccs: fc.constantFrom(null, ['5411'], ['5000-5999', '7995']),
  countries: fc.constantFrom(null, ['US'], ['DE']),
  kinds: fc.constantFrom(null, ['initial'], ['cash_withdrawal']),
  card_present: fc.constantFrom(null, true, false),
})

const limit = fc
  .record({
    interval: fc.constantFrom('per_authorization', 'daily', 'monthly', 'all_time', 'rolling'),
    amount: fc.option(fc.nat(5000)),
    count: fc.option(fc.nat(6), { freq: 3, nil: null }),
    filter: fc.option(filter),
    zone: fc.constantFrom('UTC', 'Asia/Tokyo'),
  })
  .map(
    ({ interval, amount, count, filter: only, zone }): LimitConfig =>
      limitConfig({
        interval: interval as LimitConfig['interval'],
        amount_cents: amount as MinorUnits | null,
        count,
        filter: only,
        time_zone: zone,
        rolling_seconds: interval === 'rolling' ? 30 : null,
      }),
  )

const control: fc.Arbitrary<Partial<ControlConfig>> = fc.record({
  limits: fc.array(limit, { maxLength: 3 }),
  single_use: fc.option(
    fc.record({
      mode: fc.constantFrom('exact' as const, 'max' as const),
      amount_cents: fc.option(fc.nat(3000)),
    }),
    { freq: 8, nil: null },
  ),
  cancel_after: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 4, nil: null }),
  merchant_lock: fc.boolean(),
  countries: fc.constantFrom(null, null, null, allow('US'), block('US')),
})

const message: fc.Arbitrary<Asked> = fc.record({
  amount_cents: fc.nat(2000),
  currency: fc.constantFrom('USD', 'USD', 'EUR', 'JPY', 'KWD'),
  entry_method: fc.constantFrom('chip', 'online'),
  transaction_type: fc.constantFrom('purchase', 'purchase', 'cash_withdrawal'),
  shop: fc.constantFrom('m-1', 'm-1', 'm-2'),
  waitsMs: fc.nat(20_000),
})

interface Asked {
  amount_cents: number
  currency: string
  entry_method: string
  transaction_type: string
  shop: string
  waitsMs: number
}

const RATES = { EUR: '1.093', JPY: '0.0067', KWD: '3.2519' }

function lineWith(controls: readonly Partial<ControlConfig>[]): LineInHand {
  const line = new LineInHand(NOON)
  for (const [currency, rate] of Object.entries(RATES)) {
    const id = currency + '/USD'
    line.rates.set(id, { type: 'fx_rate', id, version: 1, rate, rate_at_ms: NOON })
  }
  const [program = {}, cardholder = {}, card = {}, draft = {}] = controls
  line.control('program', program)
  line.control('cardholder', cardholder, { ...draft, state: 'draft' })
  line.control('card', card)
  return line
}

function messageOf({ amount_cents, currency, entry_method, transaction_type, shop }: Asked) {
  const rest = { amount_cents, currency, entry_method, transaction_type }
  return { ...rest, merchant: { id: shop, name: 'Shop', mcc: '5411', city: 'X', country: 'US' } }
}

test('reservations, the whole chain of increments and number limits reduce the headroom', (t) => {
  const view = (change: Partial<LimitConfig>, counted: Partial<LimitView> = {}): LimitView => ({
    scope: 'card',
    limit: limitConfig({ amount_cents: 5000 as MinorUnits, ...change }),
    ...{ used: 0, reserved: 0, usedCount: 0, reservedCount: 0, startMs: null, endMs: null },
    ...counted,
  })
  const most = (limits: LimitView[], change: Parameters<typeof judgedConfig>[0] = {}): number =>
    maxApprovable(judgedConfig({ limits, ...change }))
  t.equal(most([], { largestCounted: 7 }), AMOUNT_MAX - 7)
  t.equal(most([view({}, { used: 300, reserved: 20 })]), 4680)
  t.equal(most([view({ interval: 'per_authorization' })], { chainCents: 1000 }), 4000)
  t.equal(most([view({})], { chainCents: 1000 }), 5000, 'windows hold the earlier part already')
  t.equal(most([view({}, { used: 5000 })]), 0)
  t.equal(most([view({}, { used: 4999 })]), 1)
  const three = (counted: Partial<LimitView>) => view({ amount_cents: null, count: 3 }, counted)
  t.equal(most([three({ usedCount: 1, reservedCount: 1 }), view({})]), 5000)
  t.equal(most([three({ usedCount: 1, reservedCount: 2 }), view({})]), 0)
  const increment = { message: { kind: 'incremental' } } as const
  t.equal(most([three({ usedCount: 3 }), view({})], increment), 5000, 'it is none of its own')
  const once = (mode: 'exact' | 'max', amount_cents: number | null = 900) => ({
    controls: [boundControl({ single_use: { mode, amount_cents } })],
    chainCents: 200,
  })
  t.equal(most([], once('exact', null)), AMOUNT_MAX)
  t.equal(most([view({})], once('max', 200)), 0)
  t.equal(most([], once('max')), 700)
  t.equal(most([], once('exact')), 700)
  t.equal(most([view({ amount_cents: 699 as MinorUnits })], once('max')), 699)
  t.equal(most([view({ amount_cents: 699 as MinorUnits })], once('exact')), 0)
  t.end()
})

test('the largest amount is approved and one unit more is not, whatever was spent before', (t) => {
  fc.assert(
    fc.property(
      fc.array(control, { minLength: 4, maxLength: 4 }),
      fc.array(message, { minLength: 1, maxLength: 12 }),
      (controls, messages) => {
        const line = lineWith(controls)
        return messages.every((each) => {
          line.moveTo(line.nowMs + each.waitsMs)
          const asked = messageOf(each)
          const dry = line.evaluate(asked)
          const most = dry.max_approvable_amount_cents
          const approves = (amount_cents: number): boolean =>
            line.evaluate({ ...asked, amount_cents }).approved
          if (most > 0 && !approves(most)) return false
          if (most < AMOUNT_MAX && approves(most + 1)) return false
          const again = rejudge(dry.trace)
          const real = line.send(asked)
          const { decision, trace } = line.entries.at(-1)!
          return (
            again.consistent &&
            again.reason === dry.decline_reason &&
            real.approved === dry.approved &&
            real.response_code === dry.response_code &&
            decision.declineReason === dry.decline_reason &&
            decision.declineDetail === dry.decline_detail &&
            JSON.stringify(trace) === JSON.stringify(dry.trace) &&
            JSON.stringify(decision.shadow) === JSON.stringify(dry.shadow)
          )
        })
      },
    ),
    { numRuns: 250 },
  )
  t.end()
})

test('a dry run leaves nothing behind', (t) => {
  const line = lineWith([{ limits: [limitConfig({})], merchant_lock: true, cancel_after: 2 }])
  line.send({ amount_cents: 100 })
  const kept = (): string =>
    JSON.stringify([...line.state.meters.rows(), ...line.state.usage.rows()])
  const before = kept()
  for (let round = 0; round < 5; round++) line.evaluate({ amount_cents: 200 })
  t.equal(kept(), before)
  t.equal(line.entries.length, 1)
  t.equal(line.contradiction(), null)
  t.end()
})

test('a dry run names the decider, the reason, and whether the tenant would be asked', (t) => {
  const line = lineWith([{}, {}, { limits: [limitConfig({ amount_cents: 500 as MinorUnits })] }])
  t.match(line.evaluate({ amount_cents: 501 }), {
    approved: false,
    approved_amount_cents: 0,
    response_code: '61',
    decline_reason: 'limit_daily',
    decline_detail: 'card:lim_1',
    max_approvable_amount_cents: 500,
    would_ask: false,
    shadow: [{ controlId: 'ctl_1', version: 1, reason: null }],
    config: {
      program_version: 1,
      card_version: 1,
      controls_versions: [1, 1, 1],
      engine_build: 'test',
    },
  })
  t.match(line.evaluate({ amount_cents: 500 }), { approved: true, would_ask: false })
  line.program = { ...line.program, realtime: true, endpoint_id: 'we_1' }
  t.match(line.evaluate({ amount_cents: 500 }), { approved: true, would_ask: true })
  t.match(line.evaluate({ amount_cents: 501 }), { approved: false, would_ask: false })
  const inquiry = line.evaluate({ kind: 'balance_inquiry', amount_cents: 0 })
  t.match(inquiry, { approved: true, would_ask: false, max_approvable_amount_cents: 500 })
  line.program = { ...line.program, realtime_entitled: false }
  t.match(line.evaluate({ amount_cents: 500 }), { would_ask: false })
  t.end()
})

test('the headroom without limits is every countable amount; behind a blocking list it is zero', (t) => {
  const line = lineWith([])
  t.equal(line.evaluate().max_approvable_amount_cents, AMOUNT_MAX)
  line.send({ amount_cents: 1000 })
  t.equal(line.evaluate().max_approvable_amount_cents, AMOUNT_MAX - 1000)
  t.equal(line.evaluate({ currency: 'CHF' }).max_approvable_amount_cents, 0, 'no rate')
  t.equal(line.evaluate({ currency: 'JPY' }).max_approvable_amount_cents, AMOUNT_MAX)
  t.equal(line.evaluate({ transaction_type: 'refund' }).max_approvable_amount_cents, 250_000)
  line.control('card', { countries: block('US') })
  t.equal(line.evaluate().max_approvable_amount_cents, 0)
  line.control('card', { single_use: { mode: 'exact', amount_cents: 700 } })
  t.equal(line.evaluate().max_approvable_amount_cents, 700)
  line.control('card', {
    single_use: { mode: 'exact', amount_cents: 700 },
    limits: [limitConfig({ interval: 'per_authorization', amount_cents: 699 as MinorUnits })],
  })
  t.equal(line.evaluate().max_approvable_amount_cents, 0)
  t.end()
})

test('a request that cannot be evaluated is refused with the right status', (t) => {
  const line = lineWith([])
  t.match(line.tryEvaluate({ card: { token: 'ctok_2' } }), { status: 404 })
  t.match(line.tryEvaluate({}, 'card_2'), { status: 404 })
  t.match(line.tryEvaluate({ kind: 'capture' }), { status: 400 })
  t.match(line.tryEvaluate({ amount_cents: -1 }), { status: 400 })
  t.match(line.evaluate({ kind: 'incremental' }), { decline_reason: 'original_not_found' })
  t.end()
})
