// Every SQL statement about notices. Those of a tenant name the owner.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Owner } from '../../context.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { NoticeKind, NoticeRow } from './view.ts'

function noticeColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, subscription_id as "subscriptionId", kind,
    invoice_id as "invoiceId", created_at as "createdAt"`
}

export async function findNotice(sql: SqlTag, owner: Owner, id: string): Promise<NoticeRow | null> {
  const [row] = await sql<NoticeRow[]>`
    select ${noticeColumns(sql)} from billing_notices
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export function listNotices(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery,
): Promise<PageRows<NoticeRow>> {
  return readPage<NoticeRow>(sql, query, {
    list: 'billing_notices',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<NoticeRow[]>`
      select ${noticeColumns(sql)} from billing_notices
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and ${range}
      ${ordered}`,
  })
}

export interface NewNotice {
  subscriptionId: string
  kind: NoticeKind
  /** With the kind it makes the notice once. */
  subject: string
  invoiceId: string | null
  /** Tenant time, and the installation's for the order of ids. */
  now: EpochMs
  installationNow: EpochMs
}

/** Records a notice once. */
export async function recordNotice(sql: TxSql, owner: Owner, made: NewNotice): Promise<void> {
  await sql`
    insert into billing_notices (id, tenant_id, environment, subscription_id, kind, subject,
      invoice_id, created_at)
    values (${newId('ntc', made.installationNow)}, ${owner.tenantId}, ${owner.environment},
      ${made.subscriptionId}, ${made.kind}, ${made.subject}, ${made.invoiceId}, ${made.now})
    on conflict (subscription_id, kind, subject) do nothing`
}
