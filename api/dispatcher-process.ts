// The dispatcher process: builds the parts of the delivery loops, starts them, and drains them on a
// stop signal.
import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { sleep, systemClock } from '../shared/clock.ts'
import { newId } from '../shared/id.ts'
import { createLog, type Logger, logProcessErrors } from '../shared/log.ts'
import { warnOfOldNode } from '../shared/node-release.ts'
import { onceToldToStop, signalReady } from '../shared/parent.ts'
import { mailJob } from './access/mails/index.ts'
import { openProcessors } from './billing/processor/index.ts'
import { AwaitedMigrations } from './database/awaited-migrations.ts'
import { ClockWatch } from './database/clock-watch.ts'
import { openPool, poolSize } from './database/pool.ts'
import { databaseUnavailable } from './database/unavailable.ts'
import { type DispatcherConfig, readDispatcherConfig } from './dispatcher/config.ts'
import { dispatcherJobs } from './dispatcher/jobs.ts'
import type { MetricsAddress } from './http/metrics-port.ts'
import { createHttpProvider } from './issuing/identity/http-provider.ts'
import { type Lists, openLists } from './issuing/sanctions/lists.ts'
import type { Job, OpenJob } from './jobs/job.ts'
import { JobRunner, type JobsWorld } from './jobs/run-jobs.ts'
import { applePushJob } from './passes/wallets/apple/push/pump.ts'
import { googlePushJob } from './passes/wallets/google/pump.ts'
import { anchorJob } from './platform/audit/index.ts'
import { openedTraces } from './tracing/opened-traces.ts'
import { Dispatch } from './webhooks/delivery/dispatch.ts'
import { type MetricsListenerOptions, openMetricsListener } from './webhooks/delivery/metrics.ts'
import { rememberingUnseal } from './webhooks/delivery/open-leased.ts'
import { openSender, type Sender } from './webhooks/delivery/sender.ts'

/** Loops, batches and transactions each use one; more would wait for the same disk. */
const CONNECTIONS_MAX = 9
/** Jobs have connections of their own: a job that waits for a lock delays no delivery. */
const JOB_CONNECTIONS_MAX = 4
const DRAIN_MS_MAX = 5000
/** Chosen: charging a card takes seconds at its bank. */
const PROCESSOR_MS_MAX = 20_000
const START_AGAIN_MS = 250
/** Exit code after an error that nothing caught. */
const EXIT_UNCAUGHT = 1
const RANDOM_STEPS = 2 ** 32

async function runDispatcher(config: DispatcherConfig, log: Logger, lists: Lists): Promise<never> {
  const clock = systemClock
  const sql = openPool(config.databaseUrl, {
    max: poolSize(CONNECTIONS_MAX, config.connectionsMax),
    applicationName: 'svc-dispatcher',
    byIndex: true,
  })
  const { threads, openedRanges: opened } = config
  const sender = openSender({ threads, opened, clock, log })
  const owner = newId('dsp', clock.nowMs())
  const traces = await openedTraces(config.traces, { clock, log })
  const dispatch = new Dispatch({
    sql,
    send: sender.send,
    unseal: rememberingUnseal(config.unseal),
    schedule: {
      delaysMs: config.retryDelaysMs,
      random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
    },
    clock,
    watch: new ClockWatch({ clock, log, dataDir: config.dataDir }),
    log,
    owner,
    ...(traces && { traces }),
  })
  const jobs = new JobRunner(clock)
  await tellMetrics(config.metrics, { sql, clock, dispatch, jobs })
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
    const world = { clock, watch: dispatch.watch, log }
    await runJobs(config, { jobs, lists, world }, stopped.signal)
    await dispatch.stop(DRAIN_MS_MAX)
  }
  await sender.close()
  await traces?.close()
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
  at: MetricsAddress | null,
  parts: Omit<MetricsListenerOptions, 'at'>,
): Promise<void> {
  if (at === null) return
  const listener = await openMetricsListener({ ...parts, at })
  if (!listener.ok) throw new Error(listener.error)
}

/** Runs every job until the signal, then closes what they use. */
async function runJobs(
  config: DispatcherConfig,
  parts: { jobs: JobRunner; lists: Lists; world: Omit<JobsWorld, 'sql'> },
  signal: AbortSignal,
): Promise<void> {
  const { jobs, lists, world } = parts
  const { clock } = world
  const sql = openPool(config.databaseUrl, {
    max: poolSize(JOB_CONNECTIONS_MAX, config.connectionsMax),
    applicationName: 'svc-jobs',
    byIndex: true,
  })
  const { identity: account, retentionMs, publicUrl, seal } = config
  const { identityRetentionMs, unmatchedRetentionMs } = config
  const identity = account === null ? null : createHttpProvider({ ...account, clock })
  const processors = openProcessors(config.processor, { clock, callMsMax: PROCESSOR_MS_MAX })
  const opened = openJobs(config, { sql, clock, publicUrl })
  const table = [
    ...dispatcherJobs({
      ...{ identity, lists, publicUrl, processors, seal },
      ...{ retentionMs, identityRetentionMs, unmatchedRetentionMs },
    }),
    ...opened.map(({ job }) => job),
  ].map((job) => connected(job, config))
  await jobs.run(
    table.map(({ job }) => job),
    { ...world, sql },
    signal,
  )
  const closed = [...opened, ...table].map(({ close }) => close())
  await Promise.all([identity?.close(), processors.close(), ...closed])
  await sql.end({ timeout: 1 })
}

/** The job on connections of its own, if it has any. */
function connected(job: Job, { databaseUrl, connectionsMax }: DispatcherConfig): OpenJob {
  if (job.connections === undefined) return { job, close: () => undefined }
  const sql = openPool(databaseUrl, {
    max: poolSize(job.connections, connectionsMax),
    applicationName: 'svc-job-' + job.name.replaceAll('_', '-'),
    byIndex: true,
  })
  const own: Job = { ...job, run: (run) => job.run({ ...run, sql }) }
  return { job: own, close: () => sql.end({ timeout: 1 }) }
}

/** The configured wallets are notified, mail is sent, heads of the audit logs are anchored. */
function openJobs(
  { push, google, smtp, anchors, unseal }: DispatcherConfig,
  world: Parameters<typeof googlePushJob>[1],
): OpenJob[] {
  return [
    ...(push === null ? [] : [applePushJob(push, world)]),
    ...(google === null ? [] : [googlePushJob(google, world)]),
    ...(smtp === null ? [] : [mailJob(smtp, unseal)]),
    ...(anchors === null ? [] : [anchorJob(anchors, world.clock)]),
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
  warnOfOldNode(log)
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
