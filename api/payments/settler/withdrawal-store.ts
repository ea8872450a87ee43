// Every SQL statement of the settler about withdrawals on their way.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** A withdrawal without a transaction yet, with the terms that its holder approved. */
export interface PendingWithdrawal {
  id: string
  amountCents: number
  recipient: string
  publicX: Buffer
  publicY: Buffer
  recoveryAddress: string | null
  assertion: unknown
  refusedSince: EpochMs | null
  /** An operator asked to cancel it. */
  cancelled: boolean
}

export async function listPendingWithdrawals(
  sql: SqlTag,
  chainId: number,
  most: number,
): Promise<readonly PendingWithdrawal[]> {
  return sql<PendingWithdrawal[]>`
    with turns as (
      select id, refused_since, row_number() over (
        partition by tenant_id, refused_since is null order by id
      ) as turn
      from payment_withdrawals where chain_id = ${chainId} and status = 'pending'
    ),
    placed as (
      select id, row_number() over (partition by refused_since is null order by turn, id) as place
      from turns
    )
    select w.id, w.amount_cents as "amountCents", w.recipient, a.public_x as "publicX",
      a.public_y as "publicY", a.recovery_address as "recoveryAddress", w.assertion,
      w.refused_since as "refusedSince", w.cancel_requested_at is not null as cancelled
    from placed join payment_withdrawals w on w.id = placed.id
      join payment_accounts a on a.id = w.payment_account_id
    where place <= ${most}
    order by w.refused_since is not null, place`
}

/** The terms by which a landed withdrawal is compared. */
export async function findReleased(
  sql: SqlTag,
  id: string,
): Promise<{ amountCents: number; recipient: string } | null> {
  const [row] = await sql<{ amountCents: number; recipient: string }[]>`
    select amount_cents as "amountCents", recipient from payment_withdrawals where id = ${id}`
  return row ?? null
}

/** True where the withdrawal waits for its first transaction; it is locked. */
export async function lockPending(sql: TxSql, id: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from payment_withdrawals
    where id = ${id} and status = 'pending' and cancel_requested_at is null for no key update`
  return row !== undefined
}

/** The first refusal stands until the rehearsal passes. */
export async function saveWithdrawalRefusal(
  sql: TxSql,
  id: string,
  since: EpochMs | null,
): Promise<void> {
  await sql`
    update payment_withdrawals set refused_since = ${since}
    where id = ${id} and status = 'pending'`
}

/** Shows where the transaction of a withdrawal stands; one that has ended keeps its end. */
export async function saveWithdrawalInclusion(
  sql: TxSql,
  id: string,
  { hash, block }: { hash: Buffer; block: { number: number; hash: Buffer } | null },
): Promise<void> {
  await sql`
    update payment_withdrawals set status = ${block === null ? 'submitted' : 'included'},
      transaction_hash = ${hash}, block_number = ${block?.number ?? null},
      block_hash = ${block?.hash ?? null}, refused_since = null
    where id = ${id} and status in ('pending', 'submitted', 'included')`
}

export interface KnownWithdrawal {
  status: string
  /** The block in which its transaction was seen last; null: in none. */
  blockNumber: number | null
  blockHash: Buffer | null
  /** An operator asked to cancel it. */
  cancelled: boolean
}

export async function findSentWithdrawal(sql: SqlTag, id: string): Promise<KnownWithdrawal | null> {
  const [row] = await sql<KnownWithdrawal[]>`
    select status, block_number as "blockNumber", block_hash as "blockHash",
      cancel_requested_at is not null as cancelled
    from payment_withdrawals where id = ${id}`
  return row ?? null
}

/**
 * Withdrawals on their way whose nonces are all used for good, one of them by an empty transaction:
 * a settler of the release before frees such a nonce and leaves its withdrawal.
 */
export async function listLeftWithdrawals(
  sql: SqlTag,
  chainId: number,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payment_withdrawals w
    where chain_id = ${chainId} and status in ('submitted', 'included')
      and not exists (
        select from settlement_attempts a where a.withdrawal_id = w.id and a.final_block is null
      )
      and exists (
        select from settlement_attempts a
        join settlement_attempts empty on empty.chain_id = a.chain_id and empty.nonce = a.nonce
        where a.withdrawal_id = w.id and empty.batch_id is null and empty.withdrawal_id is null
      )
    order by id`
  return rows.map(({ id }) => id)
}

/**
 * The withdrawal needs another nonce: its own was used by another transaction. One that has a
 * transaction at a further nonce keeps that.
 */
export async function reopenWithdrawal(sql: TxSql, id: string): Promise<void> {
  await sql`
    update payment_withdrawals set status = 'pending', transaction_hash = null,
      block_number = null, block_hash = null
    where id = ${id} and status in ('submitted', 'included') and not exists (
      select from settlement_attempts where withdrawal_id = ${id} and final_block is null
    )`
}
