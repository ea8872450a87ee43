// Every SQL statement about settlement batches that their resource and the settler share.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { BatchTrigger } from '../../../shared/schemas/settlement-batch.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { BatchRow } from './view.ts'

export function batchColumns(sql: SqlTag): Fragment {
  return sql`
    id, tenant_id as "tenantId", environment, settlement_account_id as "settlementAccountId",
    chain_id as "chainId", status, trigger, captures, refunds, gross_cents as "grossCents",
    refunds_cents as "refundsCents", fee_cents as "feeCents", net_cents as "netCents",
    transaction_hash as "transactionHash", block_number as "blockNumber", gas_used as "gasUsed",
    failure, review, created_at as "createdAt", completed_at as "completedAt"`
}

/** The parts of a settlement account that a batch needs. */
export interface ClosingAccount {
  id: string
  tenantId: string
  environment: Environment
  chainId: number
}

/** A capture or refund that waits for a batch. */
export interface WaitingItem {
  kind: 'capture' | 'refund'
  id: string
  cents: number
  /** Bytes of its assertion in the call, at most: the texts are stored in base64url. */
  bytes: number
  /** The account of a capture of which nothing has landed yet: the call deploys it. */
  opens: string | null
}

/**
 * Locks the account and returns its fee with the items that wait for a batch of it; null where the
 * tenant has emptied its sandbox meanwhile.
 */
export async function lockWaiting(
  sql: TxSql,
  accountId: string,
  most: number,
): Promise<{ feeBps: number; waiting: readonly WaitingItem[] } | null> {
  const [account] = await sql<{ feeBps: number }[]>`
    select fee_bps as "feeBps" from settlement_accounts where id = ${accountId} for no key update`
  if (account === undefined) return null
  return { feeBps: account.feeBps, waiting: await listWaiting(sql, accountId, most) }
}

/**
 * Items that wait for a batch, the oldest first, captures before refunds of the same moment.
 * Refunds without funds come last: captures behind them would bring the funds.
 */
export async function listWaiting(
  sql: SqlTag,
  accountId: string,
  most: number,
): Promise<readonly WaitingItem[]> {
  return sql<WaitingItem[]>`
    with waiting as materialized (
      select * from (
        select 'capture' as kind, c.id, c.amount_cents as cents, c.created_at, false as short,
          p.payment_account_id as payer,
          coalesce(octet_length(sent.assertion ->> 'authenticator_data')
            + octet_length(sent.assertion ->> 'client_data'), 0)::bigint as bytes
        from payment_captures c join payments p on p.id = c.payment_id
          left join payment_mandates m on m.id = p.mandate_id
          cross join lateral (select coalesce(m.assertion, p.assertion) as assertion) sent
        where p.settlement_account_id = ${accountId} and c.status = 'pending'
          and c.settlement_batch_id is null
        union all
        select 'refund', r.id, r.amount_cents, r.created_at, r.status = 'awaiting_funds', null, 0
        from payment_refunds r join payments p on p.id = r.payment_id
        where p.settlement_account_id = ${accountId} and r.status in ('pending', 'awaiting_funds')
          and r.settlement_batch_id is null
      ) items order by short, created_at, kind, id limit ${most}
    ),
    opened as materialized (
      select payer from (select distinct payer from waiting) payers where exists (
        select from payments where payment_account_id = payer and captured_cents > 0
      )
    )
    select kind, id, cents, bytes,
      case when payer not in (select payer from opened) then payer end as opens
    from waiting order by short, created_at, kind, id`
}

export interface NewBatch {
  id: string
  account: ClosingAccount
  trigger: BatchTrigger
  captureIds: readonly string[]
  refundIds: readonly string[]
  grossCents: number
  refundsCents: number
  feeBps: number
  feeCents: number
  /** By the tenant's clock. */
  now: EpochMs
}

/** Makes an open batch and puts the items into it. */
export async function insertBatch(sql: TxSql, batch: NewBatch): Promise<BatchRow> {
  const { id, account, captureIds, refundIds, grossCents, refundsCents, feeBps, feeCents } = batch
  const net = grossCents - refundsCents - feeCents
  const [row] = await sql<BatchRow[]>`
    insert into settlement_batches (id, tenant_id, environment, settlement_account_id, chain_id,
      status, trigger, captures, refunds, gross_cents, refunds_cents, fee_bps,
      fee_cents, net_cents, created_at, closed_at)
    values (${id}, ${account.tenantId}, ${account.environment}, ${account.id}, ${account.chainId},
      'open', ${batch.trigger}, ${captureIds.length}, ${refundIds.length}, ${grossCents},
      ${refundsCents}, ${feeBps}, ${feeCents}, ${net}, ${batch.now}, ${batch.now})
    returning ${batchColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  await putItems(sql, batch)
  await insertPayments(sql, [id])
  return row
}

/** Puts captures and refunds into a batch, out of those that they are in. */
export async function putItems(
  sql: TxSql,
  { id, captureIds, refundIds }: Pick<NewBatch, 'id' | 'captureIds' | 'refundIds'>,
): Promise<void> {
  await sql`
    update payment_captures set settlement_batch_id = ${id} where id = any(${captureIds}::text[])`
  await sql`
    update payment_refunds set settlement_batch_id = ${id}, status = 'pending'
    where id = any(${refundIds}::text[])`
}

/** Stores the payments of the items that these batches have. */
export async function insertPayments(sql: TxSql, batchIds: readonly string[]): Promise<void> {
  await sql`
    insert into settlement_batch_payments (settlement_batch_id, payment_id)
    select settlement_batch_id, payment_id from payment_captures
    where settlement_batch_id = any(${batchIds}::text[])
    union select settlement_batch_id, payment_id from payment_refunds
    where settlement_batch_id = any(${batchIds}::text[])`
}

/** Refunds that no batch can pay yet. */
export async function saveAwaitingFunds(sql: TxSql, refundIds: readonly string[]): Promise<void> {
  await sql`
    update payment_refunds set status = 'awaiting_funds'
    where id = any(${refundIds}::text[]) and status = 'pending'`
}

/** The tenant's settlement accounts, in the order of their ids; null for an unknown tenant. */
export async function listAccountsToClose(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<readonly (ClosingAccount & { clockOffsetMs: number })[] | null> {
  const [tenant] = await sql`select 1 from tenants where id = ${tenantId}`
  if (tenant === undefined) return null
  return sql<(ClosingAccount & { clockOffsetMs: number })[]>`
    select id, tenant_id as "tenantId", environment, chain_id as "chainId",
      clock_offset(tenant_id, environment) as "clockOffsetMs"
    from settlement_accounts
    where tenant_id = ${tenantId} and environment = ${environment} order by id`
}
