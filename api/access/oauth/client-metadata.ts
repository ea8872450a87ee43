// A platform as the library knows it. The field of the secret holds hashes: `matchesSecret`
// compares a presented secret with them.
import { timingSafeEqual } from 'node:crypto'
import { apiKeyHash } from '../../../shared/api-key.ts'
import type { ActiveClient } from './client-store.ts'

/** Client metadata of RFC 7591. */
export function clientMetadata(client: ActiveClient) {
  const { id, name, kind, applicationType, redirectUris, scopes } = client
  const hashes = [client.secretHash, client.oldSecretHash].flatMap((hash) =>
    hash === null ? [] : [hash.toString('hex')],
  )
  return {
    client_id: id,
    client_name: name,
    application_type: applicationType,
    redirect_uris: [...redirectUris],
    scope: scopes.join(' '),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    ...(kind === 'public'
      ? { token_endpoint_auth_method: 'none' as const }
      : {
          token_endpoint_auth_method: 'client_secret_basic' as const,
          client_secret: hashes.join(' '),
        }),
  }
}

/** `hashes` is the field of the secret in the metadata of a platform. */
export function matchesSecret(hashes: string, presented: string): boolean {
  const hash = apiKeyHash(presented)
  return hashes.split(' ').some((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), hash))
}
