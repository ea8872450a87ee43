// Changes a scanner's name, and the tenant's own data.
import type { OwnDataChange } from '../../../shared/schemas/own-data.ts'
import type { Scanner } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { changedOwnData, requireFreeExternalId } from '../../write/own-data.ts'
import { write } from '../../write/write.ts'
import { lockScanner, saveScanner } from './store.ts'
import { scannerView } from './view.ts'

export async function updateScanner(
  context: Context,
  { id, change }: { id: string; change: { name?: string } & OwnDataChange },
): Promise<Scanner> {
  const { principal } = context
  return write(context, async (sql) => {
    const externalId = change.external_id
    await requireFreeExternalId(sql, principal, { table: 'scanners', externalId, id })
    const held = await lockScanner(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    const name = change.name ?? held.name
    const own = changedOwnData(held, change)
    return scannerView(await saveScanner(sql, principal, { id, name, ...own }))
  })
}
