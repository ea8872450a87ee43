// Every SQL statement about the evidence of disputes. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { Owner } from '../../context.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { EvidenceRow } from './view.ts'

function evidenceColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, dispute_id as "disputeId", kind, text, fields, created_at as "createdAt"`
}

/** Adds evidence to a locked dispute. */
export async function insertEvidence(
  sql: TxSql,
  owner: Owner,
  evidence: Omit<EvidenceRow, 'environment'>,
): Promise<EvidenceRow> {
  const { id, disputeId, kind, text, fields, createdAt } = evidence
  const [row] = await sql<EvidenceRow[]>`
    with counted as (
      update disputes set evidence_count = evidence_count + 1
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${disputeId}
    )
    insert into dispute_evidence (id, tenant_id, environment, dispute_id, kind, text, fields, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${disputeId}, ${kind}, ${text},
      ${JSON.stringify(fields)}::text::jsonb, ${createdAt})
    returning ${evidenceColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Lists the evidence of one dispute by id, which is the order in which it was added. */
export async function listEvidence(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & { disputeId: string },
): Promise<PageRows<EvidenceRow>> {
  return readPage<EvidenceRow>(sql, query, {
    list: 'dispute_evidence',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<EvidenceRow[]>`
      select ${evidenceColumns(sql)} from dispute_evidence
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        and dispute_id = ${query.disputeId} and ${range}
      ${ordered}`,
  })
}
