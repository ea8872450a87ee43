// Every SQL statement about identities and their sign-ins. An identity belongs to no tenant.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface IdentityRow {
  id: string
  /** In lower case. */
  email: string
  /** When the person proved the address; null: the address binds nobody. */
  verifiedAt: EpochMs | null
  name: string
  /** Null: the person has no password. */
  passwordHash: string | null
  /** Null: the person has no generator of codes. */
  totpSealed: string | null
  /** A person with a passkey needs a code beside the password. */
  hasPasskeys: boolean
  state: 'active' | 'disabled'
  createdAt: EpochMs
}

function columns(sql: SqlTag) {
  return sql`
    id, email, verified_at as "verifiedAt", name, password_hash as "passwordHash",
    totp_sealed as "totpSealed",
    exists (select from passkeys k where k.identity_id = identities.id) as "hasPasskeys", state, created_at as "createdAt"`
}

export async function findIdentity(sql: SqlTag, id: string): Promise<IdentityRow | null> {
  const [row] = await sql<IdentityRow[]>`select ${columns(sql)} from identities where id = ${id}`
  return row ?? null
}

/** Returns whether the person works as an operator. */
export async function isOperator(sql: SqlTag, identityId: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from operators where identity_id = ${identityId} and state = 'active'`
  return row !== undefined
}

/**
 * Whether this person works as an operator, and no other operator has a person with a passkey. It
 * stays so until the transaction ends: of two persons at once the second waits.
 */
export async function isOnlyOperator(
  sql: TxSql,
  { identityId, now }: { identityId: string; now: EpochMs },
): Promise<boolean> {
  if (!(await isOperator(sql, identityId))) return false
  await lockOperators(sql)
  if (!(await hasWorkingPerson(sql, { now }))) return false
  return !(await hasWorkingPerson(sql, { now, exceptId: identityId }))
}

/** Until the transaction ends, no other one changes operators or counts their persons. */
export async function lockOperators(sql: TxSql): Promise<void> {
  await sql`lock table operators in share row exclusive mode`
}

/** Whether an active operator has a person with a passkey, other than that of `exceptId`. */
export async function hasWorkingPerson(
  sql: SqlTag,
  { now, exceptId = null }: { now: EpochMs; exceptId?: string | null },
): Promise<boolean> {
  const [row] = await sql`
    select 1 from operators o join identities i on i.id = o.identity_id
    where o.state = 'active' and (o.expires_at is null or o.expires_at > ${now})
      and i.state = 'active' and exists (select 1 from passkeys k where k.identity_id = i.id)
      and i.id is distinct from ${exceptId}::text
    limit 1`
  return row !== undefined
}

/** Locks the identity until the transaction ends. */
export async function lockIdentity(sql: TxSql, id: string): Promise<IdentityRow> {
  const [row] = await sql<IdentityRow[]>`
    select ${columns(sql)} from identities where id = ${id} for no key update`
  assert(row !== undefined, 'an identity is never removed while it is in use')
  return row
}

/** The identity that proved the address; otherwise the newest that only claims it. */
export async function findIdentityByEmail(sql: SqlTag, email: string): Promise<IdentityRow | null> {
  const [row] = await sql<IdentityRow[]>`
    select ${columns(sql)} from identities where email = ${email}
    order by verified_at is null, id desc limit 1`
  return row ?? null
}

/** The identity that proved the address; null if there is none. */
export async function findVerifiedIdentity(
  sql: SqlTag,
  email: string,
): Promise<IdentityRow | null> {
  const [row] = await sql<IdentityRow[]>`
    select ${columns(sql)} from identities where email = ${email} and verified_at is not null`
  return row ?? null
}

export interface NewIdentity extends Omit<IdentityRow, 'state' | 'hasPasskeys'> {
  recoveryHashes: readonly Buffer[]
}

/** Inserts an identity; returns false and changes nothing if a verified one has the address. */
export async function insertIdentity(sql: TxSql, identity: NewIdentity): Promise<boolean> {
  const { id, email, verifiedAt, name, passwordHash, totpSealed, createdAt } = identity
  const made = await sql`
    insert into identities (id, email, verified_at, name, password_hash, totp_sealed, created_at)
    values (${id}, ${email}, ${verifiedAt}, ${name}, ${passwordHash}, ${totpSealed}, ${createdAt})
    on conflict do nothing returning 1`
  if (made.length === 0) return false
  await insertRecoveryCodes(sql, id, identity.recoveryHashes)
  return true
}

async function insertRecoveryCodes(
  sql: TxSql,
  identityId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  for (const hash of hashes)
    await sql`insert into recovery_codes (identity_id, hash) values (${identityId}, ${hash})`
}

/**
 * Saves the sign-in address and the name, for all tenants of the person. Links that went to another
 * address end: they open nothing for who reads that mailbox.
 */
export async function saveProfile(
  sql: TxSql,
  { id, email, name }: Pick<IdentityRow, 'id' | 'email' | 'name'>,
): Promise<void> {
  await sql`
    delete from mail_proofs using identities i
    where identity_id = ${id} and i.id = ${id} and i.email <> ${email}`
  await sql`update identities set email = ${email}, name = ${name} where id = ${id}`
}

/** Saves another password. */
export async function savePassword(
  sql: TxSql,
  { id, passwordHash }: { id: string; passwordHash: string },
): Promise<void> {
  await sql`update identities set password_hash = ${passwordHash} where id = ${id}`
}

/** Marks the address as proved. The caller knows that no other identity proved it. */
export async function verifyAddress(
  sql: TxSql,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`update identities set verified_at = coalesce(verified_at, ${now}) where id = ${id}`
}

/**
 * Disables a person for good and forgets everything personal: address, name, secrets and links. The
 * row stays for the audit log.
 */
export async function eraseIdentity(sql: TxSql, id: string): Promise<void> {
  await sql`
    update identities set state = 'disabled', email = ${id + '@removed.invalid'}, name = 'Removed',
      password_hash = null, totp_sealed = null, totp_last_step = 0
    where id = ${id}`
  await sql`delete from recovery_codes where identity_id = ${id}`
  await sql`delete from mail_proofs where identity_id = ${id}`
}

/**
 * Saves another generator and its recovery codes; the earlier ones stop working. Null removes the
 * generator.
 */
export async function saveFactor(
  sql: TxSql,
  factor: { identityId: string; totpSealed: string | null; recoveryHashes: readonly Buffer[] },
): Promise<void> {
  const { identityId, totpSealed, recoveryHashes } = factor
  await sql`
    update identities set totp_sealed = ${totpSealed}, totp_last_step = 0 where id = ${identityId}`
  await saveRecoveryCodes(sql, identityId, recoveryHashes)
}

/** Saves another set of recovery codes; the earlier ones stop working. */
export async function saveRecoveryCodes(
  sql: TxSql,
  identityId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await sql`delete from recovery_codes where identity_id = ${identityId}`
  await insertRecoveryCodes(sql, identityId, hashes)
}

/** Saves recovery codes for a person who has none; returns false if the person has some. */
export async function saveMissingRecoveryCodes(
  sql: TxSql,
  identityId: string,
  hashes: readonly Buffer[],
): Promise<boolean> {
  const [known] = await sql`
    select 1 from recovery_codes where identity_id = ${identityId} and used_at is null limit 1`
  if (known !== undefined) return false
  await saveRecoveryCodes(sql, identityId, hashes)
  return true
}

/** Removes the generator; the recovery codes stay. */
export async function removeGenerator(sql: TxSql, identityId: string): Promise<void> {
  await sql`update identities set totp_sealed = null, totp_last_step = 0 where id = ${identityId}`
}

/**
 * Takes a thirty-second step; returns false if its code or a later one was taken before, or if the
 * person was disabled or got a new secret meanwhile.
 */
export async function takeStep(
  sql: TxSql,
  { identity, step }: { identity: IdentityRow; step: number },
): Promise<boolean> {
  const taken = await sql`
    update identities set totp_last_step = ${step}
    where id = ${identity.id} and totp_last_step < ${step}
      and state = 'active' and totp_sealed = ${identity.totpSealed} returning 1`
  return taken.length > 0
}

/** Uses up a recovery code; returns false if the code is unknown or used. */
export async function takeRecoveryCode(
  sql: TxSql,
  code: { identityId: string; hash: Buffer; now: EpochMs },
): Promise<boolean> {
  const [identity] = await sql`
    select 1 from identities where id = ${code.identityId} and state = 'active' for share`
  if (identity === undefined) return false
  const taken = await sql`
    update recovery_codes set used_at = ${code.now}
    where identity_id = ${code.identityId} and hash = ${code.hash} and used_at is null returning 1`
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

/** A successful try does not count; others of the same millisecond still do. */
export async function forgiveTry(
  sql: TxSql,
  attempt: { subjects: readonly string[]; now: EpochMs },
): Promise<void> {
  await sql`
    update sign_in_tries
    set tries = tries[:array_position(tries, ${attempt.now}::bigint) - 1]
      || tries[array_position(tries, ${attempt.now}::bigint) + 1:]
    where subject = any(${[...attempt.subjects]}::text[])
      and array_position(tries, ${attempt.now}::bigint) is not null`
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
