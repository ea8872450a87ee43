// The endpoints of the account of the calling key.

import { assert } from '../../../shared/assert.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { Account } from '../../../shared/schemas/account.ts'
import type { Context } from '../../context.ts'
import { closed, type Route, route } from '../../http/route.ts'
import { API_VERSIONS } from '../../http/versions/chain.ts'
import { findTenant } from '../tenants/index.ts'
import { pinVersion } from './pin-version.ts'
import { accountView } from './view.ts'

export const accountRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/account'],
    summary: 'Shows the account: its version, what it was granted, its limits and its clock.',
    scope: 'read',
    answer: Account,
    run: (context) => readAccount(context),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/account'],
    summary: 'Pins the account to a version of the API, in both environments.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Change the version of the API that the account is pinned to.',
    body: closed({ api_version: Type.Enum([...API_VERSIONS]) }),
    answer: Account,
    run: (context, { body }) => pinVersion(context, body.api_version),
  }),
]

async function readAccount({ sql, principal, now }: Context): Promise<Account> {
  const tenant = await findTenant(sql, principal.tenantId)
  assert(tenant !== null, 'a key has a tenant')
  return accountView(tenant, principal, now)
}
