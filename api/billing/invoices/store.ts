// Every SQL statement about invoices and their lines. Those of a tenant name the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Currency } from '../catalogue/index.ts'
import type { InvoiceLineRow, InvoiceRow } from './view.ts'

function invoiceColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, subscription_id as "subscriptionId", kind, ordinal,
    currency, status, total_cents as "totalCents", at, due_at as "dueAt",
    finalized_at as "finalizedAt", paid_at as "paidAt", attempts,
    next_attempt_at as "nextAttemptAt", hosted_url as "hostedUrl", processor_id as "processorId",
    seen_due_at as "seenDueAt", wait_seq as "waitSeq", base_waived as "baseWaived",
    created_at as "createdAt"`
}

export async function findInvoice(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<InvoiceRow | null> {
  const [row] = await sql<InvoiceRow[]>`
    select ${invoiceColumns(sql)} from billing_invoices
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** For operators and the processor's objects, who name an invoice alone. */
export async function findAnyInvoice(sql: SqlTag, id: string): Promise<InvoiceRow | null> {
  const [row] = await sql<InvoiceRow[]>`
    select ${invoiceColumns(sql)} from billing_invoices where id = ${id}`
  return row ?? null
}

/** Locks it until the transaction ends; its subscription is locked before. */
export async function lockInvoice(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<InvoiceRow | null> {
  const [row] = await sql<InvoiceRow[]>`
    select ${invoiceColumns(sql)} from billing_invoices
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export async function listInvoices(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery,
): Promise<PageRows<InvoiceRow>> {
  return readPage<InvoiceRow>(sql, query, {
    list: 'billing_invoices',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<InvoiceRow[]>`
      select ${invoiceColumns(sql)} from billing_invoices
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and ${range}
      ${ordered}`,
  })
}

/** Fields of an invoice that are given when it is made; the others begin as the table says. */
export type NewInvoice = Pick<
  InvoiceRow,
  'id' | 'subscriptionId' | 'kind' | 'ordinal' | 'currency' | 'at' | 'createdAt'
> &
  Partial<Pick<InvoiceRow, 'totalCents' | 'seenDueAt' | 'baseWaived'>>

/** Makes a draft; null where the subscription has an invoice of this kind and ordinal. */
export async function insertInvoice(
  sql: TxSql,
  owner: Owner,
  made: NewInvoice,
): Promise<InvoiceRow | null> {
  const [row] = await sql<InvoiceRow[]>`
    insert into billing_invoices (id, tenant_id, environment, subscription_id, kind, ordinal,
      currency, status, total_cents, at, seen_due_at, base_waived, created_at)
    values (${made.id}, ${owner.tenantId}, ${owner.environment}, ${made.subscriptionId},
      ${made.kind}, ${made.ordinal}, ${made.currency}, 'draft', ${made.totalCents ?? 0},
      ${made.at}, ${made.seenDueAt ?? null}, ${made.baseWaived ?? false}, ${made.createdAt})
    on conflict (subscription_id, kind, ordinal) do nothing
    returning ${invoiceColumns(sql)}`
  return row ?? null
}

export type InvoiceChange = Partial<
  Pick<
    InvoiceRow,
    | 'status'
    | 'totalCents'
    | 'dueAt'
    | 'finalizedAt'
    | 'paidAt'
    | 'attempts'
    | 'nextAttemptAt'
    | 'hostedUrl'
    | 'processorId'
    | 'waitSeq'
  >
>

/** Saves the changed fields of a locked invoice. */
export async function saveInvoice(
  sql: TxSql,
  held: InvoiceRow,
  change: InvoiceChange,
): Promise<InvoiceRow> {
  const next = { ...held, ...change }
  const [row] = await sql<InvoiceRow[]>`
    update billing_invoices set
      status = ${next.status}, total_cents = ${next.totalCents}, due_at = ${next.dueAt},
      finalized_at = ${next.finalizedAt}, paid_at = ${next.paidAt}, attempts = ${next.attempts},
      next_attempt_at = ${next.nextAttemptAt}, hosted_url = ${next.hostedUrl},
      processor_id = ${next.processorId}, wait_seq = ${next.waitSeq}
    where tenant_id = ${held.tenantId} and environment = ${held.environment} and id = ${held.id}
    returning ${invoiceColumns(sql)}`
  assert(row !== undefined, 'a locked invoice does not vanish')
  return row
}

/** The lines of these invoices, in their order. */
export async function listLines(
  sql: SqlTag,
  invoiceIds: readonly string[],
): Promise<(InvoiceLineRow & { invoiceId: string })[]> {
  if (invoiceIds.length === 0) return []
  return sql<(InvoiceLineRow & { invoiceId: string })[]>`
    select invoice_id as "invoiceId", kind, plan, meter, segment_id as "segmentId", quantity,
      from_at as "fromAt", until_at as "untilAt", amount_cents as "amountCents"
    from billing_invoice_lines where invoice_id = any (${invoiceIds}::text[])
    order by invoice_id, place`
}

/** Adds lines behind those that the invoice has. */
export async function insertLines(
  sql: TxSql,
  invoiceId: string,
  lines: readonly InvoiceLineRow[],
): Promise<void> {
  if (lines.length === 0) return
  await sql`
    insert into billing_invoice_lines (invoice_id, place, kind, plan, meter, segment_id, quantity,
      from_at, until_at, amount_cents)
    select ${invoiceId}, place - 1 + (
        select count(*) from billing_invoice_lines where invoice_id = ${invoiceId}
      ), kind, plan, meter, segment_id, quantity, from_at, until_at, amount_cents
    from unnest(
      ${lines.map(({ kind }) => kind)}::text[], ${lines.map(({ plan }) => plan)}::text[],
      ${lines.map(({ meter }) => meter)}::text[],
      ${lines.map(({ segmentId }) => segmentId)}::bigint[],
      ${lines.map(({ quantity }) => quantity)}::bigint[],
      ${lines.map(({ fromAt }) => fromAt)}::bigint[],
      ${lines.map(({ untilAt }) => untilAt)}::bigint[],
      ${lines.map(({ amountCents }) => amountCents)}::bigint[]
    ) with ordinality
      as line (kind, plan, meter, segment_id, quantity, from_at, until_at, amount_cents, place)`
}

/** Number of invoices of a kind that a locked subscription has. */
export async function countInvoices(
  sql: SqlTag,
  { subscriptionId, kind }: Pick<InvoiceRow, 'subscriptionId' | 'kind'>,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from billing_invoices
    where subscription_id = ${subscriptionId} and kind = ${kind}`
  return row?.count ?? 0
}

/** The currency of the tenant's newest invoice; null before the first. */
export async function invoicedCurrency(sql: SqlTag, owner: Owner): Promise<Currency | null> {
  const [row] = await sql<{ currency: Currency }[]>`
    select currency from billing_invoices
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
    order by id desc limit 1`
  return row?.currency ?? null
}

/** True where the base price's period that begins at the boundary is not charged. */
export async function isBaseWaived(
  sql: SqlTag,
  subscriptionId: string,
  ordinal: number,
): Promise<boolean> {
  const [row] = await sql`
    select from billing_invoices
    where subscription_id = ${subscriptionId} and kind = 'period' and ordinal = ${ordinal}
      and base_waived`
  return row !== undefined
}

/** The base price of that period is owed again. */
export async function endBaseWaiver(
  sql: TxSql,
  subscriptionId: string,
  ordinal: number,
): Promise<void> {
  await sql`
    update billing_invoices set base_waived = false
    where subscription_id = ${subscriptionId} and kind = 'period' and ordinal = ${ordinal}`
}

/** The waived period of the base price begins at another boundary, which has its invoice. */
export async function moveBaseWaiver(
  sql: TxSql,
  subscriptionId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await sql`
    update billing_invoices set base_waived = ordinal = ${to}
    where subscription_id = ${subscriptionId} and kind = 'period' and ordinal in (${from}, ${to})`
}

/**
 * The oldest moment since which an invoice of the subscription is overdue: its first failed
 * attempt, or its due date. One that was given up keeps an overdue subscription overdue: otherwise
 * a later invoice that is paid would begin it again. Null: none is overdue. `now` is tenant time.
 */
export async function oldestOverdue(
  sql: SqlTag,
  subscriptionId: string,
  now: EpochMs,
): Promise<EpochMs | null> {
  const [row] = await sql<{ since: EpochMs | null }[]>`
    select min(least(held.failed_at, case when invoice.due_at <= ${now} then invoice.due_at end))
      as since
    from billing_invoices invoice
    left join billing_collections held on held.invoice_id = invoice.id
    where invoice.subscription_id = ${subscriptionId}
      and (invoice.status = 'open' or invoice.status = 'uncollectible' and exists (
        select from billing_subscriptions kept
        where kept.id = invoice.subscription_id and kept.overdue_since is not null
      ))`
  return row?.since ?? null
}

/** True where a call about the invoice was sent whose outcome is unknown. The invoice is locked. */
export async function isAsked(sql: TxSql, id: string): Promise<boolean> {
  const [row] = await sql`
    select from billing_collections where invoice_id = ${id} and asked is not null`
  return row !== undefined
}
