// Loads a credential from PostgreSQL. These statements have no owner: they find the owner.
import type { BlockList } from 'node:net'
import { parseCidrs } from '../../../shared/address.ts'
import type { KeyRole, KeyScope } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { addressRanges } from '../../../shared/peer-address.ts'
import type { OperatorScope } from '../../../shared/schemas/operator.ts'
import type { Owner, Principal } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { type Entitled, entitledOf } from '../../platform/tenants/index.ts'

export interface KnownKey {
  /** Shared by every request of the key: never modified. */
  principal: Principal
  state: 'active' | 'pending' | 'revoked'
  /** When a pending key stops working, by its tenant's clock; null in the other states. */
  revokeAt: EpochMs | null
  /** When the credential ends by itself, by its tenant's clock; null: never. */
  expiresAt: EpochMs | null
  /** Addresses the key may be used from; null: anywhere. */
  ranges: BlockList | null
  /** Factor on the tenant's usual limits, and its end by the installation's time. */
  factor: number
  factorUntil: EpochMs
  /** Null: the environment is not billed, and everything is allowed. */
  entitled: Entitled | null
}

/** An access token of a platform, and the connection that it belongs to. */
export interface KnownToken extends KnownKey {
  expiresAt: EpochMs
  /** Thumbprint of the key that each call has to prove; null: none. */
  jkt: string | null
  grantId: string
}

export interface KnownOperator {
  operatorId: string
  scope: OperatorScope
  state: 'active' | 'revoked'
  /** When the credential stops working, installation time; null: never. */
  expiresAt: EpochMs | null
  /** Addresses the credential may be used from; null: anywhere. */
  ranges: BlockList | null
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
      k.revoke_at as "revokeAt", k.expires_at as "expiresAt", k.cidrs, t.api_version as "apiVersion",
      clock_offset(k.tenant_id, k.environment) as "clockOffsetMs",
      coalesce(o.factor, 1) as factor, coalesce(o.expires_at, 0) as "factorUntil",
      ${entitledOf(sql, sql`k.tenant_id`, sql`k.environment`)} as entitled
    from api_keys k
    join tenants t on t.id = k.tenant_id
    left join rate_limit_overrides o
      on o.tenant_id = k.tenant_id and o.environment = k.environment
    where k.hash = ${hash}`
  if (row === undefined) return null
  const { state, revokeAt, expiresAt, cidrs, keyId, role, scope, ...others } = row
  const { factor, factorUntil, entitled, ...owner } = others
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
    expiresAt,
    ranges: cidrs.length === 0 ? null : compiled(cidrs),
    factor,
    factorUntil,
    entitled,
  }
}

interface TokenRow
  extends Omit<KnownToken, 'principal' | 'ranges' | 'revokeAt'>,
    Pick<Principal, 'tenantId' | 'environment' | 'apiVersion' | 'clockOffsetMs'> {
  clientId: string
  userId: string
  scopes: string[]
}

/** One statement over the primary keys of token, connection and platform. */
export async function loadToken(sql: SqlTag, hash: Buffer): Promise<KnownToken | null> {
  const [row] = await sql<TokenRow[]>`
    select o.expires_at as "expiresAt", o.jkt, o.scopes, g.id as "grantId",
      g.tenant_id as "tenantId", g.environment, g.client_id as "clientId", g.user_id as "userId",
      case when g.revoked_at is null and c.state = 'active' then 'active' else 'revoked' end as state,
      t.api_version as "apiVersion", clock_offset(g.tenant_id, g.environment) as "clockOffsetMs",
      coalesce(l.factor, 1) as factor, coalesce(l.expires_at, 0) as "factorUntil",
      ${entitledOf(sql, sql`g.tenant_id`, sql`g.environment`)} as entitled
    from oauth_tokens o
    join oauth_grants g on g.id = o.grant_id
    join oauth_clients c on c.id = g.client_id
    join tenants t on t.id = g.tenant_id
    left join rate_limit_overrides l
      on l.tenant_id = g.tenant_id and l.environment = g.environment
    where o.hash = ${hash} and o.kind = 'access'`
  if (row === undefined) return null
  const {
    state,
    expiresAt,
    jkt,
    grantId,
    factor,
    factorUntil,
    entitled,
    clientId,
    userId,
    scopes,
    ...owner
  } = row
  return {
    principal: Object.freeze({
      ...owner,
      credential: { kind: 'oauth' as const, id: clientId },
      personId: userId,
      granted: scopes,
      publishable: false,
    }),
    ...{ state, expiresAt, jkt, grantId, factor, factorUntil, entitled },
    revokeAt: null,
    ranges: null,
  }
}

/** The tenant of a signed-in person, as the person's calls see it. */
export interface KnownTenant
  extends Pick<Principal, 'apiVersion' | 'clockOffsetMs'>,
    Pick<KnownKey, 'factor' | 'factorUntil' | 'entitled'> {}

/** Null for an unknown tenant. */
export async function loadTenant(
  sql: SqlTag,
  { tenantId, environment }: Owner,
): Promise<KnownTenant | null> {
  const [row] = await sql<KnownTenant[]>`
    select t.api_version as "apiVersion",
      clock_offset(t.id, ${environment}) as "clockOffsetMs",
      ${entitledOf(sql, sql`t.id`, sql`${environment}`)} as entitled,
      coalesce(o.factor, 1) as factor, coalesce(o.expires_at, 0) as "factorUntil"
    from tenants t
    left join rate_limit_overrides o
      on o.tenant_id = t.id and o.environment = ${environment}
    where t.id = ${tenantId}`
  return row ?? null
}

/** An unreadable range admits no address: its intended meaning is unknown. */
function compiled(cidrs: readonly string[]): BlockList {
  const parsed = parseCidrs(cidrs.join(','))
  return addressRanges(parsed.ok ? parsed.value : [])
}

export async function loadOperator(sql: SqlTag, hash: Buffer): Promise<KnownOperator | null> {
  const [row] = await sql<(Omit<KnownOperator, 'ranges'> & { cidrs: string[] })[]>`
    select id as "operatorId", state, scope, expires_at as "expiresAt", cidrs
    from operators where hash = ${hash}`
  if (row === undefined) return null
  const { cidrs, ...known } = row
  return { ...known, ranges: cidrs.length === 0 ? null : compiled(cidrs) }
}
