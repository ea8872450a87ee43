// The network's decision about a dispute, reported by the operator or the sandbox. Spec 3.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Dispute, DisputeOutcome } from '../../../shared/schemas/dispute.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { moveDispute } from './move.ts'
import { ownerOfDispute } from './store.ts'

/**
 * A submitted dispute is won or lost for good; any other state is 409. `now` is by the tenant's
 * clock.
 */
export async function decideDispute(
  sql: TxSql,
  owner: Owner,
  { id, outcome, now }: { id: string; outcome: DisputeOutcome; now: EpochMs },
): Promise<Dispute> {
  const move = outcome === 'won' ? 'win' : 'lose'
  return moveDispute(sql, owner, { id, move, now, change: { outcome, resolvedAt: now } })
}

/** The same for an operator, who names a dispute of any tenant. */
export async function decideForNetwork(
  context: OperatorContext,
  { id, outcome }: { id: string; outcome: DisputeOutcome },
): Promise<Dispute> {
  return write(context, async (sql) => {
    const owner = await ownerOfDispute(sql, id)
    if (owner === null) throw new Refusal('resource_missing')
    return decideDispute(sql, owner, { id, outcome, now: context.now + owner.clockOffsetMs })
  })
}
