// The public form of a platform.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { OauthClient, OauthScope } from '../../../shared/schemas/oauth.ts'

export interface ClientRow {
  id: string
  environment: OauthClient['environment']
  name: string
  kind: OauthClient['kind']
  applicationType: OauthClient['application_type']
  redirectUris: readonly string[]
  scopes: readonly OauthScope[]
  last4: string | null
  /** Until then the secret before the last rotation works; null: there is none. */
  oldSecretUntil: EpochMs | null
  state: OauthClient['status']
  createdAt: EpochMs
}

export function clientView(row: ClientRow): OauthClient {
  return {
    id: row.id,
    object: 'oauth_client',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    environment: row.environment,
    name: row.name,
    kind: row.kind,
    application_type: row.applicationType,
    redirect_uris: [...row.redirectUris],
    scopes: [...row.scopes],
    last4: row.last4,
    old_secret_until: row.oldSecretUntil === null ? null : unixSeconds(row.oldSecretUntil),
    status: row.state,
  }
}
