// The only place that opens connections to PostgreSQL. Every option of the driver is spelled out:
// its defaults recycle connections at random, wait twenty seconds before reconnecting and print
// notices.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import postgres from 'postgres'
import { assert } from '../../shared/assert.ts'
import { databaseUrls } from '../../shared/database-hosts.ts'
import { takeDatabaseTls } from '../../shared/database-tls.ts'
import { arrayTypes } from './array-types.ts'
import { ConnectionGuards } from './connection-guard.ts'
import { withDeadline } from './deadline.ts'
import { type HostAnswer, PrimaryFinder } from './primary.ts'
import { dialDatabase, failingSocket } from './socket.ts'
import { databaseSilent } from './unavailable.ts'

/** `npm ci` applies patches/ to the driver, unless it was told to run no scripts. */
const DRIVER = new URL('connection.js', import.meta.resolve('postgres'))
assert(
  readFileSync(DRIVER, 'utf8').includes('svc patch'),
  'the postgres driver lacks its patch: run npm ci without --ignore-scripts',
)

/** bigint columns arrive as safe integers. */
export type SqlTypes = { bigint: number }

/**
 * A pool: single statements run on any of its connections. Transactions go through `tx`, never
 * through `begin`.
 */
export interface Sql extends postgres.Sql<SqlTypes> {
  readonly connectionGuards: ConnectionGuards
}

/** The tag that writes statements, inside a transaction or outside: store functions take it. */
export type SqlTag = postgres.ISql<SqlTypes>

export interface PoolOptions {
  /** Maximum number of connections. */
  max: number
  /** Shown in pg_stat_activity, for example `svc-api`. */
  applicationName: string
  /** Milliseconds after which the server cancels a statement; 0: never (migrations). */
  statementTimeoutMs?: number
  /** Milliseconds after which the server gives up waiting for a lock; 0: never. */
  lockTimeoutMs?: number
  /**
   * Plans use indexes whatever the statistics say. For queue-like statements over tables that grow
   * from empty to millions: a plan made while the tables were small scans them whole, and stays.
   */
  byIndex?: boolean
  /** Called per notice; such a pool has one connection. */
  onNotify?: (channel: string, payload: string) => void
  /** Called when a connection closes, on either side. */
  onClose?: () => void
}

const STATEMENT_TIMEOUT_MS = 15_000
const LOCK_TIMEOUT_MS = 5_000
/** Milliseconds of silence beyond the statement's own timeout before the server counts as dead. */
const SILENCE_MARGIN_MS = 5_000
const CONNECT_TIMEOUT_S = 5
/**
 * Before PostgreSQL 18 a plan that must scan a table costs 1e10 more, above the threshold of the
 * compiler of expressions (`jit`, on by default): each such statement took one to three seconds.
 */
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'
const KEEP_ALIVE_S = 15
/** Milliseconds in which a host says whether it is the primary; below the driver's own limit. */
const ASK_MS_MAX = 1000
const RECONNECT_DELAY_S_MAX = 0.25

/** Connections of a pool that wants `own`, where SVC_DATABASE_CONNECTIONS allows `most`. */
export function poolSize(own: number, most: number | null): number {
  return most === null ? own : Math.min(own, most)
}

/**
 * Opens nothing yet: the first statement connects. Statements fail within milliseconds while
 * PostgreSQL is down (ECONNREFUSED) and within the silence limit when it hangs; afterwards the pool
 * heals by itself. Throws where the address names a file for TLS that cannot be read.
 */
