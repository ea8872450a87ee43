// Shipping reports by the installation's own people, or by a company that ships cards for it: they
// name the card without its tenant.
import type { Card } from '../../../shared/schemas/card.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import type { CardWorld } from './move.ts'
import { markParcel, shipCard, type WorkerBatch } from './shipping.ts'
import { findOwner } from './store.ts'

export function shipForOwner(
  context: OperatorContext,
  input: WorkerBatch & { cardId: string },
): Promise<Card> {
  return forOwner(context, input.cardId, (sql, world) => shipCard(sql, world, input))
}

export function markForOwner(
  context: OperatorContext,
  input: { cardId: string; move: 'deliver' | 'return' },
): Promise<Card> {
  return forOwner(context, input.cardId, (sql, world) => markParcel(sql, world, input))
}

/** Runs in the owner's name and by the owner's clock. */
async function forOwner(
  context: OperatorContext,
  cardId: string,
  work: (sql: TxSql, world: CardWorld) => Promise<Card>,
): Promise<Card> {
  return write(
    context,
    async (sql) => {
      const owner = await findOwner(sql, cardId)
      if (owner === null) throw new Refusal('resource_missing')
      return work(sql, { principal: owner, now: context.now + owner.clockOffsetMs })
    },
    { safeToRepeat: true },
  )
}
