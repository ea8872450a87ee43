import { test } from 'tap'
import { DRAIN_PLANTED, DrainModel, type DrainPlanted } from './drain-model.ts'
import { Random } from './random.ts'

const SEEDS = 2000
const PLANTED_SEEDS = 500
const STEPS = 300

function play(seed: number, planted: DrainPlanted | null): string[] {
  return new DrainModel(new Random(seed), planted).run(STEPS)
}

test('every entry is in the database once although processes die and messages get lost', (t) => {
  const wrong = Array.from({ length: SEEDS }, (_, seed) =>
    play(seed, null).map((problem) => 'seed ' + seed + ': ' + problem),
  )
  t.same(wrong.flat(), [])
  t.end()
})

for (const planted of DRAIN_PLANTED) {
  test('a planted bug of the drain is noticed: ' + planted, (t) => {
    const seeds = Array.from({ length: PLANTED_SEEDS }, (_, seed) => seed)
    const caught = seeds.find((seed) => play(seed, planted).length > 0)
    t.not(caught, undefined, 'by seed ' + caught)
    t.end()
  })
}
