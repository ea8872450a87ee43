// Builds the engine: journal, state, config cache, tenants, authorization line, two listeners.
// Everything is built here and passed down; no other file constructs.
import type { Clock } from '../shared/clock.ts'
import type { Machine } from '../shared/clock-anchor.ts'
import type { ConnectionSlots } from '../shared/connection-slots.ts'
import { encodeId, newIdBytes } from '../shared/id.ts'
import { type MasterKeys, unsealer } from '../shared/keyring.ts'
import type { Logger } from '../shared/log.ts'
import { observeProcess } from '../shared/process-metrics.ts'
import type { Result } from '../shared/result.ts'
import { attach } from './attach.ts'
import { openAuthorizationLine } from './authorize.ts'
import { ClockGuard } from './clock-guard.ts'
import type { EngineConfig } from './config.ts'
import { openConfigCache } from './config-cache/config-cache.ts'
import { type Control, openControl } from './control/control.ts'
import { decide } from './control/decide.ts'
import { evaluate } from './control/evaluate.ts'
import { DatabaseTimeline } from './database-timeline.ts'
import { endHolds, startHoldExpiry } from './expire-holds.ts'
import type { EngineLog } from './journal/decision-log.ts'
import { openSecrets } from './keys.ts'
import type { Line } from './line/line.ts'
import type { RawMessage } from './line/receive.ts'
import { openHttpListener } from './listeners/http.ts'
import { LocalTrim } from './local-trim.ts'
import type { Joined } from './member/join.ts'
import { Metrics } from './metrics.ts'
import { openIso } from './open-iso.ts'
import { openLog } from './open-log.ts'
import { Readiness } from './readiness.ts'
import { recoverInTime } from './recover-state.ts'
import { snapshotRoom, startSnapshots } from './snapshots.ts'
import type { DecisionState } from './state/decision-state.ts'
import { statusOf } from './status.ts'
import { stopEngine } from './stop-engine.ts'
import { Breakers } from './tenant/breaker.ts'
import { openTenantCaller, type TenantCallPool } from './tenant/call-pool.ts'
import { hears, memberLinesOf, memberRequests, membership, type Wires } from './wires.ts'

export interface Engine {
  readonly port: number
  /** Null without an ISO 8583 port. */
  readonly isoPort: number | null
  /** Answers the open requests, writes the waiting entries, releases everything. */
  stop(): Promise<void>
}

export interface EngineParts {
  config: EngineConfig
  clock: Clock
  machine: Machine
  log: Logger
  build: string
  /**
   * Waits, with everything loaded, for the engine that holds the directory; absent: a held
   * directory is a refusal.
   */
  takesOver?: boolean
  /** A failure that only a restart mends: the engine must not answer any more. */
  onFatal(reason: string): void
  /** Another member owns the shard: the engine must not answer any more. Absent: `onFatal`. */
  onLost?(reason: string): void
}

/** Threads that sign authorization requests and send them to tenants. */
const TENANT_THREADS = 2
/** Milliseconds for which a deploy may leave the new engine waiting for the old one. */
const TAKE_OVER_MS_MAX = 10 * 60_000

/**
 * Recovers the state and opens both listeners, or returns in one sentence why it cannot. A
 * listening engine is not ready yet: it refuses every message until the config cache is complete
 * and the journal is attached.
 */
export async function openEngine(parts: EngineParts): Promise<Result<Engine, string>> {
  const { config, clock, log } = parts
  const keys = config.loadKeys()
  if (!keys.ok) return keys
  // Its threads load while the engine reads the journal.
  const tenants = openTenantCaller({
    allowCidrs: config.settings.SVC_WEBHOOK_ALLOW_CIDRS,
    threads: TENANT_THREADS,
    traceShare: config.traceShare,
    ...{ clock, log },
  })
  if (parts.takesOver) {
    await tenants.ready()
    log.info('loaded; waiting until no other process holds the journal')
  }
  const opened = await openOnJournal(parts, keys.value, tenants)
  if (!opened.ok) await tenants.close()
  return opened
}

