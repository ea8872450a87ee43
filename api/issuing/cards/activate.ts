// Activates a physical card that has reached its cardholder. Spec 6.2, card.activated.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { spendCardToken } from '../card-tokens/index.ts'
import { lockCardOf, moveCard } from './move.ts'
import { CARD_MOVES } from './states.ts'
import { type CardRow, cardView } from './view.ts'

/** Proof that a person holds the card: its last digits, or a token of all its details. */
export interface Proof {
  last4?: string
  token?: string
}

/**
 * Chosen: the cardholder reads the last four digits to the tenant, or types the whole card into a
 * form whose browser tokenizes it; the token is used up. A wrong proof is 400 and leaves the token
 * unused. Activating an active card changes nothing, checks no proof and waits for the engine
 * again.
 */
export async function activateCard(
  context: Context,
  input: { cardId: string; proof: Proof },
): Promise<Card> {
  const { proof } = input
  requireOneProof(proof)
  const change = async (sql: TxSql) => {
    const card = await lockCardOf(sql, context.principal, input.cardId)
    if (card.status === CARD_MOVES.activate.to) return cardView(card)
    requireState(card.status, CARD_MOVES.activate.from)
    if (!(await proves(sql, context, { card, proof }))) {
      throw new Refusal('parameter_invalid', {
        param: proof.token === undefined ? 'last4' : 'token',
        message: 'This is not what stands on the card.',
      })
    }
    return moveCard(sql, context, card, { move: 'activate', reason: null, by: 'tenant' })
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}

function requireOneProof({ last4, token }: Proof): void {
  if (last4 === undefined && token === undefined)
    throw new Refusal('parameter_missing', { param: 'last4' })
  if (last4 !== undefined && token !== undefined) {
    throw new Refusal('parameters_exclusive', {
      param: 'token',
      message: 'Send last4 or token, not both.',
    })
  }
}

async function proves(
  sql: TxSql,
  context: Context,
  { card, proof }: { card: CardRow; proof: Proof },
): Promise<boolean> {
  if (proof.token === undefined) return proof.last4 === card.last4
  return (await spendCardToken(sql, context, proof.token)) === card.id
}
