// Decision state at start: the latest snapshot, then every later journal entry through the same
// code as live.
import type { Clock } from '../shared/clock.ts'
import { CLOCK_STEP_MS_MAX } from '../shared/limits.ts'
import type { Result } from '../shared/result.ts'
import { UnknownFormat } from '../shared/unknown-format.ts'
import { decodeEntry, encodeEntry } from '../shared/wire/journal-entry.ts'
import type { EngineLog } from './journal/decision-log.ts'
import { readLatestSnapshot } from './journal/snapshot-file.ts'
import { type DecisionState, emptyState, step, windowMismatch } from './state/decision-state.ts'
import { stateFromChunks } from './state/snapshot.ts'

export interface RecoveredState {
  state: DecisionState
  /** Last sequence in the snapshot; 0 without one. */
  snapshotSeq: number
}

/**
 * Returns a refusal with a sentence if a newer version wrote the files, if snapshot and journal do
 * not meet, or if windows and holds differ.
 */
export function recoverState(
  directory: string,
  journal: EngineLog,
): Result<RecoveredState, string> {
  try {
    const recovered = recover(directory, journal)
    if (recovered.ok) return recovered
    return { ok: false, error: causeOf(recovered.error, directory, journal) }
  } catch (error) {
    if (error instanceof UnknownFormat) {
      const what = directory + ' holds ' + error.message
      return { ok: false, error: what + ': start the version that wrote it.' }
    }
    // A failed assertion may mean that a newer version gave the entries another meaning.
    if (!hasNewerEntries(journal)) throw error
    return { ok: false, error: causeOf(String(error), directory, journal) }
  }
}

/** `recoverState`, refused also where a newer version gave the last decision another moment. */
export function recoverInTime(
  parts: { config: { journalDir: string }; clock: Clock },
  journal: EngineLog,
): Result<RecoveredState, string> {
  const recovered = recoverState(parts.config.journalDir, journal)
  if (!recovered.ok) return recovered
  const misread = misreadTime(parts, recovered.value.state, journal)
  return misread === null ? recovered : { ok: false, error: misread }
}

/**
 * A last decision in the future that a newer version wrote may mean something else: the clock is
 * not to blame. Null where the clock is to be judged as it is.
 */
function misreadTime(
  { config, clock }: { config: { journalDir: string }; clock: Clock },
  state: DecisionState,
  journal: EngineLog,
): string | null {
  if (state.latestMs <= clock.nowMs() + CLOCK_STEP_MS_MAX) return null
  const sentence = 'The clock is more than a minute behind the last decision.'
  const cause = causeOf(sentence, config.journalDir, journal)
  return cause === sentence ? null : cause
}

/**
 * Returns why a journal is refused: the sentence, or its cause. Entries of a newer version may have
 * fields that this version drops, and then have another meaning.
 */
function causeOf(sentence: string, directory: string, journal: EngineLog): string {
  if (!hasNewerEntries(journal)) return sentence
  return (
    directory +
    ' holds journal entries of a newer version, with fields that this one does not know: start the version that wrote them.' +
    ' Read without those fields: ' +
    sentence
  )
}

function hasNewerEntries(journal: EngineLog): boolean {
  let newer = false
  if (journal.oldestSeq === 0) return false
  journal.replay(journal.oldestSeq, (_, bytes) => {
    newer ||= bytes.length > encodeEntry(decodeEntry(bytes)).length
  })
  return newer
}

function recover(directory: string, journal: EngineLog): Result<RecoveredState, string> {
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
