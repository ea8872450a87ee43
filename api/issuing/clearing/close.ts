// Closes a clearing file: it accepts no more parts, and messages without an entry are reported as
// missing.
import type { ClearingFile } from '../../../shared/schemas/clearing-file.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { closeFile, findFile, lockFile } from './store.ts'
import { clearingFileView } from './view.ts'

/**
 * `entries` is the number in the file's own trailer; a file with another number of entries is
 * incomplete (409).
 */
export async function closeClearingFile(
  context: OperatorContext,
  { id, entries }: { id: string; entries: number },
): Promise<ClearingFile> {
  return write(context, async (sql) => {
    const file = await lockFile(sql, id)
    if (file === null) throw new Refusal('resource_missing')
    if (file.entries !== entries) {
      const extra = { entries_given: file.entries }
      throw new Refusal('clearing_file_incomplete', { param: 'entries', extra })
    }
    if (file.status === 'open') await closeFile(sql, file, context.now)
    return clearingFileView((await findFile(sql, id)) ?? file)
  })
}
