// Pins the tenant to a version of the API. From the answer on its answers, its events and the
// real-time authorization requests use it; earlier events keep theirs. Spec 9.
import { assert } from '../../../shared/assert.ts'
import type { Account } from '../../../shared/schemas/account.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { findTenant, lockTenant } from '../tenants/index.ts'
import { accountView } from './view.ts'

/**
 * Forward and back between the known versions: the route accepts no other. Chosen: the pin belongs
 * to the tenant and covers both environments; `Svc-Version` previews a version without pinning it.
 */
export async function pinVersion(context: Context, version: string): Promise<Account> {
  const { principal, now } = context
  const { tenantId } = principal
  return writeConfirmed(
    context,
    async (sql) => {
      const held = await lockTenant(sql, tenantId)
      // The same version changes nothing, and the call waits for the engine again.
      if (held?.apiVersion !== version) await savePin(sql, tenantId, version)
      const tenant = await findTenant(sql, tenantId)
      assert(tenant !== null, 'a key has a tenant')
      return accountView(tenant, principal, now)
    },
    { safeToRepeat: true },
  )
}

/**
 * The engine gets it with the tenant's programs, and cached data about the tenant's keys is
 * dropped.
 */
async function savePin(sql: TxSql, tenantId: string, version: string): Promise<void> {
  await sql`update tenants set api_version = ${version} where id = ${tenantId}`
}
