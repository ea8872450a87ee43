// Registers a scanner, so scans can name it, and deletes it.
import type { DeletedScanner, Scanner } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireFreeExternalId, type TenantFields } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { insertScanner, lockScanner, markDeleted } from './store.ts'
import { scannerView } from './view.ts'

export async function registerScanner(
  context: Context,
  input: { name: string } & TenantFields,
): Promise<Scanner> {
  const { principal, now } = context
  const id = context.newId('scn')
  return write(context, async (sql) => {
    const { externalId } = input
    await requireFreeExternalId(sql, principal, { table: 'scanners', externalId, id })
    return scannerView(await insertScanner(sql, principal, { ...input, id, now }))
  })
}

/** From the answer on it scans nothing. Chosen: its scans stay, and still name it. */
export async function deleteScanner(context: Context, id: string): Promise<DeletedScanner> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const scanner = await lockScanner(sql, principal, id)
    if (scanner === null) throw new Refusal('resource_missing')
    await markDeleted(sql, principal, { id, now })
    return { id, object: 'scanner' as const, deleted: true as const }
  })
}
