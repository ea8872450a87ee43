import { test } from 'tap'
import { Random } from './random.ts'
import { type Mutant, World } from './world.ts'

const SEEDS = 200
const MUTANT_SEEDS = 60
const STEPS = 150

function play(seed: number, mutant: Mutant | null): World {
  const world = new World(new Random(seed), mutant)
  world.run(STEPS)
  return world
}

test('no seed loses an answer, changes one, overspends, or decides twice', (t) => {
  const worlds = Array.from({ length: SEEDS }, (_, seed) => play(seed, null))
  t.same(
    worlds.flatMap((world, seed) =>
      world.violations.map((violation) => 'seed ' + seed + ': ' + violation),
    ),
    [],
  )
  const decisions = worlds.reduce((sum, world) => sum + world.decisions, 0)
  const crashes = worlds.reduce((sum, world) => sum + world.crashes, 0)
  t.ok(decisions > 10_000 && crashes > 400, decisions + ' decisions, ' + crashes + ' crashes')
  t.end()
})

for (const mutant of [
  'answer_before_durable',
  'windows_not_rebuilt',
  'duplicate_decided_again',
] as const) {
  test('the checker catches a planted bug: ' + mutant, (t) => {
    const caught = Array.from({ length: MUTANT_SEEDS }, (_, seed) => play(seed, mutant)).filter(
      (world) => world.violations.length > 0,
    ).length
    t.ok(caught > 0, caught + ' of ' + MUTANT_SEEDS + ' seeds')
    t.end()
  })
}
