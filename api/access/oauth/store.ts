// Every SQL statement about connections, their codes and tokens, and the states of authorization
// requests. These statements find the owner by the secret that the caller presents.
import type { EpochMs } from '../../../shared/clock.ts'
import type { GrantEnd } from '../../../shared/schemas/oauth.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export type TokenKind = 'code' | 'access' | 'refresh'
export type StateKind = 'interaction' | 'request' | 'proof'
/** Fields of the library, without the id. */
export type Payload = { readonly [name: string]: unknown }

/** A connection that has not ended. */
export interface GrantRow extends Owner {
  id: string
  clientId: string
  userId: string
  payload: Payload
  /** Milliseconds the tenant's clock is ahead. */
  clockOffsetMs: number
}

/** Locks the connection until the transaction ends; null for one that is unknown or has ended. */
export async function lockGrant(sql: TxSql, id: string): Promise<GrantRow | null> {
  const [row] = await sql<GrantRow[]>`
    select id, tenant_id as "tenantId", environment, client_id as "clientId", user_id as "userId",
      payload, clock_offset(tenant_id, environment) as "clockOffsetMs"
    from oauth_grants where id = ${id} and revoked_at is null for no key update`
  return row ?? null
}

/** Adds the connection; its moments are of the tenant's clock. */
export async function insertGrant(
  sql: TxSql,
  grant: Omit<GrantRow, 'clockOffsetMs'> & {
    scopes: readonly string[]
    redirectUri: string
    now: EpochMs
  },
): Promise<GrantRow> {
  const { id, tenantId, environment, clientId, userId, payload, scopes, redirectUri, now } = grant
  const [row] = await sql<{ clockOffsetMs: number }[]>`
    insert into oauth_grants (
      id, tenant_id, environment, client_id, user_id, scopes, payload, redirect_uri, created_at
    ) values (
      ${id}, ${tenantId}, ${environment}, ${clientId}, ${userId}, ${[...scopes]}::text[],
      ${JSON.stringify(payload)}::text::jsonb, ${redirectUri},
      ${now}::bigint + clock_offset(${tenantId}, ${environment})
    ) returning clock_offset(tenant_id, environment) as "clockOffsetMs"`
  return { ...grant, clockOffsetMs: row?.clockOffsetMs ?? 0 }
}

/**
 * The connection with exactly these scopes and this redirect address that the person agreed to
 * before and that has not ended; null without one.
 */
export async function findRemembered(
  sql: SqlTag,
  agreed: Owner & {
    clientId: string
    userId: string
    scopes: readonly string[]
    redirectUri: string
  },
): Promise<string | null> {
  const { tenantId, environment, clientId, userId } = agreed
  const scopes = [...agreed.scopes]
  const [row] = await sql<{ id: string }[]>`
    select id from oauth_grants
    where client_id = ${clientId} and tenant_id = ${tenantId} and user_id = ${userId}
      and environment = ${environment} and revoked_at is null
      and redirect_uri = ${agreed.redirectUri}
      and scopes @> ${scopes}::text[] and scopes <@ ${scopes}::text[]
    order by id desc limit 1`
  return row?.id ?? null
}

/** Ends the connection; null if it is unknown or has ended already. */
export async function endGrant(
  sql: TxSql,
  { id, reason, now }: { id: string; reason: GrantEnd; now: EpochMs },
): Promise<(Owner & { clientId: string; endedAt: EpochMs }) | null> {
  const [row] = await sql<(Owner & { clientId: string; endedAt: EpochMs })[]>`
    update oauth_grants
    set revoked_at = ${now}::bigint + clock_offset(tenant_id, environment), reason = ${reason}
    where id = ${id} and revoked_at is null
    returning tenant_id as "tenantId", environment, client_id as "clientId",
      revoked_at as "endedAt"`
  return row ?? null
}

/** Active owners of the tenant, with the names of a mail about a platform. */
export async function findOwners(
  sql: SqlTag,
  { tenantId, clientId }: { tenantId: string; clientId: string },
): Promise<{ email: string; name: string; tenant: string; client: string }[]> {
  return sql<{ email: string; name: string; tenant: string; client: string }[]>`
    select i.email, i.name, t.name as tenant, c.name as client
    from users u join identities i on i.id = u.identity_id join tenants t on t.id = u.tenant_id
    join oauth_clients c on c.id = ${clientId}
    where u.tenant_id = ${tenantId} and u.role = 'owner' and u.state = 'active'
      and i.state = 'active' order by u.id`
}

export interface TokenRow {
  grantId: string
  payload: Payload
  /** Installation time. */
  expiresAt: EpochMs
  usedAt: EpochMs | null
  /** The refresh token that replaced this one; null: none. */
  successorHash: Buffer | null
  successorUsedAt: EpochMs | null
}

