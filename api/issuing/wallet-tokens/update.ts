// Changes the tenant fields of a wallet token. The engine does not use it.
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { WalletToken } from '../../../shared/schemas/wallet-token.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireUnerasedPerson } from '../../write/erased.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { lockWalletToken, saveTenantFields } from './store.ts'
import { walletTokenView } from './view.ts'

/**
 * Chosen: the change is allowed in any state, even for a deactivated token; refused with 409 for an
 * erased person's.
 */
export async function updateWalletToken(
  context: Context,
  { id, change }: { id: string; change: TenantFieldsChange },
): Promise<WalletToken> {
  const { principal } = context
  return write(context, async (sql) => {
    const externalId = change.external_id
    await requireFreeExternalId(sql, principal, { table: 'wallet_tokens', externalId, id })
    const held = await lockWalletToken(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    await requireUnerasedPerson(sql, principal, held.cardId)
    const tenantFields = changedTenantFields(held, change)
    return walletTokenView(await saveTenantFields(sql, principal, { id, ...tenantFields }))
  })
}
