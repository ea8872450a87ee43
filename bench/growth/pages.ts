// Measures the cost of an API request by the number of rows: a tenant for each number, all in one
// database, asked in turns at one rate. Their limits are those of a load test.
import type { Sql } from '../../api/database/pool.ts'
import { column } from '../figures.ts'
import { flawsOf, type Generator } from '../generator.ts'
import { percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, type Round, ratioOf } from '../pairs.ts'
import type { Sent } from '../sender.ts'
import type { Server } from '../server-process.ts'

const RATE_PER_S = 100
const CONNECTIONS = 4
const SECONDS = 0.8
const WARM_SECONDS = 0.1
/** Seconds before the first round: V8 compiles code by how often it runs. */
const COMPILE_S = { full: 15, quick: 4 }
const GROWTH_MAX = 1.3
const LIMIT_FACTOR = 1000

export interface SizedTenant {
  rows: number
  tenantId: string
  /** A key of scope read. */
  key: string
}

export interface PageRead<Tenant extends SizedTenant> {
  name: string
  path(tenant: Tenant): string
}

export interface Pages<Tenant extends SizedTenant> {
  /** The name of the rows that grow in number. */
  what: string
  /** From the fewest rows to the most. */
  tenants: readonly Tenant[]
  reads: readonly PageRead<Tenant>[]
  server: Server
  generator: Generator
}

/** Lets these tenants ask as often as a load test has to. */
export async function widenLimits(sql: Sql, tenantIds: readonly string[]): Promise<void> {
  await sql`
    insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    select id, 'sandbox', ${LIMIT_FACTOR}, ${Number.MAX_SAFE_INTEGER}::bigint
    from unnest(${[...tenantIds]}::text[]) as id`
}

/**
 * Measures the median of each request at each number of rows; the median with most rows may be
 * little more than with fewest.
 */
export async function askPages<Tenant extends SizedTenant>(
  pages: Pages<Tenant>,
  options: BenchOptions,
): Promise<Findings> {
  const { what, tenants, reads, server, generator } = pages
  const load = { port: server.port, connections: CONNECTIONS, rate: RATE_PER_S, repeats: true }
  const places = tenants.flatMap((tenant) => reads.map((read) => ({ tenant, read })))
  const requests = places.map(({ tenant, read }) => requestOf(read.path(tenant), tenant))
  options.log('Compiling.')
  await generator.make({ kind: 'whole', requests })
  const seconds = options.quick ? COMPILE_S.quick : COMPILE_S.full
  await generator.send({ ...load, seconds })
  options.log('Asking about ' + what + ' in turns.')
  const sides = places.map(({ tenant, read }, at) => [
    nameOf(read.name, tenant.rows),
    async (): Promise<Sent> => {
      await generator.make({ kind: 'whole', requests: [requests[at] ?? ''] })
      return generator.send({ ...load, seconds: SECONDS, warmSeconds: WARM_SECONDS })
    },
  ])
  const rounds = await inTurns<string, Sent>(Object.fromEntries(sides), pairsOf(options))
  return findingsOf(pages, rounds)
}

function requestOf(path: string, { key }: SizedTenant): string {
  return 'GET ' + path + ' HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' + key + '\r\n\r\n'
}

function nameOf(read: string, rows: number): string {
  return read + ' of ' + rows.toLocaleString('en')
}

function p50({ latency }: Sent): number {
  return percentilesOf([latency]).p50
}

function findingsOf<Tenant extends SizedTenant>(
  { what, tenants, reads }: Pages<Tenant>,
  rounds: readonly Round<string, Sent>[],
): Findings {
  const sizes = tenants.map(({ rows }) => rows)
  const [least, most] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const told = (read: string, rows: number): number => {
    const name = nameOf(read, rows)
    return compare(rounds, [name, name], p50).ours
  }
  const ratio = (read: string) =>
    ratioOf(compare(rounds, [nameOf(read, most), nameOf(read, least)], p50), {
      sentence: 'median of the ' + nameOf(read, most) + ' ' + what + ' : ' + nameOf('that', least),
      unit: 'ms',
      bound: { atMost: GROWTH_MAX },
    })
  const names = reads.map(({ name }) => name)
  return {
    lines: [
      '',
      [what, ...names.map((name) => name + ' ms')].map(wide).join(''),
      ...sizes.map((rows) =>
        [rows.toLocaleString('en'), ...names.map((name) => told(name, rows))].map(wide).join(''),
      ),
      '',
    ],
    figures: Object.fromEntries(
      names.map((name) => [
        name,
        Object.fromEntries(sizes.map((rows) => [rows + ' ' + what, told(name, rows)])),
      ]),
    ),
    targets: [],
    ratios: names.map(ratio),
    flaws: [
      ...new Set(
        rounds.flatMap((round) =>
          Object.entries(round).flatMap(([name, sent]) => flawsOf(name, sent)),
        ),
      ),
    ],
    series: [
      {
        chart: 'The API’s answer by the number of ' + what,
        x: 'rows',
        y: 'median, ms',
        logX: true,
        lines: names.map((name) => ({
          name,
          points: sizes.map((rows) => [rows, told(name, rows)] as const),
        })),
      },
    ],
  }
}

function wide(value: string | number, at: number): string {
  return at === 0 ? column(value, at) : String(value).padStart(24)
}
