// Changes a scanner's name, and the tenant fields.
import type { Scanner } from '../../../shared/schemas/pass-scan.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { lockScanner, saveScanner } from './store.ts'
import { scannerView } from './view.ts'

export async function updateScanner(
  context: Context,
  { id, change }: { id: string; change: { name?: string } & TenantFieldsChange },
): Promise<Scanner> {
  const { principal } = context
  return write(context, async (sql) => {
    const externalId = change.external_id
    await requireFreeExternalId(sql, principal, { table: 'scanners', externalId, id })
    const held = await lockScanner(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    const name = change.name ?? held.name
    const own = changedTenantFields(held, change)
    return scannerView(await saveScanner(sql, principal, { id, name, ...own }))
  })
}
