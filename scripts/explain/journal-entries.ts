// The journal entries of one transaction, found in the files beside a running engine: messages,
// expiries, late replies.
import { join } from 'node:path'
import { replayEntries } from '../../engine/journal/replay.ts'
import type { Result } from '../../shared/result.ts'
import { decodeEntry, type JournalEntry as Entry } from '../../shared/wire/journal-entry.ts'
import { readJournal } from '../journal/read-journal.ts'

const FOUND_MAX = 100

export interface JournalEntry {
  seq: number
  kind: string
  /**
   * Place in the transaction; for a late reply the place of its authorization request, null if the
   * entry does not name it.
   */
  sequence: number | null
  bytes: number
  /** With its sequence, this identifies an entry among all journals. */
  journal_id: string
}

/**
 * Returns the entries still in the journal (drained ones are recycled in time), or why the journal
 * cannot be read here.
 */
export async function findJournalEntries(
  dataDir: string,
  transactionId: string,
): Promise<Result<JournalEntry[], string>> {
  const view = await readJournal(join(dataDir, 'journal'))
  if (!view.ok) return view
  const { journal, journalId, recovery } = view.value
  const found: JournalEntry[] = []
  const visit = (seq: number, bytes: Buffer): void => {
    if (found.length === FOUND_MAX || !bytes.includes(transactionId)) return
    const entry = decodeEntry(bytes)
    const { kind } = entry
    found.push({
      seq,
      kind,
      sequence: sequenceOf(entry),
      bytes: bytes.length,
      journal_id: journalId,
    })
  }
  const replay = replayEntries(recovery.segments, journal, {
    fromSeq: recovery.segments[0].firstSeq,
    visit,
  })
  return 'refused' in replay ? { ok: false, error: replay.refused } : { ok: true, value: found }
}

function sequenceOf(entry: Entry): number | null {
  if ('effect' in entry) return entry.effect?.sequence ?? null
  return entry.kind === 'late_reply' ? entry.sequence : null
}
