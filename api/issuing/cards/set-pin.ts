// Sets a card's PIN. Only a keyed hash over PIN and card number is stored; the PIN itself appears
// in no answer, log or event.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context } from '../../context.ts'
import { openDerivation } from '../../database/derivation.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockCardOf } from './move.ts'
import { CHANGEABLE_IN } from './states.ts'
import { findFingerprint, rereadCard, savePinVerifier } from './store.ts'
import { cardView } from './view.ts'

/**
 * Chosen: setting the PIN that the card already has grants new tries too, so that the answer does
 * not reveal the earlier PIN. The specification lists no event for it.
 */
export async function setPin(
  context: Context,
  input: { cardId: string; pin: string },
): Promise<Card> {
  const { principal } = context
  const { cardId, pin } = input
  const change = async (sql: TxSql) => {
    const card = await lockCardOf(sql, principal, cardId)
    requireState(card.status, CHANGEABLE_IN)
    const derivation = await openDerivation(sql, context)
    const pinVerifier = derivation.pinVerifier(await findFingerprint(sql, principal, cardId), pin)
    await savePinVerifier(sql, principal, { cardId, pinVerifier })
    return cardView(await rereadCard(sql, principal, cardId))
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}
