// One move of a verification as the tenant sees it: saved with the cardholder and announced.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Move } from '../../write/move.ts'
import { recordCardholderEvent } from './event.ts'
import { KYC_MOVES, type KycMove, type KycStatus } from './states.ts'
import { saveKyc } from './store.ts'
import { type CardholderRow, cardholderView } from './view.ts'

export interface KycChange {
  move: KycMove
  /** Reasons, if the status is rejected or requires action. */
  reasons: readonly string[]
  /** The verification that counts from now on. */
  verificationId: string | null
  /** By the tenant's clock. */
  now: EpochMs
}

/** Moves the verification of a locked cardholder, from a state in which the move may start. */
export async function moveKyc(
  sql: TxSql,
  owner: Owner,
  cardholder: CardholderRow,
  change: KycChange,
): Promise<CardholderRow> {
  const { to, event }: Move<KycStatus> = KYC_MOVES[change.move]
  const { now } = change
  const kyc = {
    status: to,
    reasons: [...change.reasons],
    verification_id: change.verificationId,
    completed_at: to === 'approved' || to === 'rejected' ? unixSeconds(now) : null,
  }
  const moved = await saveKyc(sql, owner, { cardholderId: cardholder.id, kyc })
  if (event !== null)
    await recordCardholderEvent(sql, owner, { type: event, cardholder: cardholderView(moved), now })
  return moved
}

/** Returns true if a cardholder in this state may make the move. */
export function mayMove(status: KycStatus, move: KycMove): boolean {
  const from: readonly KycStatus[] = KYC_MOVES[move].from
  return from.includes(status)
}
