// Every SQL statement about the sponsor's wallet.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

/** The reason that settling stands still, until an operator's word. */
export interface Stop {
  reason:
    | 'foreign_transaction'
    | 'finalized_block_replaced'
    | 'ledger_apart'
    | 'outcome_apart'
    | 'paused'
  detail: string
  /** The nonce that a foreign transaction used. */
  nonce?: number
  at: EpochMs
}

export interface Wallet {
  address: string
  sealedKey: string | null
  nextNonce: number
  epoch: number
  /** Last finalized block that was looked at. */
  finalBlock: number | null
  finalHash: Buffer | null
  stopped: Stop | null
  knownNonce: number
}

function walletColumns(sql: SqlTag): Fragment {
  return sql`
    address, sealed_key as "sealedKey", next_nonce as "nextNonce", epoch,
    final_block as "finalBlock", final_hash as "finalHash", stopped, known_nonce as "knownNonce"`
}

export async function readWallet(sql: SqlTag, chainId: number): Promise<Wallet | null> {
  const [row] = await sql<Wallet[]>`
    select ${walletColumns(sql)} from settlement_wallets where chain_id = ${chainId}`
  return row ?? null
}

export async function lockWallet(sql: TxSql, chainId: number): Promise<Wallet | null> {
  const [row] = await sql<Wallet[]>`
    select ${walletColumns(sql)} from settlement_wallets where chain_id = ${chainId}
    for no key update`
  return row ?? null
}

/** Keeps the wallet that was there first. */
export async function insertWallet(
  sql: SqlTag,
  wallet: { chainId: number; address: string; sealedKey: string | null },
): Promise<void> {
  await sql`
    insert into settlement_wallets (chain_id, address, sealed_key)
    values (${wallet.chainId}, ${wallet.address}, ${wallet.sealedKey})
    on conflict do nothing`
}

/**
 * Begins the epoch of a new leader; the writes of former ones are refused from now on. It goes by
 * the clock as well: a standby that took over may lack the last epochs, which are not given again.
 */
export async function beginEpoch(sql: SqlTag, chainId: number): Promise<number> {
  const [row] = await sql<{ epoch: number }[]>`
    update settlement_wallets set epoch =
      greatest(epoch + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
    where chain_id = ${chainId} returning epoch`
  if (row === undefined) throw new Error('chain ' + chainId + ' has no wallet')
  return row.epoch
}

export async function saveNextNonce(sql: TxSql, chainId: number, nonce: number): Promise<void> {
  await sql`update settlement_wallets set next_nonce = ${nonce} where chain_id = ${chainId}`
}

/** False where the line stood still before: the first reason stays. */
export async function saveStop(sql: TxSql, chainId: number, stop: Stop): Promise<boolean> {
  const saved = await sql`
    update settlement_wallets set stopped = ${JSON.stringify(stop)}::text::jsonb
    where chain_id = ${chainId} and stopped is null`
  return saved.count === 1
}

export async function saveFinalBlock(
  sql: TxSql,
  chainId: number,
  block: { number: number; hash: Buffer },
): Promise<void> {
  await sql`
    update settlement_wallets set final_block = ${block.number}, final_hash = ${block.hash}
    where chain_id = ${chainId}`
}
