// Cancels a running recovery. Events already handed out are still sent.
import type { WebhookRecovery } from '../../../../shared/schemas/webhook-recovery.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../http/refusal.ts'
import { requireState } from '../../../write/move.ts'
import { write } from '../../../write/write.ts'
import { findEndpoint } from '../../endpoints/index.ts'
import { RUNNING } from '../states.ts'
import { finishRecovery, lockRecovery, type WhichRecovery } from './store.ts'
import { recoveryView } from './view.ts'

export async function cancelRecovery(
  context: Context,
  which: WhichRecovery,
): Promise<WebhookRecovery> {
  const { principal, now } = context
  return write(context, async (sql) => {
    if ((await findEndpoint(sql, principal, which.endpointId)) === null)
      throw new Refusal('resource_missing')
    const recovery = await lockRecovery(sql, principal, which)
    if (recovery === null) throw new Refusal('resource_missing')
    requireState(recovery.status, RUNNING)
    const { id } = recovery
    await finishRecovery(sql, { id, status: 'canceled', cancelReason: 'asked', now })
    return recoveryView({
      ...recovery,
      status: 'canceled',
      cancelReason: 'asked',
      finishedAt: now,
    })
  })
}
