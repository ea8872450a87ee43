// The decision log of an engine: the segments of its directory, and around them the replicated log
// where the engine is a member of a shard on several machines.
import type { Clock } from '../shared/clock.ts'
import type { MasterKeys } from '../shared/keyring.ts'
import type { Logger } from '../shared/log.ts'
import type { Result } from '../shared/result.ts'
import type { EngineConfig } from './config.ts'
import type { EngineLog } from './journal/decision-log.ts'
import { openSegmentLog, type SegmentLogOptions } from './journal/open-segment-log.ts'
import type { ReplicatedLogEvents } from './journal/replicated-log.ts'
import type { Joined } from './member/join.ts'

export interface OpenLogOptions extends Pick<SegmentLogOptions, 'reserveBytes' | 'heldMsMax'> {
  masterKeys: MasterKeys
  events: ReplicatedLogEvents
}

export interface OpenedLog {
  journal: EngineLog
  /** Null on one machine. */
  joined: Joined | null
}

/** Opens the log, or returns a sentence about why it cannot. */
export async function openLog(
  { config, clock, log }: { config: EngineConfig; clock: Clock; log: Logger },
  { masterKeys, events, ...waiting }: OpenLogOptions,
): Promise<Result<OpenedLog, string>> {
  const { journalDir, member } = config
  const segmentBytes = config.settings.SVC_JOURNAL_SEGMENT_BYTES
  const segments = { ...waiting, directory: journalDir, segmentBytes, clock }
  if (member === null) {
    const opened = await openSegmentLog({ ...segments, events })
    if ('refused' in opened) return { ok: false, error: opened.refused }
    return { ok: true, value: { journal: opened.log, joined: null } }
  }
  // One machine loads neither gRPC nor etcd's messages.
  const { joinShard } = await import('./member/join.ts')
  const joined = await joinShard({
    member,
    clock,
    log,
    journalDir,
    segmentBytes,
    masterKeys,
    events,
    openLocal: (local, journalId) => openSegmentLog({ ...segments, journalId, events: local }),
  })
  if (!joined.ok) return joined
  return { ok: true, value: { journal: joined.value.journal, joined: joined.value } }
}
