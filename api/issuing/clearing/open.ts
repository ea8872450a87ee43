// Opens a clearing file: the network's name always means the same file.
import type { ClearingFile } from '../../../shared/schemas/clearing-file.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { knowsNetwork, openFile } from './store.ts'
import { clearingFileView } from './view.ts'

interface FileInput {
  environment: Environment
  network: string
  fileId: string
  businessDate: string
}

/**
 * Opening it again returns its present state; the same name with another day means another file and
 * is refused (409).
 */
export async function openClearingFile(
  context: OperatorContext,
  input: FileInput,
): Promise<ClearingFile> {
  return write(context, async (sql) => {
    if (!(await knowsNetwork(sql, input))) {
      const message = 'No network of this name sends messages in this environment.'
      throw new Refusal('parameter_invalid', { param: 'network', message })
    }
    const id = context.newId('clf')
    const file = await openFile(sql, { id, ...input, createdAt: context.now })
    if (file.businessDate !== input.businessDate)
      throw new Refusal('clearing_file_differs', { param: 'business_date' })
    return clearingFileView(file)
  })
}
