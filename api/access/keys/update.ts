// Changes the name, the address ranges, the end and the tenant fields of an API key. Its rights
// never change: another scope needs another key.
import type { EpochMs } from '../../../shared/clock.ts'
import type { ApiKey } from '../../../shared/schemas/api-key.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { requireAhead } from './create.ts'
import { CHANGEABLE_IN } from './states.ts'
import { lockKey, saveChange } from './store.ts'
import { keyView } from './view.ts'

interface KeyChange extends TenantFieldsChange {
  name?: string
  cidrs?: readonly string[]
  /** Null: no end. */
  expiresAt?: EpochMs | null
}

/**
 * Chosen: a key may be kept from the address that asks for it; the answer is then the last one it
 * gets from there.
 */
export async function updateApiKey(
  context: Context,
  { id, change }: { id: string; change: KeyChange },
): Promise<ApiKey> {
  const { principal } = context
  return write(context, async (sql) => {
    const externalId = change.external_id
    await requireFreeExternalId(sql, principal, { table: 'api_keys', externalId, id })
    const held = await lockKey(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    requireState(held.status, CHANGEABLE_IN)
    const { name = held.name, cidrs = held.cidrs, expiresAt = held.expiresAt } = change
    if (change.expiresAt !== undefined) requireAhead(change.expiresAt, context.now)
    const tenantFields = changedTenantFields(held, change)
    return keyView(
      await saveChange(sql, principal, { id, name, cidrs, expiresAt, ...tenantFields }),
    )
  })
}
