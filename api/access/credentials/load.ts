// Loads a credential from PostgreSQL. These statements have no owner: they find the owner.
import type { BlockList } from 'node:net'
import { parseCidrs } from '../../../shared/address.ts'
import type { KeyRole, KeyScope } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { addressRanges } from '../../../shared/peer-address.ts'
import type { Principal } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'

export interface KnownKey {
  /** Shared by every request of the key: never modified. */
  principal: Principal
  state: 'active' | 'pending' | 'revoked'
  /** When a pending key stops working, by its tenant's clock; null in the other states. */
  revokeAt: EpochMs | null
  /** Addresses the key may be used from; null: anywhere. */
  ranges: BlockList | null
  /** Factor on the tenant's usual limits, and its end by the installation's time. */
  factor: number
  factorUntil: EpochMs
}

export interface KnownOperator {
  operatorId: string
  state: 'active' | 'revoked'
}

interface KeyRow
  extends Omit<KnownKey, 'principal' | 'ranges'>,
    Pick<Principal, 'tenantId' | 'environment' | 'apiVersion' | 'clockOffsetMs'> {
  keyId: string
  role: KeyRole
  scope: KeyScope
  cidrs: string[]
}

export async function loadKey(sql: SqlTag, hash: Buffer): Promise<KnownKey | null> {
  const [row] = await sql<KeyRow[]>`
    select k.id as "keyId", k.tenant_id as "tenantId", k.environment, k.role, k.scope, k.state,
      k.revoke_at as "revokeAt", k.cidrs, t.api_version as "apiVersion",
      clock_offset(k.tenant_id, k.environment) as "clockOffsetMs",
      coalesce(o.factor, 1) as factor, coalesce(o.expires_at, 0) as "factorUntil"
    from api_keys k
    join tenants t on t.id = k.tenant_id
    left join rate_limit_overrides o
      on o.tenant_id = k.tenant_id and o.environment = k.environment
    where k.hash = ${hash}`
  if (row === undefined) return null
  const { state, revokeAt, cidrs, factor, factorUntil, keyId, role, scope, ...owner } = row
  return {
    principal: Object.freeze({
      ...owner,
      credential: { kind: 'api_key' as const, id: keyId },
      personId: null,
      granted: [scope],
      publishable: role === 'publishable',
    }),
    state,
    revokeAt,
    ranges: cidrs.length === 0 ? null : compiled(cidrs),
    factor,
    factorUntil,
  }
}

/** An unreadable range admits no address: its intended meaning is unknown. */
function compiled(cidrs: readonly string[]): BlockList {
  const parsed = parseCidrs(cidrs.join(','))
  return addressRanges(parsed.ok ? parsed.value : [])
}

export async function loadOperator(sql: SqlTag, hash: Buffer): Promise<KnownOperator | null> {
  const [row] = await sql<KnownOperator[]>`
    select id as "operatorId", state from operators where hash = ${hash}`
  return row ?? null
}
