// The journal entries of one transaction, found in the files beside a running engine: messages, expiries, late replies.
import { join } from 'node:path'
import { replayEntries } from '../../engine/journal/replay.ts'
import type { Result } from '../../shared/result.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { readJournal } from '../journal/read-journal.ts'

const FOUND_MAX = 100

export interface JournalEntry {
  seq: number
  kind: string
  /** Place in the transaction; null for a late reply, which has none. */
  sequence: number | null
  bytes: number
  /** Beside its sequence, this names an entry among all journals. */
  journal_id: string
}

/** The entries that are still in the journal: drained ones are recycled in time. Or why it cannot be read here. */
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
    const sequence = 'effect' in entry ? (entry.effect?.sequence ?? null) : null
    const { kind } = entry
    found.push({ seq, kind, sequence, bytes: bytes.length, journal_id: journalId })
  }
  const replay = replayEntries(recovery.segments, journal, {
    fromSeq: recovery.segments[0].firstSeq,
    visit,
  })
  return 'refused' in replay ? { ok: false, error: replay.refused } : { ok: true, value: found }
}
