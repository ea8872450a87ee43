import { test } from 'tap'
import { PLANTED, type PlantedName } from './planted.ts'
import { Random } from './random.ts'
import { World } from './world.ts'

const SEEDS = 150
const MUTANT_SEEDS = 60
const STEPS = 150

function play(seed: number, planted: PlantedName | null): World {
  const world = new World(new Random(seed), planted)
  world.run(STEPS)
  return world
}

test('no seed loses an answer, changes one, overspends, leaks a reservation, or decides twice', (t) => {
  const worlds = Array.from({ length: SEEDS }, (_, seed) => play(seed, null))
  t.same(
    worlds.flatMap((world, seed) =>
      world.violations.map((violation) => 'seed ' + seed + ': ' + violation),
    ),
    [],
  )
  const sum = (count: (world: World) => number): number =>
    worlds.reduce((total, world) => total + count(world), 0)
  const decisions = sum((world) => world.decisions)
  const crashes = sum((world) => world.crashes)
  const snapshots = sum((world) => world.snapshots)
  t.ok(
    decisions > 8000 && crashes > 400 && snapshots > 300,
    decisions + ' decisions, ' + crashes + ' crashes, ' + snapshots + ' snapshots',
  )
  t.end()
})

for (const planted of Object.keys(PLANTED) as PlantedName[]) {
  test('a planted bug is noticed: ' + planted, (t) => {
    const seeds = Array.from({ length: MUTANT_SEEDS }, (_, seed) => seed)
    const caught = seeds.find((seed) => play(seed, planted).violations.length > 0)
    t.not(caught, undefined, 'by seed ' + caught)
    t.end()
  })
}
