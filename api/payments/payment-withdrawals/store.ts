// Every SQL statement about withdrawals that tenants and holders ask for.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PaymentWithdrawalStatus } from '../../../shared/schemas/payment-withdrawal.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import { centsOfUnits } from '../../../shared/token-units.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { dueByTenant } from '../../database/due.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { readFreeUnits } from '../ledger/index.ts'
import type { StoredAssertion } from '../passkeys/approval.ts'
import type { StoredStatus, WithdrawalRow } from './view.ts'

/** States in which the account's next nonce is taken. */
export const UNDER_WAY = ['checking', 'pending', 'submitted', 'included'] as const

function columns(sql: SqlTag): Fragment {
  return sql`
    w.id, w.tenant_id as "tenantId", w.environment, w.payment_account_id as "paymentAccountId",
    (select cardholder_id from payment_accounts where id = w.payment_account_id) as "cardholderId",
    w.chain_id as "chainId", w.status, w.amount_cents as "amountCents", w.recipient, w.nonce,
    w.withdrawal_hash as hash, w.confirmation_expires_at as "confirmationExpiresAt",
    w.confirmed_at as "confirmedAt", w.transaction_hash as "transactionHash",
    w.block_number as "blockNumber", w.failure, w.external_id as "externalId", w.metadata,
    w.created_at as "createdAt", clock_offset(w.tenant_id, w.environment) as "clockOffsetMs"`
}

