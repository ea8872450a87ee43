// What a page of card transactions costs by how many there are, at the beginning of the list and deep in it: a tenant for each
// number, all in one database, asked in turns at a rate that nobody's limit minds.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeCursor } from '../../api/database/cursor.ts'
import { migrate } from '../../api/database/migrate.ts'
import { openPool } from '../../api/database/pool.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { column } from '../figures.ts'
import { flawsOf, type Generator, type Sent, startGenerator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import { newDirectory } from '../machine.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from '../pairs.ts'
import { freePort, type Server, startServer } from '../server-process.ts'
import { type ManyTransactions, seedTransactions } from './transaction-rows.ts'

const SIZES = { full: [1000, 10_000, 100_000, 1_000_000], quick: [1000, 10_000, 100_000] } as const
const LIMIT = 25
/** A tenant may read a thousand a minute, and two thousand at once. */
const RATE_PER_S = 40
const PACE = {
  full: { seconds: 4, warmSeconds: 1 },
  quick: { seconds: 2, warmSeconds: 0.5 },
}
const WARM_S = 20
const GROWTH_MAX = 1.3

export async function measureLists(options: BenchOptions): Promise<Findings> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  try {
    const postgres = await startPostgres({ directory: join(directory, 'postgres') })
    stops.push(() => postgres.stop())
    await migrate(postgres.url, () => undefined)
    const sql = openPool(postgres.url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
    const tenants: ManyTransactions[] = []
    for (const rows of options.quick ? SIZES.quick : SIZES.full) {
      options.log('Writing ' + rows.toLocaleString('en') + ' card transactions.')
      tenants.push(await seedTransactions(sql, rows))
    }
    await sql`vacuum analyze card_transactions, card_transaction_messages`.simple()
    await sql.end()
    const server = await startApi(directory, postgres.url)
    stops.push(() => server.stop())
    const generator = startGenerator()
    stops.push(() => generator.stop())
    return await ask({ tenants, server, generator }, options)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function startApi(directory: string, databaseUrl: string): Promise<Server> {
  const port = await freePort()
  return startServer({
    name: 'api',
    file: fileURLToPath(new URL('../../api/main.ts', import.meta.url)),
    logFile: join(directory, 'api.log'),
    port,
    environment: {
      DATABASE_URL: databaseUrl,
      SVC_DATA_DIR: directory,
      SVC_API_PORT: String(port),
    },
  })
}

interface Parts {
  tenants: readonly ManyTransactions[]
  server: Server
  generator: Generator
}

async function ask(
  { tenants, server, generator }: Parts,
  options: BenchOptions,
): Promise<Findings> {
  const pace = options.quick ? PACE.quick : PACE.full
  const load = { port: server.port, connections: 4, rate: RATE_PER_S }
  const sides = Object.fromEntries(
    tenants.flatMap((tenant) =>
      (['first', 'deep'] as const).map((place) => [
        nameOf(tenant.rows, place),
        async (): Promise<Sent> => {
          await generator.make({ kind: 'whole', requests: [requestOf(tenant, place)] })
          return generator.send({ ...load, ...pace, repeats: true })
        },
      ]),
    ),
  )
  options.log('Compiling.')
  const requests = tenants.flatMap((tenant) => [
    requestOf(tenant, 'first'),
    requestOf(tenant, 'deep'),
  ])
  await generator.make({ kind: 'whole', requests })
  await generator.send({ ...load, seconds: WARM_S, repeats: true })
  options.log('Asking for pages in turns.')
  return findingsOf(tenants, await inTurns(sides, pairsOf(options)))
}

type Place = 'first' | 'deep'

function nameOf(rows: number, place: Place): string {
  return place + ' page of ' + rows.toLocaleString('en')
}

/** Deep: with nine tenths of the list behind it. */
function requestOf({ rows, key }: ManyTransactions, place: Place): string {
  const deep = encodeCursor('card_transactions', Math.ceil(rows / 10))
  const query = 'limit=' + LIMIT + (place === 'deep' ? '&starting_after=' + deep : '')
  const path = '/v1/card_transactions?' + query
  return 'GET ' + path + ' HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' + key + '\r\n\r\n'
}

function findingsOf(
  tenants: readonly ManyTransactions[],
  rounds: readonly Round<string, Sent>[],
): Findings {
  const p50 = ({ latency }: Sent): number => percentilesOf([latency]).p50
  const told = (rows: number, place: Place): number => {
    const name = nameOf(rows, place)
    return compare(rounds, [name, name], p50).ours
  }
  const sizes = tenants.map(({ rows }) => rows)
  const [least, most] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const ratio = (ours: string, theirs: string) =>
    ratioOf(compare(rounds, [ours, theirs], p50), {
      sentence: 'median of the ' + ours + ' : ' + theirs,
      unit: 'ms',
      bound: { atMost: GROWTH_MAX },
    })
  const points = (place: Place) => sizes.map((rows) => [rows, told(rows, place)] as const)
  return {
    lines: [
      '',
      ['card transactions', 'first page ms', 'deep page ms'].map(column).join(''),
      ...sizes.map((rows) =>
        [rows.toLocaleString('en'), told(rows, 'first'), told(rows, 'deep')].map(column).join(''),
      ),
      '',
    ],
    figures: Object.fromEntries(
      sizes.map((rows) => [
        rows + ' rows',
        { first_p50_ms: told(rows, 'first'), deep_p50_ms: told(rows, 'deep') },
      ]),
    ),
    targets: [],
    flaws: [
      ...new Set(
        rounds.flatMap((round) =>
          Object.entries(round).flatMap(([name, sent]) => flawsOf(name, sent)),
        ),
      ),
    ],
    ratios: [
      ratio(nameOf(most, 'first'), nameOf(least, 'first')),
      ratio(nameOf(most, 'deep'), nameOf(most, 'first')),
    ],
    series: [
      {
        chart: 'A page of 25 card transactions by how many there are',
        x: 'rows',
        y: 'median, ms',
        logX: true,
        lines: [
          { name: 'first page', points: points('first') },
          { name: 'deep page', points: points('deep') },
        ],
      },
    ],
  }
}
