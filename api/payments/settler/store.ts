// Every SQL statement of the settler about batches in flight.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { chainIdOf, type Hex, hexOfBytes } from '../chain/hex.ts'
import type { ClosingAccount } from '../settlement-batches/index.ts'

/** States of a batch or withdrawal on the chain that has ended. */
export const ENDED: readonly string[] = ['completed', 'failed']

/** Chosen: transactions that an earlier primary sent are for batches of the last hours or days. */
const ENDED_MAX = 1000

/** A batch without a transaction yet. */
export interface OpenBatch {
  id: string
  call: Buffer | null
  refusedSince: EpochMs | null
  /** An operator asked to cancel it. */
  cancelled: boolean
}

/**
 * Open batches: at most `most` that no rehearsal refused, and behind them at most as many that one
 * did, which take no place of the others. Within each, first of the tenant with the fewest
 * transactions in flight and batches before: a tenant with many makes no other one wait.
 */
export async function listOpenBatches(
  sql: SqlTag,
  chainId: number,
  most: number,
): Promise<readonly OpenBatch[]> {
  return sql<OpenBatch[]>`
    with turns as (
      select b.id, b.call, b.refused_since, b.cancel_requested_at, (
        select count(*) from settlement_batches f
        where f.tenant_id = b.tenant_id and f.chain_id = ${chainId}
          and f.status in ('submitted', 'included')
      ) + row_number() over (
        partition by b.tenant_id, b.refused_since is null order by b.id
      ) as turn
      from settlement_batches b where b.chain_id = ${chainId} and b.status = 'open'
    ),
    placed as (
      select *, row_number() over (partition by refused_since is null order by turn, id) as place
      from turns
    )
    select id, call, refused_since as "refusedSince", cancel_requested_at is not null as cancelled
    from placed where place <= ${most}
    order by refused_since is not null, place`
}

/** An account of which items wait and no batch is open. */
export interface WaitingAccount extends ClosingAccount {
  address: string
  schedule: { interval: 'continuous' } | { interval: 'daily'; hour: number }
  clockOffsetMs: number
  /** By the tenant's clock; of refunds without funds only where nothing else waits. */
  oldestAt: EpochMs
  /** The end of the first approval that ends, by the tenant's clock; null: only refunds wait. */
  endsAt: EpochMs | null
  /** Captures and refunds, without refunds that wait for funds. */
  waiting: number
  /** An operator asked to try one of the captures again. */
  retried: boolean
}

export async function listWaitingAccounts(
  sql: SqlTag,
  { chainId, environment }: { chainId: number; environment: Environment },
): Promise<readonly WaitingAccount[]> {
  return sql<WaitingAccount[]>`
    select a.id, a.tenant_id as "tenantId", a.environment, a.chain_id as "chainId",
      a.address, a.schedule,
      clock_offset(a.tenant_id, a.environment) as "clockOffsetMs",
      coalesce(min(w.created_at) filter (where not w.short), min(w.created_at)) as "oldestAt",
      min(w.ends_at) as "endsAt",
      count(*) filter (where not w.short) as waiting, bool_or(w.retried) as retried
    from (
      select p.settlement_account_id as account, c.created_at, c.retries > 0 as retried,
        false as short, p.approval_valid_until * 1000 as ends_at
      from payment_captures c join payments p on p.id = c.payment_id
      where c.status = 'pending' and c.settlement_batch_id is null
      union all
      select p.settlement_account_id, r.created_at, false, r.status = 'awaiting_funds', null
      from payment_refunds r join payments p on p.id = r.payment_id
      where r.status in ('pending', 'awaiting_funds') and r.settlement_batch_id is null
    ) w
    join settlement_accounts a on a.id = w.account
    where a.chain_id = ${chainId} and a.environment = ${environment}
      and not exists (
        select 1 from settlement_batches b
        where b.settlement_account_id = a.id and b.status = 'open'
      )
    group by a.id
    order by min(w.created_at), a.id`
}

