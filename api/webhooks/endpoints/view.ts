// Only this module makes an endpoint's row public. The row does not contain its secrets.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { BreakerReport } from '../../../shared/wire/control.ts'

export type EndpointStatus = 'enabled' | 'disabled'

export interface EndpointRow {
  id: string
  environment: Environment
  url: string
  description: string
  eventTypes: string[] | null
  status: EndpointStatus
  /** Grows by one at each enabling. */
  epoch: number
  disabledReason: NonNullable<WebhookEndpoint['disabled_reason']> | null
  disabledAt: EpochMs | null
  /** True for the real-time endpoint. */
  isRealtime: boolean
  /** Active secrets, the older first. */
  secrets: readonly { id: string; createdAt: EpochMs; expiresAt: EpochMs | null }[]
  externalId: string | null
  metadata: Metadata
  createdAt: number
}

export type Breaker = NonNullable<WebhookEndpoint['realtime']['breaker']>

/** `breaker` is the engine's report about a real-time endpoint; null if the engine is down. */
export function endpointView(row: EndpointRow, breaker: Breaker | null): WebhookEndpoint {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    url: row.url,
    description: row.description,
    event_types: row.eventTypes,
    status: row.status,
    realtime: {
      is_realtime: row.isRealtime,
      breaker: row.isRealtime ? (breaker ?? UNKNOWN_BREAKER) : null,
    },
    ...(row.disabledReason === null ? {} : { disabled_reason: row.disabledReason }),
    disabled_at: row.disabledAt === null ? null : unixSeconds(row.disabledAt),
    signing_secrets: row.secrets.map(({ id, createdAt, expiresAt }) => ({
      id,
      created: unixSeconds(createdAt),
      expires_at: expiresAt === null ? null : unixSeconds(expiresAt),
    })),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}

const UNKNOWN_BREAKER: Breaker = { state: 'unknown', since: null, opened_count: null }

/** Returns a breaker's report as of `now`. */
export function breakerView(report: BreakerReport, now: EpochMs): Breaker {
  const { state, for_ms: forMs, opened_count } = report
  return { state, since: forMs === null ? null : unixSeconds(now - forMs), opened_count }
}
