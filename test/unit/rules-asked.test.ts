// The questions of controls are computed once for a config record and shared by all controls that
// ask alike. The result must equal asking each control under each rule, row for row.

import { test } from 'tap'
import { judge } from '../../engine/line/judge.ts'
import { boundControls } from '../../engine/rules/bound-controls.ts'
import { firstObjection } from '../../engine/rules/first-objection.ts'
import { interned } from '../../engine/rules/interned-values.ts'
import { isListed, isMccListed } from '../../engine/rules/listed.ts'
import { CONTROL_RULES, RULES_AFTER, RULES_BEFORE } from '../../engine/rules/order.ts'
import type { ControlUses, Judged, Trace } from '../../engine/rules/rule.ts'
import type { DeclineReason } from '../../shared/decline-reason.ts'
import {
  type ControlConfig,
  type ControlScope,
  type ControlsConfig,
  openControl,
} from '../../shared/wire/config-records.ts'
import { judgedConfig } from '../harness/judged.ts'
import { fc } from '../harness/properties.ts'

interface Asking {
  readonly configRecord: ControlsConfig
  readonly uses: readonly ControlUses[]
}

const listOf = (...values: string[]) =>
  fc.option(
    fc.record({
      mode: fc.constantFrom('allow' as const, 'block' as const),
      values: fc.subarray(values, { minLength: 1 }),
    }),
    { freq: 2 },
  )
const period = fc.record({
  days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
  from_minute: fc.nat(800),
  until_minute: fc.integer({ min: 700, max: 1440 }),
  time_zone: fc.constantFrom('UTC', 'America/New_York'),
})
const control: fc.Arbitrary<Partial<ControlConfig>> = fc.record({
  mccs: listOf('5411', '5400-5499', '7995'),
  merchants: listOf('m-1', 'm-2'),
  countries: listOf('US', 'DE'),
  currencies: listOf('USD', 'EUR'),
  entry_methods: listOf('chip', 'online'),
  card_presence: listOf('present', 'not_present'),
  kinds: listOf('initial', 'incremental'),
  wallets: listOf('none', 'pay_a'),
  schedule: fc.array(period, { maxLength: 2 }),
  authentication: fc.constantFrom('required' as const, null),
  fallback: fc.constantFrom('blocked' as const, null),
  single_use: fc.constantFrom(null, { mode: 'max' as const, amount_cents: 1000 }),
  merchant_lock: fc.boolean(),
  cancel_after: fc.constantFrom(null, 0, 2),
})
const used = fc.record({
  uses: fc.nat(2),
  usesWaiting: fc.nat(1),
  lockedMerchant: fc.constantFrom(null, 'm-1', 'm-2'),
})

function asking(scope: ControlScope): fc.Arbitrary<Asking> {
  return fc.array(fc.tuple(control, used), { maxLength: 4 }).map((all) => {
    const controls = all.map(([change], at) => ({ ...openControl(scope + at), ...change }))
    const uses = all.map(([, counted], at) => ({ controlId: scope + at, ...counted }))
    return { configRecord: { type: 'controls', id: scope, version: 1, scope, controls }, uses }
  })
}

const everything = fc.tuple(asking('program'), asking('cardholder'), asking('card'))

function boundTo(all: readonly Asking[]): Judged['controls'] {
  return all.map(({ configRecord, uses }) => ({
    ...boundControls(configRecord, configRecord.controls),
    uses,
  }))
}

/** Applies the rules one after the other, each to every control that has a say. */
function askedOneByOne(judged: Judged, all: readonly Asking[], trace: Trace): DeclineReason | null {
  for (const rule of CONTROL_RULES) {
    for (const [at, { configRecord }] of all.entries()) {
      const bound = judged.controls[at]
      if (bound === undefined) continue
      for (const one of configRecord.controls) {
        const about = rule.asks(one)
        const row = about === null ? null : rule.rowOf(judged, bound, one.id, about)
        if (row === null) continue
        const reason = rule.decide(row)
        row[2] = reason === null ? 0 : 1
        trace.push(row)
        if (reason !== null) return reason
      }
    }
  }
  return null
}

test('asking all controls at once equals asking one after the other', (t) => {
  const seen = new Set<DeclineReason | null>()
  fc.assert(
    fc.property(
      everything,
      fc.record({
        entryMethod: fc.constantFrom('chip' as const, 'online' as const),
        fallbackFromChip: fc.boolean(),
        kind: fc.constantFrom('authorization' as const, 'incremental' as const),
      }),
      (all, message) => {
        const judged = judgedConfig({ message, controls: boundTo(all) })
        const trace: Trace = []
        const reason = judge(judged, trace)
        const simple: Trace = []
        const expected =
          firstObjection(RULES_BEFORE, judged, simple) ??
          askedOneByOne(judged, all, simple) ??
          firstObjection(RULES_AFTER, judged, simple)
        seen.add(reason)
        return reason === expected && JSON.stringify(trace) === JSON.stringify(simple)
      },
    ),
    { numRuns: 400, seed: 20261122 },
  )
  t.ok(seen.size > 6, 'many rules had the last word')
  t.end()
})

