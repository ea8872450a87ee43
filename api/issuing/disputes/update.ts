// Changes the tenant fields of a dispute, in any state, unless its person is erased.
import type { Dispute } from '../../../shared/schemas/dispute.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireUnerasedPerson } from '../../write/erased.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { lockDispute, saveTenantFields } from './store.ts'
import { disputeView } from './view.ts'

export async function updateDispute(
  context: Context,
  { id, change }: { id: string; change: TenantFieldsChange },
): Promise<Dispute> {
  const { principal } = context
  return write(context, async (sql) => {
    const externalId = change.external_id
    await requireFreeExternalId(sql, principal, { table: 'disputes', externalId, id })
    const held = await lockDispute(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    await requireUnerasedPerson(sql, principal, held.cardholderId)
    const tenantFields = changedTenantFields(held, change)
    return disputeView(await saveTenantFields(sql, principal, { id, tenantFields }))
  })
}
