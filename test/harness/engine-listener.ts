// An engine's control socket with a real config cache behind it and a journal whose disk the test
// plays: everything the api's link talks to, without the network port.
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigCache, openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { checkDatabaseMatch } from '../../engine/control/check-database-match.ts'
import { type Control, openControl } from '../../engine/control/control.ts'
import {
  type SimulatedDisk,
  SimulatedLog,
  simulatedDisk,
} from '../../engine/journal/simulated-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import type { Teardown } from './postgres.ts'

export const silentLog = createLog({ name: 'test', level: 'silent' })

export interface EngineListener {
  socketPath: string
  control: Control
  configCache: ConfigCache
  journal: SimulatedLog
  disk: SimulatedDisk
  /** Sequence up to which the api reported entries as stored in PostgreSQL. */
  drainedSeq: number
  /** Appends and syncs. */
  write(...entries: readonly Buffer[]): void
  /** Stops without notice, and starts again on the same files. */
  restart(): Promise<EngineListener>
}

export async function openEngineListener(
  t: Teardown,
  more: { disk?: SimulatedDisk; directory?: string } = {},
): Promise<EngineListener> {
  const directory = more.directory ?? (await mkdtemp(join(tmpdir(), 'svc-door-')))
  const disk = more.disk ?? simulatedDisk('journal-a')
  const journal = new SimulatedLog({
    disk,
    clock: systemClock,
    events: { onSynced: () => listener.control.wake(), onFailed: raise },
  })
  const configCache = openConfigCache({
    directory: join(directory, 'facts'),
    clock: systemClock,
    log: silentLog,
    onFailed: raise,
  })
  const socketPath = join(directory, 'engine.sock')
  const control = await openControl({
    socketPath,
    clock: systemClock,
    log: silentLog,
    configCache,
    journal,
    status: () => ({
      ready: configCache.cursor !== null,
      reason: null,
      journal_id: journal.journalId,
      epoch: journal.epoch,
      synced_seq: journal.syncedSeq,
      drained_seq: listener.drainedSeq,
      attached: listener.control.attachedTo !== null,
      database_id: configCache.databaseId,
      facts_cursor: configCache.cursor,
      member_id: null,
    }),
    evaluate: () => ({ status: 503, error: 'this door decides nothing' }),
    decide: async () => ({ status: 503, error: 'this door decides nothing' }),
    breakerOf: () => ({ state: 'closed', for_ms: null, opened_count: 0 }),
    endHolds: () => 0,
    databaseSays: () => undefined,
    acceptClock: async () => ({ ok: true, value: null }),
    attach: checkDatabaseMatch,
    onDrained(seq) {
      listener.drainedSeq = seq
    },
    onAttached(seq) {
      listener.drainedSeq = seq
    },
  })
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await control.close()
    await configCache.close()
  }
  const listener: EngineListener = {
    socketPath,
    control,
    configCache,
    journal,
    disk,
    drainedSeq: 0,
    write(...entries) {
      for (const entry of entries) journal.append(entry)
      journal.sync()
    },
    async restart() {
      await close()
      return openEngineListener(t, { disk: journal.crash(), directory })
    },
  }
  t.teardown(async () => {
    await close()
    rmSync(directory, { recursive: true, force: true })
  })
  return listener
}

function raise(reason: string): never {
  throw new Error(reason)
}
