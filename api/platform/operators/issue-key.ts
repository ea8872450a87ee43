// Issues a secret key to a tenant for its first administrator. The tenant creates every other key
// itself.
import { apiKeyHash, type KeyScope, newApiKey } from '../../../shared/api-key.ts'
import type { CreatedApiKey } from '../../../shared/schemas/api-key.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { hasSafeOwner, insertKey, keyView, recordKeyEvent } from '../../access/keys/index.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { requireTenantFor, tenantTime } from '../tenants/index.ts'

export interface InstallationPort {
  /** A sandbox installation has no live keys. */
  installation: Environment
}

/**
 * Only this answer ever shows the secret. Refuses with 403 while the tenant is suspended, and in
 * live until its KYB is approved and an owner has two ways to sign in, as for a key that the tenant
 * makes itself; with 400 a live key in an installation that serves the sandbox only: the key would
 * open nothing. Without an Idempotency-Key each call creates another key.
 */
export async function issueKey(
  context: OperatorContext,
  input: { tenantId: string; environment: Environment; scope: KeyScope; name: string },
  { installation }: InstallationPort,
): Promise<CreatedApiKey> {
  const { tenantId, environment, scope, name } = input
  const owner = { tenantId, environment }
  if (environment === 'live' && installation === 'sandbox') {
    const message = 'This installation serves the sandbox only: a live key would open nothing.'
    throw new Refusal('parameter_invalid', { param: 'environment', message })
  }
  return write(context, async (sql) => {
    await requireTenantFor(sql, tenantId, environment)
    if (environment === 'live' && !(await hasSafeOwner(sql, owner)))
      throw new Refusal('second_way_missing')
    const now = await tenantTime(sql, owner, context.now)
    const secret = newApiKey('secret', environment)
    const apiKey = keyView(
      await insertKey(sql, owner, {
        id: context.newId('key'),
        name,
        role: 'secret',
        scope,
        hash: apiKeyHash(secret),
        last4: secret.slice(-4),
        cidrs: [],
        createdBy: context.operatorId,
        createdAt: now,
        expiresAt: null,
        externalId: null,
        metadata: {},
      }),
    )
    await recordKeyEvent(sql, owner, { type: 'api_key.created', apiKey, now })
    await auditOperator(sql, context, owner, apiKey.id)
    return { ...apiKey, secret }
  })
}
