// Starts the API: REST on Postgres, and the link that sends the engine its config records and
// drains its journal.
import type { FastifyInstance } from 'fastify'
import { openAddressBook } from '../shared/address-book.ts'
import { type Clock, sleep, systemClock } from '../shared/clock.ts'
import { createLog, type Logger, logProcessErrors } from '../shared/log.ts'
import { warnOfOldNode } from '../shared/node-release.ts'
import { onceToldToStop, signalReady } from '../shared/parent.ts'
import { CREDENTIAL_CHANNEL, Credentials } from './access/credentials/credentials.ts'
import { openProcessors, type Processors } from './billing/processor/index.ts'
import type { BilledEnvironments } from './billing/require-billing.ts'
import { entitlementsJob } from './billing/subscriptions/index.ts'
import { type ApiConfig, readConfig } from './config.ts'
import { AwaitedMigrations } from './database/awaited-migrations.ts'
import { ClockWatch, compareAtStart, keepComparing } from './database/clock-watch.ts'
import { DatabaseWatchdog, databaseSpeaks } from './database/database-watchdog.ts'
import { listenTo } from './database/listener.ts'
import { openPool, poolSize } from './database/pool.ts'
import { breakerReport } from './engine-link/breaker-report.ts'
import { dryRun } from './engine-link/dry-run.ts'
import { startEngineLinks } from './engine-link/link.ts'
import { type NetworkPort, openNetworkPort } from './engine-link/network-port.ts'
import { createEnginePort, type EnginePort } from './engine-link/shard-clients.ts'
import { waitForEngine } from './engine-link/wait-for-engine.ts'
import { openApiMetrics } from './http/open-metrics.ts'
import { createServer } from './http/server.ts'
import { Feed } from './issuing/feed/index.ts'
import { type Lists, openLists } from './issuing/sanctions/lists.ts'
import { JobRunner } from './jobs/run-jobs.ts'
import { openWalletThreads } from './passes/wallets/threads.ts'
import { type ApprovalCheck, openApprovalCheck } from './payments/chain/approval-check.ts'
import { withdrawalJob } from './payments/payment-withdrawals/index.ts'
import { drainedPayments, paymentJob } from './payments/payments/index.ts'
import { openSimulatedHolder, type SimulatedHolder } from './payments/simulation/index.ts'
import type { Services } from './routes.ts'
import { openedTraces } from './tracing/opened-traces.ts'
import { runProbes } from './webhooks/endpoints/index.ts'

/** Connections to PostgreSQL for requests; the engine link has its own. */
const CONNECTIONS_MAX = 16
/** Chosen: milliseconds a log message waits for others. */
const LOG_LINGER_MS = 100
/** Exit code after an error that nothing caught. */
const EXIT_UNCAUGHT = 1
/** Chosen: a person waits for one call of the payment processor at most as long. */
const PROCESSOR_MS_MAX = 4000
/** Milliseconds between two looks for missing migrations. */
const MIGRATIONS_MS = 500
/** Milliseconds after the signal until a running part is cut off. */
const STOP_MS_MAX = 5000

/** Runs the api until it is told to stop; sets the exit code where it cannot start. */
export async function main(): Promise<void> {
  const config = readConfig()
  if (!config.ok) {
    for (const problem of config.error) process.stderr.write(problem + '\n')
    process.exitCode = 1
    return
  }
  const log = createLog({
    name: 'api',
    level: config.value.logLevel,
    lingerMs: LOG_LINGER_MS,
  })
  logProcessErrors(log, EXIT_UNCAUGHT)
  warnOfOldNode(log)
  for (const sentence of config.value.misspelt) log.warn(sentence)
  const lists = openLists(config.value.lists, (problem) => log.error(problem))
  if (!lists.ok) {
    process.stderr.write('Cardholders cannot be screened: ' + lists.error + '.\n')
    process.exitCode = 1
    return
  }
  await start(config.value, { clock: systemClock, log, lists: lists.value })
}

