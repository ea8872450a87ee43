// The database of this start: the one of DATABASE_URL, or an embedded one that is kept running like
// everything else.
import { join } from 'node:path'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { migrate } from '../../api/database/migrate.ts'
import { MigrationRefused } from '../../api/database/migration-refused.ts'
import { openPool } from '../../api/database/pool.ts'
import { versionProblem } from '../../api/database/server-version.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { giveRights } from '../migrate/main.ts'
import { type PostgresOptions, type RunningPostgres, startPostgres } from '../postgres.ts'
import type { CleanupStack } from './cleanup-stack.ts'
import type { StartConfig } from './config.ts'
import { keepPriorityLow } from './process-priority.ts'
import type { Progress } from './progress.ts'
import { type DatabaseUrls, makeRoles, sameForAll } from './roles.ts'
import { StartProblem } from './start-problem.ts'
import { type Run, supervise } from './supervise.ts'

const POSTGRES_DIRECTORY = 'postgres'

export interface DatabaseWorld {
  config: StartConfig
  clock: Clock
  progress: Progress
  started: CleanupStack
}

/** The URL of a database that answers. */
export async function provideDatabase(world: DatabaseWorld): Promise<string> {
  const { databaseUrl } = world.config
  if (databaseUrl === null) return embeddedDatabase(world)
  await checkDatabase(databaseUrl)
  return databaseUrl
}

/**
 * Runs the embedded server as a start does: behind the engine. Throws StartProblem with one
 * sentence for the operator.
 */
export async function launchPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const server = await startPostgres(options)
  const stopKeeping = keepPriorityLow(server.pid, systemClock)
  server.exited.then(stopKeeping, stopKeeping)
  return server
}

/** Started again on the same port when it dies: the processes keep their connections' address. */
async function embeddedDatabase({
  config,
  clock,
  progress,
  started,
}: DatabaseWorld): Promise<string> {
  const directory = join(config.dataDir, POSTGRES_DIRECTORY)
  let latest: RunningPostgres | null = null
  const launch = async (): Promise<Run> => {
    const server = await launchPostgres({
      directory,
      ...(latest === null ? {} : { port: latest.port }),
      log: progress.say,
    })
    latest = server
    return {
      pid: server.pid,
      ready: Promise.resolve(),
      exited: server.exited.then(() => ({ code: null, signal: null, lastWords: null })),
      stop: () => server.stop(),
    }
  }
  const supervised = supervise({
    name: 'PostgreSQL',
    clock,
    launch,
    say: progress.say,
    logPath: join(directory, 'postgres.log'),
  })
  started.push(() => supervised.stop())
  await supervised.firstReady
  return urlOf(latest)
}

function urlOf(server: RunningPostgres | null): string {
  if (server === null) throw new StartProblem('PostgreSQL was not started')
  return server.url
}

/** Refuses with one sentence a URL that cannot be reached or does not let us in. */
async function checkDatabase(url: string): Promise<void> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-start' })
  try {
    const [row] = await sql<{ version: number }[]>`
      select current_setting('server_version_num')::int as version`
    const problem = row === undefined ? null : versionProblem(row.version)
    if (problem !== null) throw new StartProblem(problem)
  } catch (error) {
    if (error instanceof StartProblem) throw error
    throw new StartProblem(connectProblem(error, url))
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Brings the database to this version; returns its address for each process. On the embedded server
 * each is a role of its own.
 */
export async function prepareDatabase(
  { config, progress }: Pick<DatabaseWorld, 'config' | 'progress'>,
  url: string,
): Promise<DatabaseUrls> {
  if (config.databaseUrl !== null) {
    await migrateDatabase(url, progress)
    return sameForAll(url)
  }
  const urls = await makeRoles(url)
  await migrateDatabase(urls.migrate, progress)
  await giveRights(urls.migrate)
  return urls
}

async function migrateDatabase(url: string, progress: Progress): Promise<void> {
  try {
    await migrate(url, progress.say)
  } catch (error) {
    throw new StartProblem(
      error instanceof MigrationRefused ? error.message : connectProblem(error, url),
    )
  }
}
