// Issues a card in the place of another: new number, CVC, expiry and token. The old one is terminated at the same moment;
// its controls and its spend windows go on with the new one. AUTHORIZATION.md 4: limits follow the replacement chain.
import type { Card } from '../../../shared/schemas/card.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { openDerivation } from '../../derivation.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { handOnControls } from '../spending-controls/index.ts'
import { deactivateTokensOfCard } from '../wallet-tokens/index.ts'
import { newCardNumber } from './card-number.ts'
import { recordCardEvent } from './event.ts'
import { moveCard } from './move.ts'
import { CARD_MOVES } from './states.ts'
import { findReplacement, insertReplacement, lockCard, rereadCard } from './store.ts'
import { type CardRow, cardView } from './view.ts'

const REASON_DEFAULT = 'replaced'
/** With a million cards one draw in a thousand is taken. */
const DRAWS_MAX = 8

/**
 * Chosen: a virtual replacement works at once and a physical one is issued, whatever stopped the old card: a new number is
 * the cure for a lost or a stolen one. It has no PIN and no wallet tokens yet, and the tokens of the old card are deactivated:
 * a wallet provisions the new one afresh. Replacing a card again gives its replacement as it is, and waits for the engine
 * again.
 */
export async function replaceCard(
  context: Context,
  input: { cardId: string; reason: string | null },
): Promise<Card> {
  const { principal } = context
  const change = async (sql: TxSql) => {
    const old = await lockCard(sql, principal, input.cardId)
    if (old === null) throw new Refusal('resource_missing')
    const earlier = await findReplacement(sql, principal, old.id)
    if (earlier !== null) return cardView(earlier)

    requireState(old.status, CARD_MOVES.terminate.from)
    const id = await issueFor(sql, context, old)
    await handOnControls(sql, principal, { from: old.id, to: id })
    const card = cardView(await rereadCard(sql, principal, id))
    await recordCardEvent(sql, context, 'card.created', card)
    const reason = input.reason ?? REASON_DEFAULT
    await moveCard(sql, context, { cardId: old.id, move: 'terminate', reason })
    await deactivateTokensOfCard(sql, principal, old.id)
    return card
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}

/** A card under a number that nobody has: there are only so many, and each is drawn. */
async function issueFor(sql: TxSql, context: Context, old: CardRow): Promise<string> {
  const { principal, now } = context
  const derivation = await openDerivation(sql, context)
  const status = old.type === 'virtual' ? 'active' : 'issued'
  const id = context.newId('card')
  for (let draw = 1; draw <= DRAWS_MAX; draw++) {
    const number = newCardNumber(context, derivation, now)
    if (await insertReplacement(sql, principal, old.id, { id, number, status, now })) return id
  }
  throw new Error('no free card number in ' + DRAWS_MAX + ' draws')
}
