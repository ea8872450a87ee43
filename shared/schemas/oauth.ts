// Platforms that act for tenants, and their connections. Spec 5.2.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

/** Scopes that a platform may ask for. Spec 5.2. */
export const OAUTH_SCOPES = [
  'read',
  'write',
  'admin',
  'pass:read',
  'pass:write',
  'card:read',
  'card:write',
  'settlement:read',
  'settlement:write',
] as const
export type OauthScope = (typeof OAUTH_SCOPES)[number]

export const CLIENT_KINDS = ['confidential', 'public'] as const
export const APPLICATION_TYPES = ['web', 'native'] as const
export const CLIENT_STATUSES = ['active', 'disabled'] as const
export const GRANT_STATUSES = ['active', 'revoked'] as const
const GRANT_ENDS = ['platform', 'tenant', 'token_reused'] as const
export type GrantEnd = (typeof GRANT_ENDS)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])
/** Unix seconds. */
const MomentOrNull = Type.Union([Type.Integer(), Type.Null()])
const Scopes = Type.Array(Type.Enum([...OAUTH_SCOPES]))

export const OauthClient = Type.Object({
  id: Type.String(),
  object: Type.Literal('oauth_client'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  environment: described(
    Type.Enum(['sandbox', 'live']),
    'The environment of the resources that the platform reaches.',
  ),
  name: described(Type.String(), 'The name that people see when they are asked.'),
  kind: described(
    Type.Enum([...CLIENT_KINDS]),
    'A confidential client keeps a secret on its servers; a public one is an app or a page.',
  ),
  application_type: described(
    Type.Enum([...APPLICATION_TYPES]),
    'A native app may receive its answer at any port of its own machine, or at its own scheme.',
  ),
  redirect_uris: described(
    Type.Array(Type.String()),
    'Addresses to which people return; compared character by character.',
  ),
  scopes: described(Scopes, 'Scopes that the platform may ask for.'),
  last4: described(TextOrNull, 'The last four characters of the secret; null for public clients.'),
  old_secret_until: described(
    MomentOrNull,
    'Until then the secret before the last rotation works; null: there is none.',
  ),
  status: described(
    Type.Enum([...CLIENT_STATUSES]),
    'A disabled client gets no tokens, and its tokens are refused.',
  ),
})
export type OauthClient = Static<typeof OauthClient>

/** With the secret, which is shown this once; null for public clients. */
export const OauthClientWithSecret = Type.Object({
  ...OauthClient.properties,
  secret: TextOrNull,
})
export type OauthClientWithSecret = Static<typeof OauthClientWithSecret>

export const OauthGrant = Type.Object({
  id: Type.String(),
  object: Type.Literal('oauth_grant'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  client: described(Type.Object({ id: Type.String(), name: Type.String() }), 'The platform.'),
  scopes: described(Scopes, 'Scopes that the person agreed to.'),
  granted_by: described(
    Type.String(),
    'The person who agreed. The connection stays when the person leaves.',
  ),
  granted_by_status: described(
    Type.Enum(['active', 'disabled', 'removed']),
    'Whether that person is still active in the tenant, is disabled, or was removed.',
  ),
  status: Type.Enum([...GRANT_STATUSES]),
  revoked_at: described(MomentOrNull, 'Unix seconds; null while it is active.'),
  revoke_reason: described(
    Type.Union([Type.Enum([...GRANT_ENDS]), Type.Null()]),
    'The cause of its end: the platform or the tenant ended it, or a token was used twice; null while it is active.',
  ),
})
export type OauthGrant = Static<typeof OauthGrant>
