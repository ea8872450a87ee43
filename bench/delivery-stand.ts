// The testbed for benches of delivery: a PostgreSQL, a receiver, a dispatcher, and backlogs that
// one statement writes.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../api/database/migrate.ts'
import { openPool, type Sql } from '../api/database/pool.ts'
import { startPostgres } from '../scripts/postgres.ts'
import type { Lane } from '../shared/event-catalog.ts'
import { newId } from '../shared/id.ts'
import { newMasterKeyText, parseMasterKeys, SEAL_CONTEXTS, seal } from '../shared/keyring.ts'
import { startPart } from './our-process.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Server, treeCpuUs } from './server-process.ts'

const POLL_MS = 10
const EMPTY_MS_MAX = 300_000

export interface Endpoint {
  tenantId: string
  endpointId: string
}

export interface Stand {
  sql: Sql
  databaseUrl: string
  receiver: Receiver
  /** Starts one; it ends with the stand. */
  startDispatcher(): Promise<Server>
  /** Microseconds of processor time of PostgreSQL, all its processes, since it started. */
  postgresCpuUs(): number
  /** Adds tenants, each with so many endpoints that answer as the path selects. */
  addTenants(count: number, endpointsEach: number, path: string): Promise<Endpoint[]>
  close(): Promise<void>
}

export async function openTestbed(): Promise<Stand> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    const postgres = await startPostgres({ directory: join(directory, 'postgres') })
    stops.push(() => postgres.stop())
    await migrate(postgres.url, () => {})
    const sql = openPool(postgres.url, { max: 4, applicationName: 'bench', statementTimeoutMs: 0 })
    stops.push(() => sql.end())
    const receiver = await startReceiver()
    stops.push(() => receiver.stop())
    const masterKey = newMasterKeyText()
    const startDispatcher = async (): Promise<Server> => {
      const server = await startPart('dispatcher', 0, {
        DATABASE_URL: postgres.url,
        SVC_DATA_DIR: directory,
        SVC_MASTER_KEY: masterKey,
        SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      })
      stops.push(() => server.stop())
      return server
    }
    return {
      sql,
      databaseUrl: postgres.url,
      receiver,
      startDispatcher,
      postgresCpuUs: () => treeCpuUs(postgres.pid),
      addTenants: (count, each, path) =>
        addTenants(sql, { count, each, urls: receiver.urls.map((url) => url + path), masterKey }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function addTenants(
  sql: Sql,
  wanted: { count: number; each: number; urls: readonly string[]; masterKey: string },
): Promise<Endpoint[]> {
  const { count, each, urls, masterKey } = wanted
  const keys = parseMasterKeys(masterKey, false)
  if (!keys.ok) throw new Error(keys.error)
  const now = Date.now()
  const tenantIds = Array.from({ length: count }, () => newId('ten', now))
  const endpoints = tenantIds.flatMap((tenantId) =>
    Array.from({ length: each }, () => ({ tenantId, endpointId: newId('we', now) })),
  )
  const secret = (): string => 'whsec_' + randomBytes(32).toString('base64')
  await sql`
    insert into tenants (id, name, api_version, created_at)
    select id, 'A tenant', '2026-11-20', ${now}::bigint from unnest(${tenantIds}::text[]) id`
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, created_at)
    select id, tenant_id, 'sandbox', url || '/' || id, ${now}::bigint
    from unnest(
      ${endpoints.map(({ endpointId }) => endpointId)}::text[],
      ${endpoints.map(({ tenantId }) => tenantId)}::text[],
      ${endpoints.map((_, at) => urls[at % urls.length] ?? '')}::text[]
    ) e (id, tenant_id, url)`
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    select * from unnest(
      ${endpoints.map(() => newId('whs', now))}::text[],
      ${endpoints.map(({ endpointId }) => endpointId)}::text[],
      ${endpoints.map(() => 0)}::smallint[],
      ${endpoints.map(() => seal(keys.value, SEAL_CONTEXTS.webhookSecret, secret()))}::text[],
      ${endpoints.map(() => now)}::bigint[]
    )`
  return endpoints
}

export interface Backlog {
  endpoints: readonly Endpoint[]
  /** Events of all endpoints together; they take turns. */
  count: number
  lane?: Lane
}

/** Ids that no other backlog has. */
let backlogs = 0

/** Events that wait to be fanned out: in the outbox, or aimed by a recovery at the endpoint. */
export async function addEvents(
  sql: Sql,
  { endpoints, count, lane = 0, recovered = false }: Backlog & { recovered?: boolean },
): Promise<void> {
  await sql`
    with ${eventRows(sql, endpoints, count)}
    insert into event_outbox (event_id, tenant_id, environment, lane, seq, only_endpoint, recovery_id)
    select id, tenant_id, environment, ${lane}, seq,
      case when ${recovered} then endpoint_id end, case when ${recovered} then 'rcv_bench' end
    from made join numbered using (id)`
}

/** Deliveries that are due, one event each. */
export async function addDeliveries(
  sql: Sql,
  { endpoints, count, lane = 0 }: Backlog,
): Promise<void> {
  await sql`
    with ${eventRows(sql, endpoints, count)}
    insert into open_deliveries (
      id, event_id, endpoint_id, tenant_id, environment, type, lane, epoch, due_at, created_at
    )
    select replace(id, 'evt_', 'dlv_'), id, endpoint_id, tenant_id, environment, type, ${lane}, 1,
      ${Date.now()}::bigint, created_at
    from made join numbered using (id)`
}

/** About the size of a card's event. */
const BODY = Buffer.from(
  JSON.stringify({ type: 'card.activated', data: { card: 'x'.repeat(700) } }),
)

function eventRows(sql: Sql, endpoints: readonly Endpoint[], count: number) {
  const run = (backlogs++).toString().padStart(4, '0')
  return sql`
    numbered as materialized (
      select id_floor('evt', ${Date.now()}::bigint) || ${run}::text || lpad(n::text, 12, '0') as id, n as seq,
        tenants[1 + n % cardinality(tenants)] as tenant_id,
        endpoints[1 + n % cardinality(endpoints)] as endpoint_id
      from generate_series(1, ${count}::integer) n, (values (
        ${endpoints.map(({ tenantId }) => tenantId)}::text[],
        ${endpoints.map(({ endpointId }) => endpointId)}::text[]
      )) as of (tenants, endpoints)
    ),
    made as (
      insert into events (id, tenant_id, environment, seq, type, api_version, resource_id, created_at, body)
      select id, tenant_id, 'sandbox', seq, 'card.activated', '2026-11-20', 'card_' || seq,
        ${Date.now()}::bigint, ${BODY}
      from numbered returning id, environment, type, created_at
    )`
}

/** Resolves when nothing waits any more. */
export async function untilSent(sql: Sql): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const [row] = await sql<{ open: boolean }[]>`
      select exists (select from event_outbox) or exists (select from open_deliveries) as open`
    if (row?.open !== true) return
    if (performance.now() - startedAt > EMPTY_MS_MAX) throw new Error('the backlog does not end')
    await pause(POLL_MS)
  }
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}
