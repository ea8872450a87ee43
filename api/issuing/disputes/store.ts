// Every SQL statement about disputes. Each names the owner, except those that find the owner of a
// dispute.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type {
  DisputeOutcome,
  DisputeReason,
  DisputeStatus,
} from '../../../shared/schemas/dispute.ts'
import type { TransactionStatus } from '../../../shared/transaction-sums.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { dueByTenant } from '../../database/due.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import { COUNTED_IN } from './states.ts'
import type { DisputeRow } from './view.ts'

function disputeColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, transaction_id as "transactionId", card_id as "cardId",
    cardholder_id as "cardholderId", amount_cents as "amountCents", currency, reason, explanation,
    status, outcome, evidence_due_by as "evidenceDueBy", evidence_requested as "evidenceRequested",
    evidence_count as "evidenceCount", submitted_at as "submittedAt", resolved_at as "resolvedAt",
    external_id as "externalId", metadata, created_at as "createdAt"`
}

export async function findDispute(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<DisputeRow | null> {
  const [row] = await sql<DisputeRow[]>`
    select ${disputeColumns(sql)} from disputes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** Locks the dispute until the transaction ends. */
export async function lockDispute(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<DisputeRow | null> {
  const [row] = await sql<DisputeRow[]>`
    select ${disputeColumns(sql)} from disputes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

export interface DisputeFilters extends CreatedFilters {
  status?: DisputeStatus
  reason?: DisputeReason
  transaction_id?: string
  card_id?: string
  cardholder_id?: string
  external_id?: string
}

/** Lists by id, which is the order of creation, or by the deadline of the latest response. */
export async function listDisputes(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & DisputeFilters,
): Promise<PageRows<DisputeRow>> {
  return readPage<DisputeRow>(sql, query, {
    list: 'disputes',
    column: 'id',
    positionOf: ({ id }) => id,
    sorts: {
      evidence_due_by: {
        number: 1,
        column: 'evidence_due_by',
        valueOf: ({ evidenceDueBy }) => evidenceDueBy,
        findValue: async (id) => (await findDispute(sql, owner, id))?.evidenceDueBy ?? null,
      },
    },
    select: (range, ordered) => sql<DisputeRow[]>`
      select ${disputeColumns(sql)} from disputes
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithinIds(sql, 'dsp', owner, query)} ${filtered(sql, query)} and ${range}
      ${ordered}`,
  })
}

function filtered(sql: SqlTag, query: DisputeFilters): Fragment {
  const { status, reason, transaction_id, card_id, cardholder_id, external_id } = query
  return sql`
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
    ${transaction_id === undefined ? sql`` : sql`and transaction_id = ${transaction_id}`}
    ${card_id === undefined ? sql`` : sql`and card_id = ${card_id}`}
    ${cardholder_id === undefined ? sql`` : sql`and cardholder_id = ${cardholder_id}`}
    ${external_id === undefined ? sql`` : sql`and external_id = ${external_id}`}`
}

/** The data of a transaction that decide whether it can be disputed. */
export interface Disputable {
  cardId: string
  cardholderId: string
  status: TransactionStatus
  /** Currency of the card. */
  currency: string
  /** Captured, not refunded and not disputed yet; may be below 0 after later refunds. */
  disputableCents: number
}

/**
 * The disputable data of a transaction; null if the owner has none. Until the database transaction
 * ends, no other call disputes it. The row itself is not locked: the drain of the journal locks
 * rows of transactions after the tenant's sequence of events, and a dispute takes that sequence
 * last.
 */
export async function lockDisputable(
  sql: TxSql,
  owner: Owner,
  transactionId: string,
): Promise<Disputable | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${'disputes of ' + transactionId}, 0))`
  const sum = (name: string) => sql`coalesce((t.sums ->> ${name})::bigint, 0)`
  const [row] = await sql<Disputable[]>`
    select t.card_id as "cardId", t.cardholder_id as "cardholderId", t.status, c.currency,
      ${sum('captured')} - ${sum('captureReversed')} - ${sum('refunded')} + ${sum('refundReversed')}
      - coalesce((
        select sum(d.amount_cents)::bigint from disputes d
        where d.transaction_id = t.id and d.status = any(${[...COUNTED_IN]}::text[])
      ), 0) as "disputableCents"
    from card_transactions t join cards c on c.id = t.card_id
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment}
      and t.id = ${transactionId}`
  return row ?? null
}

