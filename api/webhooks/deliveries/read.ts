// All reads of deliveries.
import type { Page } from '../../../shared/schemas/list.ts'
import type {
  WebhookDelivery,
  WebhookDeliveryAttempt,
} from '../../../shared/schemas/webhook-delivery.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { type DeliveryFilters, findDelivery, listAttempts, listDeliveries } from './store.ts'
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
