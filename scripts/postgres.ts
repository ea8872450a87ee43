// Runs the embedded PostgreSQL: a real server on loopback, in any directory, for root and for
// ordinary users. It ends with us, also when we are killed; one that was killed itself is started
// again on the same files. Chosen: for one machine and for development, because the package links
// old libraries; production runs its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { openPool } from '../api/database/pool.ts'
import { sleep, systemClock } from '../shared/clock.ts'
import { type Account, chooseAccount } from './postgres/account.ts'
import {
  type Cluster,
  DATABASE,
  dataPathOf,
  insidePath,
  prepareCluster,
} from './postgres/cluster.ts'
import { endLeftover } from './postgres/leftover.ts'
import { findPrograms, PROGRAM_ENVIRONMENT } from './postgres/programs.ts'
import { urlOf } from './postgres/running.ts'
import { loopbackPort } from './start/ports.ts'
import { StartProblem } from './start/start-problem.ts'

export interface PostgresOptions {
  /** Everything it keeps is below this directory. */
  directory: string
  /** 0 or absent: a free one. */
  port?: number
  /** Reports slow steps. */
  log?: (text: string) => void
  /** Server settings beside or instead of SERVER_SETTINGS. */
  settings?: { readonly [name: string]: string }
}

export interface RunningPostgres {
  /** With the generated password: for processes, never for a log. */
  url: string
  port: number
  /** The postmaster. */
  pid: number
  /** Resolves when the server has ended, by `stop` or by itself. */
  exited: Promise<void>
  /** Ends every session and the server; resolves when it is gone. */
  stop(): Promise<void>
}

const START_MS_MAX = 60_000
const READY_POLL_MS = 20
const STOP_MS_MAX = 15_000
const PORT_TRIES_MAX = 5
const LOG_BYTES_MAX = 8 * 1024 * 1024
const LOG_CHECK_MS = 60_000
const LOG_LINES_SHOWN = 3

/**
 * Statements and their values stay out of the log: they may hold sealed secrets and names of
 * people.
 */
const SERVER_SETTINGS: { readonly [name: string]: string } = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // Pages that a table grew by are dirty outside of these until they are evicted, and leave at once
  // when they are too old.
  shared_buffers: '32MB',
  synchronous_commit: 'on',
  fsync: 'on',
  // The log is reused instead of made anew, and checkpoints are spread: both would stall the
  // journal beside it.
  min_wal_size: '512MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Evicted pages go to the device bit by bit. Otherwise the system writes hundreds of megabytes at
  // once when it finds them too old.
  backend_flush_after: '256kB',
  jit: 'off',
  // Worker processes for reads cost two cores more than they give.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

/**
 * Starts the server and waits until it answers. Throws StartProblem with one sentence for the
 * operator.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const account = chooseAccount(dataPathOf(options.directory))
  const native = findPrograms(account)
  if (statSync(dataPathOf(options.directory), { throwIfNoEntry: false }) === undefined) {
    options.log?.('making a PostgreSQL cluster')
  }
  const cluster = await prepareCluster(options.directory, native, account)
  await endLeftover(cluster.dataPath)
  for (let tries = 1; ; tries++) {
    const port = options.port || (await loopbackPort(null))
    const server = launch({ cluster, native, account, port, settings: options.settings ?? {} })
    const problem = await untilReady(server)
    if (problem === null) return server
    await server.stop()
    // Another program took the free port before PostgreSQL did.
    const again = !options.port && problem.includes('in use') && tries < PORT_TRIES_MAX
    if (!again) throw new StartProblem('PostgreSQL did not start on port ' + port + ': ' + problem)
  }
}

interface Launched extends RunningPostgres {
  child: ChildProcess
  /** Returns the server's log since its launch. */
  logged(): string
}

