// A real PostgreSQL for a test: a migrated database of its own on the shared server, or a whole
// server to kill.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrations } from '../../api/database/migrate.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { sleep } from '../../shared/clock.ts'
import { randomSecret } from '../../shared/id.ts'
import { COMPILED } from './compiled.ts'

/** The part of tap's `t` that this file uses. */
export interface Teardown {
  teardown(task: () => unknown): unknown
}

export interface TestDatabase {
  /** URL with password. */
  url: string
  /** A pool of five connections; closed at teardown. */
  sql: Sql
}

const TEMPLATE = 'svc_template'
const KEEPER = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))
const KEEPER_TRIES_MAX = 600
const KEEPER_POLL_MS = 100
const DATABASE_CONNECTIONS = 5
/** A third of the time of the default, which writes each page of the copy to the log as well. */
const COPIED = ' strategy file_copy'

/**
 * A freshly migrated database that nobody else uses, dropped at teardown. Teardowns added later run
 * earlier.
 */
export function openTestDatabase(t: Teardown): Promise<TestDatabase> {
  return openDatabase(t, TEMPLATE)
}

/** An empty database, otherwise the same. */
export function openUnmigratedDatabase(t: Teardown): Promise<TestDatabase> {
  return openDatabase(t, 'template1')
}

async function openDatabase(t: Teardown, template: string): Promise<TestDatabase> {
  const server = await useServer()
  const name = 'test_' + createHash('sha256').update(randomSecret(16)).digest('hex').slice(0, 16)
  await asAdmin(server.url, 'create database ' + name + ' template ' + template + COPIED)
  const url = server.url.replace(/[^/]+$/, name)
  const sql = openPool(url, { max: DATABASE_CONNECTIONS, applicationName: 'svc-test' })
  t.teardown(async () => {
    await sql.end({ timeout: 1 })
    await asAdmin(server.url, 'drop database ' + name + ' with (force)')
    server.release()
  })
  return { url, sql }
}

export interface TestPostgres extends RunningPostgres {
  directory: string
  /** Starts it again on the same files and port after a kill or a stop. */
  restart(): Promise<TestPostgres>
}

/**
 * A server of this test alone, durable as in production, without tables unless `prepare` puts files
 * into its directory; stopped and removed at teardown.
 */
export async function startTestPostgres(
  t: Teardown,
  prepare?: (directory: string) => Promise<void>,
): Promise<TestPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-postgres-'))
  await prepare?.(directory)
  let current: RunningPostgres | null = null
  const start = async (port: number): Promise<TestPostgres> => {
    const running = await startPostgres({ directory, port })
    current = running
    return { ...running, directory, restart: () => start(running.port) }
  }
  t.teardown(async () => {
    await current?.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  return start(0)
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const admin = openPool(url, { max: 1, applicationName: 'svc-test', statementTimeoutMs: 60_000 })
  try {
    await admin.unsafe(statement)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

interface Server {
  url: string
  /** The server ends when the last process releases it. */
  release(): void
}

/**
 * Connects to the keeper of this checkout and these migrations, starting one where there is none.
 */
async function useServer(): Promise<Server> {
  const parts = [KEEPER, process.getuid?.(), ...readMigrations().map((file) => file.sha256)]
  const name =
    'svc-test-postgres-' + createHash('sha256').update(parts.join()).digest('hex').slice(0, 16)
  for (let tries = 0; tries < KEEPER_TRIES_MAX; tries++) {
    const server = await askKeeper('\0' + name)
    if (server !== null) return server
    if (tries % 20 === 0) spawnKeeper(name)
    await sleep(KEEPER_POLL_MS)
  }
  throw new Error('the PostgreSQL for tests did not start')
}

function spawnKeeper(name: string): void {
  spawn(process.execPath, [KEEPER, name], {
    detached: true,
    stdio: 'ignore',
    // Tap's variables are for the files it runs, not for a process that outlives them.
    env: { ...COMPILED, PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', TMPDIR: tmpdir() },
  }).unref()
}

/** Null when no keeper listens, or the one that did is leaving. */
function askKeeper(socketName: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketName)
    let text = ''
    socket.on('error', () => resolve(null))
    socket.on('close', () => resolve(null))
    socket.on('data', (bytes) => {
      text += bytes.toString()
      if (!text.endsWith('\n')) return
      const answer = JSON.parse(text) as { url?: string; error?: string }
      if (answer.url === undefined) {
        reject(new Error('the PostgreSQL for tests does not start: ' + answer.error))
        return
      }
      // The test is what keeps this process alive, not its connection to the keeper.
      socket.unref()
      resolve({ url: answer.url, release: () => socket.destroy() })
    })
  })
}
