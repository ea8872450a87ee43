import { test } from 'tap'
import { DELIVERY_PLANTED, DeliveryModel, type DeliveryPlanted } from './delivery-model.ts'
import { Random } from './random.ts'

const SEEDS = 8
const PLANTED_SEEDS = 8

function play(seed: number, planted: DeliveryPlanted | null): string[] {
  return new DeliveryModel(new Random(seed), planted).run()
}

test('every event reaches its endpoints in time and in order while others hang, flood or die', (t) => {
  const wrong = Array.from({ length: SEEDS }, (_, seed) =>
    play(seed, null).map((problem) => 'seed ' + seed + ': ' + problem),
  )
  t.same(wrong.flat(), [])
  t.end()
})

for (const planted of DELIVERY_PLANTED) {
  test('a planted bug of delivery is noticed: ' + planted, (t) => {
    const seeds = Array.from({ length: PLANTED_SEEDS }, (_, seed) => seed)
    const caught = seeds.find((seed) => play(seed, planted).length > 0)
    t.not(caught, undefined, 'by seed ' + caught)
    t.end()
  })
}
