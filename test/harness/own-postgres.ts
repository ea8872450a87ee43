// An API over a PostgreSQL of its own, which a test pauses by signal or stops. Both live until the
// test file ends. Its clock is the system's.
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseWatchdog, databaseSpeaks } from '../../api/database/database-watchdog.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { createServer } from '../../api/http/server.ts'
import { systemClock } from '../../shared/clock.ts'
import { type BasicApi, MASTER_KEYS, send, testServices } from './api.ts'
import { openEngineSocket } from './engine-socket.ts'
import { startMigratedPostgres } from './migrated-postgres.ts'
import { file, perFile } from './per-file.ts'

export interface OwnPostgresApi extends Omit<BasicApi, 'tenant'> {
  /** URL of the database, with password. */
  databaseUrl: string
  /** A pool of the test, to read what the connections of the API left behind. */
  sql: Sql
  /** Connections stay open and silent. */
  pause(): void
  resume(): void
  /** Connections close, and new ones are refused. */
  stop(): Promise<void>
  restart(): Promise<void>
}

/** Nobody moves this clock. */
export const SYSTEM_TIME: BasicApi['clock'] = {
  get nowMs() {
    return systemClock.nowMs()
  },
  set nowMs(_other) {},
}

/** One API and one PostgreSQL for the test file. */
export const openOnOwnPostgres = perFile(start)

async function start(): Promise<OwnPostgresApi> {
  let postgres = await startMigratedPostgres(file)
  const { url: databaseUrl } = postgres
  const sql = openPool(databaseUrl, { max: 2, applicationName: 'svc-test' })
  const own = openPool(databaseUrl, { max: 4, applicationName: 'svc-api' })
  const engine = await openEngineSocket()
  const client = createEngineClient({ socketPath: engine.path, clock: systemClock })
  const ask = (): Promise<boolean> => databaseSpeaks(databaseUrl)
  const server = createServer({
    ...testServices({
      ...{ sql: own, client, masterKeys: MASTER_KEYS, clock: systemClock },
      billed: { sandbox: true, live: false },
    }),
    pulse: new DatabaseWatchdog({ clock: systemClock, ask }),
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  let paused: number[] = []
  const resume = (): void => {
    for (const pid of paused) process.kill(pid, 'SIGCONT')
    paused = []
  }
  file.teardown(async () => {
    resume()
    server.server.closeAllConnections()
    await server.close()
    client.close()
    await engine.close()
    for (const pool of [own, sql]) await pool.end({ timeout: 1 })
  })
  return {
    url,
    databaseUrl,
    sql,
    clock: SYSTEM_TIME,
    call: (method, path, call = {}) => send(url + path, method, call),
    pause() {
      // The children stop first: PostgreSQL starts no replacement for a stopped child.
      paused = [...childrenOf(postgres.pid), postgres.pid]
      for (const pid of paused) process.kill(pid, 'SIGSTOP')
    },
    resume,
    stop: () => postgres.stop(),
    async restart() {
      postgres = await postgres.restart()
    },
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number)
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync('/proc/' + pid + '/stat', 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
