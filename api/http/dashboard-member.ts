// The caller of a member of a tenant, as the gates see it.
import { assert } from '../../shared/assert.ts'
import { type KnownKey, loadTenant } from '../access/credentials/load.ts'
import type { Member } from '../dashboard/port.ts'
import type { HttpServices } from './services.ts'

/** The caller of a member's calls: rights by the role, limits and clock by the tenant. */
export async function memberKey(
  { sql }: HttpServices,
  { member, environment }: { member: Member; environment: 'sandbox' | 'live' },
): Promise<KnownKey> {
  const { tenantId, personId, role } = member
  const tenant = await loadTenant(sql, { tenantId, environment })
  assert(tenant !== null, 'a member has a tenant')
  const { factor, factorUntil, entitled, ...pinned } = tenant
  return {
    principal: Object.freeze({
      ...{ tenantId, environment, personId, ...pinned },
      credential: { kind: 'person' as const, id: personId },
      granted: ['role:' + role],
      publishable: false,
    }),
    ...{
      factor,
      factorUntil,
      entitled,
      state: 'active',
      revokeAt: null,
      expiresAt: null,
      ranges: null,
    },
  }
}