async function openOnJournal(
  parts: EngineParts,
  keys: MasterKeys,
  tenants: TenantCallPool,
): Promise<Result<Engine, string>> {
  const { config, log } = parts
  const wires: Wires = { line: null, control: null, snapshots: null, member: null, stopping: false }
  const segmentBytes = config.settings.SVC_JOURNAL_SEGMENT_BYTES
  let recoveredState: DecisionState | null = null
  const opened = await openLog(parts, {
    masterKeys: keys,
    reserveBytes: () => snapshotRoom(recoveredState, segmentBytes),
    ...(parts.takesOver ? { heldMsMax: TAKE_OVER_MS_MAX } : {}),
    events: {
      onSynced(seq) {
        wires.line?.synced(seq)
        wires.control?.wake()
        wires.snapshots?.synced(seq)
      },
      onFailed: parts.onFatal,
      onLost(reason) {
        if (!wires.stopping) (parts.onLost ?? parts.onFatal)(reason)
      },
    },
  })
  if (!opened.ok) return opened
  const { journal, joined } = opened.value
  const refuse = async (error: string): Promise<Result<Engine, string>> => {
    await journal.close()
    await joined?.store.close()
    return { ok: false, error }
  }
  const recovered = recoverInTime(parts, journal)
  if (!recovered.ok) return refuse(recovered.error)
  const { state, snapshotSeq } = recovered.value
  recoveredState = state
  log.info(
    { journal_id: journal.journalId, seq: state.seq, holds: state.transactions.openHolds },
    'decision state recovered',
  )
  return assemble(parts, { journal, joined, state, snapshotSeq, keys, tenants, wires })
}

interface Recovered {
  journal: EngineLog
  /** Null on one machine. */
  joined: Joined | null
  state: DecisionState
  snapshotSeq: number
  keys: MasterKeys
  tenants: TenantCallPool
  wires: Wires
}

