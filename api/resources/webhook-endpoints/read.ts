// All reads of webhook endpoints.
import type { Page } from '../../../shared/schemas/list.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Context } from '../../context.ts'
import type { CreatedFilters } from '../../created-filter.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../refuse.ts'
import { findEndpoint, listEndpoints } from './store.ts'
import { endpointView } from './view.ts'

export async function readEndpoint(
  { sql, principal }: Context,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(sql, principal, id)
  if (endpoint === null) throw new Refusal('resource_missing')
  return endpointView(endpoint)
}

export async function readEndpoints(
  { sql, principal }: Context,
  query: PageQuery & CreatedFilters,
): Promise<Page<WebhookEndpoint>> {
  return mapPage(await listEndpoints(sql, principal, query), endpointView)
}
