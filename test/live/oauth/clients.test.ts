// Two independent clients of OAuth against the server: the complete forms of the RFCs.
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { test } from 'tap'
import { PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import {
  decide,
  fetchFor,
  openConsent,
  RETURN_URL,
  registerClient,
  signIn,
  Visitor,
} from '../../harness/oauth.ts'
import { seedPerson } from '../../harness/person.ts'

/** A signed-in owner agrees at the page that the address leads to. */
async function agree(api: TestApi, address: URL): Promise<URL> {
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const visitor = new Visitor(api)
  await signIn(api, visitor, person)
  const path = await openConsent(visitor, address.pathname + address.search)
  return decide(visitor, path, { decision: 'approve', tenant: api.tenant.tenantId })
}

test('oauth4webapi: metadata, pushed request, bound tokens, refresh, revocation', async (t) => {
  const api = await startIssuingApi()
  api.clock.nowMs = Date.now()
  const registered = await registerClient(api, { kind: 'confidential' })
  const own = { [oauth.customFetch]: fetchFor(api) }
  const issuer = new URL(PUBLIC_URL)
  const found = await oauth.discoveryRequest(issuer, { ...own, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  t.same(server, {
    issuer: PUBLIC_URL,
    authorization_endpoint: PUBLIC_URL + '/oauth/authorize',
    token_endpoint: PUBLIC_URL + '/oauth/token',
    revocation_endpoint: PUBLIC_URL + '/oauth/revoke',
    pushed_authorization_request_endpoint: PUBLIC_URL + '/oauth/par',
    scopes_supported: [
      'read',
      'write',
      'admin',
      'pass:read',
      'pass:write',
      'card:read',
      'card:write',
      'settlement:read',
      'settlement:write',
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    dpop_signing_alg_values_supported: server.dpop_signing_alg_values_supported,
  })
  const client: oauth.Client = { client_id: registered.id }
  const secret = oauth.ClientSecretBasic(registered.secret ?? '')
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
  const verifier = oauth.generateRandomCodeVerifier()
  const parameters = {
    redirect_uri: RETURN_URL,
    response_type: 'code',
    scope: 'card:read',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'st-2',
  }
  const push = async () =>
    oauth.processPushedAuthorizationResponse(
      server,
      client,
      await oauth.pushedAuthorizationRequest(server, client, secret, parameters, { ...own, DPoP }),
    )
  const pushed = await push().catch((error) => {
    t.ok(oauth.isDPoPNonceError(error), 'the first proof had no nonce of ours')
    return push()
  })
  t.equal(pushed.expires_in, 60)
  const address = new URL(server.authorization_endpoint ?? '')
  address.searchParams.set('client_id', client.client_id)
  address.searchParams.set('request_uri', pushed.request_uri)
  const back = await agree(api, address)
  const replayed = await new Visitor(api).go(address.pathname + address.search)
  t.match(replayed.headers.get('location'), /error=invalid_request_uri/, 'it counts once')
  const callback = oauth.validateAuthResponse(server, client, back, 'st-2')
  const exchange = () =>
    oauth.authorizationCodeGrantRequest(server, client, secret, callback, RETURN_URL, verifier, {
      ...own,
      DPoP,
    })
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange())
  t.equal(tokens.token_type, 'dpop')

  const cards = new URL(PUBLIC_URL + '/v1/cards')
  const call = (text: string) =>
    oauth.protectedResourceRequest(text, 'GET', cards, undefined, null, { ...own, DPoP })
  t.equal((await call(tokens.access_token)).status, 200, 'the nonce of the token call counts here')
  const bare = await api.call('GET', '/v1/cards', { key: tokens.access_token })
  t.same([bare.status, bare.body.error.code], [401, 'invalid_proof'], 'refused as Bearer')
  let proof = ''
  await oauth.protectedResourceRequest(tokens.access_token, 'GET', cards, undefined, null, {
    DPoP,
    [oauth.customFetch]: (url: string, init: { headers: { [name: string]: string } }) => {
      proof = init.headers['dpop'] ?? ''
      return fetchFor(api)(url, init)
    },
  })
  const headers = { authorization: 'DPoP ' + tokens.access_token, dpop: proof }
  const again = await api.call('GET', '/v1/cards', { headers })
  t.same([again.status, again.body.error.code], [401, 'invalid_proof'], 'a proof counts once')
  const elsewhere = await api.call('GET', '/v1/passes', { headers })
  t.equal(elsewhere.status, 401, 'a proof belongs to its call')

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, secret, tokens.refresh_token ?? '', {
      ...own,
      DPoP,
    }),
  )
  t.equal((await call(refreshed.access_token)).status, 200)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, secret, refreshed.refresh_token ?? '', own),
  )
  const ended = await call(refreshed.access_token).catch((error) => error)
  t.equal(ended.status, 401)
})

test('openid-client: connects and refreshes as a public client', async (t) => {
  const api = await startIssuingApi()
  // The library takes the address without its query.
  const redirect_uri = 'https://platform.example/return'
  const registered = await registerClient(api, { redirect_uris: [redirect_uri] })
  const config = await openid.discovery(
    new URL(PUBLIC_URL),
    registered.id,
    undefined,
    openid.None(),
    {
      algorithm: 'oauth2',
      [openid.customFetch]: fetchFor(api),
    },
  )
  const verifier = openid.randomPKCECodeVerifier()
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'card:read',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'st-3',
  })
  const back = await agree(api, address)
  const checks = { pkceCodeVerifier: verifier, expectedState: 'st-3' }
  const tokens = await openid.authorizationCodeGrant(config, back, checks)
  t.match(tokens, { expires_in: 900, scope: 'card:read', token_type: 'bearer' })
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
  t.equal((await api.call('GET', '/v1/cards', { key: refreshed.access_token })).status, 200)
  await openid.tokenRevocation(config, refreshed.access_token)
  const late = openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')
  t.equal((await late.catch((error) => error)).error, 'invalid_grant')
})
