// Every SQL statement about one-time links by which a person proves an address. Links are kept as
// hashes.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export type ProofPurpose = 'verify' | 'reset' | 'regain'

export interface ProofRow {
  identityId: string
  email: string
  name: string
  /** When the address was proved; null: not yet. */
  verifiedAt: EpochMs | null
}

interface NewProof {
  tokenHash: Buffer
  purpose: ProofPurpose
  identityId: string
  endsAt: EpochMs
}

/** Inserts a link; earlier ones of the person with this purpose end. */
export async function insertProof(sql: TxSql, proof: NewProof, now: EpochMs): Promise<void> {
  const { tokenHash, purpose, identityId, endsAt } = proof
  await sql`
    update mail_proofs set used_at = ${now}
    where identity_id = ${identityId} and purpose = ${purpose} and used_at is null`
  await sql`
    insert into mail_proofs (token_hash, purpose, identity_id, ends_at)
    values (${tokenHash}, ${purpose}, ${identityId}, ${endsAt})`
}

interface ProofQuery {
  tokenHash: Buffer
  purpose: ProofPurpose
  now: EpochMs
}

/** The person of a link that still works; null otherwise, and for a disabled person. */
export async function findProof(sql: SqlTag, query: ProofQuery): Promise<ProofRow | null> {
  const [row] = await sql<ProofRow[]>`
    select i.id as "identityId", i.email, i.name, i.verified_at as "verifiedAt"
    from mail_proofs p join identities i on i.id = p.identity_id
    where p.token_hash = ${query.tokenHash} and p.purpose = ${query.purpose}
      and p.used_at is null and p.ends_at > ${query.now} and i.state = 'active'`
  return row ?? null
}

/** Uses a link up; returns false if a rival was faster, or it ended. */
export async function takeProof(sql: TxSql, query: ProofQuery): Promise<boolean> {
  const taken = await sql`
    update mail_proofs set used_at = ${query.now}
    where token_hash = ${query.tokenHash} and purpose = ${query.purpose}
      and used_at is null and ends_at > ${query.now} returning 1`
  return taken.length > 0
}

/**
 * Moves the memberships of one identity to another, which keeps its own role where it is active,
 * and disables the first. Where the first is an owner the other becomes one: no tenant loses its
 * last. A membership of the other that was disabled gives way to an active one of the first.
 */
export async function mergeIdentity(
  sql: TxSql,
  { from, into }: { from: string; into: string },
): Promise<void> {
  await sql`
    update users u set identity_id = ${into} where u.identity_id = ${from} and not exists (
      select 1 from users o where o.tenant_id = u.tenant_id and o.identity_id = ${into})`
  await sql`
    update users o set state = 'active', removed_at = null,
      role = case when o.state = 'disabled' or u.role = 'owner' then u.role else o.role end
    from users u
    where u.identity_id = ${from} and u.state = 'active'
      and o.tenant_id = u.tenant_id and o.identity_id = ${into}`
  await sql`update identities set state = 'disabled' where id = ${from}`
  await sql`delete from sessions where identity_id = ${from}`
}

export async function deleteProofs(
  sql: SqlTag,
  which: { before: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from mail_proofs where token_hash = any (array(
      select token_hash from mail_proofs where ends_at < ${which.before}
      limit ${which.max} for update skip locked
    ))`
  return deleted.count
}
