// An operator decides about an identity where the provider does not.

import type { EpochMs } from '../../../shared/clock.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { moveKyc } from './kyc.ts'
import { KYC_MOVES } from './states.ts'
import { findOwner, lockCardholder } from './store.ts'
import { closeVerification } from './verifications.ts'
import { cardholderView } from './view.ts'

/**
 * Final: later results of the provider for this verification do not count. Refuses with 404, and
 * with 409 if no verification is open.
 */
export async function decideKyc(
  context: OperatorContext,
  input: { cardholderId: string; decision: 'approved' | 'rejected'; reason: string | null },
): Promise<Cardholder> {
  const { cardholderId, decision, reason } = input
  return write(context, async (sql) => {
    const owner = await findOwner(sql, cardholderId, context.now)
    if (owner === null) throw new Refusal('resource_missing')
    const reasons = reason === null ? [] : [reason]
    return concludeKyc(sql, owner, { cardholderId, result: decision, reasons, now: owner.now })
  })
}

const MOVES = { approved: 'approve', rejected: 'reject', requires_action: 'flag' } as const

/**
 * Decides instead of the provider, whose own results no longer count after a final decision. Runs
 * in the caller's transaction; `now` is by the tenant's clock. Reasons of an approval are dropped.
 * Refuses like the function above.
 */
export async function concludeKyc(
  sql: TxSql,
  owner: Owner,
  told: {
    cardholderId: string
    result: keyof typeof MOVES
    reasons: readonly string[]
    now: EpochMs
  },
): Promise<Cardholder> {
  const { cardholderId, result, now } = told
  const cardholder = await lockCardholder(sql, owner, cardholderId)
  if (cardholder === null) throw new Refusal('resource_missing')
  const move = MOVES[result]
  requireState(cardholder.kyc.status, KYC_MOVES[move].from)
  await closeVerification(sql, owner, { cardholderId, state: result })
  const reasons = result === 'approved' ? [] : told.reasons
  const { verification_id: verificationId } = cardholder.kyc
  return cardholderView(
    await moveKyc(sql, owner, cardholder, { move, reasons, verificationId, now }),
  )
}