export async function findWithdrawal(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<WithdrawalRow | null> {
  const [row] = await sql<WithdrawalRow[]>`
    select ${columns(sql)} from payment_withdrawals w
    where w.tenant_id = ${owner.tenantId} and w.environment = ${owner.environment}
      and w.id = ${id}`
  return row ?? null
}

/** The withdrawal of any owner, locked until the transaction ends. */
export async function lockAnyWithdrawal(sql: TxSql, id: string): Promise<WithdrawalRow | null> {
  await sql`select 1 from payment_withdrawals where id = ${id} for no key update`
  const [row] = await sql<WithdrawalRow[]>`
    select ${columns(sql)} from payment_withdrawals w where w.id = ${id}`
  return row ?? null
}

/** Locks the withdrawal until the transaction ends. */
export async function lockWithdrawal(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<WithdrawalRow | null> {
  const found = await findWithdrawal(sql, owner, id)
  return found === null ? null : lockAnyWithdrawal(sql, id)
}

export interface WithdrawalFilters extends CreatedFilters {
  status?: PaymentWithdrawalStatus
  payment_account_id?: string
  external_id?: string
}

/**
 * Withdrawals that are shown with a status. The conditions tell of one that waits whether its time
 * goes on or has ended: small indexes find these among all that their holders left alone.
 */
function shownAs(
  sql: SqlTag,
  status: PaymentWithdrawalStatus,
  { goesOn, hasEnded }: { goesOn: Fragment; hasEnded: Fragment },
): Fragment {
  if (status === 'needs_confirmation' || status === 'expired') {
    const isShown = status === 'expired' ? hasEnded : goesOn
    return sql`and w.status = 'needs_confirmation' and ${isShown}`
  }
  return status === 'pending'
    ? sql`and w.status in ('pending', 'checking')`
    : sql`and w.status = ${status}`
}

/** Lists by id, which is the order of creation; `now` by the tenant's clock. */
export async function listWithdrawals(
  sql: SqlTag,
  owner: ClockedOwner,
  { now, ...query }: PageQuery & WithdrawalFilters & { now: EpochMs },
): Promise<PageRows<WithdrawalRow>> {
  const { status, payment_account_id: account, external_id } = query
  const ends = sql`w.confirmation_expires_at`
  const time = { goesOn: sql`${ends} > ${now}`, hasEnded: sql`${ends} <= ${now}` }
  return list(
    sql,
    query,
    sql`w.tenant_id = ${owner.tenantId} and w.environment = ${owner.environment}
      ${createdWithinIds(sql, 'wdr', owner, query)}
      ${status === undefined ? sql`` : shownAs(sql, status, time)}
      ${account === undefined ? sql`` : sql`and w.payment_account_id = ${account}`}
      ${external_id === undefined ? sql`` : sql`and w.external_id = ${external_id}`}`,
  )
}

/** The filters of operators. */
export interface OperatorWithdrawalFilters {
  status?: PaymentWithdrawalStatus
  tenant_id?: string
  payment_account_id?: string
}

/** Withdrawals of every tenant; `now` by the installation's clock. */
export async function listAllWithdrawals(
  sql: SqlTag,
  { now, ...query }: PageQuery & OperatorWithdrawalFilters & { now: EpochMs },
): Promise<PageRows<WithdrawalRow>> {
  const { status, tenant_id: tenant, payment_account_id: account } = query
  const ends = sql`w.confirmation_expires_at`
  const time = {
    // No tenant's clock is behind: the first condition is that of the index.
    goesOn: sql`
      ${ends} > ${now} and ${ends} > ${now}::bigint + clock_offset(w.tenant_id, w.environment)`,
    hasEnded: dueByTenant(sql, 'w.confirmation_expires_at', now),
  }
  return list(
    sql,
    query,
    sql`true
      ${status === undefined ? sql`` : shownAs(sql, status, time)}
      ${tenant === undefined ? sql`` : sql`and w.tenant_id = ${tenant}`}
      ${account === undefined ? sql`` : sql`and w.payment_account_id = ${account}`}`,
  )
}

function list(sql: SqlTag, query: PageQuery, where: Fragment): Promise<PageRows<WithdrawalRow>> {
  return readPage<WithdrawalRow>(sql, query, {
    list: 'payment_withdrawals',
    column: 'w.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<WithdrawalRow[]>`
      select ${columns(sql)} from payment_withdrawals w where ${where} and ${range} ${ordered}`,
  })
}

export interface NewWithdrawal {
  id: string
  paymentAccountId: string
  chainId: number
  amountCents: number
  recipient: string
  nonce: number
  hash: Buffer
  confirmationHash: Buffer
  confirmationExpiresAt: EpochMs
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

export async function insertWithdrawal(
  sql: TxSql,
  owner: Owner,
  withdrawal: NewWithdrawal,
): Promise<WithdrawalRow> {
  const { id, metadata } = withdrawal
  await sql`
    insert into payment_withdrawals (id, tenant_id, environment, payment_account_id, chain_id,
      status, amount_cents, recipient, nonce, withdrawal_hash, confirmation_hash,
      confirmation_expires_at, external_id, metadata, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${withdrawal.paymentAccountId},
      ${withdrawal.chainId}, 'needs_confirmation', ${withdrawal.amountCents},
      ${withdrawal.recipient}, ${withdrawal.nonce}, ${withdrawal.hash},
      ${withdrawal.confirmationHash}, ${withdrawal.confirmationExpiresAt},
      ${withdrawal.externalId}, ${JSON.stringify(metadata)}::text::jsonb, ${withdrawal.createdAt})`
  return reread(sql, id)
}

async function reread(sql: TxSql, id: string): Promise<WithdrawalRow> {
  const [row] = await sql<WithdrawalRow[]>`
    select ${columns(sql)} from payment_withdrawals w where w.id = ${id}`
  assert(row !== undefined, 'a locked withdrawal does not vanish')
  return row
}

/** The change of a locked withdrawal. */
export async function saveWithdrawal(
  sql: TxSql,
  id: string,
  change:
    | { status: 'checking'; assertion: StoredAssertion; confirmedAt: EpochMs }
    | { status: 'pending' | 'canceled' }
    | { confirmationHash: Buffer },
): Promise<WithdrawalRow> {
  if ('confirmationHash' in change)
    await sql`
      update payment_withdrawals set confirmation_hash = ${change.confirmationHash}
      where id = ${id}`
  else if (change.status === 'checking')
    await sql`
      update payment_withdrawals set status = 'checking', confirmed_at = ${change.confirmedAt},
        assertion = ${JSON.stringify(change.assertion)}::text::jsonb
      where id = ${id}`
  else await sql`update payment_withdrawals set status = ${change.status} where id = ${id}`
  return reread(sql, id)
}

/** An operator asks the settler to cancel it; the first word stays. */
export async function saveCancelRequest(sql: TxSql, id: string, now: EpochMs): Promise<void> {
  await sql`
    update payment_withdrawals set cancel_requested_at = coalesce(cancel_requested_at, ${now})
    where id = ${id}`
}

/** Fails a withdrawal that has not ended; false where it has. */
export async function saveFailure(
  sql: TxSql,
  id: string,
  { failure, now }: { failure: NonNullable<WithdrawalRow['failure']>; now: EpochMs },
): Promise<boolean> {
  const saved = await sql`
    update payment_withdrawals set status = 'failed', completed_at = ${now},
      failure = ${JSON.stringify(failure)}::text::jsonb
    where id = ${id} and status = any(${[...UNDER_WAY]}::text[])`
  return saved.count === 1
}

/** True where another withdrawal of the account is on its way. The account is locked. */
export async function isUnderWay(sql: TxSql, paymentAccountId: string): Promise<boolean> {
  const rows = await sql`
    select from payment_withdrawals
    where payment_account_id = ${paymentAccountId} and status = any(${[...UNDER_WAY]}::text[])`
  return rows.length > 0
}

/**
 * A withdrawal of a locked account that is on its way, or that the holder may still approve; null:
 * none. `now` by the tenant's clock.
 */
export async function findOpenWithdrawal(
  sql: TxSql,
  paymentAccountId: string,
  now: EpochMs,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from payment_withdrawals
    where payment_account_id = ${paymentAccountId} and (
      status = any(${[...UNDER_WAY]}::text[])
      or status = 'needs_confirmation' and confirmation_expires_at > ${now}
    )
    order by id limit 1`
  return row?.id ?? null
}

/** Lowers the funds that the engine may approve, by an amount that leaves; negative: raises. */
export async function saveLeaving(sql: TxSql, accountId: string, cents: number): Promise<void> {
  await sql`
    update payment_accounts set leaving_cents = leaving_cents + ${cents},
      funded_cents = greatest(0, funded_cents - ${cents})
    where id = ${accountId}`
}

/**
 * Cents of a locked account that neither payments nor withdrawals have taken; negative where they
 * took more. A payment that the engine has not answered yet counts whole.
 */
export async function readFreeCents(
  sql: TxSql,
  { id, chainId, environment }: { id: string; chainId: number; environment: Environment },
): Promise<number> {
  const units = await readFreeUnits(sql, { chainId, environment }, id)
  const [row] = await sql<{ taken: number }[]>`
    select least(${Number.MAX_SAFE_INTEGER}::bigint, coalesce((
      select sum(amount_cents) from payments where payment_account_id = ${id} and status = 'deciding'
    ), 0) + coalesce((
      select sum(amount_cents) from payment_withdrawals
      where payment_account_id = ${id} and status = 'checking'
    ), 0))::bigint as taken`
  return centsOfUnits(units) - (row?.taken ?? 0)
}

/** The withdrawal that a link leads to, with the name of its tenant. */
export async function findByConfirmation(
  sql: SqlTag,
  hash: Buffer,
): Promise<{ withdrawal: WithdrawalRow; tenantName: string } | null> {
  const [row] = await sql<(WithdrawalRow & { tenantName: string })[]>`
    select ${columns(sql)}, t.name as "tenantName"
    from payment_withdrawals w join tenants t on t.id = w.tenant_id
    where w.confirmation_hash = ${hash}`
  if (row === undefined) return null
  const { tenantName, ...withdrawal } = row
  return { withdrawal, tenantName }
}

/** Withdrawals whose check was cut off. */
export async function listChecking(sql: Sql, most: number): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payment_withdrawals where status = ${'checking' satisfies StoredStatus}
    order by id limit ${most}`
  return rows.map(({ id }) => id)
}
