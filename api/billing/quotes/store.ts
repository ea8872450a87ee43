// Every SQL statement about quotes. Those of a tenant name the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { QuoteStatus } from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import type { Owner } from '../../context.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { QuoteRow } from './view.ts'

function quoteColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, status, volumes, contact, note, offer,
    offer_expires_at as "offerExpiresAt", offered_at as "offeredAt", accepted_at as "acceptedAt",
    accepted_by as "acceptedBy", decline_reason as "declineReason", created_at as "createdAt"`
}

export async function findQuote(sql: SqlTag, owner: Owner, id: string): Promise<QuoteRow | null> {
  const [row] = await sql<QuoteRow[]>`
    select ${quoteColumns(sql)} from billing_quotes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** For operators, who name a quote alone. */
export async function findAnyQuote(sql: SqlTag, id: string): Promise<QuoteRow | null> {
  const [row] = await sql<QuoteRow[]>`
    select ${quoteColumns(sql)} from billing_quotes where id = ${id}`
  return row ?? null
}

/** The quote of the tenant that is requested, offered or accepted. */
export async function findOpenQuote(sql: SqlTag, owner: Owner): Promise<QuoteRow | null> {
  const [row] = await sql<QuoteRow[]>`
    select ${quoteColumns(sql)} from billing_quotes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and status in ('requested', 'offered', 'accepted')`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export async function listQuotes(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  query: PageQuery,
): Promise<PageRows<QuoteRow>> {
  return list(sql, query, sql`tenant_id = ${tenantId} and environment = ${environment}`)
}

/** Quotes of every tenant; an offer runs out by `now`, though its row stays. */
export async function listAllQuotes(
  sql: SqlTag,
  query: PageQuery & { status?: QuoteStatus },
  now: EpochMs,
): Promise<PageRows<QuoteRow>> {
  const { status } = query
  const isOut = sql`status = 'offered' and offer_expires_at <= ${now}`
  if (status === undefined) return list(sql, query, sql`true`)
  if (status === 'expired') return list(sql, query, sql`(status = 'expired' or (${isOut}))`)
  if (status === 'offered') return list(sql, query, sql`status = 'offered' and not (${isOut})`)
  return list(sql, query, sql`status = ${status}`)
}

function list(sql: SqlTag, query: PageQuery, where: Fragment): Promise<PageRows<QuoteRow>> {
  return readPage<QuoteRow>(sql, query, {
    list: 'billing_quotes',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<QuoteRow[]>`
      select ${quoteColumns(sql)} from billing_quotes
      where ${where} and ${range} ${ordered}`,
  })
}

export async function insertQuote(
  sql: TxSql,
  owner: Owner,
  quote: Pick<QuoteRow, 'id' | 'volumes' | 'contact' | 'note' | 'createdAt'>,
): Promise<QuoteRow> {
  const [row] = await sql<QuoteRow[]>`
    insert into billing_quotes (id, tenant_id, environment, status, volumes, contact, note,
      created_at)
    values (${quote.id}, ${owner.tenantId}, ${owner.environment}, 'requested',
      ${JSON.stringify(quote.volumes)}::text::jsonb, ${JSON.stringify(quote.contact)}::text::jsonb,
      ${quote.note}, ${quote.createdAt})
    returning ${quoteColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Fields that a move sets; the others keep their value. */
export interface QuoteMove {
  status: QuoteRow['status']
  offer?: AgreedTerms
  offerExpiresAt?: EpochMs
  offeredAt?: EpochMs
  acceptedAt?: EpochMs
  acceptedBy?: string | null
  declineReason?: string
}

export async function saveQuoteMove(
  sql: TxSql,
  held: QuoteRow,
  move: QuoteMove,
): Promise<QuoteRow> {
  const next = { ...held, ...move }
  const { offer, offerExpiresAt, offeredAt, acceptedAt, acceptedBy, declineReason } = next
  const [row] = await sql<QuoteRow[]>`
    update billing_quotes set status = ${move.status},
      offer = ${offer === null ? null : JSON.stringify(offer)}::text::jsonb,
      offer_expires_at = ${offerExpiresAt}, offered_at = ${offeredAt}, accepted_at = ${acceptedAt},
      accepted_by = ${acceptedBy}, decline_reason = ${declineReason}
    where tenant_id = ${held.tenantId} and environment = ${held.environment} and id = ${held.id}
    returning ${quoteColumns(sql)}`
  assert(row !== undefined, 'a quote does not vanish while its tenant is locked')
  return row
}
