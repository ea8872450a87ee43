// The API beside a bare Fastify and SQL handler: a list, a point read, a write with its
// Idempotency-Key. Both are asked in turns over the same PostgreSQL; the sender is a third process.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { CALLS, CARDS_EACH, type Call } from './api-calls.ts'
import { type ApiTestbed, openApiTestbed } from './api-stand.ts'
import { type CardHolderTenant, seedCards } from './card-data.ts'
import { column, median, rounded } from './figures.ts'
import { flawsOf, type Generator, perSecond, startGenerator } from './generator.ts'
import { curveOf, percentilesOf } from './latency.ts'
import type { BenchOptions, Curve, Findings, Measured, Ratio } from './measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from './pairs.ts'
import { freePort, type Server, startServer } from './server-process.ts'

const TENANTS = 200
const CONNECTIONS = 32
/**
 * Part of its own full speed at which ours is asked for the latencies; the peer at the same rate.
 */
const CALM = 0.5
const LIST_RATIO_MAX = 2
/**
 * Microseconds of processor time that a read may take, where a process has to answer 5,000 a
 * second.
 */
const READ_US_MAX = 200

/** A server is warm once its code has been compiled, which takes thousands of requests. */
const PACE = {
  full: { seconds: 1.5, warmSeconds: 6 },
  quick: { seconds: 0.7, warmSeconds: 2 },
}