export type NewDispute = Pick<
  DisputeRow,
  | 'id'
  | 'transactionId'
  | 'cardId'
  | 'cardholderId'
  | 'amountCents'
  | 'currency'
  | 'reason'
  | 'explanation'
  | 'status'
  | 'evidenceDueBy'
  | 'externalId'
  | 'metadata'
  | 'createdAt'
>

export async function insertDispute(
  sql: TxSql,
  owner: Owner,
  dispute: NewDispute,
): Promise<DisputeRow> {
  const [row] = await sql<DisputeRow[]>`
    insert into disputes (id, tenant_id, environment, transaction_id, card_id, cardholder_id,
      amount_cents, currency, reason, explanation, status, evidence_due_by, external_id, metadata,
      created_at)
    values (${dispute.id}, ${owner.tenantId}, ${owner.environment}, ${dispute.transactionId},
      ${dispute.cardId}, ${dispute.cardholderId}, ${dispute.amountCents}, ${dispute.currency},
      ${dispute.reason}, ${dispute.explanation}, ${dispute.status}, ${dispute.evidenceDueBy},
      ${dispute.externalId}, ${JSON.stringify(dispute.metadata)}::text::jsonb, ${dispute.createdAt})
    returning ${disputeColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Columns that a move changes. */
export interface Moved {
  status: DisputeStatus
  outcome: DisputeOutcome | null
  evidenceDueBy: EpochMs
  evidenceRequested: string | null
  submittedAt: EpochMs | null
  resolvedAt: EpochMs | null
}

export async function saveMove(
  sql: TxSql,
  owner: Owner,
  { id, moved }: { id: string; moved: Moved },
): Promise<DisputeRow> {
  const [row] = await sql<DisputeRow[]>`
    update disputes set status = ${moved.status}, outcome = ${moved.outcome},
      evidence_due_by = ${moved.evidenceDueBy}, evidence_requested = ${moved.evidenceRequested},
      submitted_at = ${moved.submittedAt}, resolved_at = ${moved.resolvedAt}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${disputeColumns(sql)}`
  assert(row !== undefined, 'a locked dispute does not vanish')
  return row
}

export async function saveTenantFields(
  sql: TxSql,
  owner: Owner,
  { id, tenantFields }: { id: string; tenantFields: TenantFields },
): Promise<DisputeRow> {
  const [row] = await sql<DisputeRow[]>`
    update disputes set external_id = ${tenantFields.externalId},
      metadata = ${JSON.stringify(tenantFields.metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${disputeColumns(sql)}`
  assert(row !== undefined, 'a locked dispute does not vanish')
  return row
}

/** Owner of a dispute, for the network's and the sponsor bank's side, which names disputes only. */
export interface DisputeOwner extends Owner {
  /** How far the owner's clock is ahead, in milliseconds. */
  clockOffsetMs: number
}

export async function ownerOfDispute(sql: TxSql, id: string): Promise<DisputeOwner | null> {
  const [row] = await sql<DisputeOwner[]>`
    select tenant_id as "tenantId", environment,
      clock_offset(tenant_id, environment) as "clockOffsetMs"
    from disputes where id = ${id}`
  return row ?? null
}

export interface DueDispute extends DisputeOwner {
  id: string
}

/**
 * Locks a dispute of any tenant whose window has closed by that tenant's clock; null if none is
 * left.
 */
export async function lockDueDispute(sql: TxSql, now: EpochMs): Promise<DueDispute | null> {
  const [row] = await sql<DueDispute[]>`
    select id, tenant_id as "tenantId", environment,
      clock_offset(tenant_id, environment) as "clockOffsetMs"
    from disputes
    where status = 'needs_response'
      and ${dueByTenant(sql, 'evidence_due_by', now)}
    order by evidence_due_by
    limit 1
    for no key update skip locked`
  return row ?? null
}
