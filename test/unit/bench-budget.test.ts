import { test } from 'tap'
import { type Accepted, BUDGET, overBudget } from '../../bench/budget.ts'
import type { Ratio } from '../../bench/measured.ts'

const COST: Accepted = {
  bench: 'one',
  sentence: 'cost : of the peer',
  ratio: 4,
  better: 'lower',
  tolerance: 0.07,
}
const RATE: Accepted = { ...COST, sentence: 'rate : of the peer', better: 'higher' }

function measured(sentence: string, ratio: number) {
  const found: Ratio = {
    sentence,
    ratio,
    ours: ratio,
    theirs: 1,
    unit: '',
    each: [ratio],
    bound: null,
  }
  return { one: { ratios: [found] } }
}

test('a slowdown of 15 % is over the budget, noise within the tolerance is not', (t) => {
  for (const [ratio, over] of [
    [4 * 1.15, true],
    [4 * 1.08, true],
    [4 * 1.06, false],
    [4, false],
    [1, false],
  ] as const)
    t.equal(overBudget(measured(COST.sentence, ratio), [COST]).length === 1, over, String(ratio))
  t.end()
})

test('a smaller figure is over the budget if more is better', (t) => {
  for (const [ratio, over] of [
    [4 / 1.15, true],
    [4 * 0.92, true],
    [4 * 0.94, false],
    [9, false],
  ] as const)
    t.equal(overBudget(measured(RATE.sentence, ratio), [RATE]).length === 1, over, String(ratio))
  t.end()
})

test('a figure over the budget is reported with the accepted one and the difference', (t) => {
  t.same(overBudget(measured(COST.sentence, 4.6), [COST]), [
    'cost : of the peer: 4.6 instead of 4 (+15 %, 7 % are noise)',
  ])
  t.end()
})

test('a bench that did not run, or measured no ratio, is not judged', (t) => {
  t.same(overBudget({}, [COST]), [])
  t.same(overBudget(measured('something else', 100), [COST]), [])
  t.same(overBudget({ one: {} }, [COST]), [])
  t.end()
})

test('every tolerance is at most half of the slowdown that must be detected', (t) => {
  t.ok(BUDGET.length > 0)
  t.same(
    BUDGET.filter(({ tolerance }) => tolerance <= 0 || tolerance > 0.075),
    [],
  )
  t.end()
})
