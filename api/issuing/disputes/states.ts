// The legal moves of a dispute. Spec 3. Won, lost and expired are final.

import type { EpochMs } from '../../../shared/clock.ts'
import type { DisputeStatus } from '../../../shared/schemas/dispute.ts'
import type { TransactionStatus } from '../../../shared/transaction-sums.ts'
import type { Move } from '../../write/move.ts'

/** States of a transaction with a captured amount that was not refunded whole. */
export const DISPUTABLE_IN = [
  'partially_captured',
  'captured',
  'partially_refunded',
] as const satisfies readonly TransactionStatus[]

/** States of disputes whose amount cannot be disputed again: open and won ones. */
export const COUNTED_IN = [
  'needs_response',
  'submitted',
  'won',
] as const satisfies readonly DisputeStatus[]

export const DISPUTE_MOVES = {
  submit: { from: ['needs_response'], to: 'submitted', event: 'dispute.updated' },
  requireEvidence: {
    from: ['needs_response', 'submitted'],
    to: 'needs_response',
    event: 'dispute.evidence_required',
  },
  win: { from: ['submitted'], to: 'won', event: 'dispute.updated' },
  lose: { from: ['submitted'], to: 'lost', event: 'dispute.updated' },
  expire: { from: ['needs_response'], to: 'expired', event: 'dispute.expired' },
} as const satisfies Record<string, Move<DisputeStatus>>
export type DisputeMove = keyof typeof DISPUTE_MOVES

/**
 * The status of a dispute at a moment: a response after the deadline is too late, even if no timer
 * has run yet.
 */
export function statusAt(
  { status, evidenceDueBy }: { status: DisputeStatus; evidenceDueBy: EpochMs },
  now: EpochMs,
): DisputeStatus {
  return status === 'needs_response' && evidenceDueBy <= now ? DISPUTE_MOVES.expire.to : status
}
