// Every SQL statement about applications for live. Each names the tenant.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { KybRow } from './view.ts'

function columns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", details, submitted_by as "submittedBy", created_at as "createdAt",
    decision, reason, decided_at as "decidedAt"`
}

/** The newest application of a tenant; null without one. */
export async function findApplication(sql: SqlTag, tenantId: string): Promise<KybRow | null> {
  const [row] = await sql<KybRow[]>`
    select ${columns(sql)} from kyb_applications where tenant_id = ${tenantId}
    order by id desc limit 1`
  return row ?? null
}

/** Applications of every tenant that wait for an operator, by id: the order of their sending. */
export async function listWaiting(sql: SqlTag, query: PageQuery): Promise<PageRows<KybRow>> {
  return readPage<KybRow>(sql, query, {
    list: 'kyb_applications',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<KybRow[]>`
      select ${columns(sql)} from kyb_applications where decision is null and ${range} ${ordered}`,
  })
}

/** The locked tenant has no application that waits. */
export async function insertApplication(
  sql: TxSql,
  made: Pick<KybRow, 'id' | 'tenantId' | 'details' | 'submittedBy' | 'createdAt'>,
): Promise<KybRow> {
  const { id, tenantId, details, submittedBy, createdAt } = made
  const [row] = await sql<KybRow[]>`
    insert into kyb_applications (id, tenant_id, details, submitted_by, created_at)
    values (${id}, ${tenantId}, ${JSON.stringify(details)}::text::jsonb, ${submittedBy}, ${createdAt})
    returning ${columns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Saves an operator's decision about the application that waits; null where none does. */
export async function saveDecision(
  sql: TxSql,
  decided: {
    tenantId: string
    decision: 'approved' | 'rejected'
    reason: string | null
    by: string
    now: EpochMs
  },
): Promise<KybRow | null> {
  const { tenantId, decision, reason, by, now } = decided
  const [row] = await sql<KybRow[]>`
    update kyb_applications
    set decision = ${decision}, reason = ${reason}, decided_by = ${by}, decided_at = ${now}
    where tenant_id = ${tenantId} and decision is null returning ${columns(sql)}`
  return row ?? null
}
