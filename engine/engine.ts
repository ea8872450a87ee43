// Builds the engine: journal, state, config cache, tenants, authorization line, two listeners.
// Everything is built here and passed down; no other file constructs.

import type { Clock } from '../shared/clock.ts'
import type { Machine } from '../shared/clock-anchor.ts'
import type { ConnectionSlots } from '../shared/connection-slots.ts'
import { encodeId, newIdBytes } from '../shared/id.ts'
import { type MasterKeys, unsealer } from '../shared/keyring.ts'
import { CLOCK_STEP_MS_MAX } from '../shared/limits.ts'
import type { Logger } from '../shared/log.ts'
import { observeProcess } from '../shared/process-metrics.ts'
import type { Result } from '../shared/result.ts'
import type { AttachAnswer, AttachRequest } from '../shared/wire/control.ts'
import { type AuthorizationLine, openAuthorizationLine } from './authorize.ts'
import { ClockGuard } from './clock-guard.ts'
import type { EngineConfig } from './config.ts'
import { openConfigCache } from './config-cache/config-cache.ts'
import { checkDatabaseMatch, journalState } from './control/check-database-match.ts'
import { type Control, openControl } from './control/control.ts'
import { decide } from './control/decide.ts'
import { evaluate } from './control/evaluate.ts'
import { endHolds, startHoldExpiry } from './expire-holds.ts'
import type { EngineLog } from './journal/decision-log.ts'
import { openSegmentLog } from './journal/open-segment-log.ts'
import { openSecrets } from './keys.ts'
import type { Line } from './line/line.ts'
import { openHttpListener } from './listeners/http.ts'
import { Metrics } from './metrics.ts'
import { openIso } from './open-iso.ts'
import { Readiness } from './readiness.ts'
import { causeOf, recoverState } from './recover-state.ts'
import { type Snapshots, snapshotRoom, startSnapshots } from './snapshots.ts'
import type { DecisionState } from './state/decision-state.ts'
import { statusOf } from './status.ts'
import { stopEngine } from './stop-engine.ts'
import { Breakers } from './tenant/breaker.ts'
import { openTenantCaller, type TenantCallPool } from './tenant/call-pool.ts'

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
    clock,
    log,
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
  const wires: Recovered['wires'] = { line: null, control: null, snapshots: null }
  const segmentBytes = config.settings.SVC_JOURNAL_SEGMENT_BYTES
  let recoveredState: DecisionState | null = null
  const opened = await openSegmentLog({
    directory: config.journalDir,
    segmentBytes,
    clock: parts.clock,
    reserveBytes: () => snapshotRoom(recoveredState, segmentBytes),
    ...(parts.takesOver ? { heldMsMax: TAKE_OVER_MS_MAX } : {}),
    events: {
      onSynced(seq) {
        wires.line?.synced(seq)
        wires.control?.wake()
        wires.snapshots?.synced(seq)
      },
      onFailed: parts.onFatal,
    },
  })
  if ('refused' in opened) return { ok: false, error: opened.refused }
  const journal = opened.log
  const recovered = recoverState(config.journalDir, journal)
  if (!recovered.ok) {
    await journal.close()
    return recovered
  }
  const { state, snapshotSeq } = recovered.value
  recoveredState = state
  const misread = misreadTime(parts, state, journal)
  if (misread !== null) {
    await journal.close()
    return { ok: false, error: misread }
  }
  log.info(
    { journal_id: journal.journalId, seq: state.seq, holds: state.transactions.openHolds },
    'decision state recovered',
  )
  return assemble(parts, { journal, state, snapshotSeq, keys, tenants, wires })
}

/**
 * A last decision in the future that a newer version wrote may mean something else: the clock is
 * not to blame.
 */
function misreadTime(
  { config, clock }: EngineParts,
  state: DecisionState,
  journal: EngineLog,
): string | null {
  if (state.latestMs <= clock.nowMs() + CLOCK_STEP_MS_MAX) return null
  const sentence = 'The clock is more than a minute behind the last decision.'
  const cause = causeOf(sentence, config.journalDir, journal)
  return cause === sentence ? null : cause
}

