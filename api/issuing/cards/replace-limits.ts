// Replaces a card's own limits: the next version of the spending control that belongs to the card.
// The controls of its cardholder and program, and its other controls, keep binding it.
import type { Card } from '../../../shared/schemas/card.ts'
import type { LimitInterval } from '../../../shared/wire/config-records.ts'
import { authorOf, type Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { writeOwnLimits } from '../controls/index.ts'
import { lockCardOf } from './move.ts'
import { CHANGEABLE_IN } from './states.ts'
import { rereadCard } from './store.ts'
import { type CardRow, cardView } from './view.ts'

/** Limits of one card: six intervals in a few zones. */
export const LIMITS_MAX = 24

export interface LimitInput {
  interval: LimitInterval
  /** Minor units; 0 allows nothing. */
  amount_cents: number
  currency?: string
  time_zone?: string
}

/** An empty list leaves the card without limits of its own. Equal limits change nothing. */
export async function replaceLimits(
  context: Context,
  input: { cardId: string; limits: readonly LimitInput[] },
): Promise<Card> {
  const { principal } = context
  const change = async (sql: TxSql) => {
    const card = await lockCardOf(sql, principal, input.cardId)
    requireState(card.status, CHANGEABLE_IN)
    await writeCardLimits(sql, context, card, input.limits)
    return cardView(await rereadCard(sql, principal, card.id))
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}

/** Runs in the caller's transaction, which has locked the card. */
export async function writeCardLimits(
  sql: TxSql,
  { principal, now }: Context,
  { id, currency, status: cardStatus, windowsId }: CardRow,
  limits: readonly LimitInput[],
): Promise<void> {
  const author = { owner: principal, createdBy: authorOf(principal), now }
  const subject = { scope: 'card' as const, id, currency, cardStatus }
  await writeOwnLimits(sql, author, { subject, windowsId, limits })
}
