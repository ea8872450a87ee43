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

/** A notice that is not mailed yet, with the names that its mail shows. */
export interface UnmailedNotice extends NoticeRow {
  tenantName: string
  /** Milliseconds the tenant's clock is ahead. */
  clockOffsetMs: number
  totalCents: number | null
  currency: string | null
  /** Tenant time; null for an invoice that a payment method pays. */
  dueAt: EpochMs | null
  /** Page of the processor; null where the invoice has none, or is not open any more. */
  payUrl: string | null
}

/** Locks the oldest notice without a mail that no other process locked; null: none is left. */
export async function lockUnmailed(sql: TxSql): Promise<UnmailedNotice | null> {
  const [row] = await sql<UnmailedNotice[]>`
    select notice.id, notice.tenant_id as "tenantId", notice.environment,
      notice.subscription_id as "subscriptionId", notice.kind, notice.invoice_id as "invoiceId",
      notice.created_at as "createdAt", tenant.name as "tenantName",
      clock_offset(notice.tenant_id, notice.environment) as "clockOffsetMs",
      invoice.total_cents as "totalCents", invoice.currency, invoice.due_at as "dueAt",
      case when invoice.status = 'open' then invoice.hosted_url end as "payUrl"
    from billing_notices notice
    join tenants tenant on tenant.id = notice.tenant_id
    left join billing_invoices invoice on invoice.id = notice.invoice_id
    where notice.mailed_at is null
    order by notice.id limit 1
    for update of notice skip locked`
  return row ?? null
}

/** `now` is installation time. */
export async function saveMailed(sql: TxSql, id: string, now: EpochMs): Promise<void> {
  await sql`update billing_notices set mailed_at = ${now} where id = ${id}`
}
