// The only way an endpoint's row becomes public. Its secrets are not in the row.
import { unixSeconds } from '../../../shared/clock.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Environment } from '../../../shared/wire/facts.ts'

export type EndpointStatus = 'enabled' | 'disabled'

export interface EndpointRow {
  id: string
  environment: Environment
  url: string
  description: string
  eventTypes: string[] | null
  status: EndpointStatus
  disabledReason: string | null
  createdAt: number
}

export function endpointView(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    url: row.url,
    description: row.description,
    event_types: row.eventTypes,
    status: row.status,
    ...(row.disabledReason === null ? {} : { disabled_reason: row.disabledReason }),
  }
}