type Parts = Pick<
  Services,
  'sql' | 'migrations' | 'watch' | 'credentials' | 'lists' | 'clock' | 'log'
> & {
  engine: EnginePort
  networkPort: NetworkPort
  approvals: ApprovalCheck
  holder: SimulatedHolder
  processors: Processors
}

/**
 * Listens whether or not PostgreSQL and the engine are up: each part that needs them waits for
 * them.
 */
async function start(
  config: ApiConfig,
  { clock, log, lists }: { clock: Clock; log: Logger; lists: Lists },
): Promise<void> {
  const max = poolSize(CONNECTIONS_MAX, config.connectionsMax)
  const sql = openPool(config.databaseUrl, { max, applicationName: 'svc-api' })
  const migrations = new AwaitedMigrations({ sql, clock, log })
  // If PostgreSQL is down, the first request retries.
  migrations.missing().catch(() => {})
  const watch = new ClockWatch({ clock, log, dataDir: config.dataDir })
  const stopping = new AbortController()
  await compareAtStart(watch, sql)
  void keepComparing(watch, sql, stopping.signal)
  const engine = createEnginePort(config.engineSockets, clock)
  const traces = await openedTraces(config.traces, { clock, log })
  const link = linkEngines(config, { clock, watch, log, migrations, traces })
  const networkPort = openNetworkPort(config.networkPort)
  const credentials = new Credentials(sql, clock)
  const listener = hearOfCredentials(config, credentials)
  const approvals = openApprovalCheck(config.chains, clock)
  const outside = outsideParties(config, clock)
  const parts = {
    ...{ sql, migrations, watch, engine, networkPort, credentials, lists, clock, log, approvals },
    ...outside,
  }
  void runOwnJobs(billedBy(config), parts, stopping.signal)
  const server = createServer(servicesOf(config, parts))
  const stop = once(async () => {
    log.info('api stopping')
    stopping.abort()
    await within(server.close())
    server.server.closeAllConnections()
    await within(link.stop())
    if (traces !== undefined) await within(traces.close())
    await within(listener.close())
    await within(networkPort.close())
    await within(approvals.close())
    await within(outside.holder.close())
    await within(outside.processors.close())
    await within(sql.end({ timeout: 1 }))
    engine.close()
    log.info('api stopped')
    process.exit()
  })
  onceToldToStop(stop)

  const problem =
    (await openMetrics(config, { server, sql, clock, watch, jobLines: link.jobLines })) ??
    (await listen(server, config))
  if (problem === null) {
    signalReady()
    return
  }
  process.stderr.write(problem + '\n')
  process.exitCode = 1
  stop()
}

function linkEngines(
  { linkDatabaseUrl: databaseUrl, connectionsMax, linkTargets }: ApiConfig,
  parts: Omit<
    Parameters<typeof startEngineLinks>[0],
    'databaseUrl' | 'connectionsMax' | 'payments'
  >,
): ReturnType<typeof startEngineLinks> {
  const database = { databaseUrl, connectionsMax }
  return startEngineLinks({ ...parts, ...database, payments: drainedPayments }, linkTargets)
}

function billedBy({ processor: { keys } }: ApiConfig): BilledEnvironments {
  return { sandbox: keys.sandbox !== null, live: keys.live !== null }
}

/** Outside parties that requests call. */
function outsideParties(config: ApiConfig, clock: Clock) {
  return {
    holder: openSimulatedHolder(config.holderUrl, clock),
    processors: openProcessors(config.processor, { clock, callMsMax: PROCESSOR_MS_MAX }),
  }
}

/** Null, or the sentence that says why the port of the metrics cannot be had. */
async function openMetrics(
  { metrics }: ApiConfig,
  parts: Parameters<typeof openApiMetrics>[1],
): Promise<string | null> {
  if (metrics === null) return null
  const opened = await openApiMetrics(metrics, parts)
  return opened.ok ? null : opened.error
}

/**
 * Jobs that run beside the engine's client, or where the billed environments are configured: what
 * calls of payments left, and entitlements.
 */
