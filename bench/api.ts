// The API beside a bare Fastify and SQL handler: a list, a point read, a write with its Idempotency-Key. Both are asked in
// turns over the same PostgreSQL; the sender is a third process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { migrate } from '../api/database/migrate.ts'
import { openPool } from '../api/database/pool.ts'
import { startPostgres } from '../scripts/postgres.ts'
import { type CardHolderTenant, seedCards } from './card-data.ts'
import { putUnder } from './load.ts'
import type { BenchOptions, Findings, Measured, Target } from './measured.ts'
import { freePort, type Server, startServer } from './server-process.ts'

const TENANTS = 200
const CARDS_EACH = 50
const CONNECTIONS = 32
/** Part of its own full speed at which ours is asked for the latencies; the peer at the same rate. */
const CALM = 0.5
/** A sender that is busier than this measures itself. */
const SENDER_SHARE_MAX = 0.8
const LIST_RATIO_MAX = 2
/** Microseconds of processor time that a read may take, where a process has to answer 5,000 a second. */
const READ_US_MAX = 200

/** Warm is a server whose code has been compiled: that takes thousands of requests. */
const PACE = {
  full: { pairs: 9, seconds: 3, warmSeconds: 10 },
  quick: { pairs: 3, seconds: 1, warmSeconds: 4 },
}

export const API: Measured = {
  name: 'api',
  summary: 'a list of 25, a point read and a write, beside a bare Fastify and SQL handler',
  run,
}

interface Call {
  name: string
  /** Requests of one run; `run` makes what must not repeat. */
  requests(tenants: readonly CardHolderTenant[], run: number): string[]
}

const CALLS: readonly Call[] = [
  {
    name: 'list of 25',
    requests: (tenants) => tenants.map(({ key }) => get('/v1/cards?limit=25', key)),
  },
  {
    name: 'point read',
    requests: (tenants) => tour(tenants, (key, cardId) => get('/v1/cards/' + cardId, key)),
  },
  {
    name: 'write',
    requests: (tenants, run) =>
      tour(tenants, (key, cardId) => patch(cardId, key, run + '-' + cardId)),
  },
]

/** Every card once, each tenant in turn. */
function tour(
  tenants: readonly CardHolderTenant[],
  request: (key: string, cardId: string) => string,
): string[] {
  return Array.from({ length: CARDS_EACH }, (_, at) => at).flatMap((at) =>
    tenants.map(({ key, cardIds }) => request(key, cardIds[at] ?? '')),
  )
}

function get(path: string, key: string): string {
  return 'GET ' + path + ' HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' + key + '\r\n\r\n'
}

function patch(cardId: string, key: string, idempotencyKey: string): string {
  const body = JSON.stringify({ metadata: { order: idempotencyKey } })
  const head = [
    'PATCH /v1/cards/' + cardId + ' HTTP/1.1',
    'Host: bench',
    'Authorization: Bearer ' + key,
    'Idempotency-Key: ' + idempotencyKey,
    'Content-Type: application/json',
    'Content-Length: ' + body.length,
  ]
  return head.join('\r\n') + '\r\n\r\n' + body
}

async function run(options: BenchOptions): Promise<Findings> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
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
    const measured: Measurement[] = []
    for (const call of CALLS) measured.push(await measure(call, { ours, bare, tenants, options }))
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
  p50Ms: number
  p99Ms: number
  flaws: string[]
}

interface Measurement {
  name: string
  ours: Sample
  bare: Sample
  /** Medians over the pairs, ours : bare. */
  cpuRatio: number
  rateRatio: number
  p50Ratio: number
  p99Ratio: number
  flaws: string[]
}

interface Stand {
  ours: Server
  bare: Server
  tenants: readonly CardHolderTenant[]
  options: BenchOptions
}

