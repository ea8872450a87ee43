// Every SQL statement about payments; those about captures and refunds are in transfers-store.ts.
// Each names the owner, except those of the hosted page, the drain, the job and the settler,
// which find a payment by an id or a secret of ours.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PaymentDecision, PaymentStatus, VoidCause } from '../../../shared/schemas/payment.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { sentTogether } from '../../database/sent-together.ts'
import { fixed } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { PaymentSums, StoredStatus } from './states.ts'
import { TRANSFER_COLUMNS } from './transfers-store.ts'
import type { PaymentRow } from './view.ts'

const PAYMENT_COLUMNS = fixed`
    p.id, p.tenant_id as "tenantId", p.environment, p.payment_account_id as "paymentAccountId",
    p.cardholder_id as "cardholderId", p.settlement_account_id as "settlementAccountId", p.status,
    p.amount_cents as "amountCents", p.currency, p.description,
    p.captured_cents as "capturedCents", p.capture_pending_cents as "capturePendingCents",
    p.capture_failed_cents as "captureFailedCents", p.refunded_cents as "refundedCents",
    p.refund_pending_cents as "refundPendingCents", p.voided_cents as "voidedCents",
    p.void_cause as "voidCause", p.releasing, p.expires_at as "expiresAt",
    p.decline_reason as "declineReason", p.decision, p.failure, p.approval_hash as "approvalHash",
    p.approval_valid_until as "approvalValidUntil", p.mandate_id as "mandateId",
    p.confirmation_expires_at as "confirmationExpiresAt", p.confirmed_at as "confirmedAt",
    p.confirmed_by as "confirmedBy", p.external_id as "externalId", p.metadata,
    p.created_at as "createdAt",
    (select a.chain_id from payment_accounts a where a.id = p.payment_account_id) as "chainId",
    clock_offset(p.tenant_id, p.environment) as "clockOffsetMs",
    ${TRANSFER_COLUMNS}`

