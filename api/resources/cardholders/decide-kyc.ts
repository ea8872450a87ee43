// An operator decides about an identity: what the provider would not, or does not answer.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { OperatorContext } from '../../context.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { moveKyc } from './kyc.ts'
import { KYC_MOVES } from './states.ts'
import { findOwner, lockCardholder } from './store.ts'
import { closeVerification } from './verifications.ts'
import { cardholderView } from './view.ts'

/** Final: what the provider says of this verification afterwards counts no more. Refuses with 404, and with 409 where nothing is open. */
export async function decideKyc(
  context: OperatorContext,
  input: { cardholderId: string; decision: 'approved' | 'rejected'; reason: string | null },
): Promise<Cardholder> {
  const { cardholderId, decision, reason } = input
  return write(context, async (sql) => {
    const owner = await findOwner(sql, cardholderId, context.now)
    const cardholder = owner === null ? null : await lockCardholder(sql, owner, cardholderId)
    if (owner === null || cardholder === null) throw new Refusal('resource_missing')
    const move = decision === 'approved' ? 'approve' : 'reject'
    requireState(cardholder.kyc.status, KYC_MOVES[move].from)
    await closeVerification(sql, owner, { cardholderId, state: decision })
    const reasons = decision === 'rejected' && reason !== null ? [reason] : []
    const { verification_id: verificationId } = cardholder.kyc
    const change = { move, reasons, verificationId, now: owner.now } as const
    return cardholderView(await moveKyc(sql, owner, cardholder, change))
  })
}
