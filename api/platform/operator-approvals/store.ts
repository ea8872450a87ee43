// Every SQL statement about calls that wait for a second operator, except their use by write().
// Operators belong to the installation, therefore no statement names an owner.
import type { EpochMs } from '../../../shared/clock.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ApprovalRow } from './view.ts'

function columns(sql: SqlTag) {
  return sql`
    a.id, a.operator_id as "operatorId", a.operation, a.method, a.path, a.fields, a.state,
    a.created_at as "createdAt", a.expires_at as "expiresAt", a.decided_at as "decidedAt",
    a.decided_by as "decidedBy", a.used_at as "usedAt",
    (select o.name from operators o where o.id = a.operator_id) as "operatorName"`
}

export async function listApprovals(
  sql: SqlTag,
  query: PageQuery & CreatedFilters & { operator_id?: string },
): Promise<PageRows<ApprovalRow>> {
  const { operator_id: operatorId } = query
  return readPage<ApprovalRow>(sql, query, {
    list: 'operator_approvals',
    column: 'a.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ApprovalRow[]>`
      select ${columns(sql)} from operator_approvals a
      where ${range} ${createdWithin(sql, query)}
        ${operatorId === undefined ? sql`` : sql`and a.operator_id = ${operatorId}`}
      ${ordered}`,
  })
}

export async function findApprovalRow(sql: SqlTag, id: string): Promise<ApprovalRow | null> {
  const [row] = await sql<ApprovalRow[]>`
    select ${columns(sql)} from operator_approvals a where a.id = ${id}`
  return row ?? null
}

/** Two operators who decide at once: the second waits, and finds the decision of the first. */
export async function lockApproval(sql: TxSql, id: string): Promise<ApprovalRow | null> {
  const [row] = await sql<ApprovalRow[]>`
    select ${columns(sql)} from operator_approvals a where a.id = ${id} for update of a`
  return row ?? null
}

/**
 * The request for this call that was neither used nor denied and has not ended: an approved one
 * before one that waits, else the newest. An approval counts while its operator's credential works;
 * one without a passkey only with `acceptsUnproved`.
 */
export async function findOpenApproval(
  sql: SqlTag,
  call: { operatorId: string; fingerprint: string; acceptsUnproved: boolean; now: EpochMs },
): Promise<ApprovalRow | null> {
  const [row] = await sql<ApprovalRow[]>`
    select ${columns(sql)} from operator_approvals a
    where a.operator_id = ${call.operatorId} and a.fingerprint = ${call.fingerprint}
      and a.state <> 'denied' and a.used_at is null and a.expires_at > ${call.now}
      and (a.state <> 'approved' or a.is_proved or ${call.acceptsUnproved})
      and not exists (
        select 1 from operators o
        where o.id = a.decided_by and (o.state = 'revoked' or o.expires_at <= ${call.now})
      )
    order by (a.state = 'approved') desc, a.id desc limit 1`
  return row ?? null
}

export type NewApproval = Pick<
  ApprovalRow,
  'id' | 'operatorId' | 'operation' | 'method' | 'path' | 'fields' | 'createdAt' | 'expiresAt'
> & { fingerprint: string; requestId: string }

export async function insertApproval(sql: SqlTag, made: NewApproval): Promise<void> {
  await sql`
    insert into operator_approvals (id, operator_id, operation, method, path, fields, fingerprint,
      request_id, created_at, expires_at)
    values (${made.id}, ${made.operatorId}, ${made.operation}, ${made.method}, ${made.path},
      ${JSON.stringify(made.fields)}::text::jsonb, ${made.fingerprint}, ${made.requestId},
      ${made.createdAt}, ${made.expiresAt})`
}

export async function saveApprovalDecision(
  sql: TxSql,
  decision: {
    id: string
    state: 'approved' | 'denied'
    by: string
    isProved: boolean
    now: EpochMs
  },
): Promise<void> {
  await sql`
    update operator_approvals
    set state = ${decision.state}, decided_at = ${decision.now}, decided_by = ${decision.by},
      is_proved = ${decision.isProved}
    where id = ${decision.id}`
}

/** Whether a person with a passkey works as this operator. */
export async function hasPerson(sql: SqlTag, operatorId: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from operators where id = ${operatorId} and identity_id is not null`
  return row !== undefined
}

/** Persons who can prove something about a call. */
export interface KnownPersons {
  /** An operator has a person with a passkey, or had one until a revocation or an end. */
  anywhere: boolean
  /** One works as the operator who made the call. */
  ofCaller: boolean
  /** One works as another operator. */
  elsewhere: boolean
}

export async function findPersons(
  sql: SqlTag,
  { callerId, now }: { callerId: string; now: EpochMs },
): Promise<KnownPersons> {
  const [row] = await sql<KnownPersons[]>`
    select count(*) > 0 as anywhere,
      count(*) filter (where works and id = ${callerId}) > 0 as "ofCaller",
      count(*) filter (where works and id <> ${callerId}) > 0 as elsewhere
    from (
      select o.id, o.state = 'active' and (o.expires_at is null or o.expires_at > ${now})
        and i.state = 'active' as works
      from operators o join identities i on i.id = o.identity_id
      where exists (select 1 from passkeys k where k.identity_id = i.id)
    ) as persons`
  return row ?? { anywhere: false, ofCaller: false, elsewhere: false }
}

export async function deleteApprovals(
  sql: SqlTag,
  which: { before: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from operator_approvals where id = any (array(
      select id from operator_approvals where created_at < ${which.before}
      order by created_at limit ${which.max} for update skip locked
    ))`
  return deleted.count
}
