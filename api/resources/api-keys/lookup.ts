// Every SQL statement about API keys.
import type { KeyRole, KeyScope } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/facts.ts'
import type { SqlTag } from '../../database/pool.ts'

export interface KeyRow {
  id: string
  tenantId: string
  environment: Environment
  role: KeyRole
  scope: KeyScope
  state: 'active' | 'pending' | 'revoked'
  /** When a pending key stops working; null in the other states. */
  revokeAt: EpochMs | null
  /** The version its tenant is pinned to. */
  apiVersion: string
  /** How far its sandbox clock is ahead, in milliseconds. */
  clockOffsetMs: number
}

/** The one statement without an owner: it is what tells us the owner. */
export async function findKeyByHash(sql: SqlTag, hash: Buffer): Promise<KeyRow | null> {
  const [row] = await sql<KeyRow[]>`
    select k.id, k.tenant_id as "tenantId", k.environment, k.role, k.scope, k.state,
      k.revoke_at as "revokeAt", t.api_version as "apiVersion",
      clock_offset(k.tenant_id, k.environment) as "clockOffsetMs"
    from api_keys k
    join tenants t on t.id = k.tenant_id
    where k.hash = ${hash}`
  return row ?? null
}
