// Sends an endpoint a sample event the way of every event: claimed, signed, sent and logged. It
// does not belong to the tenant's events: it has no number, is in no list of events, and carries
// its own bytes.
import { unixSeconds } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { WebhookDelivery } from '../../../shared/schemas/webhook-delivery.ts'
import type { Context } from '../../context.ts'
import { sampleData } from '../../documents/sample-event.ts'
import { Refusal } from '../../http/refusal.ts'
import { inVersion, spokenVersion } from '../../http/versions/chain.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { lockEndpoint } from '../endpoints/index.ts'
import { eventBytes } from '../events/index.ts'
import { openDelivery } from './open-store.ts'
import { SENT_TO } from './states.ts'
import { deliveryView } from './view.ts'

const TYPE_DEFAULT: EventType = 'card.created'

/**
 * Chosen: one attempt, which never disables the endpoint; the endpoint's filter does not matter,
 * though its first type is the default.
 */
export async function sendTest(
  context: Context,
  asked: { endpointId: string; type?: EventType },
): Promise<WebhookDelivery> {
  const { principal, now } = context
  const id = context.newId('dlv')
  const eventId = context.newId('evt')
  return write(context, async (sql) => {
    const endpoint = await lockEndpoint(sql, principal, asked.endpointId)
    if (endpoint === null) throw new Refusal('resource_missing')
    requireState(endpoint.status, SENT_TO)
    const [first = TYPE_DEFAULT] = (endpoint.eventTypes ?? []) as EventType[]
    const type = asked.type ?? first
    const version = spokenVersion(principal.apiVersion)
    const data = inVersion(sampleData(type), version)
    const envelope = { id: eventId, type, created: unixSeconds(now), api_version: version, data }
    const opened = { id, eventId, type, cause: 'test', body: eventBytes(envelope) } as const
    const installationNow = now - principal.clockOffsetMs
    const row = await openDelivery(sql, principal, { ...opened, endpoint, now: installationNow })
    return deliveryView(row)
  })
}
