// Freezes a cardholder: from the answer on, every authorization of every card of theirs is declined.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { CARDHOLDER_MOVES, standingOf } from './states.ts'
import { lockCardholder, saveFrozen } from './store.ts'
import { cardholderView } from './view.ts'

const { from, to } = CARDHOLDER_MOVES.freeze

/** Chosen: freezing a frozen cardholder keeps the first reason and waits for the engine again, as suspending does. */
export async function freezeCardholder(
  context: Context,
  input: { cardholderId: string; reason: string | null },
): Promise<Cardholder> {
  const { principal } = context
  const change = async (sql: TxSql) => {
    const cardholder = await lockCardholder(sql, principal, input.cardholderId)
    if (cardholder === null) throw new Refusal('resource_missing')
    if (standingOf(cardholder) === to) return cardholderView(cardholder)

    requireState(standingOf(cardholder), from)
    const { cardholderId, reason } = input
    return cardholderView(await saveFrozen(sql, principal, { cardholderId, frozen: true, reason }))
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}
