// An engine's private door with a real facts cache behind it and a journal whose disk the test
// plays: everything the api's link talks to, without the network port.
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Control, openControl } from '../../engine/control/control.ts'
import { judgeAttach } from '../../engine/control/judge-attach.ts'
import { type Facts, openFacts } from '../../engine/facts/facts.ts'
import {
  type SimulatedDisk,
  SimulatedLog,
  simulatedDisk,
} from '../../engine/journal/simulated-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import type { Teardown } from './postgres.ts'

export const silentLog = createLog({ name: 'test', level: 'silent' })

export interface EngineDoor {
  socketPath: string
  control: Control
  facts: Facts
  journal: SimulatedLog
  disk: SimulatedDisk
  /** What the api said is in Postgres. */
  drainedSeq: number
  /** Appends and syncs. */
  write(...entries: readonly Buffer[]): void
  /** Stops without a word, and starts again on the same files. */
  restart(): Promise<EngineDoor>
}

export async function openEngineDoor(
  t: Teardown,
  more: { disk?: SimulatedDisk; directory?: string } = {},
): Promise<EngineDoor> {
  const directory = more.directory ?? (await mkdtemp(join(tmpdir(), 'svc-door-')))
  const disk = more.disk ?? simulatedDisk('journal-a')
  const journal = new SimulatedLog({
    disk,
    clock: systemClock,
    events: { onSynced: () => door.control.wake(), onFailed: raise },
  })
  const facts = openFacts({
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
    facts,
    journal,
    status: () => ({
      ready: facts.cursor !== null,
      reason: null,
      journal_id: journal.journalId,
      epoch: journal.epoch,
      synced_seq: journal.syncedSeq,
      drained_seq: door.drainedSeq,
      attached: door.control.attachedTo !== null,
      database_id: facts.databaseId,
      facts_cursor: facts.cursor,
    }),
    evaluate: () => ({ status: 503, error: 'this door decides nothing' }),
    breakerOf: () => ({ state: 'closed', for_ms: null, opened_count: 0 }),
    endHolds: () => 0,
    databaseSays: () => undefined,
    acceptClock: async () => ({ ok: true, value: null }),
    attach: judgeAttach,
    onDrained(seq) {
      door.drainedSeq = seq
    },
  })
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await control.close()
    await facts.close()
  }
  const door: EngineDoor = {
    socketPath,
    control,
    facts,
    journal,
    disk,
    drainedSeq: 0,
    write(...entries) {
      for (const entry of entries) journal.append(entry)
      journal.sync()
    },
    async restart() {
      await close()
      return openEngineDoor(t, { disk: journal.crash(), directory })
    },
  }
  t.teardown(async () => {
    await close()
    rmSync(directory, { recursive: true, force: true })
  })
  return door
}

function raise(reason: string): never {
  throw new Error(reason)
}
