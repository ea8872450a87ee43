// Brings a card of the sandbox into the state of its plan. These changes come after the card is
// written down, because the number of a terminated card is never shown. A repetition changes
// nothing.
import type { SandboxCard } from '../sandbox-secrets.ts'
import { type Callers, once } from './callers.ts'
import { type CardPlan, PROGRAMS, type ProgramPlan } from './sandbox-plan.ts'

const REASON = 'sandbox example'

/**
 * Brings a card into the state of its plan. unreachable.ts does the changes that no call can make.
 */
export async function finishCard(
  callers: Callers,
  { id, cardholder_id: cardholderId, wallet_token_id: walletTokenId }: SandboxCard,
  { plan, programId }: { plan: CardPlan; programId: string },
): Promise<void> {
  const { tenant } = callers
  const why = { reason: REASON }
  const program: ProgramPlan = PROGRAMS[plan.program]
  if (plan.status === 'suspended')
    await tenant.suspendCard({ id, ...why }, once(callers, 'suspendCard', { id }))
  if (plan.status === 'terminated')
    await tenant.terminateCard({ id, ...why }, once(callers, 'terminateCard', { id }))
  if (plan.cardholder === 'frozen') {
    const frozen = { id: cardholderId, ...why }
    await tenant.freezeCardholder(frozen, once(callers, 'freezeCardholder', frozen))
  }
  if (plan.cardholder === 'inactive') {
    const inactive = { id: cardholderId, status: 'inactive' as const }
    await tenant.updateCardholder(inactive, once(callers, 'updateCardholder', inactive))
  }
  if (plan.walletToken === 'suspended' && walletTokenId !== undefined) {
    const token = { id: walletTokenId }
    await tenant.suspendWalletToken(token, once(callers, 'suspendWalletToken', token))
  }
  if (program.status === 'suspended') {
    const move = { id: programId, suspended_by: 'provider_risk' as const, ...why }
    await tenant.suspendSimulateProgram(move, once(callers, 'suspendSimulateProgram', move))
  }
}
