// Metadata of the authorization server, RFC 8414: the library's, without what belongs to OpenID
// Connect, which is not offered.
export const METADATA_PATH = '/.well-known/oauth-authorization-server'

const SHOWN = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'pushed_authorization_request_endpoint',
  'scopes_supported',
  'response_types_supported',
  'response_modes_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'dpop_signing_alg_values_supported',
]

export function publicMetadata(metadata: object): object {
  const shown = Object.entries(metadata).filter(([name]) => SHOWN.includes(name))
  return Object.fromEntries(
    shown.map(([name, value]) => [name, name === 'scopes_supported' ? ownScopes(value) : value]),
  )
}

/** The library adds the scopes of OpenID Connect. */
function ownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access')
}