async function measure(call: Call, stand: Stand): Promise<Measurement> {
  const { ours, bare, options } = stand
  const pace = options.quick ? PACE.quick : PACE.full
  const ask = (server: Server, seconds: number, rate: number | null = null): Promise<Sample> =>
    sample(server, { seconds, rate, requests: call.requests(stand.tenants, runs++) })
  options.log('Measuring the ' + call.name + '.')
  for (const server of [ours, bare]) await ask(server, pace.warmSeconds)
  const full = await pairs(pace.pairs, stand, (server) => ask(server, pace.seconds))
  const rate = CALM * median(full.map(([mine]) => mine.perSecond))
  const calm = await pairs(Math.ceil(pace.pairs / 3), stand, (server) =>
    ask(server, pace.seconds, rate),
  )
  const ratio = (of: readonly Pair[], field: keyof Omit<Sample, 'flaws'>): number =>
    rounded(median(of.map(([mine, theirs]) => mine[field] / theirs[field])))
  return {
    name: call.name,
    ours: summary(full, calm, 0),
    bare: summary(full, calm, 1),
    cpuRatio: ratio(full, 'cpuUs'),
    rateRatio: ratio(full, 'perSecond'),
    p50Ratio: ratio(calm, 'p50Ms'),
    p99Ratio: ratio(calm, 'p99Ms'),
    flaws: [...full, ...calm].flat().flatMap(({ flaws }) => flaws),
  }
}

/** So that no Idempotency-Key comes twice. */
let runs = 0

type Pair = readonly [ours: Sample, bare: Sample]

/** Who is first changes from pair to pair. */
async function pairs(
  count: number,
  { ours, bare }: Stand,
  ask: (server: Server) => Promise<Sample>,
): Promise<Pair[]> {
  const done: Pair[] = []
  for (let at = 0; at < count; at++) {
    const first = await ask(at % 2 === 0 ? ours : bare)
    const second = await ask(at % 2 === 0 ? bare : ours)
    done.push(at % 2 === 0 ? [first, second] : [second, first])
  }
  return done
}

async function sample(
  server: Server,
  load: { seconds: number; rate: number | null; requests: string[] },
): Promise<Sample> {
  const cpuBefore = server.cpuUs()
  const result = await putUnder({ port: server.port, connections: CONNECTIONS, ...load })
  const cpuUs = server.cpuUs() - cpuBefore
  const { 200: good = 0, ...others } = result.answers
  const flaws = Object.entries(others).map(
    ([status, count]) => server.name + ' answered ' + status + ' ' + count + ' times',
  )
  if (load.rate === null && result.senderShare > SENDER_SHARE_MAX)
    flaws.push('the sender was busy for ' + rounded(result.senderShare) + ' of its processor')
  return {
    perSecond: good / result.seconds,
    cpuUs: cpuUs / good,
    p50Ms: result.latency.p50_ms,
    p99Ms: result.latency.p99_ms,
    flaws,
  }
}

function summary(full: readonly Pair[], calm: readonly Pair[], side: 0 | 1): Sample {
  const of = (pairs: readonly Pair[], field: keyof Omit<Sample, 'flaws'>): number =>
    rounded(median(pairs.map((pair) => pair[side][field])))
  return {
    perSecond: Math.round(of(full, 'perSecond')),
    cpuUs: of(full, 'cpuUs'),
    p50Ms: of(calm, 'p50Ms'),
    p99Ms: of(calm, 'p99Ms'),
    flaws: [],
  }
}

function findings(measured: readonly Measurement[]): Findings {
  const lines = [
    '',
    ['', 'requests/s', 'CPU µs each', 'p50 ms', 'p99 ms', ''].map(column).join(''),
    ...measured.flatMap((one) => [
      row(one.name, one.ours),
      row('  bare', one.bare),
      ['  ours : bare', one.rateRatio, one.cpuRatio, one.p50Ratio, one.p99Ratio]
        .map(column)
        .join(''),
    ]),
    '',
  ]
  return {
    lines,
    figures: Object.fromEntries(measured.map((one) => [one.name, one])),
    targets: targets(measured),
    flaws: [...new Set(measured.flatMap(({ flaws }) => flaws))],
  }
}

function targets(measured: readonly Measurement[]): Target[] {
  const named = (name: string): Measurement => {
    const found = measured.find((one) => one.name === name)
    if (found === undefined) throw new Error('not measured: ' + name)
    return found
  }
  const [list, read] = [named('list of 25'), named('point read')]
  return [
    {
      sentence: 'processor time of a list of 25 : that of a bare handler',
      ratio: list.cpuRatio,
      atMost: LIST_RATIO_MAX,
    },
    {
      sentence: 'processor time of a point read : that of one of 5,000 a second',
      ratio: rounded(read.ours.cpuUs / READ_US_MAX),
      atMost: 1,
    },
  ]
}

function row(name: string, { perSecond, cpuUs, p50Ms, p99Ms }: Sample): string {
  return [name, perSecond, cpuUs, p50Ms, p99Ms].map(column).join('')
}

function column(value: string | number, at: number): string {
  return at === 0 ? String(value).padEnd(16) : String(value).padStart(13)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