test('the bits of controls name each rule that they use, and no other', (t) => {
  const rulesOf = (...changes: Partial<ControlConfig>[]): number => {
    const controls = changes.map((change, at) => ({ ...openControl('ctl_' + at), ...change }))
    const configRecord = {
      type: 'controls',
      id: 'card_1',
      version: 1,
      scope: 'card',
      controls,
    } as const
    return boundControls(configRecord, controls).rules
  }
  const asking: Partial<ControlConfig>[] = [
    { countries: { mode: 'block', values: ['US'] } },
    { merchants: { mode: 'allow', values: ['m-1'] } },
  ]
  t.equal(rulesOf(), 0)
  t.equal(rulesOf({}, {}), 0)
  for (const change of asking) {
    const bits = CONTROL_RULES.map((rule, at) =>
      rule.asks({ ...openControl('ctl_0'), ...change }) === null ? 0 : 1 << at,
    )
    t.equal(
      rulesOf({}, change),
      bits.reduce((all, bit) => all | bit),
    )
  }
  t.equal(
    rulesOf(...asking),
    asking.reduce((all, change) => all | rulesOf(change), 0),
  )
  t.end()
})

test('an open control asks nothing', (t) => {
  const open = openControl('ctl_1')
  const configRecord = {
    type: 'controls',
    id: 'card',
    version: 3,
    scope: 'card',
    controls: [open],
  } as const
  const bound = boundControls(configRecord, configRecord.controls)
  t.same([bound.asked, bound.askers, bound.singleUses], [[], [], []])
  t.same(bound.from, Array(CONTROL_RULES.length + 1).fill(0))
  const locked = [{ ...open, merchant_lock: true }]
  t.same(boundControls({ ...configRecord, controls: locked }, locked).asked, [true])
  t.end()
})

test('a long list is hashed once, a short one never; ranges are sorted once', (t) => {
  const asked = { short: 0, long: 0, ranges: 0 }
  const counted = (name: keyof typeof asked, values: string[]): string[] =>
    Object.assign(values, {
      [Symbol.iterator]() {
        asked[name] += 1
        return Array.prototype[Symbol.iterator].call(values)
      },
    })
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => 'm-' + at)
  const [short, long] = [counted('short', numbers(16)), counted('long', numbers(17))]
  const ranges = counted('ranges', ['5411', '3000-3299'])
  for (let round = 0; round < 3; round++) {
    t.same([isListed(short, 'm-15'), isListed(short, 'm-16')], [true, false])
    t.same([isListed(long, 'm-16'), isListed(long, 'm-17')], [true, false])
    t.same([isMccListed(ranges, '3299'), isMccListed(ranges, '3300')], [true, false])
  }
  t.same(asked, { short: 0, long: 1, ranges: 1 })
  t.end()
})

test('equal values are shared, and different ones are not', (t) => {
  const list = (mode: string, ...values: string[]) => ({ mode, values })
  t.equal(interned(list('allow', 'US', 'DE')), interned(list('allow', 'US', 'DE')))
  t.not(interned(list('allow', 'US', 'DE')), interned(list('block', 'US', 'DE')))
  t.not(interned(list('allow', 'US', 'DE')), interned(list('allow', 'DE', 'US')))
  t.not(interned(list('allow', 'US,DE')), interned(list('allow', 'US', 'DE')))
  t.equal(interned(5), 5)
  t.equal(interned('5'), '5')
  t.equal(interned(null), null)
  t.ok(Object.is(interned(Number.NaN), Number.NaN), 'what is no object is never looked up')
  const long = () => list('allow', ...Array.from({ length: 500 }, (_, at) => 'm-' + at))
  t.not(interned(long()), interned(long()), 'a long list stays its own')
  const written = (characters: number) => ['x'.repeat(characters - '[""]'.length)]
  t.equal(interned(written(1000)), interned(written(1000)))
  t.not(interned(written(1001)), interned(written(1001)))
  t.same(interned(long()), long())
  let first = interned(list('allow', 'first'))
  const forgottenAt: number[] = []
  for (let other = 0; other < 45_000; other++) {
    interned(list('allow', 'other-' + other))
    const again = interned(list('allow', 'first'))
    if (again === first) continue
    t.same(again, first)
    first = again
    forgottenAt.push(other)
  }
  t.equal(forgottenAt.length, 2, 'too many are forgotten')
  // The requested value is one of them, and so is the one that exceeded the bound.
  t.equal(forgottenAt[1]! - forgottenAt[0]!, 19_999)
  t.end()
})
