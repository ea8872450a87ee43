// Moves a dispute from one state to another and announces it. Every move uses this function. Spec
// 3.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Dispute } from '../../../shared/schemas/dispute.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { DISPUTE_MOVES, type DisputeMove, statusAt } from './states.ts'
import { lockDispute, lockDueDispute, type Moved, saveMove } from './store.ts'
import { disputeView } from './view.ts'

interface MoveInput {
  id: string
  move: DisputeMove
  /** By the tenant's clock. */
  now: EpochMs
  /** Columns that the move changes beside the status. */
  change: Partial<Moved>
}

/**
 * Refuses with 404 an unknown dispute, and with 409 one in another state. Call it near the end: it
 * records events.
 */
export async function moveDispute(
  sql: TxSql,
  owner: Owner,
  { id, move, now, change }: MoveInput,
): Promise<Dispute> {
  const held = await lockDispute(sql, owner, id)
  if (held === null) throw new Refusal('resource_missing')
  const { from, to, event } = DISPUTE_MOVES[move]
  requireState(move === 'expire' ? held.status : statusAt(held, now), from)
  const { outcome, evidenceDueBy, evidenceRequested, submittedAt, resolvedAt } = held
  const kept = { outcome, evidenceDueBy, evidenceRequested, submittedAt, resolvedAt }
  const moved = { ...kept, ...change, status: to }
  const dispute = disputeView(await saveMove(sql, owner, { id, moved }))
  const types: EventType[] = [event]
  // Spec 6.2: a return to needs_response is a change of stage as well.
  if (move === 'requireEvidence' && held.status !== to) types.push('dispute.updated')
  for (const type of types) {
    const { tenantId, environment } = owner
    await recordEvent(sql, { tenantId, environment, type, data: { dispute }, resourceId: id, now })
  }
  return dispute
}

/**
 * Responds: the evidence goes to the network. Spec 3. Chosen: a dispute may be submitted without
 * evidence; the network decides with its own.
 */
export async function submitDispute(context: Context, id: string): Promise<Dispute> {
  const { principal, now } = context
  return write(context, (sql) =>
    moveDispute(sql, principal, { id, move: 'submit', now, change: { submittedAt: now } }),
  )
}

export const disputeExpiry: Job = {
  name: 'dispute_expiry',
  every: 1000,
  lease: 60_000,
  batch: 100,
  run: rowByRow(expireOne),
}

async function expireOne(sql: TxSql, now: EpochMs): Promise<boolean> {
  const due = await lockDueDispute(sql, now)
  if (due === null) return false
  const tenantNow = now + due.clockOffsetMs
  const change = { outcome: 'lost', resolvedAt: tenantNow } as const
  await moveDispute(sql, due, { id: due.id, move: 'expire', now: tenantNow, change })
  return true
}
