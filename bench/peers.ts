// The authorization line beside peers that decide the same, durably, as a user would build them
// instead. Each has its fastest setting on this machine and has shown that it overspends nothing
// and decides a message once; then they take turns.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { column, median, rounded } from './figures.ts'
import { startGenerator } from './generator.ts'
import { curveOf, percentilesOf } from './latency.ts'
import { openLineTestbed } from './line/testbed.ts'
import { newDirectory } from './machine.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from './pairs.ts'
import { type Best, type Choices, findBest } from './peers/best.ts'
import { openSides, type Sides } from './peers/open-sides.ts'
import { POSTGRES_WAYS, REDIS_WAYS } from './peers/peer.ts'
import { duplicates, overspend } from './peers/scenarios.ts'
import type { Pace, Sample, Shape } from './peers/sides.ts'

const CARDS = { full: 10_000, quick: 2000 }
/** Choices for a side with one process only, by design or because it is a server of its own. */
const ONE = { ways: ['its own'], pools: [1], processes: [1] }
const CHOICES: { [Length in 'full' | 'quick']: { [Side in Name]: Choices } } = {
  full: {
    engine: { ...ONE, connections: [256, 64, 128] },
    'fastify + postgresql': {
      ways: POSTGRES_WAYS,
      pools: [8, 16, 32],
      processes: [1, 2],
      connections: [64, 32, 128, 256],
    },
    'node + redis': {
      ways: REDIS_WAYS,
      pools: [1, 2, 4],
      processes: [1, 2],
      connections: [64, 32, 128, 256],
    },
    'postgresql alone': { ...ONE, connections: [32, 8, 16, 64, 96, 128] },
  },
  // Chosen: as two processors suggest, without a look for better.
  quick: {
    engine: { ...ONE, connections: [256] },
    'fastify + postgresql': { ways: ['function'], pools: [16], processes: [2], connections: [64] },
    'node + redis': { ways: ['uWebSockets.js'], pools: [1], processes: [2], connections: [64] },
    'postgresql alone': { ...ONE, connections: [64] },
  },
}
/** Length of a trial before the turns; a server that was started for it has to compile first. */
const TRIAL = { seconds: 1, warmSeconds: 1 }
const PACE = {
  full: { run: { seconds: 2, warmSeconds: 0.5 }, warm: 5 },
  quick: { run: { seconds: 0.8, warmSeconds: 0.2 }, warm: 1.5 },
}
/** Durable authorizations a second, ours by theirs. */
const TARGETS = { 'fastify + postgresql': 10, 'node + redis': 3, 'postgresql alone': 5 } as const

type PeerName = keyof typeof TARGETS
type Name = 'engine' | PeerName
type Chosen = { readonly [side: string]: Best }
type Rounds = readonly Round<string, Sample>[]