function launch(from: {
  cluster: Cluster
  native: string
  account: Account
  port: number
  settings: { readonly [name: string]: string }
}): Launched {
  const { cluster, account, port } = from
  const settings = { ...SERVER_SETTINGS, ...from.settings, port: String(port) }
  const logFile = openSync(cluster.logPath, 'a', 0o600)
  const logStart = trimmedLogBytes(cluster.logPath)
  const child = spawn(
    join(from.native, 'bin', 'postgres'),
    [
      '-D',
      insidePath(cluster.dataPath),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', name + '=' + value]),
    ],
    {
      ...account,
      cwd: cluster.dataPath,
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', logFile, logFile],
      // Its own session: Ctrl-C at the terminal is ours to handle, in order.
      detached: true,
    },
  )
  closeSync(logFile)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const pid = child.pid ?? 0
  const ended = (): boolean => pid === 0 || child.exitCode !== null || child.signalCode !== null
  const watched = ended() ? exited : stopAfterUs(pid, cluster.dataPath, account, exited)
  boundLog(cluster.logPath, exited)
  return {
    url: urlOf({ password: cluster.password, port }),
    port,
    pid,
    exited,
    child,
    stop: async () => {
      for (const name of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
        if (ended()) break
        child.kill(name)
        const waiting = new AbortController()
        await Promise.race([exited, sleep(STOP_MS_MAX, waiting.signal)])
        waiting.abort()
      }
      await endLeftover(cluster.dataPath)
      await watched
    },
    logged: () => readFileSync(cluster.logPath).subarray(logStart).toString(),
  }
}

/**
 * Starts a shell that waits for the end of a pipe, which the kernel closes when this process ends
 * in any way, and then asks the server to shut down. It looks into postmaster.pid first, because a
 * pid alone may belong to another process by then. Resolves when the shell is gone too.
 */
function stopAfterUs(
  pid: number,
  dataPath: string,
  account: Account,
  exited: Promise<void>,
): Promise<void> {
  const script = 'read -r _; read -r p < postmaster.pid && [ "$p" = "$1" ] && kill -INT "$1"'
  const watcher = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    ...account,
    cwd: dataPath,
    env: PROGRAM_ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  const pipe = watcher.stdin
  pipe.on('error', () => {})
  if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  void exited.then(() => {
    pipe.end()
    watcher.ref()
  })
  return new Promise((resolve) => {
    watcher.once('exit', () => resolve())
    watcher.once('error', () => resolve())
  })
}

/** Null when the server answers and has our database, else why it will not. */
async function untilReady(server: Launched): Promise<string | null> {
  const startedNs = systemClock.monotonicNs()
  const admin = openPool(server.url.replace(/[^/]+$/, 'postgres'), {
    max: 1,
    applicationName: 'svc-start',
  })
  let over = server.pid === 0
  void server.exited.then(() => {
    over = true
  })
  let lastProblem = 'it could not be run'
  try {
    while (!over && systemClock.monotonicNs() - startedNs < START_MS_MAX * 1e6) {
      try {
        const found = await admin`select 1 from pg_database where datname = ${DATABASE}`
        if (found.length === 0) await admin.unsafe('create database ' + DATABASE)
        return null
      } catch (error) {
        lastProblem = error instanceof Error ? error.message : String(error)
        await sleep(READY_POLL_MS)
      }
    }
  } finally {
    await admin.end({ timeout: 1 })
  }
  return lastLines(server.logged()) || lastProblem
}

function lastLines(text: string): string {
  return text
    .trim()
    .split('\n')
    .slice(-LOG_LINES_SHOWN)
    .map((line) => line.replace(/^\S+ \S+ \S+ \[\d+\] /, ''))
    .join(' ')
}

/**
 * Empties a log that has grown too large; the server appends, so it goes on from the beginning.
 * Returns its size.
 */
function trimmedLogBytes(path: string): number {
  const { size } = statSync(path)
  if (size <= LOG_BYTES_MAX) return size
  truncateSync(path)
  return 0
}

function boundLog(path: string, exited: Promise<void>): void {
  const check = (): void => {
    try {
      trimmedLogBytes(path)
    } catch {
      // The directory was removed under a running server: there is nothing to bound.
      return
    }
    timer = systemClock.after(LOG_CHECK_MS, check)
  }
  let timer = systemClock.after(LOG_CHECK_MS, check)
  void exited.then(() => timer.cancel())
}
