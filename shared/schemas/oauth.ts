// Platforms that act for tenants, and their connections. Spec 5.2.
import { type Static, Type } from 'typebox'

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
  /** The environment of the resources that the platform reaches. */
  environment: Type.Enum(['sandbox', 'live']),
  /** The name that people see when they are asked. */
  name: Type.String(),
  /** A confidential client keeps a secret on its servers; a public one is an app or a page. */
  kind: Type.Enum([...CLIENT_KINDS]),
  /** A native app may receive its answer at any port of its own machine, or at its own scheme. */
  application_type: Type.Enum([...APPLICATION_TYPES]),
  /** Addresses to which people return; compared character by character. */
  redirect_uris: Type.Array(Type.String()),
  /** Scopes that the platform may ask for. */
  scopes: Scopes,
  /** The last four characters of the secret; null for public clients. */
  last4: TextOrNull,
  /** Until then the secret before the last rotation works; null: there is none. */
  old_secret_until: MomentOrNull,
  /** A disabled client gets no tokens, and its tokens are refused. */
  status: Type.Enum([...CLIENT_STATUSES]),
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
  /** The platform. */
  client: Type.Object({ id: Type.String(), name: Type.String() }),
  /** Scopes that the person agreed to. */
  scopes: Scopes,
  /** The person who agreed. The connection stays when the person leaves. */
  granted_by: Type.String(),
  /** Whether that person is still active in the tenant, is disabled, or was removed. */
  granted_by_status: Type.Enum(['active', 'disabled', 'removed']),
  status: Type.Enum([...GRANT_STATUSES]),
  /** Unix seconds; null while it is active. */
  revoked_at: MomentOrNull,
  /**
   * The cause of its end: the platform or the tenant ended it, or a token was used twice; null
   * while it is active.
   */
  revoke_reason: Type.Union([Type.Enum([...GRANT_ENDS]), Type.Null()]),
})
export type OauthGrant = Static<typeof OauthGrant>
