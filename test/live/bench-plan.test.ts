// The selection of benches for a run, its time limits, and that a bench that breaks is reported
// without ending the others.
import { test } from 'tap'
import { BENCHES } from '../../bench/benches.ts'
import type { Findings, Measured } from '../../bench/measured.ts'
import { planLines, planOf } from '../../bench/plan.ts'
import { runAlone } from '../../bench/run-alone.ts'
import { SUMMARIES } from '../../bench/summaries.ts'

const NOTHING: Findings = { lines: [], figures: {}, targets: [], flaws: [] }

function bench(name: string, quick: number, full = 10 * quick): Measured {
  return { name, seconds: { full, quick }, run: async () => NOTHING }
}

const ALL = [bench('one', 60), bench('two', 40), bench('three', 50), bench('four', 5)]
const names = (benches: readonly Measured[]): string[] => benches.map(({ name }) => name)

test('a first look runs the benches that fit, from the top, and names the rest', (t) => {
  const plan = planOf([], { quick: true, long: false }, ALL)
  t.same(names(plan.benches), names(ALL), 'what there is time for shows when its turn comes')
  t.same(names(plan.expected(plan.benches, 0)), ['one', 'two', 'four'])
  t.same(names(plan.expected(plan.benches.slice(1), 30)), ['two', 'four'])
  t.match(planLines(plan).join('\n'), /about 1:45 .*one.*Left out.*three +0:50/s)
  t.end()
})

test('a whole run takes every bench; a named run takes the named ones in the order of the list', (t) => {
  const whole = planOf([], { quick: false, long: false }, ALL)
  t.same(names(whole.benches), names(ALL))
  t.same(whole.left, [])
  const named = planOf(['three', 'one'], { quick: true, long: false }, ALL)
  t.same(names(named.benches), ['one', 'three'])
  t.same(named.left, [])
  const hour: Measured = { ...bench('hour', 3600), onlyLong: true }
  const short = planOf([], { quick: false, long: false }, [...ALL, hour])
  t.same([names(short.benches), short.left], [names(ALL), ['hour: only with --long']])
  t.same(names(planOf([], { quick: false, long: true }, [...ALL, hour]).benches).at(-1), 'hour')
  t.end()
})

test('a first look starts no bench without time for it, and ends one that takes longer', (t) => {
  const [one, , , four] = ALL as [Measured, Measured, Measured, Measured]
  const first = planOf([], { quick: true, long: false }, ALL)
  t.equal(first.limitFor(one, 50), 60)
  t.equal(first.limitFor(one, 51), null)
  t.equal(first.limitFor(four, 105), 5)
  const named = planOf(['one'], { quick: true, long: false }, ALL)
  t.equal(named.limitFor(one, 1000), 900)
  t.equal(planOf([], { quick: false, long: false }, ALL).limitFor(four, 1000), 900)
  t.end()
})

test('a bench that breaks has a flaw as its finding; one that takes too long has no findings', async (t) => {
  const order = { name: 'no such bench', quick: true, long: false }
  const found = await runAlone(order, { log: () => undefined, secondsMax: 60 })
  t.match(found?.flaws, [/^no such bench was not done: .*no bench called no such bench/])
  t.equal(await runAlone(order, { log: () => undefined, secondsMax: 0 }), null)
})

test('the help has one sentence for each bench', (t) => {
  t.same(Object.keys(SUMMARIES), names(BENCHES))
  t.end()
})
