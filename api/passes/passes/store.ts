// The reading SQL about passes, for tenants. Each statement names the owner.
import type { PassStatus } from '../../../shared/schemas/pass.ts'
import type { Owner, Principal } from '../../context.ts'
import { type CreatedFilters, createdWithinIds } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { PassRow } from './view.ts'

export const PASS_COLUMNS = fixed`
  id, environment, status, template_id as "templateId", template_version as "templateVersion", version, platform,
  holder_name as "holderName", field_values as "values", card_id as "cardId", expires_at as "expiresAt",
  redeemed_at as "redeemedAt", payload, revoke_reason as "revokeReason", created_at as "createdAt",
  updated_at as "updatedAt", changed_at as "changedAt", external_id as "externalId", metadata`

export async function findPass(sql: SqlTag, owner: Owner, id: string): Promise<PassRow | null> {
  const [row] = await sql<PassRow[]>`
    select ${PASS_COLUMNS} from passes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

/**
 * Locks the owner's passes until the transaction ends, in the order of their ids, which prevents
 * deadlocks.
 */
export async function lockPasses(
  sql: TxSql,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, PassRow>> {
  const rows = await sql<PassRow[]>`
    select ${PASS_COLUMNS} from passes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = any (${[...new Set(ids)]}::text[])
    order by id for no key update`
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Locks a card's passes that are not revoked; a pass that moves to another card at this moment is
 * not included.
 */
export async function lockPassesOfCard(
  sql: TxSql,
  owner: Owner,
  cardId: string,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from passes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and card_id = ${cardId} and status <> 'revoked'
    order by id for no key update`
  return rows.map(({ id }) => id)
}

/** Locks every pass of the cards until the transaction ends, revoked ones too. */
export async function lockPassesOfCards(
  sql: TxSql,
  owner: Owner,
  cardIds: readonly string[],
): Promise<PassRow[]> {
  return sql<PassRow[]>`
    select ${PASS_COLUMNS} from passes
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and card_id = any(${[...cardIds]}::text[])
    order by id for no key update`
}

export interface PassFilters extends CreatedFilters {
  status?: PassStatus
  template_id?: string
  card_id?: string
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listPasses(
  sql: SqlTag,
  principal: Principal,
  query: PageQuery & PassFilters,
): Promise<PageRows<PassRow>> {
  const { tenantId, environment } = principal
  return readPage<PassRow>(sql, query, {
    list: 'passes',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<PassRow[]>`
      select ${PASS_COLUMNS} from passes
      where tenant_id = ${tenantId} and environment = ${environment}
        ${createdWithinIds(sql, 'pass', principal, query)}
        ${matching(sql, query)} and ${range}
      ${ordered}`,
  })
}

/** All filters but those on `created`. */
export function matching(sql: SqlTag, filters: PassFilters): Fragment {
  const { status, template_id, card_id, external_id } = filters
  return sql`
    ${status === undefined ? NOTHING : sql`and status = ${status}`}
    ${template_id === undefined ? NOTHING : sql`and template_id = ${template_id}`}
    ${card_id === undefined ? NOTHING : sql`and card_id = ${card_id}`}
    ${external_id === undefined ? NOTHING : sql`and external_id = ${external_id}`}`
}
