// The public form of a connection.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { GrantEnd, OauthGrant, OauthScope } from '../../../shared/schemas/oauth.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface ConnectionRow {
  id: string
  environment: Environment
  clientId: string
  clientName: string
  scopes: readonly OauthScope[]
  userId: string
  userStatus: OauthGrant['granted_by_status']
  createdAt: EpochMs
  revokedAt: EpochMs | null
  reason: GrantEnd | null
}

export function connectionView(row: ConnectionRow): OauthGrant {
  return {
    id: row.id,
    object: 'oauth_grant',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    client: { id: row.clientId, name: row.clientName },
    scopes: [...row.scopes],
    granted_by: row.userId,
    granted_by_status: row.userStatus,
    status: row.revokedAt === null ? 'active' : 'revoked',
    revoked_at: row.revokedAt === null ? null : unixSeconds(row.revokedAt),
    revoke_reason: row.reason,
  }
}
