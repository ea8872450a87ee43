import { type Test, test } from 'tap'
import type { ClusterPlanted } from './cluster-member.ts'
import { CLUSTER_PLANTED, SHARDS_PLANTED } from './cluster-planted.ts'
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
  a_tenant_moves_before_its_decisions_are_on_disk: 136,
}

function play(seed: number, planted: ClusterPlanted, shards: number): ClusterWorld {
  const world = new ClusterWorld(new Random(seed), planted, shards)
  world.run(STEPS)
  return world
}

/** Plays the usual worlds; `more` names what only these play. */
function playAll(
  t: Test,
  shards: number,
  more: (world: ClusterWorld) => { readonly [what: string]: number },
): void {
  const violations: string[] = []
  const played: { [what: string]: number } = {}
  for (let seed = 0; seed < WORLDS; seed++) {
    const world = play(seed, {}, shards)
    violations.push(...world.violations.map((violation) => 'seed ' + seed + ': ' + violation))
    const counts = { decisions: world.decisions, ...world.counts, ...more(world) }
    for (const [what, count] of Object.entries(counts)) played[what] = (played[what] ?? 0) + count
  }
  t.same(violations, [])
  const rare = Object.entries(played).filter(([, count]) => count < WORLDS / 5)
  if (!SHORT) t.same(rare, [], 'everything was played: ' + JSON.stringify(played))
}

test('no shard loses, changes or repeats a decision, whatever becomes of its members', (t) => {
  playAll(t, 1, () => ({}))
  t.end()
})

test('two shards decide each message once, and each card in one of them', (t) => {
  playAll(t, 2, ({ placements }) => placements)
  t.end()
})

/** Plays each bug until a world notices it by a violation like `sign`. */
function notice(
  planted: { readonly [name: string]: ClusterPlanted },
  shards: number,
  sign: RegExp,
): void {
  if (SHORT) return
  for (const [name, bug] of Object.entries(planted))
    test('a bug planted into a shard is noticed: ' + name, (t) => {
      const all = Array.from({ length: PLANTED_WORLDS_MAX }, (_, seed) => seed)
      const seeds = [CAUGHT_BY[name] ?? 0, ...all]
      const caught = seeds.find((seed) =>
        play(seed, bug, shards).violations.some((violation) => sign.test(violation)),
      )
      t.not(caught, undefined, 'by seed ' + caught)
      t.end()
    })
}

notice(CLUSTER_PLANTED, 1, /./)
notice(SHARDS_PLANTED, 2, /s1 and s2$|s2 and s1$/)
