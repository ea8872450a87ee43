// The guide of platforms that act for tenants: OAuth 2.1, and the operations of each scope.
import type { KeyScope } from '../../../../shared/api-key.ts'
import { type Html, html } from '../../../../shared/html.ts'
import { OAUTH_SCOPES } from '../../../../shared/schemas/oauth.ts'
import { permits } from '../../../http/gates/permit.ts'
import type { AnyRoute } from '../../../http/route.ts'
import type { OpenApiDocument, Operation } from '../../document.ts'
import { code, type Page, table } from '../layout.ts'

export function platformsPage(document: OpenApiDocument): Page {
  const body = html`<h1>Platforms</h1>
<p class="lead">A platform acts for an account by OAuth 2.1: authorization code with PKCE (S256), and refresh tokens that rotate. An operator registers the platform and its redirect addresses.</p>
<h2 id="flow">Connect, call, refresh, end</h2>
${code(`verifier=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=\\n')
echo "$SVC_AUTH_URL/oauth/authorize?client_id=$CLIENT_ID&redirect_uri=$REDIRECT_URI&scope=card:read&code_challenge=$challenge&state=$RANDOM"
# A person opens this address, agrees, and returns to $REDIRECT_URI?code=…&state=…&iss=…
curl "$SVC_AUTH_URL/oauth/token" -d code="$CODE" -d code_verifier="$verifier" -d client_id="$CLIENT_ID"
curl "$SVC_URL/v1/cards" -H "Authorization: Bearer $ACCESS_TOKEN"
curl "$SVC_AUTH_URL/oauth/token" -d grant_type=refresh_token -d refresh_token="$REFRESH_TOKEN"
curl "$SVC_AUTH_URL/oauth/revoke" -d token="$REFRESH_TOKEN"`)}
<p>These are the shortest forms. The complete forms of the RFCs work too: every OAuth library finds the endpoints in <code>/.well-known/oauth-authorization-server</code>, pushed requests (RFC 9126) and proofs of possession (DPoP, RFC 9449) included. A confidential client also sends its secret, as Basic or as <code>client_secret</code>.</p>
<h2 id="tokens">Tokens</h2>
<p>An access token lives 15 minutes, a refresh token 30 days from its own issue, a code one minute; all by the clock of the account. A refresh returns a new pair and ends the old refresh token. Store the new one before you use it.</p>
<p>An answer that got lost: repeat the refresh with the same <code>Idempotency-Key</code> within ten seconds, and the same pair comes again. Without a key the repeat is <code>invalid_grant</code>, and the connection stays. A refresh token that is used again later ends the connection, and the owners of the account get mail.</p>
<p>A refused token is 401 <a href="/docs/errors#token_expired"><code>token_expired</code></a> or <a href="/docs/errors#token_revoked"><code>token_revoked</code></a>. Calls that need a person answer <code>factor_required</code>, as for keys. The account lists its connections at <code>/v1/oauth_grants</code> and ends them there.</p>
<h2 id="scopes">Operations of each scope</h2>
${table(
  ['Scope', 'Operations'],
  OAUTH_SCOPES.map(
    (scope) =>
      html`<tr><th scope="row"><code>${scope}</code></th><td>${operationsOf(document, scope)}</td></tr>`,
  ),
)}`
  return { path: '/docs/platforms', title: 'Platforms', body }
}

/** The operations that a scope covers, by the rule that the server itself asks. */
function operationsOf(document: OpenApiDocument, scope: string): Html[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as { [method: string]: Operation })
      .filter(([, operation]) => covers(scope, path, operation))
      .map(([method]) => html`<code>${method.toUpperCase()} ${path}</code> `),
  )
}

function covers(granted: string, path: string, operation: Operation): boolean {
  const scope = operation['x-svc-scope']
  if (scope === undefined || operation['x-svc-alias-of'] !== undefined) return false
  return permits(
    { granted: [granted], environment: 'sandbox' },
    {
      scope: scope as KeyScope,
      family: (operation['x-svc-family'] ?? null) as AnyRoute['family'],
      method: 'GET',
      paths: [path],
    },
  )
}
