// Makes an endpoint the real-time endpoint, which the engine asks before it approves an
// authorization. Authorization 6.
//
// Chosen: one per tenant and environment, and every program follows: it asks that endpoint once it
// opts in. The previous real-time endpoint still gets webhooks.
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { type BreakerPort, breakerOf } from './read.ts'
import { ASKED_STATES } from './states.ts'
import { lockEndpoint, lockEntitlement, saveRealtime } from './store.ts'
import { endpointView } from './view.ts'

/** Repeating the call changes nothing and waits for the engine again. */
export async function makeRealtime(
  context: Context,
  endpointId: string,
  port: BreakerPort,
): Promise<WebhookEndpoint> {
  const { principal } = context
  const breaker = await breakerOf(context, endpointId, port)
  const change = async (sql: TxSql) => {
    // The tenant is locked first: two calls for two endpoints never deadlock.
    const entitled = await lockEntitlement(sql, principal)
    const endpoint = await lockEndpoint(sql, principal, endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')
    if (!entitled) throw new Refusal('feature_not_enabled')
    if (endpoint.isRealtime) return endpointView(endpoint, breaker)
    requireState(endpoint.status, ASKED_STATES)
    await saveRealtime(sql, principal, endpoint.id)
    return endpointView({ ...endpoint, isRealtime: true }, breaker)
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}
