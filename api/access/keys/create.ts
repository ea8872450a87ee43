// Makes an API key. Only this answer ever shows its secret; the stored value is a hash. Spec 5.1.
import { apiKeyHash, type KeyRole, type KeyScope, newApiKey } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { CreatedApiKey } from '../../../shared/schemas/api-key.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import { authorOf, type Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireTenantFor } from '../../platform/tenants/index.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { recordKeyEvent } from './states.ts'
import { hasSafeOwner, insertKey } from './store.ts'
import { keyView } from './view.ts'

interface KeyInput {
  name: string
  role: KeyRole
  scope?: KeyScope
  cidrs: readonly string[]
  /** By the tenant's clock; null: no end. */
  expiresAt: EpochMs | null
  externalId: string | null
  metadata: Metadata
}

/**
 * The environment is that of the calling key. Refused (403) while the tenant is suspended, or not
 * approved for live, and in live while no owner has two ways to sign in. A repeat under its
 * Idempotency-Key shows the same secret again.
 */
export async function createApiKey(context: Context, input: KeyInput): Promise<CreatedApiKey> {
  const { principal, now } = context
  const { name, role, cidrs, expiresAt, externalId, metadata } = input
  requireAhead(expiresAt, now)
  const scope = scopeFor(input)
  return write(context, async (sql) => {
    await requireTenantFor(sql, principal.tenantId, principal.environment)
    if (principal.environment === 'live' && !(await hasSafeOwner(sql, principal)))
      throw new Refusal('second_way_missing')
    const id = context.newId('key')
    await requireFreeExternalId(sql, principal, { table: 'api_keys', externalId, id })
    const secret = newApiKey(role, principal.environment)
    const apiKey = keyView(
      await insertKey(sql, principal, {
        id,
        name,
        role,
        scope,
        hash: apiKeyHash(secret),
        last4: secret.slice(-4),
        cidrs,
        createdBy: context.call.factor?.approvedBy ?? authorOf(principal),
        createdAt: now,
        expiresAt,
        externalId,
        metadata,
      }),
    )
    await recordKeyEvent(sql, principal, { type: 'api_key.created', apiKey, now })
    return { ...apiKey, secret }
  })
}

/** Refuses with 400 an end that has passed by the tenant's clock. */
export function requireAhead(expiresAt: EpochMs | null, now: EpochMs): void {
  if (expiresAt === null || expiresAt > now) return
  throw new Refusal('parameter_invalid', {
    param: 'expires_at',
    message: 'This field must be a time ahead, by the clock of the account.',
  })
}

/** Chosen: the rights of publishable keys are fixed (Spec 5.1), therefore they have no scope. */
export function scopeFor({ role, scope }: Pick<KeyInput, 'role' | 'scope'>): KeyScope {
  if (role === 'publishable') {
    if (scope === undefined || scope === 'write') return 'write'
    throw new Refusal('parameter_invalid', {
      param: 'scope',
      message: 'What publishable keys may do is fixed; leave this field out.',
    })
  }
  if (scope === undefined) throw new Refusal('parameter_missing', { param: 'scope' })
  return scope
}
