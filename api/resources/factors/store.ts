// Every SQL statement about challenges: calls that wait for a person. Times of deciding are the installation’s: people live by no clock of
// a sandbox.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/facts.ts'
import type { Principal } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

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
  /** When nobody can decide any more. */
  expiresAt: EpochMs
  decidedAt: EpochMs | null
  decidedBy: string | null
  usedAt: EpochMs | null
}

export type NewChallenge = Pick<
  ChallengeRow,
  'id' | 'operation' | 'method' | 'path' | 'ip' | 'sealed' | 'createdAt' | 'expiresAt'
> & { handleHash: Buffer; tokenHash: Buffer; requestId: string }

function columns(sql: SqlTag) {
  return sql`
    c.id, c.tenant_id as "tenantId", c.environment, c.key_id as "keyId", c.operation, c.method, c.path, c.ip,
    c.sealed, c.state, c.created_at as "createdAt", c.expires_at as "expiresAt",
    c.decided_at as "decidedAt", c.decided_by as "decidedBy", c.used_at as "usedAt"`
}

export async function insertChallenge(
  sql: SqlTag,
  { tenantId, environment, keyId }: Principal,
  made: NewChallenge,
): Promise<void> {
  await sql`
    insert into factor_challenges (id, tenant_id, environment, key_id, handle_hash, token_hash, operation,
      method, path, ip, request_id, sealed, created_at, expires_at)
    values (${made.id}, ${tenantId}, ${environment}, ${keyId}, ${made.handleHash}, ${made.tokenHash},
      ${made.operation}, ${made.method}, ${made.path}, ${made.ip}, ${made.requestId}, ${made.sealed},
      ${made.createdAt}, ${made.expiresAt})`
}

/** For the credential whose call it was; for every other one there is none. */
export async function findChallenge(
  sql: SqlTag,
  { tenantId, environment, keyId }: Principal,
  id: string,
): Promise<ChallengeRow | null> {
  const [row] = await sql<ChallengeRow[]>`
    select ${columns(sql)} from factor_challenges c
    where tenant_id = ${tenantId} and environment = ${environment} and key_id = ${keyId} and id = ${id}`
  return row ?? null
}

/** The challenge whose approval this token proves. What a person approved who was disabled since is worth nothing. */
export async function findChallengeByToken(
  sql: SqlTag,
  { tenantId, environment, keyId }: Principal,
  tokenHash: Buffer,
): Promise<ChallengeRow | null> {
  const [row] = await sql<ChallengeRow[]>`
    select ${columns(sql)} from factor_challenges c
    where tenant_id = ${tenantId} and environment = ${environment} and key_id = ${keyId}
      and token_hash = ${tokenHash}
      and not exists (select 1 from users u where u.id = c.decided_by and u.state = 'disabled')`
  return row ?? null
}

/** Who asks a person, as the page shows it. */
export interface Asker {
  tenantName: string
  keyName: string
  keyScope: string
  keyLast4: string
}

/** By the secret in the page's address, which names no owner: it is what tells us the owner. */
export async function findChallengeByHandle(
  sql: SqlTag,
  handleHash: Buffer,
): Promise<(ChallengeRow & Asker) | null> {
  const [row] = await sql<(ChallengeRow & Asker)[]>`
    select ${columns(sql)},
      (select name from tenants t where t.id = c.tenant_id) as "tenantName",
      k.name as "keyName", k.scope as "keyScope", k.last4 as "keyLast4"
    from factor_challenges c join api_keys k on k.id = c.key_id
    where handle_hash = ${handleHash}`
  return row ?? null
}

/** False where somebody decided before, or it was too late. */
export async function saveDecision(
  sql: TxSql,
  decision: {
    id: string
    state: 'approved' | 'denied'
    now: EpochMs
    by: string | null
    with: 'totp' | 'recovery_code' | null
  },
): Promise<boolean> {
  const { id, state, now, by } = decision
  const decided = await sql`
    update factor_challenges
    set state = ${state}, decided_at = ${now}, decided_by = ${by}, decided_with = ${decision.with}
    where id = ${id} and state = 'pending' and expires_at > ${now}
    returning 1`
  return decided.length > 0
}

/**
 * True once per challenge, and again for the call that used it, whose commit may have been in doubt. False where the person who
 * approved it is disabled by then: looked at last, because a call may wait long between its gate and this, and here for a rival.
 * The person is not held: whoever disables one holds the tenant first, and the call may need that.
 */
export async function saveUsed(
  sql: TxSql,
  use: { challengeId: string; requestId: string; now: EpochMs },
): Promise<boolean> {
  const [used] = await sql<{ by: string }[]>`
    update factor_challenges set used_at = ${use.now}, used_by = ${use.requestId}
    where id = ${use.challengeId} and state = 'approved'
      and (used_at is null or used_by = ${use.requestId})
    returning decided_by as by`
  if (used === undefined) return false
  const [approver] = await sql`select 1 from users where id = ${used.by} and state = 'active'`
  return approver !== undefined
}

export async function deleteChallenges(
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
