// Every SQL statement about people and their sign-ins. A person belongs to a tenant, in sandbox and
// live alike.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export type UserRole = 'owner' | 'admin' | 'member'

export interface UserRow {
  id: string
  name: string
  role: UserRole
  passwordHash: string
  totpSealed: string
}

/** Returns null if no active person of this tenant has the address. */
export async function findActiveUser(
  sql: SqlTag,
  who: { tenantId: string; email: string },
): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`
    select id, name, role, password_hash as "passwordHash", totp_sealed as "totpSealed" from users
    where tenant_id = ${who.tenantId} and email = ${who.email} and state = 'active'`
  return row ?? null
}

/**
 * Takes a thirty-second step; returns false if its code or a later one was taken before, or if the
 * person was disabled or got a new secret meanwhile.
 */
export async function takeStep(
  sql: TxSql,
  { user, step }: { user: UserRow; step: number },
): Promise<boolean> {
  const taken = await sql`
    update users set totp_last_step = ${step}
    where id = ${user.id} and totp_last_step < ${step}
      and state = 'active' and totp_sealed = ${user.totpSealed} returning 1`
  return taken.length > 0
}

/**
 * Uses up a recovery code; returns false if the code is unknown or used, or the person was disabled
 * meanwhile.
 */
export async function takeRecoveryCode(
  sql: TxSql,
  code: { userId: string; hash: Buffer; now: EpochMs },
): Promise<boolean> {
  const [user] = await sql`
    select 1 from users where id = ${code.userId} and state = 'active' for share`
  if (user === undefined) return false
  const taken = await sql`
    update recovery_codes set used_at = ${code.now}
    where user_id = ${code.userId} and hash = ${code.hash} and used_at is null returning 1`
  return taken.length > 0
}

/**
 * Counts a try; returns false after `max` tries since `since`. One row per subject: simultaneous
 * tries are counted one after the other.
 */
export async function countTry(
  sql: SqlTag,
  attempt: { subject: string; now: EpochMs; since: EpochMs; max: number },
): Promise<boolean> {
  const { subject, now, since, max } = attempt
  const counted = await sql`
    insert into sign_in_tries as kept (subject, tries, last_try) values (${subject}, array[${now}::bigint], ${now})
    on conflict (subject) do update set last_try = ${now},
      tries = array(select tried from unnest(kept.tries) tried where tried > ${since}) || ${now}::bigint
    where (select count(*) from unnest(kept.tries) tried where tried > ${since}) < ${max}
    returning 1`
  return counted.length > 0
}

/** A successful try does not count. */
export async function forgiveTry(
  sql: TxSql,
  attempt: { subjects: readonly string[]; now: EpochMs },
): Promise<void> {
  await sql`
    update sign_in_tries set tries = array_remove(tries, ${attempt.now}::bigint)
    where subject = any(${[...attempt.subjects]}::text[])`
}

export async function deleteTries(
  sql: SqlTag,
  which: { before: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from sign_in_tries where subject = any (array(
      select subject from sign_in_tries where last_try < ${which.before}
      order by last_try limit ${which.max} for update skip locked
    ))`
  return deleted.count
}

export interface NewUser {
  id: string
  tenantId: string
  /** In lower case. */
  email: string
  name: string
  role: UserRole
  passwordHash: string
  totpSealed: string
  recoveryHashes: readonly Buffer[]
  now: EpochMs
}

/** Inserts a person; returns false and changes nothing if the person exists. */
export async function insertUser(sql: TxSql, user: NewUser): Promise<boolean> {
  const { id, tenantId, email, name, role, passwordHash, totpSealed, now } = user
  const made = await sql`
    insert into users (id, tenant_id, email, name, role, password_hash, totp_sealed, created_at)
    values (${id}, ${tenantId}, ${email}, ${name}, ${role}, ${passwordHash}, ${totpSealed}, ${now})
    on conflict do nothing returning 1`
  if (made.length === 0) return false
  for (const hash of user.recoveryHashes)
    await sql`insert into recovery_codes (user_id, hash) values (${id}, ${hash})`
  return true
}
