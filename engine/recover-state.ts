// Decision state at start: the latest snapshot, then every journal entry behind it through the same code as live.
import type { Result } from '../shared/result.ts'
import { UnknownFormat } from '../shared/unknown-format.ts'
import { decodeEntry } from '../shared/wire/journal-entry.ts'
import type { SegmentLog } from './journal/segment-log.ts'
import { readLatestSnapshot } from './journal/snapshot-file.ts'
import { type DecisionState, emptyState, step, windowMismatch } from './state/decision-state.ts'
import { stateFromChunks } from './state/snapshot.ts'

export interface RecoveredState {
  state: DecisionState
  /** What the snapshot covered; 0 when there was none. */
  snapshotSeq: number
}

/** Refuses with a sentence where a newer version wrote them, where they do not meet, or where windows and holds differ. */
export function recoverState(
  directory: string,
  journal: SegmentLog,
): Result<RecoveredState, string> {
  try {
    return recover(directory, journal)
  } catch (error) {
    if (!(error instanceof UnknownFormat)) throw error
    return {
      ok: false,
      error: directory + ' holds ' + error.message + ': start the version that wrote it.',
    }
  }
}

function recover(directory: string, journal: SegmentLog): Result<RecoveredState, string> {
  const snapshot = readLatestSnapshot(directory, journal.journalId)
  const state = snapshot === null ? emptyState() : stateFromChunks(snapshot.chunks)
  const snapshotSeq = state.seq
  if (snapshotSeq > journal.syncedSeq) {
    return {
      ok: false,
      error:
        'The snapshot is of entry ' +
        snapshotSeq +
        ', but the journal ends at ' +
        journal.syncedSeq +
        '.',
    }
  }
  const replay = journal.replay(snapshotSeq + 1, (seq, bytes) => {
    step(state, { type: 'entry', seq, entry: decodeEntry(bytes) })
  })
  if ('refused' in replay) return { ok: false, error: replay.refused }
  const mismatch = windowMismatch(state)
  if (mismatch !== null)
    return { ok: false, error: 'The recovered state contradicts itself: ' + mismatch + '.' }
  return { ok: true, value: { state, snapshotSeq } }
}