export function openPool(url: string, options: PoolOptions): Sql {
  const { max, applicationName } = options
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const connectionGuards = new ConnectionGuards()
  const urls = databaseUrls(url)
  const address = new URL(urls[0] ?? url)
  const serverOptions = [
    '-c statement_timeout=' + statementTimeoutMs,
    '-c lock_timeout=' + (options.lockTimeoutMs ?? LOCK_TIMEOUT_MS),
    '-c idle_in_transaction_session_timeout=0',
    '-c timezone=UTC',
    '-c jit=off',
    options.byIndex === true ? BY_INDEX : '',
    address.searchParams.get('options') ?? '',
  ].join(' ')
  address.searchParams.delete('options')
  address.searchParams.delete('target_session_attrs')
  const tls = takeDatabaseTls(
    address,
    urls.map((one) => new URL(one).hostname),
  )
  if (!tls.ok) throw new Error('DATABASE_URL ' + tls.error)

  const sql = postgres<{ bigint: postgres.PostgresType<number> }>(address.href, {
    max,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: CONNECT_TIMEOUT_S,
    keep_alive: KEEP_ALIVE_S,
    backoff: (retries) => Math.min(0.01 * 2 ** retries, RECONNECT_DELAY_S_MAX),
    prepare: true,
    fetch_types: false,
    debug: false,
    types: {
      bigint: { to: 20, from: [20], serialize: String, parse: safeInteger },
      ...arrayTypes(safeInteger),
    },
    onnotice: () => {},
    onclose: (connectionId) => {
      connectionGuards.closed(connectionId)
      options.onClose?.()
    },
    connection: {
      application_name: applicationName,
      options: serverOptions,
    },
    ssl: tls.value === 'disable' ? false : tls.value,
    ...untypedOptions(tls.value !== 'disable', statementTimeoutMs, options),
    ...(urls.length > 1 ? primaryDial(urls, silenceOf(statementTimeoutMs)) : {}),
  })
  connectionGuards.watch(sql)
  return Object.assign(sql, { connectionGuards })
}

/** Options that the driver reads but its types do not name. */
function untypedOptions(
  encrypted: boolean,
  statementTimeoutMs: number,
  { onNotify }: PoolOptions,
): object {
  const pipeline = {
    // A BEGIN that the driver sends as the first statement beyond this limit crashes the process:
    // so the limit is off.
    max_pipeline: Number.MAX_SAFE_INTEGER,
    onnotify: onNotify,
  }
  // Encrypted connections keep the driver's own socket: keep-alive and statement_timeout bound
  // them.
  if (encrypted) return pipeline
  const silenceMs = silenceOf(statementTimeoutMs)
  let turn = 0
  return {
    ...pipeline,
    socket: (target: Parameters<typeof dialDatabase>[0]) => dialDatabase(target, turn++, silenceMs),
  }
}

function silenceOf(statementTimeoutMs: number): number {
  return statementTimeoutMs === 0 ? 0 : statementTimeoutMs + SILENCE_MARGIN_MS
}

/** Finders by address: the pools of a process ask together. */
const finders = new Map<string, PrimaryFinder>()

/** The driver dials no list of hosts: it stays on a standby, and may end the process. */
function primaryDial(urls: readonly string[], silenceMs: number): object {
  const finder = finders.get(urls.join()) ?? new PrimaryFinder(urls, askHost)
  finders.set(urls.join(), finder)
  return {
    async socket(): Promise<Socket> {
      const url = await finder.find()
      if (url instanceof Error) return failingSocket(url)
      const { hostname, port } = new URL(url)
      const host = hostname.replace(/^\[|\]$/g, '')
      const target = { host: [host], port: [Number(port || 5432)], path: false as const }
      const socket = dialDatabase(target, 0, silenceMs)
      finder.follow(socket, url)
      return socket
    },
  }
}

/**
 * Asks a host on a connection of its own, which is closed afterwards. A file for TLS that cannot be
 * read now leaves the host out until the next look.
 */
export async function askHost(url: string): Promise<HostAnswer> {
  let sql: Sql | null = null
  try {
    sql = openPool(url, { max: 1, applicationName: 'svc-primary' })
    const [row] = await withDeadline(
      sql<{ is_standby: boolean; timeline: number }[]>`
        select is_standby, case
          when is_standby then (
            select greatest(c.timeline_id, r.min_recovery_end_timeline)
            from pg_control_checkpoint() c, pg_control_recovery() r)
          else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
        end as timeline
        from (select pg_is_in_recovery() as is_standby) as host`,
      ASK_MS_MAX,
    )
    if (row === undefined) return 'away'
    return row.is_standby ? { standby: row.timeline } : row.timeline
  } catch (error) {
    return databaseSilent(error) ? 'silent' : 'away'
  } finally {
    void sql?.end({ timeout: 0 })
  }
}

function safeInteger(text: string): number {
  const value = Number(text)
  assert(Number.isSafeInteger(value), 'a bigint column holds ' + text + ', beyond a safe integer')
  return value
}
