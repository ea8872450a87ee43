// Every SQL statement about signing secrets. The caller locks the endpoint.

import { randomBytes } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { Context, Owner } from '../../context.ts'
import { dueByTenant } from '../../database/due.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface NewSecret {
  id: string
  sealed: string
}

export async function insertSecret(
  sql: TxSql,
  made: { endpointId: string; slot: 0 | 1; secret: NewSecret; now: EpochMs },
): Promise<void> {
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${made.secret.id}, ${made.endpointId}, ${made.slot}, ${made.secret.sealed}, ${made.now})`
}

/**
 * Revokes the older of two secrets; the other takes its place, so the next secret is again the
 * newer.
 */
export async function revokeOlderSecret(
  sql: TxSql,
  revoked: { endpointId: string; now: EpochMs },
): Promise<void> {
  const { endpointId, now } = revoked
  await sql`
    update webhook_secrets set revoked_at = ${now}
    where endpoint_id = ${endpointId} and slot = 0 and revoked_at is null`
  await sql`
    update webhook_secrets set slot = 0
    where endpoint_id = ${endpointId} and slot = 1 and revoked_at is null`
}

/** Saves when the older of two secrets is revoked, in tenant time. */
export async function saveExpiry(
  sql: TxSql,
  { endpointId, expiresAt }: { endpointId: string; expiresAt: EpochMs },
): Promise<void> {
  await sql`
    update webhook_secrets set expires_at = ${expiresAt}
    where endpoint_id = ${endpointId} and slot = 0 and revoked_at is null`
}

export interface ExpiredSecret extends Owner {
  endpointId: string
  clockOffsetMs: number
}

/**
 * Returns the endpoint of a due secret, locked until the transaction ends. The only secret of an
 * endpoint never expires: the statement locks the secrets too, because a secret revoked since its
 * start would otherwise still look due.
 */
export async function lockExpiredSecret(sql: TxSql, now: EpochMs): Promise<ExpiredSecret | null> {
  const [row] = await sql<ExpiredSecret[]>`
    select e.id as "endpointId", e.tenant_id as "tenantId", e.environment,
      clock_offset(e.tenant_id, e.environment) as "clockOffsetMs"
    from webhook_secrets s
    join webhook_secrets newer on newer.endpoint_id = s.endpoint_id and newer.slot = 1 and newer.revoked_at is null
    join webhook_endpoints e on e.id = s.endpoint_id
    where s.slot = 0 and s.revoked_at is null and ${dueByTenant(sql, 's.expires_at', now)}
    limit 1
    for no key update skip locked`
  return row ?? null
}

/** Returns sealed secrets, old first; at most two. */
export async function activeSecrets(sql: SqlTag, endpointId: string): Promise<string[]> {
  const rows = await sql<{ sealed: string }[]>`
    select sealed from webhook_secrets
    where endpoint_id = ${endpointId} and revoked_at is null order by slot`
  return rows.map(({ sealed }) => sealed)
}

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32

export function newSigningSecret({ seal, newId }: Context): { secret: string; kept: NewSecret } {
  const secret = 'whsec_' + randomBytes(SECRET_BYTES).toString('base64')
  return { secret, kept: { id: newId('wsec'), sealed: seal(SEAL_CONTEXTS.webhookSecret, secret) } }
}