export const API: Measured = {
  name: 'api',
  seconds: { full: 160, quick: 40 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const stand = await openApiTestbed()
  try {
    options.log('Seeding ' + TENANTS + ' tenants with ' + CARDS_EACH + ' cards each.')
    const tenants = await seedCards(stand.sql, { tenants: TENANTS, cardsEach: CARDS_EACH })
    const [ours, bare] = [await stand.startApi(), await startBare(stand, tenants)]
    await requireSameAnswers(tenants, ours, bare)
    const generator = startGenerator()
    stand.ends(() => generator.stop())
    const measured: Measurement[] = []
    for (const call of CALLS)
      measured.push(await measure(call, { ours, bare, tenants, options, generator }))
    return findings(measured)
  } finally {
    await stand.close()
  }
}

async function startBare(stand: ApiTestbed, tenants: readonly CardHolderTenant[]): Promise<Server> {
  const keysFile = join(stand.directory, 'keys.json')
  writeFileSync(keysFile, JSON.stringify(tenants.map(({ key, tenantId }) => [key, tenantId])))
  const port = await freePort()
  const bare = await startServer({
    name: 'bare',
    file: fileURLToPath(new URL('peers/bare-fastify.ts', import.meta.url)),
    logFile: join(stand.directory, 'bare.log'),
    port,
    environment: {
      NODE_ENV: 'production',
      DATABASE_URL: stand.databaseUrl,
      BARE_PORT: String(port),
      BARE_KEYS: keysFile,
    },
  })
  stand.ends(() => bare.stop())
  return bare
}

/** Refuses a comparison in which the two sides answer differently: a smaller answer costs less. */
async function requireSameAnswers(
  [tenant]: readonly CardHolderTenant[],
  ours: Server,
  bare: Server,
): Promise<void> {
  if (tenant === undefined) throw new Error('no tenant')
  for (const path of ['/v1/cards?limit=25', '/v1/cards/' + tenant.cardIds[0]]) {
    const [first, second] = await Promise.all(
      [ours, bare].map(async ({ port }) => {
        const headers = { authorization: 'Bearer ' + tenant.key }
        const response = await fetch('http://127.0.0.1:' + port + path, { headers })
        return { ...((await response.json()) as object), next_cursor: null }
      }),
    )
    if (!isDeepStrictEqual(first, second)) throw new Error('the two answer differently: ' + path)
  }
}

/** One server under load, once. */
interface Sample {
  perSecond: number
  cpuUs: number
  latency: string
  flaws: readonly string[]
}

type Rounds = readonly Round<'ours' | 'bare', Sample>[]

interface Measurement {
  name: string
  /** As fast as they go. */
  full: Rounds
  /** Both at the same rate, at which ours is half busy. */
  calm: Rounds
}

interface Stand {
  ours: Server
  bare: Server
  tenants: readonly CardHolderTenant[]
  options: BenchOptions
  generator: Generator
}

async function measure(call: Call, stand: Stand): Promise<Measurement> {
  const { ours, bare, options } = stand
  const pace = options.quick ? PACE.quick : PACE.full
  const ask = (server: Server, seconds: number, rate: number | null = null): Promise<Sample> =>
    sample(stand, server, { seconds, rate, requests: call.requests(stand.tenants, runs++) })
  const both = (pairs: number, rate: number | null): Promise<Rounds> =>
    inTurns(
      {
        ours: () => ask(ours, pace.seconds, rate),
        bare: () => ask(bare, pace.seconds, rate),
      },
      pairs,
    )
  options.log('Measuring the ' + call.name + '.')
  for (const server of [ours, bare]) await ask(server, pace.warmSeconds)
  const full = await both(pairsOf(options), null)
  const rate = CALM * median(full.map((round) => round.ours.perSecond))
  const calm = await both(Math.ceil(pairsOf(options) / 3), rate)
  return { name: call.name, full, calm }
}

/** Counts runs, so no Idempotency-Key comes twice. */
let runs = 0

async function sample(
  { generator }: Stand,
  server: Server,
  load: { seconds: number; rate: number | null; requests: string[] },
): Promise<Sample> {
  const { requests, ...pace } = load
  await generator.make({ kind: 'whole', requests })
  const cpuBefore = server.cpuUs()
  const { port } = server
  const sent = await generator.send({ port, connections: CONNECTIONS, repeats: true, ...pace })
  const cpuUs = server.cpuUs() - cpuBefore
  return {
    perSecond: perSecond(sent),
    cpuUs: cpuUs / Math.max(1, sent.all),
    latency: sent.latency,
    flaws: flawsOf(server.name, sent),
  }
}

const SIDES = ['ours', 'bare'] as const
const p99 = ({ latency }: Sample): number => percentilesOf([latency]).p99
const p50 = ({ latency }: Sample): number => percentilesOf([latency]).p50

function findings(measured: readonly Measurement[]): Findings {
  const named = (name: string): Measurement => {
    const found = measured.find((one) => one.name === name)
    if (found === undefined) throw new Error('not measured: ' + name)
    return found
  }
  const read = compare(named('point read').full, SIDES, ({ cpuUs }) => cpuUs)
  return {
    lines: [
      '',
      ['', 'requests/s', 'CPU µs each', 'p50 ms', 'p99 ms'].map(column).join(''),
      ...measured.flatMap(rows),
      '',
    ],
    figures: Object.fromEntries(measured.map((one) => [one.name, figuresOf(one)])),
    targets: [
      {
        sentence: 'processor time of a point read : that of one of 5,000 a second',
        ratio: rounded(read.ours / READ_US_MAX),
        atMost: 1,
      },
    ],
    ratios: measured.flatMap(ratiosOf),
    curves: measured.flatMap(curvesOf),
    flaws: [
      ...new Set(
        measured
          .flatMap(({ full, calm }) => [...full, ...calm])
          .flatMap(({ ours, bare }) => [...ours.flaws, ...bare.flaws]),
      ),
    ],
  }
}

function ratiosOf({ name, full }: Measurement): Ratio[] {
  const cpu = compare(full, SIDES, ({ cpuUs }) => cpuUs)
  const rate = compare(full, SIDES, (sampled) => sampled.perSecond)
  const bound = name === 'list of 25' ? { atMost: LIST_RATIO_MAX } : null
  const sentence = 'processor time of a ' + name + ' : that of a bare handler'
  return [
    ratioOf(cpu, { sentence, unit: 'µs', bound }),
    ratioOf(rate, { sentence: name + ' a second : a bare handler', unit: '/s' }),
  ]
}

function curvesOf({ name, calm }: Measurement): Curve[] {
  const chart = 'Latency of a ' + name + ', half busy'
  return SIDES.map((side) =>
    curveOf(
      calm.map((round) => round[side].latency),
      { chart, name: side },
    ),
  )
}

/** A row of each side and one of their ratios. */
function rows({ name, full, calm }: Measurement): string[] {
  const compared = [
    compare(full, SIDES, (sampled) => sampled.perSecond),
    compare(full, SIDES, ({ cpuUs }) => cpuUs),
    compare(calm, SIDES, p50),
    compare(calm, SIDES, p99),
  ]
  return [
    [name, ...compared.map(({ ours }) => rounded(ours))],
    ['  bare', ...compared.map(({ theirs }) => rounded(theirs))],
    ['  ours : bare', ...compared.map(({ ratio }) => ratio)],
  ].map((cells) => cells.map(column).join(''))
}

function figuresOf({ full, calm }: Measurement) {
  const told = (side: (typeof SIDES)[number]) => ({
    per_second: Math.round(median(full.map((round) => round[side].perSecond))),
    cpu_us: rounded(median(full.map((round) => round[side].cpuUs))),
    latency_half_busy_ms: percentilesOf(calm.map((round) => round[side].latency)),
  })
  return { ours: told('ours'), bare: told('bare') }
}
