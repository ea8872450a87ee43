// An operator decides about the call of another one.
import type { ApprovalStatus, OperatorApproval } from '../../../shared/schemas/operator-approval.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { write } from '../../write/write.ts'
import { requireApprovingPerson, requirePasskey } from './require.ts'
import { lockApproval, saveApprovalDecision } from './store.ts'
import { approvalView, statusOf } from './view.ts'

/** Parts of the process that a decision needs. */
export type DecisionPorts = Pick<HttpServices, 'authUrl' | 'publicUrl'>

const OWN = 'An operator cannot approve an own call: another one can.'

/**
 * Approves or denies a call that waits. An operator who has a person proves an approval with a
 * passkey, and a credential alone approves only what no person can: 403 `factor_required`
 * otherwise. Chosen: a decision that stands already is returned as it is, and a denial takes back
 * an approval until a call has used it.
 */
export async function decideApproval(
  context: OperatorContext,
  { id, state }: { id: string; state: 'approved' | 'denied' },
  ports: DecisionPorts,
): Promise<OperatorApproval> {
  const { operatorId, now } = context
  const isProved = context.call.factor !== null
  const pagesUrl = pagesUrlOf(ports)
  return write(context, async (sql) => {
    if (state === 'approved') await requirePasskey(sql, { operatorId, isProved, pagesUrl })
    const held = await lockApproval(sql, id)
    if (held === null) throw new Refusal('resource_missing')
    if (held.operatorId === operatorId)
      throw new Refusal('parameter_invalid', { param: 'id', message: OWN })
    if (held.state === state) return approvalView(held, now)
    if (state === 'approved' && !isProved)
      await requireApprovingPerson(sql, { callerId: held.operatorId, now, pagesUrl })
    const status = statusOf(held, now)
    const allowedFrom: readonly ApprovalStatus[] =
      state === 'denied' ? ['pending', 'approved'] : ['pending']
    if (!allowedFrom.includes(status))
      throw new Refusal('invalid_state', {
        extra: { current_status: status, allowed_from: allowedFrom },
      })
    await saveApprovalDecision(sql, { id, state, by: operatorId, isProved, now })
    return approvalView({ ...held, state, decidedAt: now, decidedBy: operatorId }, now)
  })
}
