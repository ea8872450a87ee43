// Every SQL statement about challenges: calls that wait for a person. Decision times are
// installation times: people do not follow a sandbox clock.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Principal } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import type { Evidence } from '../../write/evidence.ts'

export interface ChallengeRow {
  id: string
  tenantId: string
  environment: Environment
  keyId: string
  operation: string
  method: string
  path: string
  ip: string
  sealed: string
  state: 'pending' | 'approved' | 'denied'
  createdAt: EpochMs
  /** End of the time to decide. */
  expiresAt: EpochMs
  decidedAt: EpochMs | null
  decidedBy: string | null
  usedAt: EpochMs | null
  /** Evidence of a passkey's approval. */
  assertion: Evidence | null
}

export type NewChallenge = Pick<
  ChallengeRow,
  'id' | 'operation' | 'method' | 'path' | 'ip' | 'sealed' | 'createdAt' | 'expiresAt'
> & { handleHash: Buffer; tokenHash: Buffer; requestId: string }

function columns(sql: SqlTag) {
  return sql`
    c.id, c.tenant_id as "tenantId", c.environment, c.key_id as "keyId", c.operation, c.method, c.path, c.ip,
    c.sealed, c.state, c.created_at as "createdAt", c.expires_at as "expiresAt",
    c.decided_at as "decidedAt", c.decided_by as "decidedBy", c.used_at as "usedAt", c.assertion`
}

export async function insertChallenge(
  sql: SqlTag,
  { tenantId, environment, credential: { id: keyId } }: Principal,
  made: NewChallenge,
): Promise<void> {
  await sql`
    insert into factor_challenges (id, tenant_id, environment, key_id, handle_hash, token_hash, operation,
      method, path, ip, request_id, sealed, created_at, expires_at)
    values (${made.id}, ${tenantId}, ${environment}, ${keyId}, ${made.handleHash}, ${made.tokenHash},
      ${made.operation}, ${made.method}, ${made.path}, ${made.ip}, ${made.requestId}, ${made.sealed},
      ${made.createdAt}, ${made.expiresAt})`
}

/** Finds the challenge for the credential of its call; every other credential gets null. */
export async function findChallenge(
  sql: SqlTag,
  { tenantId, environment, credential: { id: keyId } }: Principal,
  id: string,
): Promise<ChallengeRow | null> {
  const [row] = await sql<ChallengeRow[]>`
    select ${columns(sql)} from factor_challenges c
    where tenant_id = ${tenantId} and environment = ${environment} and key_id = ${keyId} and id = ${id}`
  return row ?? null
}

/**
 * Finds the challenge whose approval this token proves, with the present role of its approver: null
 * without one. An approval by a person who was disabled since is void.
 */
export async function findChallengeByToken(
  sql: SqlTag,
  { tenantId, environment, credential: { id: keyId } }: Principal,
  tokenHash: Buffer,
): Promise<(ChallengeRow & { approverRole: PersonRole | null }) | null> {
  const [row] = await sql<(ChallengeRow & { approverRole: PersonRole | null })[]>`
    select ${columns(sql)}, (select u.role from users u where u.id = c.decided_by) as "approverRole"
    from factor_challenges c
    where tenant_id = ${tenantId} and environment = ${environment} and key_id = ${keyId}
      and token_hash = ${tokenHash}
      and not exists (select 1 from users u where u.id = c.decided_by and u.state = 'disabled')`
  return row ?? null
}

/** The credential that asks a person, as the page shows it: a key, or a platform by its name. */
export interface Asker {
  tenantName: string
  key: { name: string; scope: string; last4: string } | null
  platformName: string | null
}

/**
 * Finds a challenge by the secret in the page's address. The secret names no owner; the challenge
 * does.
 */
export async function findChallengeByHandle(
  sql: SqlTag,
  handleHash: Buffer,
): Promise<(ChallengeRow & Asker) | null> {
  const [row] = await sql<(ChallengeRow & Asker)[]>`
    select ${columns(sql)},
      (select name from tenants t where t.id = c.tenant_id) as "tenantName",
      (
        select jsonb_build_object('name', k.name, 'scope', k.scope, 'last4', k.last4)
        from api_keys k where k.id = c.key_id
      ) as key,
      (select o.name from oauth_clients o where o.id = c.key_id) as "platformName"
    from factor_challenges c where handle_hash = ${handleHash}`
  return row ?? null
}

/** Returns false if a person decided before, or the decision is too late. */
export async function saveDecision(
  sql: TxSql,
  decision: {
    id: string
    state: 'approved' | 'denied'
    now: EpochMs
    by: string | null
    with: 'totp' | 'recovery_code' | 'passkey' | null
    /** Null without a passkey. */
    assertion: Evidence | null
    /** The sealed part from now on; null: as before. */
    sealed: string | null
  },
): Promise<boolean> {
  const { id, state, now, by } = decision
  const assertion = decision.assertion === null ? null : JSON.stringify(decision.assertion)
  const decided = await sql`
    update factor_challenges
    set state = ${state}, decided_at = ${now}, decided_by = ${by}, decided_with = ${decision.with},
      assertion = ${assertion}::text::jsonb, sealed = coalesce(${decision.sealed}, sealed)
    where id = ${id} and state = 'pending' and expires_at > ${now}
    returning 1`
  return decided.length > 0
}

async function deleteChallenges(
  sql: SqlTag,
  which: { before: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from factor_challenges where id = any (array(
      select id from factor_challenges where created_at < ${which.before}
      order by created_at limit ${which.max} for update skip locked
    ))`
  return deleted.count
}

const KEPT_MS = 3_600_000

/**
 * Removes challenges an hour after their creation, when they can have no further effect: the audit
 * log has their outcome. A challenge may be as large as its call.
 */
export const purgeChallenges: Job = {
  name: 'purge_challenges',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteChallenges(sql, { before: now - KEPT_MS, max: batch }),
}
