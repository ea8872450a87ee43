// Every SQL statement about collecting an invoice.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import { dueByTenant } from '../../database/due.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

export type Asked = 'create' | 'lines' | 'finalize' | 'pay' | 'void'

/** `asked` is a call whose outcome is unknown; it is looked for before anything is repeated. */
export interface CollectionRow {
  invoiceId: string
  asked: Asked | null
  askedAt: EpochMs | null
  /** Attempts of the processor that are counted as ours. */
  attempts: number
  isProcessing: boolean
  needsAction: boolean
  isHard: boolean
  declineCode: string | null
  /** Installation time: no call before, and the next look. */
  notBefore: EpochMs | null
  lookAt: EpochMs | null
  /** Tenant time. */
  failedAt: EpochMs | null
}

export interface DueInvoice extends Owner {
  id: string
}

export interface WantedInvoices {
  /** Installation time. */
  now: EpochMs
  most: number
  /** Environments that have a processor: rows of others would take every place. */
  environments: readonly Environment[]
}

/**
 * Open invoices whose attempt is due by their tenants' clocks, and those with a due date that are
 * not sent yet: a sent one is looked at from then on.
 */
export function findDueInvoices(
  sql: SqlTag,
  { now, most, environments }: WantedInvoices,
): Promise<DueInvoice[]> {
  return sql<DueInvoice[]>`
    select id, tenant_id as "tenantId", environment from billing_invoices
    where status = 'open' and environment = any(${environments as string[]})
      and (${dueByTenant(sql, 'next_attempt_at', now)} or (
        due_at is not null and not exists (select from billing_collections sent
          where sent.invoice_id = billing_invoices.id and sent.look_at is not null)
      ))
      and not exists (select from billing_collections held
        where held.invoice_id = billing_invoices.id and held.not_before > ${now})
    order by next_attempt_at nulls last limit ${most}`
}

/** Open invoices of the processor that are due for a look. */
export function findLookedInvoices(
  sql: SqlTag,
  { now, most, environments }: WantedInvoices,
): Promise<DueInvoice[]> {
  return sql<DueInvoice[]>`
    select invoice.id, tenant_id as "tenantId", environment
    from billing_collections held join billing_invoices invoice on invoice.id = held.invoice_id
    where held.look_at <= ${now} and (held.not_before is null or held.not_before <= ${now})
      and invoice.status = 'open' and invoice.processor_id is not null
      and environment = any(${environments as string[]})
    order by held.look_at limit ${most}`
}

export interface GivenUp extends DueInvoice {
  processorId: string
  totalCents: number
  currency: string
}

/** Uncollectible invoices that the processor does not know as such. */
export function findGivenUp(
  sql: SqlTag,
  { now, most, environments }: WantedInvoices,
): Promise<GivenUp[]> {
  return sql<GivenUp[]>`
    select invoice.id, tenant_id as "tenantId", environment, processor_id as "processorId",
      total_cents as "totalCents", currency
    from billing_invoices invoice join billing_collections held on held.invoice_id = invoice.id
    where invoice.status = 'uncollectible' and processor_id is not null
      and environment = any(${environments as string[]})
      and held.given_up_at is null and (held.not_before is null or held.not_before <= ${now})
    order by invoice.id limit ${most}`
}

export async function saveGivenUp(sql: Sql, invoiceId: string, now: EpochMs): Promise<void> {
  const save = (inner: TxSql) => inner`
    update billing_collections set given_up_at = ${now} where invoice_id = ${invoiceId}`
  await tx(sql, save, { safeToRepeat: true })
}

/** The processor is asked no sooner than `notBefore`, installation time. */
export async function putOffGivenUp(
  sql: Sql,
  invoiceId: string,
  notBefore: EpochMs,
): Promise<void> {
  const save = (inner: TxSql) => inner`
    update billing_collections set not_before = ${notBefore} where invoice_id = ${invoiceId}`
  await tx(sql, save, { safeToRepeat: true })
}

export interface Placed {
  id: string
  processorId: string
}

/** Open invoices of a tenant that the processor has. */
export function findPlaced(sql: SqlTag, { tenantId, environment }: Owner): Promise<Placed[]> {
  return sql<Placed[]>`
    select id, processor_id as "processorId" from billing_invoices
    where tenant_id = ${tenantId} and environment = ${environment} and status = 'open'
      and processor_id is not null
    order by id`
}

