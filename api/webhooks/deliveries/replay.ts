// Sends one event to one endpoint again, whatever its earlier result and the endpoint's filter.
import type { WebhookDelivery } from '../../../shared/schemas/webhook-delivery.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { reopenDeliveries } from '../delivery/reopen.ts'
import { type EndpointRow, lockEndpoint } from '../endpoints/index.ts'
import {
  findSentEvent,
  hastenDelivery,
  isInLine,
  lockOpenDelivery,
  openDelivery,
  type SentEvent,
} from './open-store.ts'
import { SENT_TO } from './states.ts'
import { findDelivery } from './store.ts'
import { type DeliveryRow, deliveryView } from './view.ts'

/** Under way, for simultaneous callers. */
const UNDER_WAY = { current_status: 'under_way' }

/**
 * An ended delivery opens again as the same delivery in its next cycle. A delivery waiting for its
 * next attempt gets it now: the attempt counts, so there are never more than five. An event never
 * sent here gets a delivery. Refuses with 409 a delivery under way.
 */
export async function replayEvent(
  context: Context,
  asked: { endpointId: string; eventId: string },
): Promise<WebhookDelivery> {
  const { principal } = context
  return write(context, async (sql) => {
    const endpoint = await lockEndpoint(sql, principal, asked.endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')
    const event = await findSentEvent(sql, principal, asked.eventId)
    if (event === null) throw new Refusal('resource_missing')
    requireState(endpoint.status, SENT_TO)
    return deliveryView(await sendAgain(sql, context, { endpoint, event }))
  })
}

async function sendAgain(
  sql: TxSql,
  { principal, now: tenantNow, newId }: Context,
  { endpoint, event }: { endpoint: EndpointRow; event: SentEvent },
): Promise<DeliveryRow> {
  const now = tenantNow - principal.clockOffsetMs
  const which = { eventId: event.id, endpointId: endpoint.id }
  const open = await lockOpenDelivery(sql, which)
  if (open !== null) {
    if (open.leased) throw underWay('An attempt of this delivery is under way.')
    await hastenDelivery(sql, { id: open.id, now })
    return reread(sql, principal, open.id)
  }
  const { id: endpoint_id, epoch } = endpoint
  const again = { event_id: event.id, endpoint_id, recovery_id: null, lane: 0, epoch } as const
  const [reopened] = await reopenDeliveries(sql, [again], { cause: 'replay', dueAt: now })
  if (reopened !== undefined) {
    const found = await lockOpenDelivery(sql, which)
    return reread(sql, principal, found?.id ?? '')
  }
  // Fan-out waits for the endpoint's lock: the event is still queued, or was never for this
  // endpoint.
  if (await isInLine(sql, principal, event)) throw underWay('This event is about to be sent.')
  const { type } = event
  const first = { id: newId('dlv'), eventId: event.id, type, cause: 'replay', body: null } as const
  return openDelivery(sql, principal, { ...first, endpoint, now })
}

function underWay(message: string): Refusal {
  return new Refusal('invalid_state', { message, extra: UNDER_WAY })
}

async function reread(sql: TxSql, owner: Context['principal'], id: string): Promise<DeliveryRow> {
  const row = await findDelivery(sql, owner, id)
  if (row === null) throw new Error('a locked delivery does not vanish: ' + id)
  return row
}
