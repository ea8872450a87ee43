// Decides whether this database may take the journal: both sides must have seen the same history,
// or an operator decides by name.
import type { AttachAnswer, AttachRequest } from '../../shared/wire/control.ts'
import type { DecisionLog } from '../journal/decision-log.ts'

export interface JournalState {
  journalId: string
  /** Last entry on disk; 0 when none. */
  syncedSeq: number
  /** The first entry that can still be read; 1 before any segment was recycled. */
  firstSeq: number
  /** The database this run of the engine is attached to, or null. */
  attachedTo: string | null
}

/** The log's own view of the journal. */
export function journalState(log: DecisionLog, attachedTo: string | null): JournalState {
  const { journalId, syncedSeq, lastSeq, oldestSeq } = log
  return { journalId, syncedSeq, firstSeq: oldestSeq === 0 ? lastSeq + 1 : oldestSeq, attachedTo }
}

/**
 * Attaches if PostgreSQL knows this journal at a point that is still kept, or knows none and every
 * entry is still kept. Any other attachment would lose decisions or count them twice: the engine
 * stays not ready.
 */
export function checkDatabaseMatch(request: AttachRequest, state: JournalState): AttachAnswer {
  const { journal } = request
  const { journalId, syncedSeq, firstSeq } = state
  if (journal === null) {
    if (state.attachedTo !== null && state.attachedTo !== request.database_id)
      return refused(
        'The database has never taken a journal, and this engine already gives its own to another database. ' +
          'Stop the api that is connected to the wrong one.',
      )
    if (firstSeq > 1)
      return refused(
        `The database has never taken a journal, and journal ${journalId} is kept only from entry ${firstSeq} on. ` +
          wayOut(journalId),
      )
    return { attached: true }
  }
  if (journal.journal_id !== journalId)
    return refused(
      `The database has taken journal ${journal.journal_id} up to entry ${journal.seq}, but this engine writes ` +
        `journal ${journalId}. ` +
        wayOut(journal.journal_id),
    )
  if (journal.seq > syncedSeq)
    return refused(
      `The database has journal ${journalId} up to entry ${journal.seq}, but this engine's copy ends at ` +
        `${syncedSeq}: decisions that were answered are missing here. ` +
        wayOut(journalId),
    )
  if (journal.seq + 1 < firstSeq)
    return refused(
      `The database has journal ${journalId} up to entry ${journal.seq}, but this engine keeps it only from entry ` +
        `${firstSeq} on: it is an older copy of the database. ` +
        wayOut(journalId),
    )
  return { attached: true }
}

function wayOut(journalId: string): string {
  return (
    'Bring back the matching journal directory or database, or accept the loss by name: ' +
    `npm run journal -- accept-loss ${journalId}`
  )
}

function refused(sentence: string): AttachAnswer {
  return { attached: false, refused: sentence }
}
