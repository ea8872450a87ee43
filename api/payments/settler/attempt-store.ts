// Every SQL statement about attempts: the signed transactions of batches and withdrawals.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface Attempt {
  nonce: number
  attempt: number
  batchId: string | null
  /** The withdrawal that it releases; null for a transaction of another kind. */
  withdrawalId: string | null
  hash: Buffer
  /** Empty where another copy of the database signed it: such bytes are not sent again. */
  signed: Buffer
  maxFeeWei: bigint
  tipWei: bigint
  sentBlock: number | null
}

/** Attempts whose nonce is not used for good, in the order of nonces, the newest of each first. */
export async function listAttempts(sql: SqlTag, chainId: number): Promise<readonly Attempt[]> {
  const rows = await sql<(Omit<Attempt, 'maxFeeWei' | 'tipWei'> & Fees)[]>`
    select nonce, attempt, batch_id as "batchId", withdrawal_id as "withdrawalId", hash, signed, max_fee_wei::text as "maxFee",
      tip_wei::text as tip, sent_block as "sentBlock"
    from settlement_attempts where chain_id = ${chainId} and final_block is null
    order by nonce, attempt desc`
  return rows.map(({ maxFee, tip, ...row }) => ({
    ...row,
    maxFeeWei: BigInt(maxFee),
    tipWei: BigInt(tip),
  }))
}

/** Nonces of attempts from one on, used for good or not. */
export async function listNonces(
  sql: SqlTag,
  chainId: number,
  from: number,
): Promise<readonly number[]> {
  const rows = await sql<{ nonce: number }[]>`
    select distinct nonce from settlement_attempts where chain_id = ${chainId} and nonce >= ${from}`
  return rows.map(({ nonce }) => nonce)
}

/** The lowest nonce that is not used for good; null: all are. */
export async function readOldestNonce(sql: SqlTag, chainId: number): Promise<number | null> {
  const [row] = await sql<{ nonce: number | null }[]>`
    select min(nonce) as nonce from settlement_attempts
    where chain_id = ${chainId} and final_block is null`
  return row?.nonce ?? null
}

/** The lowest nonce not used for good of which no block shows a transaction; null: none is. */
export async function readUnseenNonce(sql: SqlTag, chainId: number): Promise<number | null> {
  const [row] = await sql<{ nonce: number }[]>`
    select t.nonce from settlement_attempts t
      left join settlement_batches b on b.id = t.batch_id
      left join payment_withdrawals w on w.id = t.withdrawal_id
    where t.chain_id = ${chainId} and t.final_block is null
    group by t.nonce having not bool_or(coalesce(b.status, w.status) = 'included'
      and coalesce(b.transaction_hash, w.transaction_hash) = t.hash)
    order by t.nonce limit 1`
  return row?.nonce ?? null
}

/** The block of the transaction that landed last; null: none has. */
export async function readLandedBlock(sql: SqlTag, chainId: number): Promise<number | null> {
  const [row] = await sql<{ block: number }[]>`
    select final_block as block from settlement_attempts
    where chain_id = ${chainId} and final_block is not null order by nonce desc limit 1`
  return row?.block ?? null
}

interface Fees {
  maxFee: string
  tip: string
}

/**
 * Nonces that are signed and not used for good: all, and those of the tenant of a batch or
 * withdrawal.
 */
export async function countInFlight(
  sql: SqlTag,
  {
    chainId,
    batchId,
    withdrawalId,
  }: { chainId: number } & Pick<Attempt, 'batchId' | 'withdrawalId'>,
): Promise<{ all: number; ofTenant: number }> {
  const [row] = await sql<{ all: number; ofTenant: number }[]>`
    select count(distinct t.nonce) as all, count(distinct t.nonce) filter (
      where coalesce(b.tenant_id, w.tenant_id) = coalesce(
        (select tenant_id from settlement_batches where id = ${batchId}),
        (select tenant_id from payment_withdrawals where id = ${withdrawalId})
      )
    ) as "ofTenant"
    from settlement_attempts t left join settlement_batches b on b.id = t.batch_id
      left join payment_withdrawals w on w.id = t.withdrawal_id
    where t.chain_id = ${chainId} and t.final_block is null`
  return row ?? { all: 0, ofTenant: 0 }
}

export async function insertAttempt(
  sql: TxSql,
  chainId: number,
  attempt: Omit<Attempt, 'sentBlock'> & { now: EpochMs },
): Promise<void> {
  await sql`
    insert into settlement_attempts (chain_id, nonce, attempt, batch_id, withdrawal_id, hash, signed,
      max_fee_wei, tip_wei, created_at)
    values (${chainId}, ${attempt.nonce}, ${attempt.attempt}, ${attempt.batchId},
      ${attempt.withdrawalId}, ${attempt.hash}, ${attempt.signed}, ${String(attempt.maxFeeWei)}, ${String(attempt.tipWei)}, ${attempt.now})
    on conflict do nothing`
}

export async function saveSent(
  sql: TxSql,
  chainId: number,
  sent: { nonce: number; attempt: number; block: number },
): Promise<void> {
  await sql`
    update settlement_attempts set sent_block = ${sent.block}
    where chain_id = ${chainId} and nonce = ${sent.nonce} and attempt = ${sent.attempt}
      and sent_block is null`
}

/** Patience with the fees of a nonce counts from this block on. */
export async function restartPatience(
  sql: TxSql,
  chainId: number,
  { nonce, block }: { nonce: number; block: number },
): Promise<void> {
  await sql`
    update settlement_attempts set sent_block = ${block}
    where chain_id = ${chainId} and nonce = ${nonce} and sent_block is not null`
}

/** The nonce is used for good: none of its attempts is sent again. */
export async function saveFinalNonce(
  sql: TxSql,
  chainId: number,
  { nonce, block }: { nonce: number; block: number },
): Promise<void> {
  await sql`
    update settlement_attempts set final_block = ${block}
    where chain_id = ${chainId} and nonce = ${nonce}`
}

/** False where the nonce of these attempts, up to this one, is recorded as used for good. */
export async function isFollowed(
  sql: TxSql,
  chainId: number,
  { nonce, attempt }: Pick<Attempt, 'nonce' | 'attempt'>,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from settlement_attempts
    where chain_id = ${chainId} and nonce = ${nonce} and attempt <= ${attempt}
      and final_block is null limit 1`
  return row !== undefined
}

/** The nonce is used for good by another transaction than these attempts, up to this one. */
export async function saveLeftNonce(
  sql: TxSql,
  chainId: number,
  { nonce, attempt, block }: Pick<Attempt, 'nonce' | 'attempt'> & { block: number },
): Promise<void> {
  await sql`
    update settlement_attempts set final_block = ${block}
    where chain_id = ${chainId} and nonce = ${nonce} and attempt <= ${attempt}
      and final_block is null`
}
