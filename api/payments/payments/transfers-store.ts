// Every SQL statement about captures and refunds.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import { REFUNDS_MAX } from '../chain/terms.ts'

const SHOWN = fixed`
  'id', t.id, 'amountCents', t.amount_cents, 'status', t.status,
  'batchId', t.settlement_batch_id, 'transactionHash', encode(b.transaction_hash, 'hex'),
  'blockNumber', b.block_number, 'failure', t.failure, 'createdAt', t.created_at`

/** Captures and refunds of the payment `p`, in the order of creation. */
export const TRANSFER_COLUMNS = fixed`
  (
    select coalesce(sum(t.amount_cents), 0)::bigint from payment_captures t
    where t.payment_id = p.id and t.status = 'asking'
  ) as "askingCents",
  (select count(*)::integer from payment_captures t where t.payment_id = p.id) as "captureCount",
  (
    select coalesce(jsonb_agg(jsonb_build_object('final', t.final, ${SHOWN}) order by t.id), '[]')
    from payment_captures t left join settlement_batches b on b.id = t.settlement_batch_id
    where t.payment_id = p.id and t.status not in ('asking', 'refusing')
  ) as captures,
  (
    select coalesce(jsonb_agg(jsonb_build_object(${SHOWN}) order by t.id), '[]')
    from payment_refunds t left join settlement_batches b on b.id = t.settlement_batch_id
    where t.payment_id = p.id
  ) as refunds`

export interface NewTransfer {
  id: string
  paymentId: string
  amountCents: number
  createdAt: EpochMs
}

/** The capture is `asking` until the engine has answered. It takes the lowest free bit. */
export async function insertCapture(
  sql: TxSql,
  owner: Owner,
  capture: NewTransfer & {
    /** The payment, or the mandate that covers it. */
    approvalId: string
    final: boolean
    call: { hash: Buffer; fingerprint: string } | null
  },
): Promise<void> {
  const { id, paymentId, approvalId, amountCents, final, call, createdAt } = capture
  await sql`
    insert into payment_captures (id, payment_id, tenant_id, environment, approval_id, bit,
      amount_cents, final, status, call_hash, call_fingerprint, created_at)
    select ${id}, ${paymentId}, ${owner.tenantId}, ${owner.environment}, ${approvalId}, min(n),
      ${amountCents}, ${final}, 'asking', ${call?.hash ?? null},
      ${call?.fingerprint ?? null}, ${createdAt}
    from generate_series(0, 63) n
    where n not in (select bit from payment_captures where approval_id = ${approvalId})`
}

export interface StoredCapture {
  id: string
  paymentId: string
  amountCents: number
  final: boolean
  status: string
}

/** The caller holds the lock of the payment. */
export async function findCapture(sql: SqlTag, id: string): Promise<StoredCapture | null> {
  const [row] = await sql<StoredCapture[]>`
    select id, payment_id as "paymentId", amount_cents as "amountCents", final, status
    from payment_captures where id = ${id}`
  return row ?? null
}

export async function saveCapture(
  sql: TxSql,
  { id, status }: { id: string; status: 'pending' | 'refusing' },
): Promise<void> {
  await sql`update payment_captures set status = ${status} where id = ${id}`
}

/**
 * Removes a capture that the engine refused; its bit is free again, for nothing was signed. False
 * where there is none.
 */
export async function deleteCapture(sql: TxSql, id: string): Promise<boolean> {
  const gone = await sql`delete from payment_captures where id = ${id} and status = 'refusing'`
  return gone.count > 0
}

/** True while the engine has not answered a final capture of the payment. */
export async function isFinalAsked(sql: SqlTag, paymentId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from payment_captures
    where payment_id = ${paymentId} and status = 'asking' and final limit 1`
  return rows.length > 0
}

/**
 * The refund takes the lowest free bit of its approval, and keeps it: a database that was put back
 * names the refund as the chain does. The caller holds the locks of the payment and its mandate.
 */
export async function insertRefund(
  sql: TxSql,
  owner: Owner,
  refund: NewTransfer & {
    /** The payment, or the mandate that covers it. */
    approvalId: string
  },
): Promise<void> {
  const { id, paymentId, approvalId, amountCents, createdAt } = refund
  await sql`
    insert into payment_refunds (id, payment_id, tenant_id, environment, approval_id, bit,
      amount_cents, status, created_at)
    select ${id}, ${paymentId}, ${owner.tenantId}, ${owner.environment}, ${approvalId}, min(n),
      ${amountCents}, 'pending', ${createdAt}
    from generate_series(0, ${REFUNDS_MAX - 1}::int) n
    where not exists (
      select from payment_refunds where approval_id = ${approvalId} and bit = n
    )`
}

/** Captures of any payments, by their ids. */
export async function listCaptures(
  sql: SqlTag,
  ids: readonly string[],
): Promise<readonly StoredCapture[]> {
  return sql<StoredCapture[]>`
    select id, payment_id as "paymentId", amount_cents as "amountCents", final, status
    from payment_captures where id = any(${ids}::text[]) order by id`
}

/** Ends captures, each with its failure: null where it landed, at `landedAt`. */
export async function saveCaptureEnds(
  sql: TxSql,
  ends: readonly { id: string; failure: SettlementFailure | null }[],
  landedAt: EpochMs | null,
): Promise<void> {
  await sql`
    update payment_captures c set landed_at = ${landedAt}, failure = v.failure,
      status = ${landedAt === null ? 'failed' : 'landed'}
    from jsonb_to_recordset(${JSON.stringify(ends)}::text::jsonb) as v (id text, failure jsonb)
    where c.id = v.id`
}

/** Refunds of any payments, by their ids. */
export async function listRefunds(
  sql: SqlTag,
  ids: readonly string[],
): Promise<readonly StoredRefund[]> {
  return sql<StoredRefund[]>`
    select id, payment_id as "paymentId", amount_cents as "amountCents", status
    from payment_refunds where id = any(${ids}::text[]) order by id`
}

export type StoredRefund = Omit<StoredCapture, 'final'>

export async function saveRefundsLanded(
  sql: TxSql,
  { ids, now }: { ids: readonly string[]; now: EpochMs },
): Promise<void> {
  await sql`
    update payment_refunds set status = 'landed', failure = null, landed_at = ${now}
    where id = any(${ids}::text[])`
}
