// The testbed for benches of the API: a PostgreSQL with all migrations, and an api over it, without
// an engine.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../api/database/migrate.ts'
import { openPool, type Sql } from '../api/database/pool.ts'
import { launchPostgres } from '../scripts/start/database.ts'
import { newDirectory } from './machine.ts'
import { startPart } from './our-process.ts'
import { freePort, type Server, treeCpuUs } from './server-process.ts'

export interface ApiTestbed {
  /** Its own, gone with `close`. */
  directory: string
  sql: Sql
  databaseUrl: string
  /** Microseconds of processor time of PostgreSQL, all its processes, since it started. */
  postgresCpuUs(): number
  /** Starts one, as `npm run api` does; it ends with the stand. */
  startApi(environment?: { readonly [name: string]: string }): Promise<Server>
  /** Adds a stop function. `close` calls the added ones first, the latest first. */
  ends(stop: () => unknown): void
  close(): Promise<void>
}

/** PostgreSQL is up and migrated, or nothing is left running. */
export async function openApiTestbed(): Promise<ApiTestbed> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    const postgres = await launchPostgres({ directory: join(directory, 'postgres') })
    stops.push(() => postgres.stop())
    await migrate(postgres.url, () => undefined)
    const sql = openPool(postgres.url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
    stops.push(() => sql.end({ timeout: 1 }))
    return {
      directory,
      sql,
      databaseUrl: postgres.url,
      postgresCpuUs: () => treeCpuUs(postgres.pid),
      async startApi(environment = {}) {
        const api = await startApi(directory, postgres.url, environment)
        stops.push(() => api.stop())
        return api
      },
      ends: (stop) => void stops.push(stop),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function startApi(
  directory: string,
  databaseUrl: string,
  environment: { readonly [name: string]: string },
): Promise<Server> {
  const port = await freePort()
  return startPart('api', port, {
    DATABASE_URL: databaseUrl,
    SVC_DATA_DIR: directory,
    SVC_API_PORT: String(port),
    ...environment,
  })
}