/** A payment that the tenant may see; null for one that is still being decided too. */
export async function findPayment(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<PaymentRow | null> {
  const [row] = await sql<PaymentRow[]>`
    select ${PAYMENT_COLUMNS} from payments p
    where p.tenant_id = ${owner.tenantId} and p.environment = ${owner.environment} and p.id = ${id}
      and p.status <> 'deciding'`
  return row ?? null
}

/** A payment of any owner, in any state. */
export async function findAnyPayment(sql: SqlTag, id: string): Promise<PaymentRow | null> {
  const [row] = await sql<PaymentRow[]>`
    select ${PAYMENT_COLUMNS} from payments p where p.id = ${id}`
  return row ?? null
}

/** Payments of any owner, in any state, by their ids. */
export async function listAnyPayments(
  sql: SqlTag,
  ids: readonly string[],
): Promise<readonly PaymentRow[]> {
  return sql<PaymentRow[]>`
    select ${PAYMENT_COLUMNS} from payments p where p.id = any(${ids}::text[]) order by p.id`
}

/** Locks a payment of any owner until the transaction ends, and then reads it. */
export async function lockAnyPayment(sql: TxSql, id: string): Promise<PaymentRow | null> {
  const [, payment] = await sentTogether([lockRow(sql, id), findAnyPayment(sql, id)])
  return payment
}

async function lockRow(sql: TxSql, id: string): Promise<StoredStatus | null> {
  const [row] = await sql<{ status: StoredStatus }[]>`
    select status from payments where id = ${id} for no key update`
  return row?.status ?? null
}

/** Locks a payment of which all is known; true while it is still being decided. */
export async function lockDeciding(sql: TxSql, id: string): Promise<boolean> {
  return (await lockRow(sql, id)) === 'deciding'
}

/** Locks a payment that the tenant may see. */
export async function lockPayment(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<PaymentRow | null> {
  const row = await lockAnyPayment(sql, id)
  if (row?.tenantId !== owner.tenantId || row.environment !== owner.environment) return null
  return row.status === 'deciding' ? null : row
}

export interface PaymentFilters extends CreatedFilters {
  status?: PaymentStatus
  payment_account_id?: string
  cardholder_id?: string
  settlement_account_id?: string
  external_id?: string
  /** Payments with a capture or refund in this batch. */
  settlement_batch_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listPayments(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & PaymentFilters,
): Promise<PageRows<PaymentRow>> {
  return readPage<PaymentRow>(sql, query, {
    list: 'payments',
    column: 'p.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<PaymentRow[]>`
      select ${PAYMENT_COLUMNS} from payments p
      where p.tenant_id = ${owner.tenantId} and p.environment = ${owner.environment}
        and p.status <> 'deciding' ${createdWithinIds(sql, 'pay', owner, query)} ${filtered(sql, query)} and ${range}
      ${ordered}`,
  })
}

function filtered(sql: SqlTag, query: PaymentFilters): Fragment {
  const { status, payment_account_id, cardholder_id, settlement_account_id, external_id } = query
  const { settlement_batch_id: batch } = query
  return sql`
    ${status === undefined ? sql`` : sql`and p.status = ${status}`}
    ${payment_account_id === undefined ? sql`` : sql`and p.payment_account_id = ${payment_account_id}`}
    ${cardholder_id === undefined ? sql`` : sql`and p.cardholder_id = ${cardholder_id}`}
    ${settlement_account_id === undefined ? sql`` : sql`and p.settlement_account_id = ${settlement_account_id}`}
    ${external_id === undefined ? sql`` : sql`and p.external_id = ${external_id}`}
    ${
      batch === undefined
        ? sql``
        : sql`and p.id in (
            select payment_id from settlement_batch_payments where settlement_batch_id = ${batch}
          )`
    }`
}

export interface NewPayment {
  id: string
  paymentAccountId: string
  cardholderId: string
  settlementAccountId: string
  amountCents: number
  description: string | null
  expiresAt: EpochMs
  /** Null for a payment that a mandate covers. */
  confirmationExpiresAt: EpochMs | null
  approval: { salt: Buffer; hash: Buffer; validUntil: number }
  mandateId: string | null
  call: { hash: Buffer; fingerprint: string } | null
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

/**
 * The payment is `deciding` until the engine has answered. False where an earlier call with this
 * key began one; a rival is waited for.
 */
export async function insertPayment(
  sql: TxSql,
  owner: Owner,
  payment: NewPayment,
): Promise<boolean> {
  const { approval, call } = payment
  const made = await sql`
    insert into payments (id, tenant_id, environment, payment_account_id, cardholder_id,
      settlement_account_id, status, amount_cents, currency, description, expires_at,
      confirmation_expires_at, approval_salt, approval_hash, approval_valid_until, mandate_id,
      call_hash, call_fingerprint, external_id, metadata, created_at)
    values (${payment.id}, ${owner.tenantId}, ${owner.environment}, ${payment.paymentAccountId},
      ${payment.cardholderId}, ${payment.settlementAccountId}, 'deciding', ${payment.amountCents},
      'USD', ${payment.description}, ${payment.expiresAt}, ${payment.confirmationExpiresAt},
      ${approval.salt}, ${approval.hash}, ${approval.validUntil}, ${payment.mandateId},
      ${call?.hash ?? null},
      ${call?.fingerprint ?? null}, ${payment.externalId},
      ${JSON.stringify(payment.metadata)}::text::jsonb, ${payment.createdAt})
    on conflict (call_hash) do nothing`
  return made.count > 0
}

/** Columns that a move changes; the others stay. */
export interface PaymentChange extends Partial<Omit<PaymentSums, 'amountCents'>> {
  voidCause?: VoidCause
  releasing?: VoidCause | null
  releasingSince?: EpochMs | null
  declineReason?: string | null
  decision?: PaymentDecision
  failure?: PaymentRow['failure']
  confirmedAt?: EpochMs
  confirmedBy?: 'passkey' | 'mandate'
  assertion?: object
  /** The SHA-256 of the hosted page's secret, as PostgreSQL writes bytes in hex. */
  confirmationHash?: string
  /** `txn_…` of the engine. */
  transactionId?: string | null
}

/** The column of each field that a move changes, and its type. */
const COLUMNS: { readonly [Field in keyof Required<PaymentChange>]: Column } = {
  capturedCents: ['captured_cents', 'bigint'],
  capturePendingCents: ['capture_pending_cents', 'bigint'],
  captureFailedCents: ['capture_failed_cents', 'bigint'],
  refundedCents: ['refunded_cents', 'bigint'],
  refundPendingCents: ['refund_pending_cents', 'bigint'],
  voidedCents: ['voided_cents', 'bigint'],
  voidCause: ['void_cause', 'text'],
  releasing: ['releasing', 'text'],
  releasingSince: ['releasing_since', 'bigint'],
  declineReason: ['decline_reason', 'text'],
  decision: ['decision', 'jsonb'],
  failure: ['failure', 'jsonb'],
  confirmedAt: ['confirmed_at', 'bigint'],
  confirmedBy: ['confirmed_by', 'text'],
  assertion: ['assertion', 'jsonb'],
  confirmationHash: ['confirmation_hash', 'bytea'],
  transactionId: ['transaction_id', 'text'],
}
type Column = readonly [name: string, type: 'bigint' | 'text' | 'jsonb' | 'bytea']

export interface SavedPayment {
  id: string
  status: StoredStatus
  change: PaymentChange
}

/** Saves one locked payment, and reads it again. */
export async function savePayment(sql: TxSql, saved: SavedPayment): Promise<PaymentRow> {
  const [row] = await savePayments(sql, [saved])
  assert(row !== undefined, 'a locked payment does not vanish')
  return row
}

/** Saves locked payments whose changes have the same fields, and reads them again, by their ids. */
export async function savePayments(
  sql: TxSql,
  saved: readonly SavedPayment[],
): Promise<readonly PaymentRow[]> {
  const fields = Object.keys(saved[0]?.change ?? {}) as (keyof PaymentChange)[]
  // One part each, of words of ours: every part that the driver makes costs more than a row.
  const sets = fields.map((field) => ', ' + COLUMNS[field][0] + ' = v."' + field + '"')
  const types = fields.map((field) => ', "' + field + '" ' + COLUMNS[field][1])
  const rows = JSON.stringify(saved.map(({ id, status, change }) => ({ ...change, id, status })))
  const read = await sql<PaymentRow[]>`
    update payments p set status = v.status ${sql.unsafe(sets.join(''))}
    from jsonb_to_recordset(${rows}::text::jsonb)
      as v (id text, status text ${sql.unsafe(types.join(''))})
    where p.id = v.id
    returning ${PAYMENT_COLUMNS}`
  return [...read].sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** A payment of an account with something left to capture, land or refund; null: none. */
export async function findOpenPayment(
  sql: SqlTag,
  paymentAccountId: string,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from payments
    where payment_account_id = ${paymentAccountId} and status <> 'risk_declined'
      and (captured_cents + voided_cents < amount_cents or refund_pending_cents > 0)
    order by id limit 1`
  return row?.id ?? null
}

/** Replaces the link to the hosted page. */
export async function saveConfirmationLink(sql: TxSql, id: string, hash: Buffer): Promise<void> {
  await sql`update payments set confirmation_hash = ${hash} where id = ${id}`
}

/** The id of the payment that a link leads to. */
export async function findByConfirmation(sql: SqlTag, hash: Buffer): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from payments where confirmation_hash = ${hash} and status <> 'deciding'`
  return row?.id ?? null
}

/** The call that began a payment or capture. */
export interface BegunCall {
  id: string
  fingerprint: string
}

interface BegunQuery {
  table: 'payments' | 'payment_captures'
  /** Hash of the call's key. */
  hash: Buffer
  oldest: EpochMs
}

/**
 * The payment that an earlier call with this key began; rivals wait for each other. Answers are
 * kept for a day, and so are the calls: an older one counts as none.
 */
export async function findBegun(
  sql: TxSql,
  { table, hash, oldest }: BegunQuery,
): Promise<BegunCall | null> {
  const [, begun] = await sentTogether([
    lockCall(sql, hash),
    findBegunRow(sql, { table, hash, oldest }),
  ])
  return begun
}

async function lockCall(sql: TxSql, hash: Buffer): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${'call ' + hash.toString('hex')}, 0))`
}

async function findBegunRow(
  sql: TxSql,
  { table, hash, oldest }: BegunQuery,
): Promise<BegunCall | null> {
  const [row] = await sql<BegunCall[]>`
    with ended as (
      update ${sql(table)} set call_hash = null
      where call_hash = ${hash} and created_at <= ${oldest}
    )
    select id, call_fingerprint as fingerprint from ${sql(table)}
    where call_hash = ${hash} and created_at > ${oldest}`
  return row ?? null
}
