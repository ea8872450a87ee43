// Every SQL statement about the ledger.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export type LedgerKind =
  | 'world'
  | 'available'
  | 'held'
  | 'in_settlement'
  | 'leaving'
  | 'paid'
  | 'fees'

/** Kinds of the accounts that together are a holder's money on the chain. */
const HOLDER_KINDS = ['available', 'held', 'in_settlement', 'leaving'] as const

export interface LedgerPlace {
  chainId: number
  environment: Environment
}

export interface LedgerAccount {
  kind: LedgerKind
  /** A payment account or a settlement account; null for the world and the fees. */
  ownerId: string | null
  tenantId: string | null
}

export interface Transfer {
  debit: LedgerAccount
  credit: LedgerAccount
  /** Token units, more than 0. */
  units: bigint
  cause: string
  causeId: string
}

/** The same account always has the same id: no transfer looks one up. */
function ledgerAccountId(
  { chainId, environment }: LedgerPlace,
  { kind, ownerId }: Pick<LedgerAccount, 'kind' | 'ownerId'>,
): string {
  return [chainId, environment, kind, ownerId ?? 'all'].join('/')
}

/** Makes the accounts that do not exist yet. */
export async function ensureAccounts(
  sql: TxSql,
  place: LedgerPlace,
  accounts: readonly LedgerAccount[],
): Promise<void> {
  await sql`
    insert into ledger_accounts (id, chain_id, environment, tenant_id, owner_id, kind)
    select id, ${place.chainId}, ${place.environment}, tenant, owner, kind
    from unnest(
      ${accounts.map((account) => ledgerAccountId(place, account))}::text[],
      ${accounts.map(({ tenantId }) => tenantId)}::text[],
      ${accounts.map(({ ownerId }) => ownerId)}::text[],
      ${accounts.map(({ kind }) => kind)}::text[]
    ) as fresh (id, tenant, owner, kind)
    order by id
    on conflict do nothing`
}

/** Appends the transfers that their cause has not made yet, and moves the balances. */
export async function appendTransfers(
  sql: TxSql,
  place: LedgerPlace,
  { transfers, now }: { transfers: readonly Transfer[]; now: EpochMs },
): Promise<void> {
  await sql`
    with fresh as (
      insert into ledger_transfers (id, chain_id, environment, tenant_id, debit, credit, units,
        cause, cause_id, created_at)
      select id, ${place.chainId}, ${place.environment}, tenant, debit, credit, units, cause,
        cause_id, ${now}
      from unnest(
        ${transfers.map(() => newId('ltr', now))}::text[],
        ${transfers.map(({ debit, credit }) => credit.tenantId ?? debit.tenantId)}::text[],
        ${transfers.map(({ debit }) => ledgerAccountId(place, debit))}::text[],
        ${transfers.map(({ credit }) => ledgerAccountId(place, credit))}::text[],
        ${transfers.map(({ units }) => String(units))}::text[]::numeric[],
        ${transfers.map(({ cause }) => cause)}::text[],
        ${transfers.map(({ causeId }) => causeId)}::text[]
      ) as asked (id, tenant, debit, credit, units, cause, cause_id)
      on conflict (cause, cause_id, leg) do nothing
      returning debit, credit, units
    ),
    moved as (
      select account, sum(units) as units from (
        select debit as account, -units as units from fresh
        union all select credit, units from fresh
      ) legs group by account
    ),
    locked as (
      select id from ledger_accounts where id in (select account from moved) order by id for update
    )
    update ledger_accounts as kept set balance = balance + moved.units
    from moved join locked on locked.id = moved.account where kept.id = moved.account`
}

/** Token units of holders by the ledger, by payment account; holders without money are missing. */
export async function readHolderUnits(
  sql: SqlTag,
  place: LedgerPlace,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await sql<{ ownerId: string; units: string }[]>`
    select owner_id as "ownerId", sum(balance)::text as units from ledger_accounts
    where chain_id = ${place.chainId} and environment = ${place.environment}
      and kind = any(${[...HOLDER_KINDS]}::text[]) and owner_id = any(${ownerIds}::text[])
    group by owner_id`
  return new Map(rows.map(({ ownerId, units }) => [ownerId, BigInt(units)]))
}

/** Token units of a holder that nothing holds, by the ledger. */
export async function readFreeUnits(
  sql: SqlTag,
  place: LedgerPlace,
  ownerId: string,
): Promise<bigint> {
  const [row] = await sql<{ units: string }[]>`
    select coalesce(sum(balance), 0)::text as units from ledger_accounts
    where chain_id = ${place.chainId} and environment = ${place.environment}
      and kind = 'available' and owner_id = ${ownerId}`
  return BigInt(row?.units ?? 0)
}

/** Token units that payees got by the ledger, by address: two tenants may name the same one. */
export async function readPaidUnits(
  sql: SqlTag,
  place: LedgerPlace,
): Promise<readonly { address: string; units: string }[]> {
  return sql<{ address: string; units: string }[]>`
    select address, sum(balance)::text as units from ledger_accounts
    where chain_id = ${place.chainId} and environment = ${place.environment}
      and kind = 'paid' and address is not null
    group by address order by address`
}

/** Keeps the address at which the settlement account is paid, beside what it got. */
export async function saveAddress(
  sql: TxSql,
  place: LedgerPlace,
  settlementAccountId: string,
): Promise<void> {
  const id = ledgerAccountId(place, { kind: 'paid', ownerId: settlementAccountId })
  await sql`
    update ledger_accounts set address = (
      select lower(address) from settlement_accounts where id = ${settlementAccountId}
    )
    where id = ${id} and address is null`
}
