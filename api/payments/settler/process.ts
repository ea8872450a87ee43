// The settler process: a line per configured chain, each led by one process at a time.
import { AssertionFailure } from '../../../shared/assert.ts'
import { type Clock, sleep, systemClock } from '../../../shared/clock.ts'
import { createLog, type Logger, logProcessErrors } from '../../../shared/log.ts'
import { warnOfOldNode } from '../../../shared/node-release.ts'
import { onceToldToStop, signalReady } from '../../../shared/parent.ts'
import { AwaitedMigrations } from '../../database/awaited-migrations.ts'
import { ClockWatch, compareAtStart, keepComparing } from '../../database/clock-watch.ts'
import { openPool, poolSize, type Sql } from '../../database/pool.ts'
import { databaseUnavailable } from '../../database/unavailable.ts'
import { type OutsideCaller, openOutsideCaller } from '../../http/outside-caller.ts'
import { Chain } from '../chain/chain.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import { createJsonRpc } from '../chain/json-rpc.ts'
import { readSettlerConfig, type SettlerConfig } from './config.ts'
import { takeLead } from './lead.ts'
import { LeadLost, type Line, PACES } from './line.ts'
import { type LineCounts, newCounts, openSettlerMetrics } from './metrics.ts'
import { newRoundState, runRound } from './round.ts'
import { ensureWallet, openSigner } from './wallet.ts'
import { beginEpoch } from './wallet-store.ts'

const CONNECTIONS_MAX = 4
const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 16_000_000
const START_AGAIN_MS = 250
const BACK_OFF_MS = 1000
/** Exit code after an error that nothing caught. */
const EXIT_UNCAUGHT = 1

interface World {
  config: SettlerConfig
  sql: Sql
  caller: OutsideCaller
  clock: Clock
  log: Logger
  watch: ClockWatch
  signal: AbortSignal
}

/** Runs the settler until it is told to stop; sets the exit code where it cannot start. */
export async function main(): Promise<void> {
  const config = readSettlerConfig()
  if (!config.ok) {
    for (const problem of config.error) process.stderr.write(problem + '\n')
    process.exitCode = 1
    return
  }
  const log = createLog({ name: 'settler', level: config.value.logLevel })
  logProcessErrors(log, EXIT_UNCAUGHT)
  warnOfOldNode(log)
  for (const sentence of config.value.misspelt) log.warn(sentence)
  try {
    await runSettler(config.value, log)
  } catch (error) {
    log.fatal({ err: error }, 'the settler cannot go on')
    process.exit(EXIT_UNCAUGHT)
  }
}

async function runSettler(config: SettlerConfig, log: Logger): Promise<never> {
  const clock = systemClock
  const stopped = new AbortController()
  onceToldToStop(() => {
    log.info('settler stopping')
    stopped.abort()
  })
  const max = poolSize(CONNECTIONS_MAX, config.connectionsMax)
  const sql = openPool(config.databaseUrl, { max, applicationName: 'svc-settler' })
  const bounds = { callMsMax: CALL_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
  const caller = openOutsideCaller({ clock, ...bounds })
  const watch = new ClockWatch({ clock, log, dataDir: config.dataDir })
  const world: World = { config, sql, caller, clock, log, watch, signal: stopped.signal }
  const lines = config.chains.map((chain) => ({ chain, counts: newCounts(chain.chainId) }))
  if (config.metrics !== null) {
    const opened = await openSettlerMetrics(
      config.metrics,
      lines.map(({ counts }) => counts),
      watch,
    )
    if (!opened.ok) throw new Error(opened.error)
  }
  if (await untilMigrated(world)) {
    await compareAtStart(watch, sql)
    void keepComparing(watch, sql, stopped.signal)
    for (const { chain } of lines) await ensureWallet(sql, chain, config)
    signalReady()
    await Promise.all(lines.map(({ chain, counts }) => keepSettling(world, chain, counts)))
  }
  await caller.close()
  await sql.end({ timeout: 1 })
  log.info('settler stopped')
  process.exit(0)
}

/** False when stopped during the wait for a database that is away or older than this version. */
async function untilMigrated({ sql, clock, log, signal }: World): Promise<boolean> {
  const migrations = new AwaitedMigrations({ sql, clock, log })
  while (!signal.aborted) {
    const missing = await migrations.missing().catch((error: unknown) => {
      if (!databaseUnavailable(error)) throw error
      return 'everything'
    })
    if (missing === null) return true
    await sleep(START_AGAIN_MS, signal)
  }
  return false
}

/** Leads the chain whenever no other process does. */
async function keepSettling(world: World, chain: ChainConfig, counts: LineCounts): Promise<void> {
  const { log, signal, config } = world
  while (!signal.aborted) {
    // The lock ends with this connection.
    const one = { max: 1, applicationName: 'svc-settler-lead' }
    const lead = openPool(config.databaseUrl, one)
    try {
      if (await takeLead(lead, chain.chainId, signal)) await settle(world, chain, counts)
    } catch (error) {
      if (error instanceof AssertionFailure) throw error
      const fields = { err: error, chain_id: chain.chainId }
      if (error instanceof LeadLost) log.warn(fields, 'another settler leads the chain')
      else if (databaseUnavailable(error)) log.warn(fields, 'database away, trying again')
      else log.error(fields, 'settling failed, trying again')
      await sleep(BACK_OFF_MS, signal)
    } finally {
      counts.leads = false
      await lead.end({ timeout: 1 })
    }
  }
}

async function settle(world: World, config: ChainConfig, counts: LineCounts): Promise<void> {
  const { sql, caller, clock, log, watch, signal } = world
  const wallet = await ensureWallet(sql, config, world.config)
  const signer = openSigner(wallet, config, { unseal: world.config.unseal, caller })
  const rpcs = config.rpcUrls.map((url) => createJsonRpc(url, caller))
  const pace = PACES[config.environment]
  const epoch = await beginEpoch(sql, config.chainId)
  const chain = new Chain(rpcs, config)
  const line: Line = { sql, chain, config, signer, pace, clock, log, counts, epoch }
  counts.leads = true
  log.info({ chain_id: config.chainId, sponsor: signer.address }, 'settling')
  const state = newRoundState()
  while (!signal.aborted) {
    // Batches close, and refused ones fail, by the clock.
    if (watch.agrees) await runRound(line, state)
    await sleep(pace.roundMs, signal)
  }
}
