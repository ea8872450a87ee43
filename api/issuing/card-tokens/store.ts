// Every SQL statement about card tokens. Each names the owner, except the one that deletes old
// tokens.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { CardBrand } from '../../../shared/pan.ts'
import type { Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { CardTokenRow, FoundRow } from './view.ts'

function cardTokenColumns(sql: SqlTag) {
  return sql`
    t.id, t.environment, t.brand, t.last4, t.exp_month as "expMonth", t.exp_year as "expYear",
    t.created_at as "createdAt", t.expires_at as "expiresAt", t.used_at as "usedAt"`
}

/**
 * Joins the owner's card of exactly these details. The card is looked up now: the token stores none
 * of it.
 */
function foundColumns(sql: SqlTag) {
  return sql`
    ${cardTokenColumns(sql)},
    (
      select c.id from cards c
      where c.environment = t.environment and c.fingerprint = t.fingerprint
        and c.tenant_id = t.tenant_id and c.exp_month = t.exp_month and c.exp_year = t.exp_year
        and coalesce(t.cvc_verifier = c.cvc_verifier, true)
    ) as "cardId"`
}

export interface NewCardToken {
  id: string
  fingerprint: string
  cvcVerifier: string | null
  brand: CardBrand
  last4: string
  expMonth: number
  expYear: number
  createdAt: EpochMs
  expiresAt: EpochMs
}

export async function insertCardToken(
  sql: TxSql,
  owner: Owner,
  token: NewCardToken,
): Promise<CardTokenRow> {
  const [row] = await sql<CardTokenRow[]>`
    insert into card_tokens as t (
      id, tenant_id, environment, fingerprint, cvc_verifier, last4, brand, exp_month, exp_year,
      created_at, expires_at
    ) values (
      ${token.id}, ${owner.tenantId}, ${owner.environment}, ${token.fingerprint},
      ${token.cvcVerifier}, ${token.last4}, ${token.brand}, ${token.expMonth}, ${token.expYear},
      ${token.createdAt}, ${token.expiresAt}
    )
    returning ${cardTokenColumns(sql)}`
  assert(row !== undefined, 'an insert returns its row')
  return row
}

export async function findCardToken(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<FoundRow | null> {
  const [row] = await sql<FoundRow[]>`
    select ${foundColumns(sql)} from card_tokens t
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment} and t.id = ${id}`
  return row ?? null
}

/** Locks the token until the transaction ends. */
export async function lockCardToken(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<FoundRow | null> {
  const [row] = await sql<FoundRow[]>`
    select ${foundColumns(sql)} from card_tokens t
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment} and t.id = ${id}
    for no key update of t`
  return row ?? null
}

export async function saveUse(
  sql: TxSql,
  owner: Owner,
  use: { id: string; usedAt: EpochMs },
): Promise<void> {
  await sql`
    update card_tokens set used_at = ${use.usedAt}, cvc_verifier = null
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${use.id}`
}
