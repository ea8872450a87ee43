// The amount that an approval holds beyond its own.

import { test } from 'tap'
import { holdCents } from '../../engine/rules/hold.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { HoldAdjustment } from '../../shared/wire/config-records.ts'
import { type JudgedChange, judgedConfig, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { fc } from '../harness/properties.ts'

const hold = (mcc: string, cents: number, change: JudgedChange = {}): number =>
  holdCents(judgedConfig({ ...change, message: { mcc, ...change.message } }), cents)

test('a fuel pump holds 100.00, a restaurant 20 % more, others their amount', (t) => {
  t.equal(hold('5542', 100), 10_000)
  t.equal(hold('5542', 12_000), 12_000)
  for (const mcc of ['5812', '5813', '5814']) t.equal(hold(mcc, 1004), 1204, 'no fraction is held')
  t.equal(hold('5812', 4), 4)
  t.equal(hold('5812', 5), 6, 'a whole unit is')
  t.equal(hold('5411', 1000), 1000)
  t.equal(hold('5542', 0), 0)
  t.equal(hold('5812', 1000, { message: { kind: 'incremental' } }), 1000)
  t.equal(hold('5542', 100, { card: { currency: 'JPY' } }), 100, 'of two decimals only')
  t.equal(hold('5812', 100, { card: { currency: 'JPY' } }), 120)
  t.end()
})

test('a program with rows of its own has no presets; the first match counts', (t) => {
  const rows: HoldAdjustment[] = [
    { mccs: ['7011'], mode: 'add_amount', value: 5000, max_cents: null },
    { mccs: ['7000-7999'], mode: 'add_percent', value: 50, max_cents: 700 },
    { mccs: ['5542'], mode: 'replace', value: 2500, max_cents: null },
  ]
  const program = { hold_adjustments: rows }
  t.equal(hold('7011', 1000, { program }), 6000)
  t.equal(hold('7012', 1000, { program }), 1500)
  t.equal(hold('7012', 2000, { program }), 2700, 'at most so much more')
  t.equal(hold('5542', 100, { program }), 2500)
  t.equal(hold('5812', 1000, { program }), 1000)
  t.end()
})

test('a buffer takes at most the headroom of the limits, and never turns an approval into a decline', (t) => {
  const line = new LineInHand(Date.parse('2026-11-20T12:00:00Z'), {
    realtime: true,
    endpoint_id: 'we_1',
  })
  const limits = [limitConfig({ amount_cents: 15_000 as MinorUnits })]
  line.control('card', { limits })
  const pump = { merchant: { id: 'p', name: 'Pump', mcc: '5542', city: '', country: 'US' } }
  line.sendOpen({ ...pump, amount_cents: 100 })
  line.sendOpen({ ...pump, amount_cents: 100 })
  t.equal(line.buy(1), 'limit_daily', 'the buffers are reserved too')
  line.answer(true)
  line.answer(true)
  t.same(
    line.entries.map(({ decision }) => decision.holdCents),
    [0, 10_000, 5000],
  )
  t.equal(line.buy(1), 'limit_daily')
  t.equal(line.contradiction(), null)
  t.end()
})

test('a hold lies between the amount and the headroom, for any limits and uses', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ amount: fc.nat(20_000), used: fc.nat(9000), reserved: fc.nat(9000) })),
      fc.constantFrom('5542', '5812', '5411'),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 0, max: 5000 }),
      (rows, mcc, asked, less) => {
        const limits = rows.map(({ amount, used, reserved }) => ({
          scope: 'card' as const,
          limit: limitConfig({ amount_cents: amount as MinorUnits }),
          used,
          reserved,
          usedCount: 0,
          reservedCount: 0,
          startMs: null,
          endMs: null,
        }))
        const left = Math.min(...rows.map(({ amount, used, reserved }) => amount - used - reserved))
        const held = hold(mcc, asked, { limits, cardAmountCents: asked })
        const partly = Math.max(1, asked - less)
        return (
          held >= asked &&
          (held === asked || held <= left) &&
          hold(mcc, partly, { limits, cardAmountCents: asked }) <= held
        )
      },
    ),
    { numRuns: 500 },
  )
  t.end()
})
