// Nonces in proofs of possession at calls of the API, RFC 9449 9, with an independent client.
import { hash, randomUUID } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { test } from 'tap'
import { PUBLIC_URL } from '../../harness/api.ts'
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

const MINUTE_MS = 60_000
const CARDS = new URL(PUBLIC_URL + '/v1/cards')

/** A platform with a bound token, and the keys of its proofs. */
async function connect() {
  const api = await startIssuingApi()
  api.clock.nowMs = Date.now()
  const registered = await registerClient(api)
  const server: oauth.AuthorizationServer = {
    issuer: PUBLIC_URL,
    token_endpoint: PUBLIC_URL + '/oauth/token',
    authorization_response_iss_parameter_supported: true,
  }
  const client: oauth.Client = { client_id: registered.id }
  const keys = await oauth.generateKeyPair('ES256')
  const verifier = oauth.generateRandomCodeVerifier()
  const query = new URLSearchParams({
    client_id: registered.id,
    redirect_uri: RETURN_URL,
    response_type: 'code',
    scope: 'card:read',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'st',
  })
  const visitor = new Visitor(api)
  await signIn(api, visitor, await seedPerson(api.sql, api.tenant.tenantId))
  const path = await openConsent(visitor, '/oauth/authorize?' + query)
  const back = await decide(visitor, path, { decision: 'approve', tenant: api.tenant.tenantId })
  const callback = oauth.validateAuthResponse(server, client, back, 'st')
  const own = { [oauth.customFetch]: fetchFor(api), DPoP: oauth.DPoP(client, keys) }
  const exchange = async () =>
    oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        ...([server, client, oauth.None(), callback, RETURN_URL, verifier, own] as const),
      ),
    )
  const { access_token: token } = await exchange().catch(exchange)
  /** A proof maker that was told no nonce yet. */
  const newProofs = () => oauth.DPoP(client, keys)
  const call = (DPoP: oauth.DPoPHandle) =>
    oauth.protectedResourceRequest(token, 'GET', CARDS, undefined, null, {
      [oauth.customFetch]: fetchFor(api),
      DPoP,
    })
  return { api, token, keys, newProofs, call, proofs: own.DPoP }
}

/** A right proof but for its nonce. */
async function proofWith({ publicKey, privateKey }: CryptoKeyPair, token: string, nonce: unknown) {
  const claims = { htm: 'GET', htu: CARDS.href, jti: randomUUID(), nonce }
  return new SignJWT({ ...claims, ath: hash('sha256', token, 'base64url') })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey)
}

test('a proof without a nonce is refused with one, and the next proof bears it', async (t) => {
  const { newProofs, call, proofs } = await connect()
  t.equal((await call(proofs)).status, 200, 'a nonce of the token endpoint counts')
  const fresh = newProofs()
  const refused = await call(fresh).catch((error) => error)
  t.ok(refused instanceof oauth.WWWAuthenticateChallengeError)
  t.ok(oauth.isDPoPNonceError(refused))
  t.match(refused.response.headers.get('dpop-nonce'), /^[\w-]{43}$/)
  t.match(await refused.response.json(), {
    error: { code: 'invalid_proof', message: /DPoP-Nonce/ },
  })
  t.equal((await call(fresh)).status, 200)
  const told = (await call(fresh)).headers.get('dpop-nonce')
  t.equal(told, null, 'a caller with the newest nonce is told nothing')
})

test('a nonce counts for minutes; an old caller is told the next one in time', async (t) => {
  const { api, newProofs, call } = await connect()
  const proofs = newProofs()
  await t.rejects(call(proofs))
  api.clock.nowMs += MINUTE_MS
  const later = await call(proofs)
  t.equal(later.status, 200)
  t.match(later.headers.get('dpop-nonce'), /^[\w-]{43}$/, 'told before the old nonce ends')
  api.clock.nowMs += MINUTE_MS
  t.equal((await call(proofs)).status, 200)
  api.clock.nowMs += 10 * MINUTE_MS
  const ended = await call(proofs).catch((error) => error)
  t.ok(oauth.isDPoPNonceError(ended), 'the nonce is too old')
  t.equal((await call(proofs)).status, 200)
})

test('a nonce of another secret, a moment to come or another form is none of ours', async (t) => {
  const { api, token, keys, newProofs, call } = await connect()
  const proofs = newProofs()
  await t.rejects(call(proofs))
  api.clock.nowMs -= 10 * MINUTE_MS
  t.ok(oauth.isDPoPNonceError(await call(proofs).catch((error) => error)), 'made too far ahead')
  api.clock.nowMs = Date.now()
  const ask = async (nonce: unknown) => {
    const dpop = await proofWith(keys, token, nonce)
    return api.call('GET', '/v1/cards', { headers: { authorization: 'DPoP ' + token, dpop } })
  }
  for (const nonce of ['', 'x', 'A'.repeat(43), 'ä'.repeat(43), 7, null, undefined, ['x']]) {
    const { status, headers, body } = await ask(nonce)
    t.same([status, body.error.code], [401, 'invalid_proof'], String(nonce))
    t.match(headers.get('www-authenticate'), /error="use_dpop_nonce"/)
  }
  const { headers } = await ask(undefined)
  t.equal((await ask(headers.get('dpop-nonce'))).status, 200, 'only the nonce was wrong')
})
