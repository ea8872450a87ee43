// Freezes a cardholder: from the answer on, every authorization of all their cards is declined.
// Several parties may keep one frozen at once.
import { type Cardholder, FREEZERS } from '../../../shared/schemas/cardholder.ts'
import type { Context, OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { type Freezer, requireUnerased } from './states.ts'
import { findOwner, lockCardholder, saveFreezes } from './store.ts'
import { cardholderView, type Freeze } from './view.ts'

/**
 * Chosen: freezing a frozen cardholder keeps the first reason and waits for the engine again, as
 * suspending does. The tenant's freeze outlasts that of a review.
 */
export async function freezeCardholder(
  context: Context,
  input: { cardholderId: string; reason: string | null },
): Promise<Cardholder> {
  const { principal } = context
  const freeze = (sql: TxSql) => addFreeze(sql, principal, { ...input, by: 'tenant' })
  return writeConfirmed(context, freeze, { safeToRepeat: true })
}

/**
 * Freezes a cardholder; the tenant cannot lift it. Freezing again keeps the first reason and waits
 * for the engine again.
 */
export async function freezeAsOperator(
  context: OperatorContext,
  input: { cardholderId: string; reason: string | null },
): Promise<Cardholder> {
  const freeze = async (sql: TxSql) => {
    const owner = await findOwner(sql, input.cardholderId, context.now)
    if (owner === null) throw new Refusal('resource_missing')
    return addFreeze(sql, owner, { ...input, by: 'operator' })
  }
  return writeConfirmed(context, freeze, { safeToRepeat: true })
}

/**
 * Freezes pending the review of a sanctions or PEP hit (Spec 3); the tenant cannot lift it. In the
 * caller's transaction: the engine decides by it as soon as it has the change. Refuses with 404.
 */
export async function freezeForAlert(
  sql: TxSql,
  owner: Owner,
  input: { cardholderId: string; reason: string | null },
): Promise<Cardholder> {
  return addFreeze(sql, owner, { ...input, by: 'sanctions' })
}

async function addFreeze(
  sql: TxSql,
  owner: Owner,
  { cardholderId, by, reason }: { cardholderId: string; by: Freezer; reason: string | null },
): Promise<Cardholder> {
  const cardholder = await lockCardholder(sql, owner, cardholderId)
  if (cardholder === null) throw new Refusal('resource_missing')
  requireUnerased(cardholder)
  const freezes = withFreeze(cardholder.freezes, { by, reason })
  if (freezes === cardholder.freezes) return cardholderView(cardholder)
  return cardholderView(await saveFreezes(sql, owner, { cardholderId, freezes }))
}

/**
 * Adds one freeze, the strongest first. A party that already froze the cardholder keeps its first
 * reason.
 */
function withFreeze(held: readonly Freeze[], freeze: Freeze): readonly Freeze[] {
  if (held.some(({ by }) => by === freeze.by)) return held
  return [...held, freeze].sort((one, other) => strength(other.by) - strength(one.by))
}

function strength(by: Freezer): number {
  return FREEZERS.indexOf(by)
}
