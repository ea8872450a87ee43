// The journal directory read from outside, without its lock: a running engine is never disturbed.
import { existsSync } from 'node:fs'
import { readMeta } from '../../engine/journal/meta-file.ts'
import { type Recovery, readSegments } from '../../engine/journal/recover.ts'
import { journalBytes, listSegments } from '../../engine/journal/segment-files.ts'
import { sleep } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'

const ATTEMPTS_MAX = 10
const RETRY_MS = 50

export interface JournalView {
  directory: string
  journalId: string
  journal: Buffer
  epoch: number
  attached: boolean
  recovery: Recovery
}

/**
 * Returns the contents of the files, or a sentence. Beside a running engine one look may fall
 * between two writes or meet a file that is just renamed; damage is therefore believed when two
 * looks in a row describe it in the same words. `fromOrdinal` leaves out the segments before it,
 * for a reader that has read them.
 */
export async function readJournal(
  directory: string,
  fromOrdinal = 0,
): Promise<Result<JournalView, string>> {
  let said = ''
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const look = lookOnce(directory, fromOrdinal)
    if (look.ok || look.error === said) return look
    said = look.error
    await sleep(RETRY_MS)
  }
  return { ok: false, error: said }
}

function lookOnce(directory: string, fromOrdinal: number): Result<JournalView, string> {
  if (!existsSync(directory))
    return { ok: false, error: 'There is no journal in ' + directory + '.' }
  try {
    const meta = readMeta(directory)
    if (!meta.ok) return { ok: false, error: meta.error + '.' }
    if (meta.value === null)
      return { ok: false, error: 'There is no journal.json in ' + directory + '.' }
    const { journalId, epoch, attached } = meta.value
    const journal = journalBytes(journalId)
    if (journal === null) return { ok: false, error: journalId + ' is not a journal id.' }
    const segments = listSegments(directory).filter(({ ordinal }) => ordinal >= fromOrdinal)
    const recovery = readSegments(segments, journal, { grows: true })
    if ('refused' in recovery) return { ok: false, error: recovery.refused }
    return { ok: true, value: { directory, journalId, journal, epoch, attached, recovery } }
  } catch (error) {
    return { ok: false, error: 'The journal cannot be read: ' + String(error) }
  }
}
