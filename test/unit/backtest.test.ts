// A backtest judges recorded requests as the authorization line would have: an unchanged control
// changes no answer, and a changed one gives the answers of a line that really had it.
import { test } from 'tap'
import { ControlReplay } from '../../engine/backtest/control-replay.ts'
import { Backtest } from '../../engine/backtest/tally.ts'
import type { Verdict } from '../../engine/backtest/verdict.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { BacktestOrder, BacktestResult } from '../../shared/wire/backtest.ts'
import { type ControlConfig, openControl } from '../../shared/wire/config-records.ts'
import { type DecisionEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { block, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { Random } from '../simulation/random.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const HOUR = 3_600_000

const limit = (amount: number | null, change: Parameters<typeof limitConfig>[0] = {}) =>
  limitConfig({ amount_cents: amount as MinorUnits | null, ...change })

function order(
  control: Partial<ControlConfig>,
  change: Partial<BacktestOrder> = {},
): BacktestOrder {
  const proposed = { ...openControl('ctl_0'), ...control }
  const ownIds = ['ctl_0', 'lim_1', 'lim_2', 'lim_3']
  return { scope: 'card', subjectId: 'card_1', control: proposed, ownIds, fromMs: 0, ...change }
}

function verdicts(backtest: BacktestOrder, entries: readonly DecisionEntry[]): Verdict[] {
  const found: Verdict[] = []
  const replay = new ControlReplay(backtest, (verdict) => found.push(verdict))
  for (const [at, entry] of entries.entries()) replay.take(at + 1, entry)
  replay.end()
  return found
}

function backtested(backtest: BacktestOrder, entries: readonly DecisionEntry[]): BacktestResult {
  const run = new Backtest(backtest)
  for (const [at, entry] of entries.entries()) run.take(at + 1, encodeEntry(entry))
  return run.result()
}

/** Whether each request is approved: as recorded, or as the backtest changes the answer. */
const answers = (found: readonly Verdict[]): boolean[] =>
  found.map(({ entry, change }) =>
    change === null ? entry.decision.approved : change === 'approves',
  )

type Step = (line: LineInHand) => void

/** Purchases over days; `kinds` adds reversals (0) and increments (1) of earlier ones. */
function steps(random: Random, count: number, kinds: readonly number[]): Step[] {
  const made: Step[] = []
  let bought = 0
  for (let at = 0; at < count; at++) {
    const amount_cents = 1 + random.below(900)
    const wait = random.below(2 * HOUR)
    const merchant = {
      id: 'm-' + random.below(3),
      name: 'Shop',
      mcc: random.pick(['5411', '5812', '7995']),
      city: 'X',
      country: random.pick(['US', 'DE']),
    }
    const network_transaction_id = 'buy-' + bought
    const earlier = bought === 0 ? null : 'buy-' + random.below(bought)
    const kind = kinds.find((one) => random.below(10) === one)
    made.push((line) => {
      line.moveTo(line.nowMs + wait)
      if (earlier !== null && kind === 0)
        line.send({ kind: 'reversal', network_transaction_id: earlier, amount_cents })
      else if (earlier !== null && kind === 1)
        line.send({
          kind: 'incremental',
          original_network_transaction_id: earlier,
          amount_cents,
          merchant,
        })
      else line.send({ network_transaction_id, amount_cents, merchant })
    })
    bought += 1
  }
  return made
}

function randomControl(random: Random): Partial<ControlConfig> {
  const limits = [
    limit(800 + random.below(4000), { id: 'lim_1', time_zone: random.pick(['UTC', 'Asia/Tokyo']) }),
    limit(random.chance(0.5) ? 3000 : null, {
      id: 'lim_2',
      interval: 'rolling',
      rolling_seconds: 3600 * (1 + random.below(6)),
      count: 2 + random.below(8),
    }),
    limit(200 + random.below(700), { id: 'lim_3', interval: 'per_authorization' }),
  ]
  return {
    limits: limits.filter(() => random.chance(0.6)),
    mccs: random.chance(0.3) ? block('7995') : null,
    countries: random.chance(0.2) ? block('DE') : null,
    cancel_after: random.chance(0.1) ? 1 + random.below(20) : null,
    merchant_lock: random.chance(0.05),
  }
}

function lineWith(control: Partial<ControlConfig>, todo: readonly Step[]): LineInHand {
  const line = new LineInHand(NOON)
  line.program = {
    ...line.program,
    hold_adjustments: [{ mccs: ['0001'], mode: 'add_amount', value: 1, max_cents: null }],
  }
  line.control('card', control)
  for (const each of todo) each(line)
  return line
}

test('an unchanged control changes no answer', (t) => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed)
    const control = randomControl(random)
    const line = lineWith(control, steps(random, 80, [0, 1]))
    const found = verdicts(order(control), line.entries)
    t.same(
      found.filter(({ change }) => change !== null),
      [],
      'seed ' + seed,
    )
    for (const { entry, reason, detail } of found) {
      const { declineReason, declineDetail } = entry.decision
      if (declineDetail === null) continue
      t.equal(reason, declineReason)
      t.equal(detail, declineDetail)
    }
  }
  t.end()
})

