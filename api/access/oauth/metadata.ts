// Metadata of the authorization server, RFC 8414: the library's, without what belongs to OpenID
// Connect, which is not offered.
export const METADATA_PATH = '/.well-known/oauth-authorization-server'

/** The others send a page of the library, or show the code to scripts. */
export const RESPONSE_MODE = 'query'

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
  return Object.fromEntries(shown.map(([name, value]) => [name, OWN[name]?.(value) ?? value]))
}

/** The forms that are offered of what the library can do. */
const OWN: { readonly [name: string]: (values: readonly string[]) => readonly string[] } = {
  scopes_supported: ownScopes,
  response_modes_supported: () => [RESPONSE_MODE],
}

/** The library adds the scopes of OpenID Connect. */
function ownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access')
}