/** Cents that batches which have not ended draw on the allowance of the account's payee. */
export async function readDrawnCents(sql: SqlTag, accountId: string): Promise<number> {
  const [row] = await sql<{ cents: number }[]>`
    select coalesce(-sum(net_cents), 0)::bigint as cents from settlement_batches
    where settlement_account_id = ${accountId} and net_cents < 0
      and status in ('open', 'submitted', 'included')`
  return row?.cents ?? 0
}

/** Stores the call; a batch that an earlier release closed gets its fee with it. */
export async function saveCall(
  sql: TxSql,
  batchId: string,
  { call, feeBps }: { call: Buffer; feeBps: number },
): Promise<void> {
  await sql`
    update settlement_batches set call = ${call}, fee_bps = coalesce(fee_bps, ${feeBps})
    where id = ${batchId} and status = 'open' and call is null`
}

/** The first refusal stands until the rehearsal passes. */
export async function saveRefusal(
  sql: TxSql,
  batchId: string,
  since: EpochMs | null,
): Promise<void> {
  await sql`
    update settlement_batches set refused_since = ${since}
    where id = ${batchId} and status = 'open'`
}

/** The transaction of a batch as it stands on the chain now; null: in no block. */
export interface Inclusion {
  status: 'submitted' | 'included'
  hash: Buffer
  block: { number: number; hash: Buffer; gasUsed: number } | null
}

/** Shows where a batch and its items stand; a batch that has ended keeps its end. */
export async function saveInclusion(
  sql: TxSql,
  batchId: string,
  { status, hash, block }: Inclusion,
): Promise<void> {
  const moved = await sql`
    update settlement_batches set status = ${status}, transaction_hash = ${hash},
      block_number = ${block?.number ?? null}, block_hash = ${block?.hash ?? null},
      gas_used = ${block?.gasUsed ?? null}, refused_since = null
    where id = ${batchId} and status in ('open', 'submitted', 'included')
    returning 1`
  if (moved.length === 0) return
  const waiting = ['pending', 'submitted', 'included']
  await sql`
    update payment_captures set status = ${status}
    where settlement_batch_id = ${batchId} and status = any(${waiting}::text[])`
  await sql`
    update payment_refunds set status = ${status}
    where settlement_batch_id = ${batchId} and status = any(${waiting}::text[])`
}

/**
 * The batch needs another nonce: its own was used by another transaction. One that has a
 * transaction at a further nonce keeps that.
 */
export async function reopenBatch(sql: TxSql, batchId: string): Promise<void> {
  const moved = await sql`
    update settlement_batches set status = 'open', transaction_hash = null, block_number = null,
      block_hash = null, gas_used = null
    where id = ${batchId} and status in ('submitted', 'included') and not exists (
      select from settlement_attempts where batch_id = ${batchId} and final_block is null
    )
    returning 1`
  if (moved.length === 0) return
  await sql`
    update payment_captures set status = 'pending'
    where settlement_batch_id = ${batchId} and status in ('submitted', 'included')`
  await sql`
    update payment_refunds set status = 'pending'
    where settlement_batch_id = ${batchId} and status in ('submitted', 'included')`
}

export interface KnownBatch {
  id: string
  status: string
  blockNumber: number | null
  blockHash: Buffer | null
  /** An operator asked to cancel it. */
  cancelled: boolean
}