test('a changed control gives the answers of a line that really had it', (t) => {
  let changed = 0
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed)
    const [held, proposed] = [randomControl(random), randomControl(random)]
    // A line's answer to a follow-up depends on its earlier answers; a control that declined
    // nothing leaves every follow-up a transaction.
    const follows = seed % 2 === 0
    const todo = steps(random, 80, follows ? [0] : [])
    const found = verdicts(order(proposed), lineWith(follows ? {} : held, todo).entries)
    const real = lineWith(proposed, todo).entries.filter(
      ({ message }) => message.kind !== 'reversal',
    )
    t.same(
      answers(found),
      real.map(({ decision }) => decision.approved),
      'seed ' + seed,
    )
    changed += found.filter(({ change }) => change !== null).length
  }
  t.ok(changed > 200, changed + ' answers changed')
  t.end()
})

test('a request of another rule or of another subject keeps its answer', (t) => {
  const line = new LineInHand(NOON)
  line.control('card', { limits: [limit(500)] })
  line.control('program', { id: 'ctl_9', limits: [limit(1500, { id: 'lim_9' })] })
  t.equal(line.buy(400), null)
  t.equal(line.buy(400), 'limit_daily')
  t.equal(line.buy({ amount_cents: 2000 }), 'limit_daily')
  line.card = { ...line.card, status: 'suspended', version: 2 }
  t.equal(line.buy(1), 'card_suspended')
  const open = backtested(order({}), line.entries)
  t.equal(open.judged, 4)
  t.equal(open.approved, 1)
  t.equal(open.declines.count, 0)
  t.match(
    open.examples.map(({ change, detail, amountCents }) => [change, detail, amountCents]),
    [['approves', 'card:lim_1', 400]],
    'the program’s limit and the state of the card stay',
  )
  const strict = backtested(order({ limits: [limit(0)] }), line.entries)
  t.same(strict.declines, {
    count: 1,
    amounts: [{ currency: 'USD', amountCents: 400 }],
    reasons: [{ reason: 'limit_daily', count: 1 }],
  })
  t.equal(strict.examples[0]?.detail, 'card:lim_1')
  const other = backtested(order({ limits: [limit(0)] }, { subjectId: 'card_2' }), line.entries)
  t.same([other.judged, other.declines.count], [0, 0])
  for (const [scope, subjectId] of [
    ['program', 'prog_1'],
    ['cardholder', 'ch_1'],
  ] as const) {
    const whole = backtested(order({ limits: [limit(0)] }, { scope, subjectId }), line.entries)
    t.same([whole.judged, whole.declines.count], [4, 1], scope)
  }
  t.end()
})

test('entries before the period fill its windows and are not judged', (t) => {
  const line = new LineInHand(NOON)
  for (let day = 0; day < 3; day++) {
    t.equal(line.buy(600), null)
    line.moveTo(line.nowMs + HOUR)
    t.equal(line.buy(600), null)
    line.moveTo(line.nowMs + 23 * HOUR)
  }
  const fromMs = NOON + 24 * HOUR + HOUR / 2
  const { judged, declines, days } = backtested(
    order({ limits: [limit(1000)] }, { fromMs }),
    line.entries,
  )
  t.equal(judged, 3)
  t.equal(declines.count, 2)
  t.same(
    days.map(({ atMs, judged: all, declines: lost }) => [new Date(atMs).getUTCDate(), all, lost]),
    [
      [21, 1, 1],
      [22, 2, 1],
    ],
  )
  t.end()
})

test('a request reserves from its judgement on while its tenant decides', (t) => {
  const line = new LineInHand(NOON, { realtime: true, endpoint_id: 'we_1' })
  line.sendOpen({ amount_cents: 600 })
  line.sendOpen({ amount_cents: 600 })
  line.sendOpen({ amount_cents: 100 })
  const [, second] = line.asked
  second?.(true)
  line.asked[0]?.(false)
  line.asked[2]?.(true)
  line.moveTo(line.nowMs)
  const found = verdicts(order({ limits: [limit(1000)] }), line.entries)
  t.same(
    found.map(({ entry, change }) => [entry.message.amountCents, change]),
    [
      [600, 'declines'],
      [600, null],
      [100, null],
    ],
    'the first one held its amount when the second was judged',
  )
  t.end()
})

test('messages of transactions that began before the first entry are counted as skipped', (t) => {
  const line = new LineInHand(NOON)
  line.buy({ network_transaction_id: 'old', amount_cents: 700 })
  line.buy(300)
  line.send({ kind: 'reversal', network_transaction_id: 'old', amount_cents: 700 })
  const all = backtested(order({ limits: [limit(1000)] }), line.entries)
  t.same([all.skipped, all.entries, all.declines.count], [0, 3, 0])
  const late = backtested(order({ limits: [limit(1000)] }), line.entries.slice(1))
  t.same([late.skipped, late.entries, late.judged], [1, 2, 1])
  t.end()
})

test('sums have every change, examples at most ten of each kind', (t) => {
  const line = new LineInHand(NOON)
  line.control('card', { mccs: block('7995') })
  for (let at = 0; at < 15; at++) {
    line.buy(100)
    line.buy({
      amount_cents: 100,
      merchant: { id: 'm', name: 'Bet', mcc: '7995', city: '', country: 'US' },
    })
  }
  const found = backtested(order({ mccs: block('5411') }), line.entries)
  t.equal(found.declines.count, 15)
  t.equal(found.approves.count, 15)
  t.same(found.approves.reasons, [{ reason: 'merchant_category_blocked', count: 15 }])
  t.equal(found.examples.length, 20)
  t.equal(found.examples.filter(({ change }) => change === 'approves').length, 10)
  t.end()
})
