// Every SQL statement about the audit log. Each names the owner.
import type { Owner } from '../../context.ts'
import type { CreatedFilters } from '../../database/created-filter.ts'
import { createdAmong, findNumbers, type SpannedList } from '../../database/created-spans.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { AuditHead, AuditRow } from '../../write/audit.ts'
import type { Evidence } from '../../write/evidence.ts'

function auditColumns(sql: SqlTag) {
  return sql`
    id, tenant_id as "tenantId", environment, seq, created_at as "createdAt",
    actor_type as "actorType", actor_id as "actorId", action, resource_id as "resourceId",
    request_id as "requestId", address, approved_by as "approvedBy",
    evidence_hash as "evidenceHash", previous_hash as "previousHash", hash`
}

/** Null for a log without rows. */
export async function findHead(sql: SqlTag, owner: Owner): Promise<AuditHead | null> {
  const [head] = await sql<AuditHead[]>`
    select seq, hash from audit_heads
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}`
  return head ?? null
}

/** Heads of all logs in order, from the one after `after` on. */
export async function listHeads(
  sql: SqlTag,
  { after, limit }: { after: Owner | null; limit: number },
): Promise<(Owner & AuditHead)[]> {
  return sql<(Owner & AuditHead)[]>`
    select tenant_id as "tenantId", environment, seq, hash from audit_heads
    where ${after === null} or
      (tenant_id, environment) > (${after?.tenantId ?? ''}, ${after?.environment ?? ''})
    order by tenant_id, environment limit ${limit}`
}

/** The hashes of these rows, in their order; null where there is no such row. */
export async function findHashes(
  sql: SqlTag,
  rows: readonly (Owner & Pick<AuditHead, 'seq'>)[],
): Promise<(Buffer | null)[]> {
  const found = await sql<{ hash: Buffer | null }[]>`
    select l.hash
    from unnest(
      ${rows.map(({ tenantId }) => tenantId)}::text[],
      ${rows.map(({ environment }) => environment)}::text[],
      ${rows.map(({ seq }) => seq)}::bigint[]
    ) with ordinality as a (tenant_id, environment, seq, place)
    left join audit_log l using (tenant_id, environment, seq)
    order by a.place`
  return found.map(({ hash }) => hash)
}

/** A row with the evidence that is kept beside it. */
export interface ProvedRow extends AuditRow {
  evidence: Evidence | null
}

/** Rows from one number to another, both included. */
export async function findAuditRows(
  sql: SqlTag,
  owner: Owner,
  range: { from: number; to: number },
): Promise<ProvedRow[]> {
  return sql<ProvedRow[]>`
    select ${auditColumns(sql)},
      (select evidence from factor_evidence where audit_id = audit_log.id) as evidence
    from audit_log
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and seq between ${range.from} and ${range.to}
    order by seq`
}

export interface AuditFilters extends CreatedFilters {
  action?: string
  actor?: string
  resource_id?: string
}

export const AUDIT_SPANS: SpannedList = {
  ...{ table: 'audit_log', counters: 'audit_heads', counter: 'seq' },
}

/** Lists in the order of the chain. */
export async function listAuditRows(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & AuditFilters,
): Promise<PageRows<AuditRow>> {
  const { action, actor, resource_id } = query
  const numbers = await findNumbers(sql, owner, { list: AUDIT_SPANS, filters: query })
  return readPage<AuditRow>(sql, query, {
    list: 'audit_log',
    column: 'seq',
    positionOf: ({ seq }) => seq,
    findPosition: (id) => findSeq(sql, owner, id),
    select: (range, ordered) => sql<AuditRow[]>`
      select ${auditColumns(sql)} from audit_log
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdAmong(sql, 'seq', { numbers, filters: query })}
        ${action === undefined ? sql`` : sql`and action = ${action}`}
        ${actor === undefined ? sql`` : sql`and actor_id = ${actor}`}
        ${resource_id === undefined ? sql`` : sql`and resource_id = ${resource_id}`}
        and ${range}
      ${ordered}`,
  })
}

async function findSeq(sql: SqlTag, owner: Owner, id: string): Promise<number | null> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from audit_log
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row?.seq ?? null
}

/** All logs, or those of one tenant. A log whose head was removed is still found by its rows. */
export async function listLogs(sql: SqlTag, tenantId: string | null): Promise<Owner[]> {
  return sql<Owner[]>`
    select tenant_id as "tenantId", environment from audit_heads
    where ${tenantId}::text is null or tenant_id = ${tenantId}
    union
    select tenant_id, environment from audit_log
    where ${tenantId}::text is null or tenant_id = ${tenantId}
    order by 1, 2`
}
