// One engine, then two engines with a shard each, on the processors of this machine: how the rate
// grows with the processors it is given. Messages come over ISO 8583 links, whose sender needs some
// hundredths of a processor; each goes straight to the engine of its card. The api stands still
// where the drain is paused, and drains both shards into one PostgreSQL where it runs.
import { availableParallelism } from 'node:os'
import { column, median, rounded } from './figures.ts'
import { type Generator, startGenerator } from './generator.ts'
import type { EngineTestbed } from './line/engine.ts'
import { askEngine, type Sample } from './line/sample.ts'
import { openShardsTestbed } from './line/shards-testbed.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from './pairs.ts'

const CARDS = 10_000
const [OPEN, LINKS] = [128, 4]
const RATIO_MIN = 1.7
/** For the arithmetic only. */
const PROCESSORS = 16
/** Processors of an engine beside its deciding thread: writes, collector. */
const BESIDE = 0.1
const WARM = { full: 150_000, quick: 30_000 }
const WARM_SECONDS_MAX = 30
const PACE = {
  full: { seconds: 2, warmSeconds: 0.3 },
  quick: { seconds: 1, warmSeconds: 0.2 },
}

type Rounds = readonly Round<'one' | 'two', Both>[]

/** A run of one engine or of both at once. */
interface Both {
  perSecond: number
  cpuUs: number
  senderShare: number
  flaws: readonly string[]
}

interface Part {
  stand: EngineTestbed
  isoPort: number
  generator: Generator
  tenant: number
}

export const CORES: Measured = {
  name: 'cores',
  seconds: { full: 200, quick: 70 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const length = options.quick ? 'quick' : 'full'
  options.log('Starting PostgreSQL, api and two engines with a shard each.')
  const testbed = await openShardsTestbed(CARDS)
  const parts = testbed.engines.map(({ stand, isoPort }, tenant): Part => {
    // Both processors decide: a sender takes its hundredths where it can.
    return { stand, isoPort, tenant, generator: startGenerator('anywhere') }
  })
  const [first] = parts as [Part, Part]
  const ask = async (asked: readonly Part[]): Promise<Both> =>
    together(await Promise.all(asked.map((part) => sampleOf(part, PACE[length]))))
  const sides = { one: () => ask([first]), two: () => ask(parts) }
  try {
    for (const part of parts) await warmUp(part, WARM[length])
    options.log('The drain is paused.')
    testbed.pauseDrain(true)
    const paused = await inTurns(sides, pairsOf(options)).finally(() => testbed.pauseDrain(false))
    options.log('The drain runs.')
    const running = await inTurns(sides, pairsOf(options))
    return findingsOf(paused, running)
  } finally {
    await Promise.all(parts.map(({ generator }) => generator.stop()))
    await testbed.close()
  }
}

async function warmUp({ stand, isoPort, generator, tenant }: Part, count: number): Promise<void> {
  await generator.make(stand.messages(count, { tenants: [tenant], by: 'pan', iso: true }))
  const load = { port: isoPort, links: LINKS, connections: OPEN }
  await generator.send({ ...load, rate: null, seconds: WARM_SECONDS_MAX })
}

function sampleOf(
  { stand, isoPort, generator, tenant }: Part,
  pace: { seconds: number; warmSeconds: number },
): Promise<Sample> {
  const iso = { port: isoPort, links: LINKS }
  const shot = { connections: OPEN, rate: null, by: 'pan', tenants: [tenant], iso } as const
  return askEngine({ stand, generator }, { ...shot, ...pace })
}

function together(samples: readonly Sample[]): Both {
  const perSecond = samples.reduce((sum, sample) => sum + sample.perSecond, 0)
  const used = samples.reduce((sum, sample) => sum + sample.cpuUs * sample.perSecond, 0)
  return {
    perSecond,
    cpuUs: used / perSecond,
    senderShare: samples.reduce((sum, sample) => sum + sample.senderShare, 0),
    flaws: samples.flatMap(({ flaws }) => flaws),
  }
}

function findingsOf(paused: Rounds, running: Rounds): Findings {
  const rate = (rounds: Rounds) => compare(rounds, ['two', 'one'], ({ perSecond }) => perSecond)
  const one = rate(paused).theirs
  const drained = median(running.map(({ two }) => two.perSecond))
  const cpuUs = median(paused.map(({ one: alone }) => alone.cpuUs))
  const shards = Math.floor(PROCESSORS / (1 + BESIDE))
  const most = Math.round(one * shards)
  return {
    lines: [
      '',
      ['', 'auth/s', 'CPU µs', 'sender'].map(column).join(''),
      row('one, drain paused', paused, 'one'),
      row('two, drain paused', paused, 'two'),
      row('one, drain running', running, 'one'),
      row('two, drain running', running, 'two'),
      'Arithmetic, not measured: ' +
        PROCESSORS +
        ' processors hold ' +
        shards +
        ' engines with ' +
        'their writing threads, ' +
        most +
        '/s with the drain paused, if neither the disk nor the ' +
        'memory is shared worse than here; what drains takes processors from them.',
      '',
    ],
    figures: {
      processors: availableParallelism(),
      paused: figuresOf(paused),
      running: figuresOf(running),
      arithmetic: { processors: PROCESSORS, shards, per_second: most, cpu_us: rounded(cpuUs) },
      drained_two_per_second: Math.round(drained),
    },
    targets: [],
    ratios: [
      ratioOf(rate(paused), {
        sentence: 'authorizations a second, two engines : one, drain paused',
        unit: '/s',
        bound: { atLeast: RATIO_MIN },
      }),
      ratioOf(rate(running), {
        sentence: 'authorizations a second, two engines : one, drain running',
        unit: '/s',
      }),
    ],
    flaws: [
      ...(availableParallelism() < 2 ? ['one processor holds one engine only'] : []),
      ...new Set([...paused, ...running].flatMap(({ one: a, two: b }) => [...a.flaws, ...b.flaws])),
    ],
  }
}

function figuresOf(rounds: Rounds) {
  const of = (side: 'one' | 'two') => ({
    per_second: Math.round(median(rounds.map((round) => round[side].perSecond))),
    cpu_us: rounded(median(rounds.map((round) => round[side].cpuUs))),
    sender_share: rounded(median(rounds.map((round) => round[side].senderShare))),
  })
  return { one: of('one'), two: of('two') }
}

function row(name: string, rounds: Rounds, side: 'one' | 'two'): string {
  const { per_second, cpu_us, sender_share } = figuresOf(rounds)[side]
  return [name, per_second, cpu_us, sender_share].map(column).join('')
}
