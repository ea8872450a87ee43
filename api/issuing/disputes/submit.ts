// Responds: the evidence goes to the network. Spec 3.
import type { Dispute } from '../../../shared/schemas/dispute.ts'
import type { Context } from '../../context.ts'
import { write } from '../../write/write.ts'
import { moveDispute } from './move.ts'

/** Chosen: a dispute may be submitted without evidence; the network decides with its own. */
export async function submitDispute(context: Context, id: string): Promise<Dispute> {
  const { principal, now } = context
  return write(context, (sql) =>
    moveDispute(sql, principal, { id, move: 'submit', now, change: { submittedAt: now } }),
  )
}
