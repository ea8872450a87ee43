// Reads the caller's account.
import { assert } from '../../../shared/assert.ts'
import type { Account } from '../../../shared/schemas/account.ts'
import type { Context } from '../../context.ts'
import { findTenant } from '../tenants/index.ts'
import { accountView } from './view.ts'

export async function readAccount({ sql, principal, now }: Context): Promise<Account> {
  const tenant = await findTenant(sql, principal.tenantId)
  assert(tenant !== null, 'a key has a tenant')
  return accountView(tenant, principal, now)
}
