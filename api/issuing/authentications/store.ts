// Every SQL statement about 3DS authentications. Each names the owner.
import { authenticationId } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { AuthenticationRow } from './view.ts'

function authenticationColumns(sql: SqlTag) {
  return sql`
    three_ds_id as id, environment, card_id as "cardId", result, created_at as "createdAt", expires_at as "expiresAt"`
}

export async function findAuthentication(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<AuthenticationRow | null> {
  const [row] = await sql<AuthenticationRow[]>`
    select ${authenticationColumns(sql)} from authentications
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and three_ds_id = ${id}`
  return row ?? null
}

/** Null if the owner has no such card; `taken` if it has a result for the same 3DS transaction. */
export async function insertAuthentication(
  sql: TxSql,
  owner: Owner,
  row: Pick<AuthenticationRow, 'id' | 'cardId' | 'result' | 'createdAt' | 'expiresAt'>,
): Promise<AuthenticationRow | 'taken' | null> {
  const [card] = await sql<{ id: string }[]>`
    select id from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${row.cardId}`
  if (card === undefined) return null
  const [inserted] = await sql<AuthenticationRow[]>`
    insert into authentications (
      id, three_ds_id, tenant_id, environment, card_id, result, created_at, expires_at
    ) values (
      ${authenticationId(row.cardId, row.id)}, ${row.id}, ${owner.tenantId}, ${owner.environment},
      ${row.cardId}, ${row.result}, ${row.createdAt}, ${row.expiresAt}
    )
    on conflict do nothing
    returning ${authenticationColumns(sql)}`
  return inserted ?? 'taken'
}
