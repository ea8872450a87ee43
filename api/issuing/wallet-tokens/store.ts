// Every SQL statement about wallet tokens. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { CardStatus } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import { WALLET_TOKEN_MOVES, type WalletTokenStatus } from './states.ts'
import type { WalletTokenRow } from './view.ts'

function walletTokenColumns(sql: SqlTag) {
  return sql`
    id, environment, card_id as "cardId", provider, status, created_at as "createdAt",
    external_id as "externalId", metadata`
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

/** Locks the token until the transaction ends. */
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
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listWalletTokens(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & WalletTokenFilters,
): Promise<PageRows<WalletTokenRow>> {
  const { card_id, status, external_id } = query
  return readPage<WalletTokenRow>(sql, query, {
    list: 'wallet_tokens',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<WalletTokenRow[]>`
      select ${walletTokenColumns(sql)} from wallet_tokens
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithinIds(sql, 'wtok', owner, query)}
        ${card_id === undefined ? sql`` : sql`and card_id = ${card_id}`}
        ${status === undefined ? sql`` : sql`and status = ${status}`}
        ${external_id === undefined ? sql`` : sql`and external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/**
 * Returns the status of a card and locks it until the transaction ends, or null for an unknown
 * card: no replacement can miss its new token.
 */
export async function lockCardOf(
  sql: TxSql,
  owner: Owner,
  cardId: string,
): Promise<CardStatus | null> {
  const [row] = await sql<{ status: CardStatus }[]>`
    select status from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardId}
    for share`
  return row?.status ?? null
}

/** Inserts a token of a locked card. */
export async function insertWalletToken(
  sql: TxSql,
  owner: Owner,
  token: { id: string; cardId: string; provider: string; createdAt: number } & TenantFields,
): Promise<WalletTokenRow> {
  const [row] = await sql<WalletTokenRow[]>`
    insert into wallet_tokens (id, tenant_id, environment, card_id, provider, status, created_at,
      external_id, metadata)
    values (${token.id}, ${owner.tenantId}, ${owner.environment}, ${token.cardId}, ${token.provider},
      'active', ${token.createdAt}, ${token.externalId}, ${JSON.stringify(token.metadata)}::text::jsonb)
    returning ${walletTokenColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

/** Saves the tenant fields of a locked token. */
export async function saveTenantFields(
  sql: TxSql,
  owner: Owner,
  change: { id: string } & TenantFields,
): Promise<WalletTokenRow> {
  const { id, externalId, metadata } = change
  const [row] = await sql<WalletTokenRow[]>`
    update wallet_tokens
    set external_id = ${externalId}, metadata = ${JSON.stringify(metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    returning ${walletTokenColumns(sql)}`
  assert(row !== undefined, 'a locked wallet token does not vanish')
  return row
}

/** Deactivates all tokens of an ended card permanently. The caller locks the card. */
export async function deactivateTokensOfCard(
  sql: TxSql,
  owner: Owner,
  cardId: string,
): Promise<void> {
  await sql`
    update wallet_tokens set status = ${WALLET_TOKEN_MOVES.deactivate.to}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and card_id = ${cardId} and status = any(${[...WALLET_TOKEN_MOVES.deactivate.from]}::text[])`
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
