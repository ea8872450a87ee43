// Finds the part of a journal that can be decided again: everything from its first entry on, or
// from the oldest snapshot behind which every entry is still kept.

import type { RecordedEntry } from '../../engine/decision-replay/decision-replay.ts'
import { replayEntries } from '../../engine/journal/replay.ts'
import { listSnapshots, readSnapshot } from '../../engine/journal/snapshot-file.ts'
import { type DecisionState, emptyState } from '../../engine/state/decision-state.ts'
import { stateFromChunks } from '../../engine/state/snapshot.ts'
import type { Result } from '../../shared/result.ts'
import type { JournalView } from '../journal/read-journal.ts'

export interface KeptJournal {
  /** Before the first entry. */
  state: DecisionState
  entries: readonly RecordedEntry[]
}

/** In memory, all of it. */
export function keptJournal(view: JournalView): Result<KeptJournal, string> {
  const { segments } = view.recovery
  const state = stateBefore(view, segments[0].firstSeq)
  if (state === null)
    return { ok: false, error: 'No whole snapshot meets the entries that are still kept.' }
  const entries: RecordedEntry[] = []
  const replay = replayEntries(segments, view.journal, {
    fromSeq: state.seq + 1,
    // The bytes belong to the reader's window.
    visit: (seq, bytes) => entries.push({ seq, bytes: Buffer.from(bytes) }),
  })
  return 'refused' in replay
    ? { ok: false, error: replay.refused }
    : { ok: true, value: { state, entries } }
}

function stateBefore(view: JournalView, firstSeq: number): DecisionState | null {
  if (firstSeq <= 1) return emptyState()
  for (const { seq } of listSnapshots(view.directory).reverse()) {
    const snapshot = seq + 1 < firstSeq ? null : readSnapshot(view.directory, view.journalId, seq)
    if (snapshot !== null) return stateFromChunks(snapshot.chunks)
  }
  return null
}
