// Every SQL statement about sessions. They belong to an identity and to no tenant.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** `password` is no second factor: such a session approves nothing. */
export type SessionFactor = 'password' | 'totp' | 'recovery_code' | 'passkey'

/** A tenant that the person belongs to. */
export interface Membership {
  personId: string
  tenantId: string
  tenantName: string
  role: PersonRole
}

/** A session as requests see it; remembered in memory until it or the person changes. */
export interface KnownSession {
  id: string
  hash: Buffer
  identity: {
    id: string
    email: string
    name: string
    isVerified: boolean
    hasGenerator: boolean
    hasPasskeys: boolean
  }
  factor: SessionFactor
  createdAt: EpochMs
  /** The last request, exact to a minute. */
  seenAt: EpochMs
  endsAt: EpochMs
  /** Active memberships, in the order of the tenants' ids. */
  memberships: readonly Membership[]
}

/** The stored form of a token: a bare hash is enough for 256 random bits. */
export function sessionHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

interface NewSession {
  id: string
  identityId: string
  hash: Buffer
  factor: SessionFactor
  address: string | null
  agent: string
  now: EpochMs
  endsAt: EpochMs
}

export async function insertSession(sql: TxSql, session: NewSession): Promise<void> {
  const { id, identityId, factor, address, agent, now, endsAt } = session
  await sql`
    insert into sessions (id, identity_id, hash, factor, address, agent, created_at, seen_at, ends_at)
    values (${id}, ${identityId}, ${session.hash}, ${factor}, ${address}, ${agent}, ${now}, ${now}, ${endsAt})`
}

/**
 * Gives the session another hash and factor, and lets the hash of before stand for it until
 * `graceEndsAt`. Returns false for a session that has another hash already.
 */
export async function replaceHash(
  sql: TxSql,
  session: KnownSession,
  to: { hash: Buffer; factor: SessionFactor; graceId: string; graceEndsAt: EpochMs },
): Promise<boolean> {
  const replaced = await sql`
    update sessions set hash = ${to.hash}, factor = ${to.factor}
    where id = ${session.id} and hash = ${session.hash} returning 1`
  if (replaced.length === 0) return false
  await sql`
    insert into sessions (id, identity_id, hash, factor, address, agent, created_at, seen_at,
      ends_at, stands_for)
    select ${to.graceId}, identity_id, ${session.hash}, ${session.factor}, address, agent,
      created_at, seen_at, least(ends_at, ${to.graceEndsAt}), id
    from sessions where id = ${session.id}`
  return true
}

/**
 * The present hash and factor of a session, locked, for a hash of before that stands for it at
 * `now`; null for any other hash.
 */
export async function lockReplaced(
  sql: TxSql,
  { id, hash: before }: KnownSession,
  now: EpochMs,
): Promise<Pick<KnownSession, 'hash' | 'factor'> | null> {
  const [row] = await sql<Pick<KnownSession, 'hash' | 'factor'>[]>`
    select s.hash, s.factor from sessions s join sessions g on g.stands_for = s.id
    where s.id = ${id} and g.hash = ${before} and g.ends_at > ${now} for update of s`
  return row ?? null
}

interface LoadedRow {
  id: string
  factor: SessionFactor
  createdAt: EpochMs
  seenAt: EpochMs
  endsAt: EpochMs
  identityId: string
  email: string
  name: string
  isVerified: boolean
  hasGenerator: boolean
  hasPasskeys: boolean
  memberships: Membership[]
}

/** The session with this hash, of an active person; null otherwise. A cookie of before names it. */
export async function loadSession(sql: SqlTag, hash: Buffer): Promise<KnownSession | null> {
  const [row] = await sql<LoadedRow[]>`
    select coalesce(s.stands_for, s.id) as id, s.factor, s.created_at as "createdAt", s.seen_at as "seenAt", s.ends_at as "endsAt",
      i.id as "identityId", i.email, i.name, i.verified_at is not null as "isVerified",
      i.totp_sealed is not null as "hasGenerator",
      exists (select from passkeys k where k.identity_id = i.id) as "hasPasskeys",
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'personId', u.id, 'tenantId', t.id, 'tenantName', t.name, 'role', u.role
        ) order by t.id), '[]')
        from users u join tenants t on t.id = u.tenant_id
        where u.identity_id = i.id and u.state = 'active'
      ) as memberships
    from sessions s join identities i on i.id = s.identity_id
    where s.hash = ${hash} and i.state = 'active'`
  if (row === undefined) return null
  const { identityId, email, name, isVerified, hasGenerator, hasPasskeys, ...session } = row
  const identity = { id: identityId, email, name, isVerified, hasGenerator, hasPasskeys }
  return { ...session, hash, identity }
}

export async function touchSession(
  sql: SqlTag,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`update sessions set seen_at = ${now} where id = ${id} and seen_at < ${now}`
}

/** A session as its person sees it. */
export interface SessionRow {
  id: string
  factor: SessionFactor
  address: string | null
  agent: string
  createdAt: EpochMs
  seenAt: EpochMs
}

/** The sessions of a person that have not ended, newest first. */
export async function listSessions(
  sql: SqlTag,
  { identityId, now, idleMs }: { identityId: string; now: EpochMs; idleMs: number },
): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select id, factor, address, agent, created_at as "createdAt", seen_at as "seenAt" from sessions
    where identity_id = ${identityId} and ends_at > ${now} and seen_at > ${now - idleMs}
      and stands_for is null
    order by id desc limit 50`
}

/** Ends one session of the person; returns false if the person has no such session. */
export async function endSession(
  sql: SqlTag,
  { id, identityId }: { id: string; identityId: string },
): Promise<boolean> {
  const ended = await sql`
    delete from sessions where id = ${id} and identity_id = ${identityId} returning 1`
  return ended.length > 0
}

/** Ends every session of the person but one; null ends them all. */
export async function endOtherSessions(
  sql: SqlTag,
  { identityId, keptId }: { identityId: string; keptId: string | null },
): Promise<void> {
  await sql`
    delete from sessions
    where identity_id = ${identityId} and coalesce(stands_for, id) <> ${keptId ?? ''}`
}

/** Deletes sessions that ended. */
export async function deleteEnded(
  sql: SqlTag,
  which: { now: EpochMs; seenBefore: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from sessions where id = any (array(
      select id from sessions where ends_at <= ${which.now} or seen_at <= ${which.seenBefore}
      limit ${which.max} for update skip locked
    ))`
  return deleted.count
}
