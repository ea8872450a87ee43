// Every SQL statement about settlement accounts. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { SettlementAccountRow } from './view.ts'

function accountColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, status, usable_at as "usableAt", address, chain_id as "chainId", name, mcc,
    country, schedule, fee_bps as "feeBps", external_id as "externalId", metadata,
    created_at as "createdAt"`
}

export async function findSettlementAccount(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<SettlementAccountRow | null> {
  const [row] = await sql<SettlementAccountRow[]>`
    select ${accountColumns(sql)} from settlement_accounts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** Locks the account until the transaction ends. */
export async function lockSettlementAccount(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<SettlementAccountRow | null> {
  const [row] = await sql<SettlementAccountRow[]>`
    select ${accountColumns(sql)} from settlement_accounts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

export interface SettlementAccountFilters extends CreatedFilters {
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listSettlementAccounts(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & SettlementAccountFilters,
): Promise<PageRows<SettlementAccountRow>> {
  const { external_id } = query
  return readPage<SettlementAccountRow>(sql, query, {
    list: 'settlement_accounts',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<SettlementAccountRow[]>`
      select ${accountColumns(sql)} from settlement_accounts
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${external_id === undefined ? sql`` : sql`and external_id = ${external_id}`} and ${range}
      ${ordered}`,
  })
}

export async function insertSettlementAccount(
  sql: TxSql,
  owner: Owner,
  account: Omit<SettlementAccountRow, 'environment'>,
): Promise<SettlementAccountRow> {
  const [row] = await sql<SettlementAccountRow[]>`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at, external_id, metadata)
    values (${account.id}, ${owner.tenantId}, ${owner.environment}, ${account.status},
      ${account.usableAt}, ${account.address}, ${account.chainId}, ${account.name}, ${account.mcc},
      ${account.country}, ${JSON.stringify(account.schedule)}::text::jsonb, ${account.feeBps},
      ${account.createdAt}, ${account.externalId},
      ${JSON.stringify(account.metadata)}::text::jsonb)
    returning ${accountColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Fields that an update may change; the address of an account stays for ever. */
export interface AccountChange extends TenantFields {
  name: string
  schedule: SettlementAccountRow['schedule']
}

export async function saveAccountChange(
  sql: TxSql,
  owner: Owner,
  { id, change }: { id: string; change: AccountChange },
): Promise<SettlementAccountRow> {
  const [row] = await sql<SettlementAccountRow[]>`
    update settlement_accounts set name = ${change.name},
      schedule = ${JSON.stringify(change.schedule)}::text::jsonb,
      external_id = ${change.externalId}, metadata = ${JSON.stringify(change.metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${accountColumns(sql)}`
  assert(row !== undefined, 'a locked account does not vanish')
  return row
}

export async function saveDisabled(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<SettlementAccountRow> {
  const [row] = await sql<SettlementAccountRow[]>`
    update settlement_accounts set status = 'disabled'
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${accountColumns(sql)}`
  assert(row !== undefined, 'a locked account does not vanish')
  return row
}

/** True where the address is that of a holder's account on the chain, whichever tenant's. */
export async function isHolderAddress(
  sql: SqlTag,
  { chainId, address }: { chainId: number; address: string },
): Promise<boolean> {
  const [row] = await sql`
    select 1 from payment_accounts
    where chain_id = ${chainId} and address in (${address}, lower(${address}::text))`
  return row !== undefined
}

/** The share of what is captured that the operator and the tenant agreed on; null: no account. */
export async function saveFee(
  sql: TxSql,
  id: string,
  feeBps: number,
): Promise<(SettlementAccountRow & Owner & { clockOffsetMs: number }) | null> {
  const [row] = await sql<(SettlementAccountRow & Owner & { clockOffsetMs: number })[]>`
    update settlement_accounts set fee_bps = ${feeBps} where id = ${id}
    returning ${accountColumns(sql)}, tenant_id as "tenantId",
      clock_offset(tenant_id, environment) as "clockOffsetMs"`
  return row ?? null
}

/** The account that is paid, as a payment uses it. */
export interface Payee {
  id: string
  status: string
  usableAt: EpochMs
  address: string
  name: string
  mcc: string
  country: string
}

export async function findPayee(sql: SqlTag, owner: Owner, id: string): Promise<Payee | null> {
  const [row] = await sql<Payee[]>`
    select id, status, usable_at as "usableAt", address, name, mcc, country
    from settlement_accounts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** Refuses with 404 an unknown account, and with 409 one that cannot be paid at this moment. */
export async function requirePayee(
  sql: TxSql,
  owner: Owner,
  { id, now }: { id: string; now: EpochMs },
): Promise<Payee> {
  const param = 'settlement_account_id'
  const payee = await findPayee(sql, owner, id)
  if (payee === null) throw new Refusal('resource_missing', { param })
  if (payee.status !== 'disabled' && payee.usableAt <= now) return payee
  const extra = { current_status: payee.status }
  throw new Refusal('settlement_account_not_usable', { param, extra })
}
