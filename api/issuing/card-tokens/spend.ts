// Uses a card token up: it proves once that somebody has a card in hand.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { lockCardToken, saveUse } from './store.ts'
import type { CardTokenRow } from './view.ts'

/**
 * The owner's card that the token's details are of, or null where there is none. In the caller's
 * transaction: what is refused later leaves the token unused. Refuses with 404 what is no token of
 * the owner, with 409 one that was used or ran out.
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
