// Takes a scanner away: from the answer on, nothing is scanned with it.
import type { DeletedScanner } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { lockScanner, markDeleted } from './store.ts'

/** Chosen: its scans stay, and go on naming it. */
export async function deleteScanner(context: Context, id: string): Promise<DeletedScanner> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const scanner = await lockScanner(sql, principal, id)
    if (scanner === null) throw new Refusal('resource_missing')
    await markDeleted(sql, principal, { id, now })
    return { id, object: 'scanner' as const, deleted: true as const }
  })
}