interface Recovered {
  journal: EngineLog
  state: DecisionState
  snapshotSeq: number
  keys: MasterKeys
  tenants: TenantCallPool
  wires: { line: AuthorizationLine | null; control: Control | null; snapshots: Snapshots | null }
}

async function assemble(parts: EngineParts, recovered: Recovered): Promise<Result<Engine, string>> {
  const { config, log } = parts
  const { journal, state, tenants, wires } = recovered
  const { settings } = config
  const guard = new ClockGuard({
    ...parts,
    dataDir: settings.SVC_DATA_DIR,
    decidedMs: () => state.latestMs,
  })
  const { clock } = guard
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
  const readiness = new Readiness({ journal, configCache, secrets, guard })
  const metrics = new Metrics()
  const processLines = observeProcess()
  const breakers = new Breakers()
  const line: Line = {
    clock,
    budgetMs: settings.SVC_AUTH_BUDGET_MS,
    build: parts.build,
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
  const authorization = openAuthorizationLine(line)
  wires.line = authorization
  wires.snapshots = startSnapshots({
    directory: config.journalDir,
    journal,
    clock,
    takenSeq: recovered.snapshotSeq,
    everyEntries: settings.SVC_SNAPSHOT_ENTRIES,
    log,
    onTaken: () => trim(),
  })
  let drainedSeq = 0
  const trim = (): void => {
    const { takenSeq = 0, coveredSeq = 0 } = wires.snapshots ?? {}
    // Chosen: without room to write, one snapshot suffices; answering is worth more than a second
    // one.
    journal.trim(Math.min(drainedSeq, journal.writable ? coveredSeq : takenSeq))
    if (!journal.writable && drainedSeq > takenSeq) wires.snapshots?.makeRoom()
  }

  const otherPorts: ConnectionSlots[] = []
  const listener = await openHttpListener({
    host: settings.SVC_ENGINE_HOST,
    port: settings.SVC_ENGINE_PORT,
    clock,
    log,
    tls: config.tls,
    allowed: settings.SVC_ENGINE_ALLOW_CIDRS,
    nowMs: () => clock.nowMs(),
    authorize: (raw) => authorization.authorize(raw),
    authorized: () => journal.writeNow(),
    failed: (error) => parts.onFatal(String(error)),
    unready: () => readiness.reason(),
    metrics: () =>
      metrics.text({
        configLagMs: configCache.lagMs() ?? 0,
        journalSyncs: journal.syncs,
        journalSeq: journal.syncedSeq,
        drainedSeq,
        open: authorization.open,
        breakersOpen: breakers.open,
        breakerOpenings: breakers.openings,
        ready: readiness.reason() === null,
        holds: state.transactions.openHolds,
        meters: state.meters.size,
        recalled: state.recall.size,
        clockAheadMs: guard.aheadMs,
        process: processLines(),
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
    status: () => statusOf(journal, configCache, readiness, drainedSeq),
    evaluate: (request) => evaluate(line, request),
    decide: (message) => decide(line, authorization, message),
    endHolds: (holds) => endHolds(expiring, holds),
    databaseSays: (nowMs) => guard.databaseSays(nowMs),
    acceptClock: (name) => guard.accept(name),
    breakerOf: (endpointId) => breakers.reportOf(endpointId, clock.monotonicNs() / 1e6),
    attach: (request) => attach(request, journal, readiness, wires.control?.attachedTo ?? null),
    onDrained(seq) {
      drainedSeq = Math.max(drainedSeq, seq)
      trim()
    },
  })
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

async function attach(
  request: AttachRequest,
  journal: EngineLog,
  readiness: Readiness,
  attachedTo: string | null,
): Promise<AttachAnswer> {
  const answer = checkDatabaseMatch(request, journalState(journal, attachedTo))
  readiness.refused = answer.attached ? null : answer.refused
  if (answer.attached) await journal.markAttached()
  return answer
}
