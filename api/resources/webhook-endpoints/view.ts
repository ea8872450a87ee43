// The only way an endpoint's row becomes public. Its secrets are not in the row.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Metadata } from '../../../shared/schemas/own-data.ts'
import type { WebhookEndpoint } from '../../../shared/schemas/webhook-endpoint.ts'
import type { BreakerReport } from '../../../shared/wire/control.ts'
import type { Environment } from '../../../shared/wire/facts.ts'

export type EndpointStatus = 'enabled' | 'disabled'

export interface EndpointRow {
  id: string
  environment: Environment
  url: string
  description: string
  eventTypes: string[] | null
  status: EndpointStatus
  /** One more each time it is enabled. */
  epoch: number
  disabledReason: NonNullable<WebhookEndpoint['disabled_reason']> | null
  disabledAt: EpochMs | null
  /** The one that is asked in real time. */
  isRealtime: boolean
  /** Active ones, the older first. */
  secrets: readonly { id: string; createdAt: EpochMs; expiresAt: EpochMs | null }[]
  externalId: string | null
  metadata: Metadata
  createdAt: number
}

export type Breaker = NonNullable<WebhookEndpoint['realtime']['breaker']>

/** `breaker` is what the engine says of an endpoint that is asked; null where it is away. */
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

/** A breaker's report as it is at `now`. */
export function breakerView(report: BreakerReport, now: EpochMs): Breaker {
  const { state, for_ms: forMs, opened_count } = report
  return { state, since: forMs === null ? null : unixSeconds(now - forMs), opened_count }
}