export const PEERS: Measured = {
  name: 'peers',
  seconds: { full: 310, quick: 35 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const length = options.quick ? 'quick' : 'full'
  options.log(
    'Starting the engine, its peers and their databases with ' + CARDS[length] + ' cards.',
  )
  const directory = newDirectory()
  const stand = await openLineTestbed({ cards: CARDS[length] })
  const generator = startGenerator()
  let sides: Sides | null = null
  try {
    sides = await openSides({ directory, stand, generator, root: randomBytes(32) })
    for (const sentence of sides.left) options.log(sentence)
    const chosen = await choose(sides, options)
    const wrong = await check(sides, chosen)
    const rounds = await takeTurns(sides, chosen, options)
    return findingsOf(rounds, chosen, { left: sides.left, wrong })
  } finally {
    await sides?.close()
    await generator.stop()
    await stand.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function choose({ all }: Sides, options: BenchOptions): Promise<Chosen> {
  const length = options.quick ? 'quick' : 'full'
  const chosen: { [side: string]: Best } = {}
  for (const side of all) {
    const best = await findBest(side, CHOICES[length][side.name as Name], TRIAL)
    chosen[side.name] = best
    for (const tried of best.tried)
      options.log(side.name + ' ' + shapeText(tried) + ': ' + tried.perSecond + '/s')
  }
  return chosen
}

/** Returns the mistakes of a peer with its chosen setting; its figures then say nothing. */
async function check({ all, cards }: Sides, chosen: Chosen): Promise<string[]> {
  const wrong: string[] = []
  for (const [at, side] of all.entries()) {
    const [limited, repeated] = [cards[2 * at], cards[2 * at + 1]]
    if (limited === undefined || repeated === undefined) throw new Error('there are no such cards')
    const problems = await side.checked(shapeOf(chosen, side.name), async (peer) => [
      ...(await overspend(peer, limited)),
      ...(await duplicates(peer, repeated)),
    ])
    wrong.push(...problems.map((problem) => side.name + ': ' + problem))
  }
  return wrong
}

async function takeTurns({ all }: Sides, chosen: Chosen, options: BenchOptions): Promise<Rounds> {
  const { run: pace, warm } = PACE[options.quick ? 'quick' : 'full']
  const ask = (each: Pace) =>
    Object.fromEntries(
      all.map((side) => [side.name, () => side.ask(shapeOf(chosen, side.name), each)]),
    )
  options.log('Warming up every side.')
  await inTurns(ask({ seconds: warm, warmSeconds: 0 }), 1)
  options.log('Taking turns.')
  return inTurns(ask(pace), pairsOf(options))
}

function shapeOf(chosen: Chosen, name: string): Shape {
  const best = chosen[name]
  if (best === undefined) throw new Error(name + ' was not set up')
  return best.shape
}

function findingsOf(
  rounds: Rounds,
  chosen: Chosen,
  { left, wrong }: { left: readonly string[]; wrong: readonly string[] },
): Findings {
  const names = Object.keys(chosen)
  const figures = Object.fromEntries(
    names.map((name) => [name, figuresOf(rounds, name, chosen[name] as Best)]),
  )
  const peers = names.filter((name): name is PeerName => name in TARGETS)
  return {
    lines: [
      '',
      ['', 'auth/s', 'p50 ms', 'p99 ms', 'CPU µs each', 'and later'].map(column).join(''),
      ...names.map((name) => {
        const { per_second, p50_ms, p99_ms, cpu_us, later_us } = figures[name] as Figures
        const row = [name, per_second, p50_ms, p99_ms, cpu_us, later_us ?? '–'].map(column).join('')
        return row + '   ' + shapeText(shapeOf(chosen, name))
      }),
      '',
      ...left,
    ],
    figures,
    targets: [],
    ratios: peers.flatMap((name) => [
      ratioOf(
        compare(rounds, ['engine', name], ({ perSecond }) => perSecond),
        {
          sentence: 'durable authorizations a second : ' + name,
          unit: '/s',
          bound: { atLeast: TARGETS[name] },
        },
      ),
      ratioOf(
        compare(rounds, ['engine', name], ({ cpuUs }) => cpuUs),
        { sentence: 'processor time of an authorization until its answer : ' + name, unit: 'µs' },
      ),
    ]),
    curves: names.map((name) =>
      curveOf(
        rounds.map((round) => (round[name] as Sample).latency),
        { chart: 'Latency of each at its own full speed', name },
      ),
    ),
    flaws: [...wrong, ...new Set(rounds.flatMap((round) => Object.values(round)).flatMap(flaws))],
  }
}

function flaws(sample: Sample): readonly string[] {
  return sample.flaws
}

interface Figures {
  per_second: number
  p50_ms: number
  p99_ms: number
  cpu_us: number
  /**
   * Processor time of the processes that keep the history, after the answer to an authorization.
   */
  later_us: number | null
  sender_share: number
  way: string
  processes: number
  pool: number
  connections: number
  /** A second, by how it was set. */
  tried: { readonly [shape: string]: number }
}

function figuresOf(rounds: Rounds, name: string, { shape, tried }: Best): Figures {
  const samples = rounds.map((round) => round[name] as Sample)
  const later = samples.flatMap(({ laterUs }) => laterUs ?? [])
  const { p50, p99 } = percentilesOf(samples.map(({ latency }) => latency))
  return {
    per_second: Math.round(median(samples.map(({ perSecond }) => perSecond))),
    p50_ms: p50,
    p99_ms: p99,
    cpu_us: rounded(median(samples.map(({ cpuUs }) => cpuUs))),
    later_us: later.length === 0 ? null : rounded(median(later)),
    sender_share: rounded(Math.max(...samples.map(({ senderShare }) => senderShare))),
    ...shape,
    tried: Object.fromEntries(tried.map((one) => [shapeText(one), one.perSecond])),
  }
}

function shapeText({ way, processes, pool, connections }: Shape): string {
  const parts = [way, ...(way === 'its own' ? [] : [processes + ' × pool of ' + pool])]
  return [...parts, connections + ' connections'].join(', ')
}
