// Uses up a card token: it proves once that a person holds the card.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { lockCardToken, saveUse } from './store.ts'
import type { CardTokenRow } from './view.ts'

/**
 * Returns the owner's card with the token's details, or null if there is none. Runs in the caller's
 * transaction: a later refusal leaves the token unused. Refuses an unknown token with 404, a used
 * or expired one with 409.
 */
export async function spendCardToken(
  sql: TxSql,
  { principal, now }: { principal: Owner; now: EpochMs },
  id: string,
): Promise<string | null> {
  const token = await lockCardToken(sql, principal, id)
  if (token === null) throw new Refusal('resource_missing', { param: 'token' })
  requireState(stateOf(token, now), ['unused'])
  await saveUse(sql, principal, { id, usedAt: now })
  return token.cardId
}

function stateOf({ usedAt, expiresAt }: CardTokenRow, now: EpochMs) {
  if (usedAt !== null) return 'used'
  return now < expiresAt ? 'unused' : 'expired'
}
