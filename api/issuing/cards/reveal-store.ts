// Every SQL statement about tokens that show a card's number.
import type { EpochMs } from '../../../shared/clock.ts'
import type { RevealField } from '../../../shared/schemas/card-reveal.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface NewRevealToken {
  hash: Buffer
  cardId: string
  fields: readonly RevealField[]
  /** The API key, platform or person. */
  createdBy: string
  createdAt: EpochMs
  expiresAt: EpochMs
}

export async function insertRevealToken(
  sql: TxSql,
  owner: Owner,
  token: NewRevealToken,
): Promise<void> {
  await sql`
    insert into card_reveal_tokens (
      hash, tenant_id, environment, card_id, fields, created_by, created_at, expires_at
    ) values (
      ${token.hash}, ${owner.tenantId}, ${owner.environment}, ${token.cardId},
      ${[...token.fields]}::text[], ${token.createdBy}, ${token.createdAt}, ${token.expiresAt}
    )`
}

export interface Revealed extends Owner {
  cardId: string
  /** The API key, platform or person that allowed it. */
  createdBy: string
  /** The moment, by the tenant's clock. */
  usedAt: EpochMs
  fields: readonly RevealField[]
  sealedPan: string
  expMonth: number
  expYear: number
}

/**
 * Uses up the token and returns the card's details; null if the token is unknown, used or expired
 * by its tenant's clock, or if the card has ended. No owner is needed: the token itself belongs to
 * one card. Only one of several rivals gets the details: they wait for the row.
 */
export async function useRevealToken(
  sql: TxSql,
  { hash, now }: { hash: Buffer; now: EpochMs },
): Promise<Revealed | null> {
  const [row] = await sql<Revealed[]>`
    update card_reveal_tokens t set used_at = ${now} + clock_offset(t.tenant_id, t.environment)
    from cards c
    where t.hash = ${hash} and t.used_at is null
      and t.expires_at > ${now} + clock_offset(t.tenant_id, t.environment)
      and c.id = t.card_id and c.status <> 'terminated'
    returning t.tenant_id as "tenantId", t.environment, t.card_id as "cardId", t.created_by as "createdBy",
      t.used_at as "usedAt", t.fields, c.sealed_pan as "sealedPan", c.exp_month as "expMonth", c.exp_year as "expYear"`
  return row ?? null
}
