// Every SQL statement about factor resets that wait.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface ResetRow {
  id: string
  tenantId: string
  personId: string
  identityId: string
  totpSealed: string
  /** In hex. */
  recoveryHashes: string[]
  operatorId: string
  worksAt: EpochMs
}

function columns(sql: SqlTag) {
  return sql`
    id, tenant_id as "tenantId", person_id as "personId", identity_id as "identityId",
    totp_sealed as "totpSealed", recovery_hashes as "recoveryHashes", operator_id as "operatorId",
    works_at as "worksAt"`
}

/** Returns false and changes nothing while another reset of the person waits. */
export async function insertReset(
  sql: TxSql,
  reset: Omit<ResetRow, 'recoveryHashes'> & {
    recoveryHashes: readonly string[]
    cancelHash: Buffer
    createdAt: EpochMs
  },
): Promise<boolean> {
  const { id, tenantId, personId, identityId, cancelHash, totpSealed, operatorId } = reset
  const { createdAt, worksAt } = reset
  const made = await sql`
    insert into factor_resets (id, tenant_id, person_id, identity_id, cancel_hash, totp_sealed,
      recovery_hashes, operator_id, created_at, works_at)
    values (${id}, ${tenantId}, ${personId}, ${identityId}, ${cancelHash}, ${totpSealed},
      ${[...reset.recoveryHashes]}::text[], ${operatorId}, ${createdAt}, ${worksAt})
    on conflict do nothing returning 1`
  return made.length > 0
}

/** A reset that waits, with the names that its page shows; null for one that ended. */
export async function findReset(
  sql: SqlTag,
  { cancelHash, now }: { cancelHash: Buffer; now: EpochMs },
): Promise<{ tenantId: string; tenant: string; person: string; worksAt: EpochMs } | null> {
  const [row] = await sql<{ tenantId: string; tenant: string; person: string; worksAt: EpochMs }[]>`
    select t.id as "tenantId", t.name as tenant, i.name as person, r.works_at as "worksAt"
    from factor_resets r join tenants t on t.id = r.tenant_id
    join identities i on i.id = r.identity_id
    where r.cancel_hash = ${cancelHash} and r.applied_at is null and r.cancelled_at is null
      and r.works_at > ${now}`
  return row ?? null
}

/** Locks a reset that waits, until the transaction ends. */
export async function lockReset(
  sql: TxSql,
  { cancelHash, now }: { cancelHash: Buffer; now: EpochMs },
): Promise<ResetRow | null> {
  const [row] = await sql<ResetRow[]>`
    select ${columns(sql)} from factor_resets
    where cancel_hash = ${cancelHash} and applied_at is null and cancelled_at is null
      and works_at > ${now} for update`
  return row ?? null
}

/** Locks one reset whose day is over; skips those that another process applies. */
export async function lockDueReset(sql: TxSql, now: EpochMs): Promise<ResetRow | null> {
  const [row] = await sql<ResetRow[]>`
    select ${columns(sql)} from factor_resets
    where works_at <= ${now} and applied_at is null and cancelled_at is null
    order by works_at limit 1 for update skip locked`
  return row ?? null
}

export async function saveApplied(
  sql: TxSql,
  { id, now }: { id: string; now: EpochMs },
): Promise<void> {
  await sql`update factor_resets set applied_at = ${now} where id = ${id}`
}

export async function saveCancelled(
  sql: TxSql,
  { id, by, now }: { id: string; by: string | null; now: EpochMs },
): Promise<void> {
  await sql`
    update factor_resets set cancelled_at = ${now}, cancelled_by = ${by} where id = ${id}`
}

export async function deleteResets(
  sql: SqlTag,
  which: { before: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from factor_resets where id = any (array(
      select id from factor_resets
      where works_at < ${which.before} and (applied_at is not null or cancelled_at is not null)
      limit ${which.max} for update skip locked
    ))`
  return deleted.count
}
