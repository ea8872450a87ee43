// Issues a card in the place of another: new number, CVC, expiry and token. The old one is
// terminated at the same moment; its controls and its spend windows continue with the new one.
// Limits follow the replacement chain.
import type { Card } from '../../../shared/schemas/card.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { PassContext } from '../../passes/passes/index.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { requireIssuable } from '../cardholders/index.ts'
import { handOnControls } from '../controls/index.ts'
import { requireActiveProgram } from '../programs/index.ts'
import { issueCard } from './issue.ts'
import { lockCardOf, recordCardEvent } from './move.ts'
import { unsent } from './shipping.ts'
import { CARD_MOVES } from './states.ts'
import { findReplacement, insertReplacement, rereadCard } from './store.ts'
import { endCard } from './terminate.ts'
import { type CardRow, cardView } from './view.ts'

const REASON_DEFAULT = 'replaced'

/**
 * The replacement is issued like any card: while the program is active, to a cardholder who may
 * have one. Chosen: a virtual replacement works at once and a physical one is issued, whatever
 * stopped the old card: a new number is the remedy for a lost or stolen one. It has no PIN and no
 * wallet tokens yet, and the tokens of the old card are deactivated: a wallet provisions the new
 * one afresh. It has the name, the address and the metadata of the old card, but not its
 * `external_id`, which names one card only. Replacing a card again returns its replacement, and
 * waits for the engine again.
 */
export async function replaceCard(
  context: PassContext,
  input: { cardId: string; reason: string | null },
): Promise<Card> {
  const { principal } = context
  const change = async (sql: TxSql) => {
    const old = await lockCardOf(sql, principal, input.cardId)
    const earlier = await findReplacement(sql, principal, old.id)
    if (earlier !== null) return cardView(earlier)

    requireState(old.status, CARD_MOVES.terminate.from)
    const { programId } = await requireIssuable(sql, principal, old.cardholderId)
    await requireActiveProgram(sql, principal, programId)
    const id = await issueFor(sql, context, old)
    await handOnControls(sql, principal, { from: old.id, to: id })
    const card = cardView(await rereadCard(sql, principal, id))
    await recordCardEvent(sql, context, 'card.created', card)
    await endCard(sql, context, old, input.reason ?? REASON_DEFAULT)
    return card
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}

async function issueFor(sql: TxSql, context: Context, old: CardRow): Promise<string> {
  const { principal, now } = context
  const status = old.type === 'virtual' ? 'active' : 'issued'
  const shipping = old.shipping === null ? null : unsent(old.shipping)
  const id = context.newId('card')
  await issueCard(sql, context, (number) =>
    insertReplacement(sql, principal, old.id, { id, number, status, shipping, now }),
  )
  return id
}
