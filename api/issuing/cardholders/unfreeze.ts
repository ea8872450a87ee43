// Lifts one freeze and leaves those of others: without any left, the cardholder has the status from
// before.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { Context, OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { CARDHOLDER_MOVES, type Freezer, stateOf } from './states.ts'
import { findOwner, lockCardholder, saveFreezes } from './store.ts'
import { type CardholderRow, cardholderView } from './view.ts'

/**
 * Lifts the tenant's own freeze; a freeze by a review or an operator is refused with 409. Chosen: a
 * call on an unfrozen cardholder changes nothing, and waits for the engine again, as freezing does.
 */
export async function unfreezeCardholder(
  context: Context,
  input: { cardholderId: string },
): Promise<Cardholder> {
  const { principal } = context
  return writeConfirmed(
    context,
    async (sql) => {
      const { cardholderId } = input
      const cardholder = await lockCardholder(sql, principal, cardholderId)
      if (cardholder === null) throw new Refusal('resource_missing')
      if (!cardholder.frozen) return cardholderView(cardholder)
      requireState(stateOf(cardholder), CARDHOLDER_MOVES.unfreeze.from)
      return removeFreeze(sql, principal, cardholder, 'tenant')
    },
    { safeToRepeat: true },
  )
}

/**
 * Lifts an operator's freeze. Refuses with 409 while a review keeps the cardholder frozen, because
 * its freeze is stronger.
 */
export async function unfreezeAsOperator(
  context: OperatorContext,
  { cardholderId }: { cardholderId: string },
): Promise<Cardholder> {
  const unfreeze = async (sql: TxSql) => {
    const owner = await findOwner(sql, cardholderId, context.now)
    const cardholder = owner === null ? null : await lockCardholder(sql, owner, cardholderId)
    if (owner === null || cardholder === null) throw new Refusal('resource_missing')
    if (!cardholder.frozen) return cardholderView(cardholder)
    requireState(stateOf(cardholder), CARDHOLDER_MOVES.lift.from)
    return removeFreeze(sql, owner, cardholder, 'operator')
  }
  return writeConfirmed(context, unfreeze, { safeToRepeat: true })
}

/**
 * Lifts the freeze of `freezeForAlert`, after an operator reviewed the hit. Other freezes stay.
 * Runs in the caller's transaction. Refuses with 404, and with 409 if no review is pending.
 */
export async function unfreezeAfterReview(
  sql: TxSql,
  owner: Owner,
  input: { cardholderId: string },
): Promise<Cardholder> {
  const cardholder = await lockCardholder(sql, owner, input.cardholderId)
  if (cardholder === null) throw new Refusal('resource_missing')
  requireState(stateOf(cardholder), CARDHOLDER_MOVES.release.from)
  return removeFreeze(sql, owner, cardholder, 'sanctions')
}

async function removeFreeze(
  sql: TxSql,
  owner: Owner,
  cardholder: CardholderRow,
  by: Freezer,
): Promise<Cardholder> {
  const freezes = cardholder.freezes.filter((freeze) => freeze.by !== by)
  const change = { cardholderId: cardholder.id, freezes }
  return cardholderView(await saveFreezes(sql, owner, change))
}
