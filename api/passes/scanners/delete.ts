// Deletes a scanner: from the answer on, it scans nothing.
import type { DeletedScanner } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { lockScanner, markDeleted } from './store.ts'

/** Chosen: its scans stay, and still name it. */
export async function deleteScanner(context: Context, id: string): Promise<DeletedScanner> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const scanner = await lockScanner(sql, principal, id)
    if (scanner === null) throw new Refusal('resource_missing')
    await markDeleted(sql, principal, { id, now })
    return { id, object: 'scanner' as const, deleted: true as const }
  })
}
