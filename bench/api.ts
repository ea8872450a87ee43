// The API beside a bare Fastify and SQL handler: a list, a point read, a write with its Idempotency-Key. Both are asked in
// turns over the same PostgreSQL; the sender is a third process.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { migrate } from '../api/database/migrate.ts'
import { openPool } from '../api/database/pool.ts'
import { startPostgres } from '../scripts/postgres.ts'
import { CALLS, CARDS_EACH, type Call } from './api-calls.ts'
import { type CardHolderTenant, seedCards } from './card-data.ts'
import { column, median, rounded } from './figures.ts'
import { flawsOf, type Generator, perSecond, startGenerator } from './generator.ts'
import { curveOf, percentilesOf } from './latency.ts'
import { newDirectory } from './machine.ts'
import type { BenchOptions, Curve, Findings, Measured, Ratio } from './measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from './pairs.ts'
import { freePort, type Server, startServer } from './server-process.ts'

const TENANTS = 200
const CONNECTIONS = 32
/** Part of its own full speed at which ours is asked for the latencies; the peer at the same rate. */
const CALM = 0.5
const LIST_RATIO_MAX = 2
/** Microseconds of processor time that a read may take, where a process has to answer 5,000 a second. */
const READ_US_MAX = 200

/** Warm is a server whose code has been compiled: that takes thousands of requests. */
const PACE = {
  full: { seconds: 1.5, warmSeconds: 6 },
  quick: { seconds: 0.7, warmSeconds: 2 },
}

export const API: Measured = {
  name: 'api',
  summary: 'a list of 25, a point read and a write, beside a bare Fastify and SQL handler',
  seconds: { full: 160, quick: 40 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const directory = newDirectory()
  const stops: (() => Promise<unknown>)[] = []
  try {
    options.log('Seeding ' + TENANTS + ' tenants with ' + CARDS_EACH + ' cards each.')
    const postgres = await startPostgres({ directory: join(directory, 'postgres') })
    stops.push(() => postgres.stop())
    await migrate(postgres.url, () => {})
    const sql = openPool(postgres.url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
    const tenants = await seedCards(sql, { tenants: TENANTS, cardsEach: CARDS_EACH })
    await sql.end()
    const [ours, bare] = await startBoth(directory, postgres.url, tenants)
    stops.push(
      () => ours.stop(),
      () => bare.stop(),
    )
    await requireSameAnswers(tenants, ours, bare)
    const generator = startGenerator()
    stops.push(() => generator.stop())
    const stand = { ours, bare, tenants, options, generator }
    const measured: Measurement[] = []
    for (const call of CALLS) measured.push(await measure(call, stand))
    return findings(measured)
  } finally {
    for (const stop of stops.reverse()) await stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function startBoth(
  directory: string,
  databaseUrl: string,
  tenants: readonly CardHolderTenant[],
): Promise<[ours: Server, bare: Server]> {
  const keysFile = join(directory, 'keys.json')
  writeFileSync(keysFile, JSON.stringify(tenants.map(({ key, tenantId }) => [key, tenantId])))
  const [port, barePort] = [await freePort(), await freePort()]
  const ours = await startServer({
    name: 'ours',
    file: fileURLToPath(new URL('../api/main.ts', import.meta.url)),
    logFile: join(directory, 'api.log'),
    port,
    environment: {
      DATABASE_URL: databaseUrl,
      SVC_DATA_DIR: directory,
      SVC_API_PORT: String(port),
    },
    nodeOptions: profiled(),
  })
  const bare = await startServer({
    name: 'bare',
    file: fileURLToPath(new URL('peers/bare-fastify.ts', import.meta.url)),
    logFile: join(directory, 'bare.log'),
    port: barePort,
    environment: {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      BARE_PORT: String(barePort),
      BARE_KEYS: keysFile,
    },
  })
  return [ours, bare]
}

/** BENCH_PROFILE names a directory for the API's profile. */
function profiled(): string[] {
  const directory = process.env['BENCH_PROFILE']
  return directory === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir=' + directory]
}

/** Who answers less than the other has an easy time. */
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

/** So that no Idempotency-Key comes twice. */
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