/**
 * Chosen: a client whose answer was lost repeats its refresh within this time. The used token is
 * refused then, and the connection stays, unless the new token was used as well.
 */
const LEEWAY_MS = 10_000
/** Returns true for a refresh token that was used a moment ago and whose successor is unused. */
export function isWithinLeeway(
  { usedAt, successorHash, successorUsedAt }: TokenRow,
  now: EpochMs,
): boolean {
  const isReplaced = usedAt !== null && successorHash !== null && successorUsedAt === null
  return isReplaced && now < usedAt + LEEWAY_MS
}

export async function findToken(
  sql: SqlTag,
  { hash, kind }: { hash: Buffer; kind: TokenKind },
): Promise<TokenRow | null> {
  const [row] = await sql<TokenRow[]>`
    select t.grant_id as "grantId", t.payload, t.used_at as "usedAt",
      t.expires_at - clock_offset(t.tenant_id, t.environment) as "expiresAt",
      s.hash as "successorHash", s.used_at as "successorUsedAt"
    from oauth_tokens t left join oauth_tokens s on s.parent = t.hash and t.kind = 'refresh'
    where t.hash = ${hash} and t.kind = ${kind}`
  return row ?? null
}

/** Client and redirect address that a code or token was issued for; null if it is unknown. */
export async function findTokenOrigin(
  sql: SqlTag,
  hash: Buffer,
): Promise<{ clientId: string; redirectUri: string | null } | null> {
  const [row] = await sql<{ clientId: string; redirectUri: string | null }[]>`
    select g.client_id as "clientId", t.payload ->> 'redirectUri' as "redirectUri"
    from oauth_tokens t join oauth_grants g on g.id = t.grant_id where t.hash = ${hash}`
  return row ?? null
}

export interface NewToken {
  hash: Buffer
  kind: TokenKind
  grant: GrantRow
  scopes: readonly string[]
  jkt: string | null
  payload: Payload
  /** By the tenant's clock. */
  expiresAt: EpochMs
  parent: Buffer | null
}

export async function insertToken(sql: TxSql, token: NewToken): Promise<void> {
  const { grant, hash, kind, scopes, jkt, payload, expiresAt, parent } = token
  await sql`
    insert into oauth_tokens (
      hash, kind, grant_id, tenant_id, environment, scopes, jkt, payload, expires_at, parent
    ) values (
      ${hash}, ${kind}, ${grant.id}, ${grant.tenantId}, ${grant.environment},
      ${[...scopes]}::text[], ${jkt}, ${JSON.stringify(payload)}::text::jsonb, ${expiresAt},
      ${parent}
    )`
}

/** Uses up a code or refresh token; false if it was used before. */
export async function useToken(
  sql: TxSql,
  { hash, now }: { hash: Buffer; now: EpochMs },
): Promise<boolean> {
  const used = await sql`
    update oauth_tokens set used_at = ${now} where hash = ${hash} and used_at is null returning 1`
  return used.length > 0
}

interface StateRow {
  payload: Payload
  endsAt: EpochMs
  usedAt: EpochMs | null
}

/** Locks the state until the transaction ends: of two forms of one page the second waits. */
export async function lockState(
  sql: TxSql,
  { hash, kind }: { hash: Buffer; kind: StateKind },
): Promise<StateRow | null> {
  const [row] = await sql<StateRow[]>`
    select payload, expires_at as "endsAt", used_at as "usedAt" from oauth_states
    where hash = ${hash} and kind = ${kind} for update`
  return row ?? null
}

/** Saves a state; false for a proof that was seen before. */
export async function saveState(
  sql: SqlTag,
  state: { hash: Buffer; kind: StateKind; payload: Payload; endsAt: EpochMs },
): Promise<boolean> {
  const { hash, kind, endsAt } = state
  const payload = JSON.stringify(state.payload)
  const saved = await sql`
    insert into oauth_states as s (hash, kind, payload, expires_at)
    values (${hash}, ${kind}, ${payload}::text::jsonb, ${endsAt})
    on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at
      where s.kind = 'interaction'
    returning 1`
  return saved.length > 0
}

export async function useState(
  sql: TxSql,
  { hash, now }: { hash: Buffer; now: EpochMs },
): Promise<boolean> {
  const used = await sql`
    update oauth_states set used_at = ${now} where hash = ${hash} and used_at is null returning 1`
  return used.length > 0
}

export async function deleteState(sql: TxSql, hash: Buffer): Promise<void> {
  await sql`delete from oauth_states where hash = ${hash}`
}