/** True where the batch waits for its first transaction; it is locked. */
export async function lockOpenBatch(sql: TxSql, id: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from settlement_batches
    where id = ${id} and status = 'open' and cancel_requested_at is null for no key update`
  return row !== undefined
}

export async function findBatch(sql: SqlTag, id: string): Promise<KnownBatch | null> {
  const [row] = await sql<KnownBatch[]>`
    select id, status, block_number as "blockNumber", block_hash as "blockHash",
      cancel_requested_at is not null as cancelled
    from settlement_batches where id = ${id}`
  return row ?? null
}

/** A batch or withdrawal that a transaction of the wallet may be for. */
interface Callable {
  /** By which the chain knows it. */
  name: Hex
  batchId: string | null
  withdrawalId: string | null
  status: string
}

/** All batches and withdrawals on their way, and of those that have ended the latest. */
export async function listCallable(sql: SqlTag, chainId: number): Promise<readonly Callable[]> {
  const onTheirWay = ['open', 'pending', 'submitted', 'included']
  const rows = await sql<(Omit<Callable, 'name'> & Named)[]>`
    with called as (
      select id, chain_name, id as "batchId", null as "withdrawalId", status, completed_at
      from settlement_batches where chain_id = ${chainId}
      union all
      select id, null, null, id, status, completed_at
      from payment_withdrawals where chain_id = ${chainId}
    )
    select id, chain_name as "chainName", "batchId", "withdrawalId", status from called
    where status = any(${onTheirWay}::text[])
    union all
    (select id, chain_name, "batchId", "withdrawalId", status from called
      where status = any(${[...ENDED]}::text[]) order by completed_at desc limit ${ENDED_MAX})`
  return rows.map(({ id, chainName, ...row }) => ({ ...row, name: nameOf({ id, chainName }) }))
}

interface Named {
  id: string
  /** A batch whose closing a failover lost has one; null: the hash of its id. */
  chainName: Buffer | null
}

function nameOf({ id, chainName }: Named): Hex {
  return chainName === null ? chainIdOf(id) : hexOfBytes(chainName)
}

/** The 32 bytes by which the chain knows a batch. */
export async function batchNameOf(sql: SqlTag, id: string): Promise<Hex> {
  const [row] = await sql<Named[]>`
    select id, chain_name as "chainName" from settlement_batches where id = ${id}`
  return nameOf(row ?? { id, chainName: null })
}

/** A capture or refund as the chain names it. */
export interface ChainItem {
  kind: 'capture' | 'refund'
  id: string
  /** Null for a refund before its call is written, or where its approval has none left. */
  bit: number | null
  cents: number
  approvalHash: Buffer
  approvalSalt: Buffer
  validUntil: number
  limitCents: number
  payee: string
  /** The fee of the batch's closing, or the settlement account's where it has none. */
  feeBps: number
  publicX: Buffer
  publicY: Buffer
  recoveryAddress: string | null
  assertion: unknown
  /** A capture under the approval has landed: the contract has verified the assertion. */
  isVerified: boolean
}

/** Every capture and refund of a batch with the terms that the holder approved. */
export async function listChainItems(sql: SqlTag, batchId: string): Promise<readonly ChainItem[]> {
  const terms = sql`
    p.approval_hash as "approvalHash", p.approval_salt as "approvalSalt",
    p.approval_valid_until as "validUntil",
    coalesce(m.limit_cents, p.amount_cents) as "limitCents", s.address as payee,
    coalesce((select fee_bps from settlement_batches where id = ${batchId}), s.fee_bps) as "feeBps", a.public_x as "publicX", a.public_y as "publicY",
    a.recovery_address as "recoveryAddress",
    coalesce(m.assertion, p.assertion) as assertion
    from payments p
    join settlement_accounts s on s.id = p.settlement_account_id
    join payment_accounts a on a.id = p.payment_account_id
    left join payment_mandates m on m.id = p.mandate_id`
  return sql<ChainItem[]>`
    select 'capture' as kind, i.id, i.bit, i.amount_cents as cents, exists (
      select from payment_captures o where o.approval_id = i.approval_id and o.status = 'landed'
    ) as "isVerified", ${terms}
    join payment_captures i on i.payment_id = p.id where i.settlement_batch_id = ${batchId}
    union all
    select 'refund', i.id, i.bit, i.amount_cents, true, ${terms}
    join payment_refunds i on i.payment_id = p.id
    where i.settlement_batch_id = ${batchId} and i.status <> 'failed'
    order by kind, id`
}
