// Every SQL statement about identity verifications: the requests to the provider and its results.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Finding } from '../identity/provider.ts'
import type { Details } from './view.ts'

export type VerificationState =
  | 'requested'
  | 'sent'
  | 'requires_action'
  | 'approved'
  | 'rejected'
  | 'superseded'

/** States in which an answer of the provider still counts. */
export const OPEN_STATES: readonly VerificationState[] = ['requested', 'sent', 'requires_action']

export interface VerificationRow extends Owner {
  id: string
  cardholderId: string
  state: VerificationState
  attempts: number
  reminders: number
  sequence: number
  createdAt: EpochMs
  /** The installation's time, converted to the tenant's clock. */
  now: EpochMs
}

function verificationColumns(sql: SqlTag, now: EpochMs) {
  return sql`
    v.id, v.tenant_id as "tenantId", v.environment, v.cardholder_id as "cardholderId", v.state,
    v.attempts, v.reminders, v.sequence, v.created_at as "createdAt",
    ${now}::bigint + clock_offset(v.tenant_id, v.environment) as now`
}

/** The timer sends it in its next round. */
export async function insertVerification(
  sql: TxSql,
  owner: Owner,
  { id, cardholderId, now }: { id: string; cardholderId: string; now: EpochMs },
): Promise<void> {
  await sql`
    insert into identity_verifications (
      id, tenant_id, environment, cardholder_id, state, due_at, created_at
    ) values (
      ${id}, ${owner.tenantId}, ${owner.environment}, ${cardholderId}, 'requested', ${now}, ${now}
    )`
}

/**
 * Ends the open verification of a cardholder, if there is one: by a decision, or because it is
 * superseded.
 */
export async function closeVerification(
  sql: TxSql,
  owner: Owner,
  { cardholderId, state }: { cardholderId: string; state: VerificationState },
): Promise<void> {
  await sql`
    update identity_verifications set state = ${state}, due_at = null
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and cardholder_id = ${cardholderId} and state = any(${[...OPEN_STATES]}::text[])`
}

/**
 * Finds a verification of any tenant, because the provider knows no tenants. `now` is the
 * installation's time.
 */
export async function findVerification(
  sql: SqlTag,
  id: string,
  now: EpochMs,
): Promise<VerificationRow | null> {
  const [row] = await sql<VerificationRow[]>`
    select ${verificationColumns(sql, now)} from identity_verifications v where v.id = ${id}`
  return row ?? null
}

/** Locks the verification after its cardholder: all callers use this order. */
export async function lockVerification(
  sql: TxSql,
  id: string,
  now: EpochMs,
): Promise<VerificationRow> {
  const [row] = await sql<VerificationRow[]>`
    select ${verificationColumns(sql, now)} from identity_verifications v where v.id = ${id}
    for no key update`
  assert(row !== undefined, 'a verification does not vanish')
  return row
}

/** Stores the provider's result. Returns false if it was stored before. */
export async function keepFinding(
  sql: TxSql,
  verification: VerificationRow,
  { finding, applied }: { finding: Finding; applied: boolean },
): Promise<boolean> {
  const { id, tenantId, environment, now } = verification
  const kept = await sql`
    insert into identity_findings (
      verification_id, event_id, tenant_id, environment, sequence, status, reasons, applied, received_at
    ) values (
      ${id}, ${finding.eventId}, ${tenantId}, ${environment}, ${finding.sequence}, ${finding.status},
      ${[...finding.reasons]}::text[], ${applied}, ${now}
    )
    on conflict do nothing
    returning 1`
  return kept.length > 0
}

export interface VerificationChange {
  state: VerificationState
  /** Null if no step is due. */
  dueAt: EpochMs | null
  attempts?: number
  reminders?: number
  sequence?: number
}

/** Changes a locked verification. */
export async function saveVerification(
  sql: TxSql,
  verification: VerificationRow,
  change: VerificationChange,
): Promise<void> {
  const { attempts, reminders, sequence } = { ...verification, ...change }
  await sql`
    update identity_verifications set state = ${change.state}, due_at = ${change.dueAt},
      attempts = ${attempts}, reminders = ${reminders}, sequence = ${sequence}
    where id = ${verification.id}`
}

export interface DueVerification extends VerificationRow {
  details: Details
}

/**
 * Claims due verifications by their tenants' clocks, `most` of them, for `leaseMs`: a claimer that
 * dies leaves them to the next. Rows that others are claiming are skipped. The due time is checked
 * twice: the statement's snapshot finds the ids, and a row that another process took since is
 * checked again when it is locked, but only by its own columns.
 */
export async function claimDue(
  sql: TxSql,
  { now, leaseMs, most }: { now: EpochMs; leaseMs: number; most: number },
): Promise<readonly DueVerification[]> {
  return sql<DueVerification[]>`
    with due as (
      select id from identity_verifications where id in (
        (select id from identity_verifications where due_at <= ${now} order by due_at limit ${most})
        union all
        (
          select v.id from sandbox_clocks c join identity_verifications v
            on v.tenant_id = c.tenant_id and v.environment = 'sandbox'
          where v.due_at <= ${now} + c.offset_ms order by v.due_at limit ${most}
        )
      ) and due_at <= ${now}::bigint + clock_offset(tenant_id, environment)
      order by due_at limit ${most} for update skip locked
    )
    update identity_verifications v
    set due_at = ${now}::bigint + clock_offset(v.tenant_id, v.environment) + ${leaseMs}
    from due, cardholders h
    where v.id = due.id and h.id = v.cardholder_id
    returning ${verificationColumns(sql, now)}, h.details`
}
