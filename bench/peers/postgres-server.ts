// PostgreSQL as a careful administrator runs it for this work on this machine, in a directory of
// its own: durable, with room in memory and in its log, reached over a socket of the machine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { startPostgres } from '../../scripts/postgres.ts'
import type { World } from './world.ts'

export interface PeerPostgres {
  /** As `openPeerPool` takes it. */
  address: string
  /** The postmaster. */
  pid: number
  stop(): Promise<void>
}

/** A decision takes 2 to 4 statements; every connection may have one running at once. */
const CONNECTIONS_MAX = 300

/** Nothing here makes a commit less than durable. */
const SETTINGS = {
  max_connections: String(CONNECTIONS_MAX),
  shared_buffers: '1GB',
  min_wal_size: '2GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  // Every statement finds its rows by their keys, whatever they are: none is planned again for its
  // values.
  plan_cache_mode: 'force_generic_plan',
}

const SCHEMA = readFileSync(new URL('authorize.sql', import.meta.url), 'utf8')
let servers = 0

/** Starts it and fills it. */
export async function startPeerPostgres(directory: string, world: World): Promise<PeerPostgres> {
  // A name in the abstract namespace: no directory both of us can reach is needed.
  const socketName = 'svc-bench-peer-' + process.pid + '-' + servers++
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    settings: { ...SETTINGS, unix_socket_directories: '@' + socketName },
  })
  const address = JSON.stringify({ url: server.url, path: socketPath(socketName, server.port) })
  try {
    await fill(address, world)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { address, pid: server.pid, stop: () => server.stop() }
}

function socketPath(name: string, port: number): string {
  return '\0' + name + '/.s.PGSQL.' + port
}

/** Address and login. */
export function loginOf(address: string): { url: string; path: string } {
  return JSON.parse(address) as { url: string; path: string }
}

/** A pool through the socket; every statement is prepared once on each connection. */
export function openPeerPool(address: string, max: number): Sql<{ bigint: number }> {
  const { url, path } = loginOf(address)
  return postgres(url, {
    path,
    max,
    prepare: true,
    fetch_types: false,
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
    onnotice: () => undefined,
  })
}

async function fill(address: string, world: World): Promise<void> {
  const sql = openPeerPool(address, 1)
  try {
    await sql.unsafe(SCHEMA)
    const { programs, cardholders, cards, policies } = world
    await sql`
      insert into programs select * from json_to_recordset(${JSON.stringify(programs)}::text::json)
        as t (id text, status text)`
    await sql`
      insert into cardholders
      select * from json_to_recordset(${JSON.stringify(cardholders)}::text::json)
        as t (id text, status text, frozen boolean)`
    await sql`
      insert into cards (
        id, program_id, cardholder_id, token, fingerprint, status, exp_month, exp_year, cvc_verifier, currency
      )
      select * from json_to_recordset(${JSON.stringify(cards)}::text::json) as t (
        id text, "programId" text, "cardholderId" text, token text, fingerprint text, status text,
        "expMonth" integer, "expYear" integer, "cvcVerifier" text, currency text
      )`
    await sql`
      insert into policies
      select "subjectId", level, "blockedMccs", "blockedCountries", per_authorization, daily, weekly, monthly, yearly, all_time
      from json_to_recordset(${JSON.stringify(policies)}::text::json) as t (
          "subjectId" text, level smallint, "blockedMccs" text[], "blockedCountries" text[], limits json
        ), json_to_record(limits) as l (
          per_authorization bigint, daily bigint, weekly bigint, monthly bigint, yearly bigint, all_time bigint
        )`
    await sql`insert into spendings (subject_id) select subject_id from policies`
    await sql.unsafe('vacuum analyze')
  } finally {
    await sql.end()
  }
}
