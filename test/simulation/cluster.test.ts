import { test } from 'tap'
import { CLUSTER_PLANTED, type ClusterPlantedName } from './cluster-planted.ts'
import { ClusterWorld } from './cluster-world.ts'
import { Random } from './random.ts'

/**
 * Worlds of a usual run; SVC_CLUSTER_WORLDS plays so many instead. A few suffice in runs that
 * repeat this file hundreds of times.
 */
const SHORT = process.env['SVC_SIMULATION_SHORT'] !== undefined
const WORLDS = Number(process.env['SVC_CLUSTER_WORLDS'] ?? (SHORT ? 3 : 40))
const PLANTED_WORLDS_MAX = 150
const STEPS = 160

/** Worlds that notice a bug that only rare worlds do: they are played first. */
const CAUGHT_BY: { readonly [planted: string]: number } = {
  last_batch_not_compared: 122,
  sequence_not_compared: 5,
  owner_not_compared: 1,
  own_batch_taken_for_another: 5,
  take_over_without_reading_the_end: 3,
  floor_not_awaited: 4,
  floor_ignored_by_a_new_owner: 1,
  wiped_under_its_old_id: 3,
  poison_sent_a_third_time: 3,
}

function play(seed: number, planted: ClusterPlantedName | null): ClusterWorld {
  const world = new ClusterWorld(new Random(seed), planted === null ? {} : CLUSTER_PLANTED[planted])
  world.run(STEPS)
  return world
}

test('no shard loses, changes or repeats a decision, whatever becomes of its members', (t) => {
  const violations: string[] = []
  const played: { [what: string]: number } = { decisions: 0 }
  for (let seed = 0; seed < WORLDS; seed++) {
    const world = play(seed, null)
    violations.push(...world.violations.map((violation) => 'seed ' + seed + ': ' + violation))
    played['decisions'] = (played['decisions'] ?? 0) + world.decisions
    for (const [what, count] of Object.entries(world.counts))
      played[what] = (played[what] ?? 0) + count
  }
  t.same(violations, [])
  const rare = Object.entries(played).filter(([, count]) => count < WORLDS / 5)
  if (!SHORT) t.same(rare, [], 'everything was played: ' + JSON.stringify(played))
  t.end()
})

for (const planted of SHORT ? [] : (Object.keys(CLUSTER_PLANTED) as ClusterPlantedName[])) {
  test('a bug planted into a shard is noticed: ' + planted, (t) => {
    const all = Array.from({ length: PLANTED_WORLDS_MAX }, (_, seed) => seed)
    const seeds = [CAUGHT_BY[planted] ?? 0, ...all]
    const caught = seeds.find((seed) => play(seed, planted).violations.length > 0)
    t.not(caught, undefined, 'by seed ' + caught)
    t.end()
  })
}