async function runOwnJobs(
  billed: BilledEnvironments,
  { sql, migrations, watch, engine, clock, log }: Parts & { watch: ClockWatch },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await migrations.missing().catch(() => 'unknown')) !== null)
    await sleep(MIGRATIONS_MS, signal)
  const jobs = new JobRunner(clock)
  const withdrawals = withdrawalJob({ waitUntilEngineCovers: (xid) => waitForEngine(engine, xid) })
  const all = [paymentJob(engine), withdrawals, entitlementsJob(billed)]
  await jobs.run(all, { sql, clock, log, watch }, signal)
}

/** Services that a request may use. */
function servicesOf(config: ApiConfig, parts: Parts): Services {
  const { engine, networkPort, clock, approvals, ...same } = parts
  const certificates = config.apple?.certificates ?? null
  return {
    ...same,
    clock,
    feed: new Feed({ sql: same.sql, clock, log: same.log }),
    pulse: new DatabaseWatchdog({ clock, ask: () => databaseSpeaks(config.databaseUrl) }),
    waitUntilEngineCovers: (xid) => waitForEngine(engine, xid),
    decidePayment: (message) => engine.decidePayment(message),
    isApproved: approvals.isApproved,
    isReleasable: approvals.isReleasable,
    withdrawalNonce: approvals.withdrawalNonce,
    tellHolder: parts.holder.tellHolder,
    breakerReport: (endpointId) => breakerReport(engine, endpointId),
    evaluate: (request) => dryRun(engine, request),
    seal: config.seal,
    unseal: config.unseal,
    probe: (candidate) => runProbes(candidate, { clock, opened: config.openedRanges }),
    sendToNetworkPort: networkPort.send,
    openedRanges: config.openedRanges,
    findAddresses: openAddressBook({ opened: config.openedRanges, clock, nameServers: [] }).find,
    identitySecrets: config.identitySecrets,
    installation: config.installation,
    twoOperators: config.installation === 'live',
    authUrl: config.authUrl,
    signUp: config.signUp,
    sendsMail: config.sendsMail,
    publicUrl: config.publicUrl,
    docsUrl: config.docsUrl,
    panelMs: config.panelMs,
    apple: config.apple,
    google: config.google,
    chains: config.chains,
    billed: billedBy(config),
    processorSecrets: config.processorSecrets,
    walletThreads: openWalletThreads({ apple: certificates }, same.log),
    trustedProxies: config.trustedProxies,
    operatorCidrs: config.operatorCidrs,
    tls: config.tls,
  }
}

/** The credentials cache drops entries as soon as they change. */
function hearOfCredentials({ databaseUrl }: ApiConfig, credentials: Credentials) {
  return listenTo({
    databaseUrl,
    channel: CREDENTIAL_CHANNEL,
    onListening: () => credentials.listening(),
    onDeaf: () => credentials.deaf(),
    onNotify: (payload) => credentials.forget(payload),
  })
}

/** Returns null, or the sentence that says why the server cannot listen. */
async function listen(server: FastifyInstance, { host, port }: ApiConfig): Promise<string | null> {
  try {
    const listenTextResolver = (address: string): string => 'api listening on ' + address
    await server.listen({ host, port, exclusive: true, listenTextResolver })
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === undefined) throw error
    const place = host + ':' + port
    return code === 'EADDRINUSE'
      ? 'The API cannot listen on ' +
          place +
          ': the port is in use. Set SVC_API_PORT to a free one.'
      : 'The API cannot listen on ' + place + ': ' + code + '.'
  }
}

function once(task: () => Promise<void>): () => void {
  let begun = false
  return () => {
    if (begun) return
    begun = true
    void task()
  }
}

/**
 * Waits for a part to stop, but not for ever. A part that cannot stop has already failed and logged
 * it.
 */
async function within(stopped: Promise<unknown>): Promise<void> {
  await Promise.race([stopped.catch(() => {}), sleep(STOP_MS_MAX)])
}
