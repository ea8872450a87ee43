// The engine's status report on its private socket.
import type { ControlStatus } from '../shared/wire/control.ts'
import type { ConfigCache } from './config-cache/config-cache.ts'
import type { EngineLog } from './journal/decision-log.ts'
import type { Readiness } from './readiness.ts'

/**
 * Returns whether the engine decides, its durable and drained sequences, and the source of its
 * config records.
 */
export function statusOf(
  journal: EngineLog,
  configCache: ConfigCache,
  readiness: Readiness,
  { drainedSeq, memberId, hears }: { drainedSeq: number; memberId: string | null; hears: boolean },
): ControlStatus {
  const reason = readiness.reason()
  return {
    ready: reason === null,
    reason,
    journal_id: journal.journalId,
    epoch: journal.epoch,
    synced_seq: journal.syncedSeq,
    drained_seq: drainedSeq,
    attached: journal.attached,
    database_id: configCache.databaseId,
    facts_cursor: configCache.cursor,
    member_id: memberId,
    hears,
  }
}
