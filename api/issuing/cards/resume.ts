// Resumes a suspended card: it is active again. Spec 3.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockCardOf, moveCard } from './move.ts'
import { CARD_MOVES, type Party, RESUMED_BY } from './states.ts'
import { type CardRow, cardView } from './view.ts'

export interface ResumeInput {
  cardId: string
  by: Party
  /** The caller knows that a fraud rule stopped the card. The rule keeps counting. */
  acknowledgeFraud: boolean
}

/**
 * Resuming an active card changes nothing, records no event and waits for the engine again, as
 * suspending does. The server never repeats this call: another caller may have suspended the card
 * between two tries.
 */
export async function resumeCard(context: Context, input: ResumeInput): Promise<Card> {
  const change = async (sql: TxSql) => {
    const card = await lockCardOf(sql, context.principal, input.cardId)
    if (card.status === CARD_MOVES.resume.to) return cardView(card)
    requireState(card.status, CARD_MOVES.resume.from)
    requireMayResume(card, input)
    return moveCard(sql, context, card, { move: 'resume', reason: null, by: input.by })
  }
  return writeConfirmed(context, change)
}

/** Refuses (409) a caller who may not lift this suspension, and names its author. */
function requireMayResume(
  { status, suspendedBy }: CardRow,
  { by, acknowledgeFraud }: ResumeInput,
): void {
  const whose = suspendedBy ?? 'tenant'
  const rule = RESUMED_BY[whose]
  if (rule.parties.includes(by) && (acknowledgeFraud || !rule.acknowledged)) return
  const message = rule.acknowledged
    ? 'A fraud rule suspended this card. Its tenant resumes it with acknowledge_fraud: true.'
    : 'The tenant suspended this card, and nobody may resume it on behalf of the cardholder.'
  throw new Refusal('invalid_state', {
    message,
    extra: {
      current_status: status,
      allowed_from: [...CARD_MOVES.resume.from],
      suspended_by: whose,
    },
  })
}