/**
 * Open invoices are sent anew, but for the kept ones; returns their ids. Those that a card pays are
 * due at `now`, tenant time. The tenant is locked.
 */
export async function clearPlaces(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { kept, now }: { kept: readonly string[]; now: EpochMs },
): Promise<string[]> {
  const cleared = await sql<{ id: string }[]>`
    update billing_invoices set processor_id = null, hosted_url = null,
      next_attempt_at = case when due_at is null then ${now}::bigint end
    where tenant_id = ${tenantId} and environment = ${environment} and status = 'open'
      and id <> all (${[...kept]}::text[])
    returning id`
  const ids = cleared.map(({ id }) => id).sort()
  await sql`
    update billing_collections set asked = null, asked_at = null, attempts = 0,
      is_processing = false, needs_action = false, is_hard = false, not_before = null,
      look_at = null, placed_at = null
    where invoice_id = any (${ids}::text[])`
  return ids
}

/** Our invoice behind one of the processor. */
export async function findCollected(
  sql: SqlTag,
  environment: Environment,
  { processorId, ours }: { processorId: string; ours: string | null },
): Promise<DueInvoice | null> {
  const [row] = await sql<DueInvoice[]>`
    select id, tenant_id as "tenantId", environment from billing_invoices
    where environment = ${environment} and (processor_id = ${processorId} or id = ${ours})`
  return row ?? null
}

export async function findCollection(sql: SqlTag, invoiceId: string): Promise<CollectionRow> {
  const [row] = await sql<CollectionRow[]>`
    select invoice_id as "invoiceId", asked, asked_at as "askedAt", attempts,
      is_processing as "isProcessing", needs_action as "needsAction", is_hard as "isHard",
      decline_code as "declineCode", not_before as "notBefore", look_at as "lookAt",
      failed_at as "failedAt"
    from billing_collections where invoice_id = ${invoiceId}`
  return row ?? { ...NEW, invoiceId }
}

const NEW = {
  ...{ asked: null, askedAt: null, attempts: 0, isProcessing: false, needsAction: false },
  ...{ isHard: false, declineCode: null, notBefore: null, lookAt: null, failedAt: null },
}

export async function saveCollection(sql: TxSql, row: CollectionRow): Promise<void> {
  await sql`
    insert into billing_collections (invoice_id, asked, asked_at, attempts, is_processing,
      needs_action, is_hard, decline_code, not_before, look_at, failed_at)
    values (${row.invoiceId}, ${row.asked}, ${row.askedAt}, ${row.attempts}, ${row.isProcessing},
      ${row.needsAction}, ${row.isHard}, ${row.declineCode}, ${row.notBefore}, ${row.lookAt},
      ${row.failedAt})
    on conflict (invoice_id) do update set
      asked = excluded.asked, asked_at = excluded.asked_at, attempts = excluded.attempts,
      is_processing = excluded.is_processing, needs_action = excluded.needs_action,
      is_hard = excluded.is_hard, decline_code = excluded.decline_code,
      not_before = excluded.not_before, look_at = excluded.look_at,
      failed_at = excluded.failed_at`
}

/** Notes when the processor had the invoice first. */
export async function savePlacedAt(sql: TxSql, invoiceId: string, now: EpochMs): Promise<void> {
  await sql`
    update billing_collections set placed_at = ${now}
    where invoice_id = ${invoiceId} and placed_at is null`
}

/**
 * Committed before the call goes out, so that a kill leaves its trace. Null where our invoice is
 * open no more: it was voided or given up meanwhile, and nothing is called about it.
 */
export async function noteAsked(
  sql: Sql,
  { tenantId, environment, id }: DueInvoice,
  { asked, now }: { asked: Asked; now: EpochMs },
): Promise<CollectionRow | null> {
  const note = async (inner: TxSql): Promise<CollectionRow | null> => {
    const open = await inner`
      select from billing_invoices
      where tenant_id = ${tenantId} and environment = ${environment} and id = ${id}
        and status = 'open'
      for no key update`
    if (open.count === 0) return null
    const row = { ...(await findCollection(inner, id)), asked, askedAt: now }
    await saveCollection(inner, row)
    return row
  }
  return tx(sql, note, { safeToRepeat: true })
}