async function assemble(parts: EngineParts, recovered: Recovered): Promise<Result<Engine, string>> {
  const { config, log } = parts
  const { journal, joined, state, tenants, wires } = recovered
  const { settings } = config
  const guard = new ClockGuard({
    ...parts,
    dataDir: config.shardDir,
    decidedMs: () => state.latestMs,
  })
  const later = joined?.newClock(guard.clock) ?? null
  const clock = later ?? guard.clock
  const configCache = openConfigCache({
    directory: config.configCacheDir,
    clock,
    log,
    onFailed: parts.onFatal,
  })
  const unseal = unsealer(recovered.keys, config.reloadKeys)
  const secrets = openSecrets({ configCache, log, unseal })
  // A thread that still loads would look like a silent tenant.
  await tenants.ready()
  const readiness = new Readiness({
    journal,
    configCache,
    secrets,
    guard,
    membership: () => (joined === null ? null : membership(wires)),
  })
  const metrics = new Metrics()
  const processLines = observeProcess()
  const breakers = new Breakers()
  const line: Line = {
    clock,
    budgetMs: settings.SVC_AUTH_BUDGET_MS,
    build: parts.build,
    shard: config.shard,
    configCache,
    secrets,
    state,
    journal,
    tenants,
    breakers,
    metrics,
    log,
    logsDecisions: log.isLevelEnabled('debug'),
    newTransactionId(now) {
      const bytes = newIdBytes(now)
      return { text: 'txn_' + encodeId(bytes), bytes }
    },
    unready: () => readiness.reason(),
    stop: parts.onFatal,
  }
  const expiring: Line = { ...line, unready: () => readiness.expiryReason() }
  const lateLine = later === null ? null : (joined?.newLine(line, later) ?? null)
  const authorization = lateLine ?? openAuthorizationLine(line)
  wires.line = authorization
  const onDisk = joined?.journal.local ?? journal
  wires.snapshots = startSnapshots({
    directory: config.journalDir,
    journal: onDisk,
    clock,
    takenSeq: recovered.snapshotSeq,
    everyEntries: settings.SVC_SNAPSHOT_ENTRIES,
    log,
    onTaken: () => local.trim(),
  })
  const local = new LocalTrim(onDisk, wires, { clock, keptMs: joined?.config.drainedKeptMs ?? 0 })
  const timeline = new DatabaseTimeline(config.shardDir)
  const otherPorts: ConnectionSlots[] = []
  const lineIn = {
    authorize: (raw: RawMessage) => authorization.authorize(raw),
    authorized: () => journal.writeNow(),
    failed: (error: unknown) => parts.onFatal(String(error)),
  }
  const listener = await openHttpListener({
    ...lineIn,
    host: settings.SVC_ENGINE_HOST,
    port: settings.SVC_ENGINE_PORT,
    clock,
    log,
    tls: config.tls,
    allowed: settings.SVC_ENGINE_ALLOW_CIDRS,
    nowMs: () => clock.nowMs(),
    unready: () => readiness.reason(),
    metrics: () =>
      metrics.text({
        configLagMs: configCache.lagMs() ?? 0,
        journalSyncs: journal.syncs,
        journalSeq: journal.syncedSeq,
        drainedSeq: local.drainedSeq,
        open: authorization.open,
        breakersOpen: breakers.open,
        breakerOpenings: breakers.openings,
        ready: readiness.reason() === null,
        holds: state.transactions.openHolds,
        meters: state.meters.size,
        recalled: state.recall.size,
        clockAheadMs: guard.aheadMs,
        process: [...processLines(), ...memberLinesOf(wires)],
      }),
    otherPorts,
  })
  if (!listener.ok) return listener
  const isoListener = await openIso(parts, line, authorization)
  if (!isoListener.ok) return isoListener
  if (isoListener.value !== null) otherPorts.push(isoListener.value.slots)
  wires.control = await openControl({
    socketPath: config.socketPath,
    clock,
    log,
    configCache,
    journal,
    status: () =>
      statusOf(journal, configCache, readiness, {
        drainedSeq: local.drainedSeq,
        memberId: joined?.memberId ?? null,
        hears: hears(wires),
      }),
    evaluate: (request) => evaluate(line, request),
    decide: (message) => decide(line, authorization, message),
    endHolds: (holds) => endHolds(expiring, holds),
    databaseSays: (nowMs) => guard.databaseSays(nowMs),
    acceptClock: (name) => guard.accept(name),
    breakerOf: (endpointId) => breakers.reportOf(endpointId, clock.monotonicNs() / 1e6),
    attach: (request) => {
      const attachedTo = wires.control?.attachedTo ?? null
      const known = { attachedTo, member: joined?.journal ?? null, timeline }
      return attach(request, journal, readiness, known)
    },
    onDrained: (seq) => local.drainedTo(seq),
    onAttached: (seq) => local.attachedAt(seq),
    ...(joined === null ? {} : memberRequests(wires)),
    ...(joined === null && config.shard !== null ? { door: { clock, ...lineIn } } : {}),
  })
  if (joined !== null) {
    const { openMember } = await import('./member/open-member.ts')
    const opened = await openMember({
      ...joined,
      clock: guard.clock,
      log,
      state,
      journalDir: config.journalDir,
      network: joined.config.address.host + ':' + listener.value.port,
      configCache,
      timeline,
      unfit: () => readiness.unfit(),
      drainedSeq: () => local.drainedSeq,
      attachedTo: () => wires.control?.attachedTo ?? null,
      onDrained: (seq) => local.drainedTo(seq),
      onOwned: () => lateLine?.takeOver(),
      onFailed: parts.onFatal,
      line: { clock: later ?? guard.clock, ...lineIn },
      control: (...request) => (wires.control as Control).answer(...request),
    })
    if (!opened.ok) return opened
    wires.member = opened.value
  }
  const holds = startHoldExpiry(expiring)
  return {
    ok: true,
    value: {
      port: listener.value.port,
      isoPort: isoListener.value?.port ?? null,
      stop: () =>
        stopEngine({
          ...parts,
          listener: listener.value,
          isoListener: isoListener.value,
          readiness,
          authorization,
          journal,
          configCache,
          wires,
          guard,
          holds,
          tenants,
        }),
    },
  }
}
