// The dispatcher process: builds the parts of the delivery loops, starts them, and drains them on a
// stop signal.
import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { sleep, systemClock } from '../shared/clock.ts'
import { newId } from '../shared/id.ts'
import { createLog, type Logger, logProcessErrors } from '../shared/log.ts'
import { onceToldToStop, signalReady } from '../shared/parent.ts'
import { AwaitedMigrations } from './database/awaited-migrations.ts'
import { ClockWatch } from './database/clock-watch.ts'
import { openPool } from './database/pool.ts'
import { databaseUnavailable } from './database/unavailable.ts'
import { createHttpProvider } from './issuing/identity/http-provider.ts'
import { type Lists, openLists } from './issuing/sanctions/lists.ts'
import { type DispatcherConfig, readDispatcherConfig } from './jobs/config.ts'
import { runTimers } from './jobs/timers.ts'
import { startPushing } from './passes/wallets/apple/push/start.ts'
import { startGooglePushing } from './passes/wallets/google/pump.ts'
import type { Pushing } from './passes/wallets/rounds.ts'
import { Dispatch } from './webhooks/delivery/dispatch.ts'
import { type MetricsListenerOptions, openMetricsListener } from './webhooks/delivery/metrics.ts'
import { rememberingUnseal } from './webhooks/delivery/open-leased.ts'
import { openSender, type Sender } from './webhooks/delivery/sender.ts'

/** Loops, batches and transactions each use one; more would wait for the same disk. */
const CONNECTIONS_MAX = 9
const DRAIN_MS_MAX = 5000
const START_AGAIN_MS = 250
/** Exit code after an error that nothing caught. */
const EXIT_UNCAUGHT = 1
const RANDOM_STEPS = 2 ** 32

async function runDispatcher(config: DispatcherConfig, log: Logger, lists: Lists): Promise<never> {
  const clock = systemClock
  const sql = openPool(config.databaseUrl, {
    max: CONNECTIONS_MAX,
    applicationName: 'svc-dispatcher',
    byIndex: true,
  })
  const { threads, openedRanges: opened } = config
  const sender = openSender({ threads, opened, clock, log })
  const owner = newId('dsp', clock.nowMs())
  const dispatch = new Dispatch({
    sql,
    send: sender.send,
    unseal: rememberingUnseal(config.unseal),
    schedule: {
      delaysMs: config.retryDelaysMs,
      random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
    },
    clock,
    watch: new ClockWatch({ clock, log, anchorPath: config.clockAnchor }),
    log,
    owner,
  })
  await tellMetrics(config.port, { sql, clock, dispatch })
  const stopped = new AbortController()
  onceToldToStop(() => {
    log.info('dispatcher stopping')
    stopped.abort()
  })

  const migrations = new AwaitedMigrations({ sql, clock, log })
  const started = await startWhenPossible({ dispatch, sender, migrations, log }, stopped.signal)
  if (started) {
    log.info({ dispatcher: owner, host: hostname() }, 'delivering')
    signalReady()
    const { identity: account, unseal, retentionMs, publicUrl } = config
    const pushing = startWallets(config, { sql, clock, log, publicUrl })
    const identity = account === null ? null : createHttpProvider({ ...account, clock })
    const { watch } = dispatch
    const world = { sql, clock, watch, log, unseal, identity, lists, publicUrl, retentionMs }
    await runTimers(world, stopped.signal)
    await Promise.all([identity?.close(), ...pushing.map((wallet) => wallet.stop())])
    await dispatch.stop(DRAIN_MS_MAX)
  }
  await sender.close()
  await sql.end({ timeout: 1 })
  log.info('dispatcher stopped')
  // A name server that owes an answer would keep the process alive for seconds.
  process.exit(0)
}

/**
 * Metrics are served also during the wait for the database. Without its port the dispatcher ends:
 * no operator would notice the missing metrics.
 */
async function tellMetrics(
  port: number | null,
  parts: Omit<MetricsListenerOptions, 'port'>,
): Promise<void> {
  if (port === null) return
  const listener = await openMetricsListener({ ...parts, port })
  if (!listener.ok) throw new Error(listener.error)
}

/** The configured wallets are notified of changed passes. */
function startWallets(
  { push, google }: DispatcherConfig,
  world: Parameters<typeof startPushing>[1],
): Pushing[] {
  return [
    ...(push === null ? [] : [startPushing(push, world)]),
    ...(google === null ? [] : [startGooglePushing(google, world)]),
  ]
}

/**
 * Waits for a database that is unavailable or older than this version. Returns false when stopped
 * meanwhile.
 */
async function startWhenPossible(
  parts: { dispatch: Dispatch; sender: Sender; migrations: AwaitedMigrations; log: Logger },
  signal: AbortSignal,
): Promise<boolean> {
  const { dispatch, sender, migrations, log } = parts
  for (let refusals = 0; !signal.aborted; refusals++) {
    try {
      if ((await migrations.missing()) === null) {
        // The threads have been starting meanwhile; a thread that cannot start ends the process.
        await sender.ready()
        await dispatch.start()
        return true
      }
    } catch (error) {
      if (!databaseUnavailable(error)) throw error
      if (refusals === 0) log.warn({ err: error }, 'waiting for the database')
    }
    await sleep(START_AGAIN_MS, signal)
  }
  return false
}

/** Runs the dispatcher until it is told to stop; sets the exit code where it cannot start. */
export async function main(): Promise<void> {
  const config = readDispatcherConfig()
  if (!config.ok) {
    for (const problem of config.error) process.stderr.write(problem + '\n')
    process.exitCode = 1
    return
  }
  const log = createLog({ name: 'dispatcher', level: config.value.logLevel })
  logProcessErrors(log, EXIT_UNCAUGHT)
  for (const sentence of config.value.misspelt) log.warn(sentence)
  const lists = openLists(config.value.lists, (problem) => log.error(problem))
  if (!lists.ok) {
    process.stderr.write('Cardholders cannot be screened: ' + lists.error + '.\n')
    process.exitCode = 1
    return
  }
  try {
    await runDispatcher(config.value, log, lists.value)
  } catch (error) {
    log.fatal({ err: error }, 'the dispatcher cannot go on')
    process.exit(EXIT_UNCAUGHT)
  }
}
