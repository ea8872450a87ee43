import { type Test, test } from 'tap'
import { MESSAGE_KINDS, REQUEST_KINDS } from '../../shared/schemas/network-message.ts'
import { PLANTED, type PlantedName } from './planted.ts'
import { Random } from './random.ts'
import { World } from './world.ts'

/** A few seeds suffice in runs that repeat this file hundreds of times. */
const SHORT = process.env['SVC_SIMULATION_SHORT'] !== undefined
const SEEDS = SHORT ? 10 : 120
const MUTANT_SEEDS = 60
const STEPS = 150

function play(seed: number, planted: PlantedName | null): World {
  const world = new World(new Random(seed), planted)
  world.run(STEPS)
  return world
}

test('no seed loses or changes an answer, overspends, leaks a reservation, or decides twice', (t) => {
  const worlds = Array.from({ length: SEEDS }, (_, seed) => play(seed, null))
  t.same(
    worlds.flatMap((world, seed) =>
      world.violations.map((violation) => 'seed ' + seed + ': ' + violation),
    ),
    [],
  )
  if (!SHORT) enoughWasPlayed(t, worlds)
  t.end()
})

function enoughWasPlayed(t: Test, worlds: readonly World[]): void {
  const sum = (count: (world: World) => number): number =>
    worlds.reduce((total, world) => total + count(world), 0)
  const played = {
    decisions: sum((world) => world.decisions),
    crashes: sum((world) => world.crashes),
    snapshots: sum((world) => world.snapshots),
    expiries: sum((world) => world.expiries),
  }
  const enough = { decisions: 5000, crashes: 400, snapshots: 250, expiries: 200 }
  t.ok(
    (Object.keys(enough) as (keyof typeof enough)[]).every((what) => played[what] > enough[what]),
    JSON.stringify(played),
  )
  // Advices are the only notifications that can report a decline.
  const kinds = new Set(worlds.flatMap((world) => [...world.kinds]))
  const declined = [...REQUEST_KINDS, 'advice'].map((kind) => kind + ' declined')
  t.same([...kinds].sort(), [...MESSAGE_KINDS, ...declined].sort())
}

for (const planted of SHORT ? [] : (Object.keys(PLANTED) as PlantedName[])) {
  test('a planted bug is noticed: ' + planted, (t) => {
    const seeds = Array.from({ length: MUTANT_SEEDS }, (_, seed) => seed)
    const caught = seeds.find((seed) => play(seed, planted).violations.length > 0)
    t.not(caught, undefined, 'by seed ' + caught)
    t.end()
  })
}
