// The two doors of the authorization line side by side: ISO 8583 over a few links with many
// messages open on each, and signed JSON over HTTP with a connection for each open message. The
// same engine decides both; nothing drains. Messages name the card by its number, as networks do.
import { column, median, rounded } from './figures.ts'
import { type Generator, startGenerator } from './generator.ts'
import { curveOf, percentilesOf } from './latency.ts'
import { openEngineAlone } from './line/engine-alone.ts'
import { askEngine, type EngineParts, type Sample, type Shot } from './line/sample.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'
import { type Comparison, compare, inTurns, pairsOf, type Round, ratioOf } from './pairs.ts'
import { freePort } from './server-process.ts'

const CARDS = 10_000
/** Messages under way at once, on each side. */
const OPEN = 256
const NAMED = { connections: OPEN, by: 'pan' } as const
const LINKS = [1, 4, 16] as const
/** Claimed: as many links as a network usually has. */
const CLAIMED = 4
const BUSY_PER_SECOND = 5000
const CPU_RATIO_MAX = 0.7
const P99_RATIO_MAX = 1
/** Messages of each side before anything is measured: code is compiled by how often it runs. */
const WARM = { full: 150_000, quick: 60_000 }
const WARM_SECONDS_MAX = 30
const PACE = {
  full: { seconds: 1, warmSeconds: 0.2 },
  quick: { seconds: 0.5, warmSeconds: 0.15 },
}
const BUSY_SECONDS = { full: 3, quick: 1 }

type Side = 'http' | `${(typeof LINKS)[number]} links`
type Rounds = readonly Round<Side, Sample>[]

export const ISO: Measured = {
  name: 'iso',
  seconds: { full: 190, quick: 50 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const length = options.quick ? 'quick' : 'full'
  options.log('Starting an engine with ' + CARDS + ' cards and both doors.')
  const isoPort = await freePort()
  const stand = await openEngineAlone({ cards: CARDS, isoPort })
  const generator = startGenerator()
  const parts = { stand, generator }
  const beside = (shot: Shot): Promise<Rounds> =>
    inTurns(
      {
        http: () => askEngine(parts, shot),
        '1 links': () => askEngine(parts, { ...shot, iso: { port: isoPort, links: 1 } }),
        '4 links': () => askEngine(parts, { ...shot, iso: { port: isoPort, links: 4 } }),
        '16 links': () => askEngine(parts, { ...shot, iso: { port: isoPort, links: 16 } }),
      },
      pairsOf(options),
    )
  try {
    await warmUp(parts, isoPort, WARM[length])
    options.log('At full load, ' + OPEN + ' messages open.')
    const full = await beside({ ...NAMED, rate: null, ...PACE[length] })
    options.log('At ' + BUSY_PER_SECOND + ' a second.')
    const busy = await beside({
      ...{ ...NAMED, rate: BUSY_PER_SECOND },
      ...{ seconds: BUSY_SECONDS[length], warmSeconds: PACE[length].warmSeconds },
    })
    return findingsOf(full, busy)
  } finally {
    await generator.stop()
    await stand.close()
  }
}

async function warmUp(
  { stand, generator }: EngineParts & { generator: Generator },
  isoPort: number,
  messages: number,
): Promise<void> {
  const load = { connections: OPEN, rate: null, seconds: WARM_SECONDS_MAX }
  await generator.make(stand.messages(messages, { by: 'pan' }))
  await generator.send({ ...load, port: stand.port })
  await generator.make(stand.messages(messages, { by: 'pan', iso: true }))
  await generator.send({ ...load, port: isoPort, links: CLAIMED })
}

function findingsOf(full: Rounds, busy: Rounds): Findings {
  const sides: readonly Side[] = ['http', ...LINKS.map((links): Side => `${links} links`)]
  const against = (rounds: Rounds, links: number, figure: (sample: Sample) => number): Comparison =>
    compare(rounds, [`${links} links` as Side, 'http'], figure)
  const p99 = ({ latency }: Sample): number => percentilesOf([latency]).p99
  const chart = 'Latency at ' + BUSY_PER_SECOND + ' a second'
  return {
    lines: [
      '',
      ['', 'auth/s', 'CPU µs', 'a sync', 'CPU µs at', 'p50 ms', 'p99 ms'].map(column).join(''),
      ...sides.map((side) => row(side, full, busy)),
      'The last three columns: at ' + BUSY_PER_SECOND + ' a second.',
      '',
    ],
    figures: Object.fromEntries(sides.map((side) => [side, figuresOf(side, full, busy)])),
    targets: [],
    ratios: [
      ...LINKS.map((links) =>
        ratioOf(
          against(full, links, ({ cpuUs }) => cpuUs),
          {
            sentence: 'processor time of an authorization, ' + links + ' ISO links : HTTP',
            unit: 'µs',
            bound: links === CLAIMED ? { atMost: CPU_RATIO_MAX } : null,
          },
        ),
      ),
      ratioOf(
        against(full, CLAIMED, ({ perSecond }) => perSecond),
        { sentence: 'authorizations a second, ' + CLAIMED + ' ISO links : HTTP', unit: '/s' },
      ),
      ...LINKS.map((links) =>
        ratioOf(against(busy, links, p99), {
          sentence: 'p99 at ' + BUSY_PER_SECOND + ' a second, ' + links + ' ISO links : HTTP',
          unit: 'ms',
          bound: links === CLAIMED ? { atMost: P99_RATIO_MAX } : null,
        }),
      ),
    ],
    curves: sides.map((name) => curveOf(latenciesOf(name, busy), { chart, name })),
    flaws: [
      ...new Set(
        [...full, ...busy].flatMap((round) => sides.flatMap((side) => flawsOf(side, round[side]))),
      ),
    ],
  }
}

function latenciesOf(side: Side, rounds: Rounds): string[] {
  return rounds.map((round) => round[side].latency)
}

function flawsOf(side: Side, { flaws }: Sample): string[] {
  return flaws.map((flaw) => side + ': ' + flaw)
}

function figuresOf(side: Side, full: Rounds, busy: Rounds) {
  const of = (rounds: Rounds, figure: (sample: Sample) => number): number =>
    rounded(median(rounds.map((round) => figure(round[side]))))
  const { p50, p99, p99_9 } = percentilesOf(latenciesOf(side, busy))
  return {
    per_second: Math.round(of(full, ({ perSecond }) => perSecond)),
    cpu_us: of(full, ({ cpuUs }) => cpuUs),
    entries_per_sync: of(full, ({ perSync }) => perSync ?? 0),
    sender_share: of(full, ({ senderShare }) => senderShare),
    busy_cpu_us: of(busy, ({ cpuUs }) => cpuUs),
    busy_p50_ms: p50,
    busy_p99_ms: p99,
    busy_p99_9_ms: p99_9,
  }
}

function row(side: Side, full: Rounds, busy: Rounds): string {
  const { per_second, cpu_us, entries_per_sync, busy_cpu_us, busy_p50_ms, busy_p99_ms } = figuresOf(
    side,
    full,
    busy,
  )
  return [side, per_second, cpu_us, entries_per_sync, busy_cpu_us, busy_p50_ms, busy_p99_ms]
    .map(column)
    .join('')
}
