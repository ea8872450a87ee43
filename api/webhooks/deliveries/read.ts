// All reads of deliveries.
import type { Page } from '../../../shared/schemas/list.ts'
import type {
  WebhookDelivery,
  WebhookDeliveryAttempt,
  WebhookDeliveryRequest,
} from '../../../shared/schemas/webhook-delivery.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { composeRequest } from '../delivery/compose.ts'
import { SIGNATURE_HEADERS } from '../delivery/sign.ts'
import { sentBody } from '../events/index.ts'
import {
  type DeliveryFilters,
  findDelivery,
  findSent,
  listAttempts,
  listDeliveries,
} from './store.ts'
import { attemptView, deliveryView } from './view.ts'

export async function readDelivery(
  { sql, principal }: Context,
  id: string,
): Promise<WebhookDelivery> {
  const delivery = await findDelivery(sql, principal, id)
  if (delivery === null) throw new Refusal('resource_missing')
  return deliveryView(delivery)
}

export async function readDeliveries(
  { sql, principal }: Context,
  query: PageQuery & DeliveryFilters,
): Promise<Page<WebhookDelivery>> {
  return mapPage(await listDeliveries(sql, principal, query), deliveryView)
}

export async function readAttempts(
  { sql, principal }: Context,
  query: PageQuery & { deliveryId: string },
): Promise<Page<WebhookDeliveryAttempt>> {
  if ((await findDelivery(sql, principal, query.deliveryId)) === null)
    throw new Refusal('resource_missing')
  return mapPage(await listAttempts(sql, query), attemptView)
}

/** Returns the request of the latest attempt, or of the first to come, without its signatures. */
export async function readRequest(
  { sql, principal }: Context,
  id: string,
): Promise<WebhookDeliveryRequest> {
  const delivery = await findDelivery(sql, principal, id)
  const sent = delivery === null ? null : await findSent(sql, principal, id)
  if (delivery === null || sent === null) throw new Refusal('resource_missing')
  const body = sent.body === null ? null : sentBody(sent.body)
  const { url, headers } = composeRequest({
    id,
    eventId: delivery.eventId,
    cause: delivery.cause,
    attempt: Math.max(1, delivery.attempts),
    url: sent.url,
    body: body ?? Buffer.alloc(0),
  })
  return {
    object: 'webhook_delivery_request',
    livemode: principal.environment === 'live',
    delivery_id: id,
    method: 'POST',
    url: url.href,
    headers,
    signature_headers: [...SIGNATURE_HEADERS],
    body: body === null ? null : body.toString('utf8'),
    body_bytes: body === null ? null : body.length,
  }
}
