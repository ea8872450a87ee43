// The only way an API key's row becomes public: GET, list and every api_key.* event use it.
import { apiKeyPrefix, type KeyRole, type KeyScope } from '../../../shared/api-key.ts'
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { ApiKey, KeyStatus } from '../../../shared/schemas/api-key.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface KeyRow {
  id: string
  environment: Environment
  name: string
  role: KeyRole
  scope: KeyScope
  status: KeyStatus
  last4: string
  cidrs: readonly string[]
  createdBy: string | null
  createdAt: EpochMs
  lastUsedAt: EpochMs | null
  lastUsedIp: string | null
  /** When a pending key stops working, by its tenant's clock; null in the other states. */
  revokeAt: EpochMs | null
  /** The end the key was made with, by its tenant's clock; null: none. */
  expiresAt: EpochMs | null
  revokedAt: EpochMs | null
  sightings: readonly { origin: string; firstAt: EpochMs; lastAt: EpochMs; count: number }[]
  externalId: string | null
  metadata: Metadata
}

export function keyView(row: KeyRow): ApiKey {
  return {
    id: row.id,
    object: 'api_key',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    environment: row.environment,
    name: row.name,
    role: row.role,
    scope: row.scope,
    status: row.status,
    prefix: apiKeyPrefix(row.role, row.environment),
    last4: row.last4,
    cidrs: [...row.cidrs],
    created_by: row.createdBy,
    last_used_at: secondsOrNull(row.lastUsedAt),
    last_used_ip: row.lastUsedIp,
    revokes_at: secondsOrNull(row.revokeAt),
    expires_at: secondsOrNull(row.expiresAt),
    revoked_at: secondsOrNull(row.revokedAt),
    browser_sightings: row.sightings.map(({ origin, firstAt, lastAt, count }) => ({
      origin,
      first_at: unixSeconds(firstAt),
      last_at: unixSeconds(lastAt),
      count,
    })),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}

function secondsOrNull(moment: EpochMs | null): number | null {
  return moment === null ? null : unixSeconds(moment)
}
