// The OAuth library with our settings. Parsing, PKCE, redirects, client authentication, pushed
// requests, proofs of possession and error codes are the library's; storage, pages and tokens are
// ours.
import { generateKeyPairSync } from 'node:crypto'
import { type Configuration, Provider } from 'oidc-provider'
import { newOauthText, type OauthText } from '../../../shared/api-key.ts'
import { assert } from '../../../shared/assert.ts'
import { newId } from '../../../shared/id.ts'
import { OAUTH_SCOPES } from '../../../shared/schemas/oauth.ts'
import type { OauthKeys } from '../../database/derivation.ts'
import { adapterOf, GRANT_S } from './adapter.ts'
import { CONSENT_PATH, currentCall } from './call.ts'
import { matchesSecret } from './client-metadata.ts'

/** Chosen: seconds that an access token works; `expires_in` says so. */
const ACCESS_TOKEN_S = 900
/** Spec 5.2: refresh tokens live 30 days, each from its own issue. */
const REFRESH_TOKEN_S = 30 * 86_400
const CODE_S = 60
/** Chosen: a person has this long to sign in and decide. */
const INTERACTION_S = 1800

/** `issuer` is the base of every address that the library makes; without a slash at its end. */
export function createProvider(issuer: string, keys: ProviderKeys): Provider {
  const provider = new Provider(issuer, settings(new URL(issuer).pathname, keys))
  // Protocol and host are those of the issuer: the mount sets them as a trusted proxy does.
  provider.proxy = true
  nameTokens(provider)
  const clients = provider.Client.prototype as unknown as SecretHolder
  assert(typeof clients.compareClientSecret === 'function', 'the library compares secrets')
  clients.compareClientSecret = function (presented) {
    return matchesSecret(this.clientSecret, presented)
  }
  provider.on('server_error', (_context, error) => {
    currentCall().fault = error
  })
  return provider
}

interface SecretHolder {
  clientSecret: string
  compareClientSecret(presented: string): boolean
}

type ProviderKeys = Pick<OauthKeys, 'cookieKey' | 'nonceSecret'>

function settings(path: string, { cookieKey, nonceSecret }: ProviderKeys): Configuration {
  const base = path === '/' ? '' : path
  return {
    adapter: adapterOf,
    scopes: [...OAUTH_SCOPES],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    // The library insists on a key. It signs nothing: no scope leads to an identity token.
    jwks: { keys: [signingKey()] },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    // Tokens outlast the browser in which a person agreed.
    expiresWithSession: async () => false,
    // Either token ends the connection.
    revokeGrantPolicy: () => true,
    clockTolerance: 0,
    findAccount: async (_context, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    interactions: { url: (_context, interaction) => base + CONSENT_PATH + interaction.uid },
    renderError(context, { error, error_description }) {
      currentCall().shownError = { error, description: error_description ?? '' }
      context.body = ''
    },
    cookies: {
      names: { session: 'svc_oauth', interaction: 'svc_consent', resume: 'svc_resume' },
      keys: [cookieKey],
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      pushed_authorization_request: '/oauth/par',
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_S,
      AuthorizationCode: CODE_S,
      RefreshToken: REFRESH_TOKEN_S,
      Grant: GRANT_S,
      Interaction: INTERACTION_S,
      Session: INTERACTION_S,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: true },
      // RFC 9449 8: a proof that was made in advance is of no use without a nonce of ours.
      dPoP: { enabled: true, nonceSecret, requireNonce: () => true },
      revocation: {
        enabled: true,
        // RFC 7009 2.2: a token of another platform reads like an unknown one.
        allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
      },
    },
  }
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' } as const
}

interface Named {
  grantId?: string
  generateTokenId(): string
}

/** Tokens and connections have the form of our keys and ids. */
function nameTokens(provider: Provider): void {
  const texts: [unknown, OauthText][] = [
    [provider.AccessToken, 'at'],
    [provider.RefreshToken, 'rt'],
    [provider.AuthorizationCode, 'ac'],
  ]
  for (const [model, kind] of texts) {
    // The original sets the format of the token as well.
    wrapNaming(model, (token) => tokenText(kind, token.grantId ?? ''))
  }
  wrapNaming(provider.Grant, () => newId('ogr', currentCall().now))
}

function wrapNaming(model: unknown, name: (token: Named) => string): void {
  const { prototype } = model as { prototype: Named }
  const original = prototype.generateTokenId
  assert(typeof original === 'function', 'the library names its tokens by a method')
  prototype.generateTokenId = function () {
    original.call(this)
    return name(this)
  }
}

function tokenText(kind: OauthText, grantId: string): string {
  const { grants, derive } = currentCall()
  const grant = grants.get(grantId)
  assert(grant !== undefined, 'a token belongs to a locked connection')
  if (derive !== null && (kind === 'at' || kind === 'rt')) return derive(kind)
  return newOauthText(kind, grant.environment)
}
