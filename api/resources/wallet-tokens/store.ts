// Every SQL statement about wallet tokens. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { WalletTokenStatus } from './states.ts'
import type { WalletTokenRow } from './view.ts'

function walletTokenColumns(sql: SqlTag) {
  return sql`id, environment, card_id as "cardId", provider, status, created_at as "createdAt"`
}

export async function findWalletToken(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<WalletTokenRow | null> {
  const [row] = await sql<WalletTokenRow[]>`
    select ${walletTokenColumns(sql)} from wallet_tokens
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/** Holds the token until the transaction ends. */
export async function lockWalletToken(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<WalletTokenRow | null> {
  const [row] = await sql<WalletTokenRow[]>`
    select ${walletTokenColumns(sql)} from wallet_tokens
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return row ?? null
}

export interface WalletTokenFilters extends CreatedFilters {
  card_id?: string
  status?: WalletTokenStatus
}

/** By id, which is the order of creation. */
export async function listWalletTokens(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & WalletTokenFilters,
): Promise<PageRows<WalletTokenRow>> {
  const { card_id, status } = query
  return readPage<WalletTokenRow>(sql, query, {
    list: 'wallet_tokens',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<WalletTokenRow[]>`
      select ${walletTokenColumns(sql)} from wallet_tokens
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${card_id === undefined ? sql`` : sql`and card_id = ${card_id}`}
        ${status === undefined ? sql`` : sql`and status = ${status}`}
        and ${range}
      ${ordered}`,
  })
}

/** Null where the owner has no such card. */
export async function insertWalletToken(
  sql: TxSql,
  owner: Owner,
  token: { id: string; cardId: string; provider: string; createdAt: number },
): Promise<WalletTokenRow | null> {
  const [row] = await sql<WalletTokenRow[]>`
    insert into wallet_tokens (id, tenant_id, environment, card_id, provider, status, created_at)
    select ${token.id}, tenant_id, environment, id, ${token.provider}, 'active', ${token.createdAt}
    from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${token.cardId}
    returning ${walletTokenColumns(sql)}`
  return row ?? null
}

export async function saveWalletTokenStatus(
  sql: TxSql,
  owner: Owner,
  change: { id: string; status: WalletTokenStatus },
): Promise<WalletTokenRow> {
  const [row] = await sql<WalletTokenRow[]>`
    update wallet_tokens set status = ${change.status}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.id}
    returning ${walletTokenColumns(sql)}`
  assert(row !== undefined, 'a locked wallet token does not vanish')
  return row
}
