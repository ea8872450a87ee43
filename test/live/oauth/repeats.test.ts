// A refresh that is sent again under its Idempotency-Key: a client with a secret, and one whose
// token is bound to a key, prove themselves first, and then get the same pair.
import * as oauth from 'oauth4webapi'
import { test } from 'tap'
import { PUBLIC_URL } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import {
  approvedCode,
  basic,
  connect,
  fetchFor,
  postForm,
  RETURN_URL,
  registerClient,
} from '../../harness/oauth.ts'

const KEY = { 'idempotency-key': 'again-1' }

test('a confidential client proves itself before a repeat gets the same tokens', async (t) => {
  const api = await startIssuingApi()
  const client = await registerClient(api, { kind: 'confidential' })
  const { refresh_token } = await connect(api, { client })
  const form = { grant_type: 'refresh_token', refresh_token, client_id: client.id }
  const send = (headers: { [name: string]: string }) =>
    postForm(api, '/oauth/token', form, { ...KEY, ...headers })
  const first = await send(basic(client))
  t.equal(first.status, 200, first.text)
  t.match(await send({}), { status: 401, body: { error: 'invalid_client' } })
  const wrong = await send(basic({ ...client, secret: 'wrong' }))
  t.match(wrong, { status: 401, body: { error: 'invalid_client' } })
  const again = await send(basic(client))
  t.same([again.status, again.body], [200, first.body])
  const next = { ...form, refresh_token: again.body.refresh_token }
  t.equal((await postForm(api, '/oauth/token', next, basic(client))).status, 200)
})

test('a client with a bound token proves its key before a repeat gets the same tokens', async (t) => {
  const api = await startIssuingApi()
  api.clock.nowMs = Date.now()
  const { client: registered, code, verifier } = await approvedCode(api)
  const server: oauth.AuthorizationServer = {
    issuer: PUBLIC_URL,
    token_endpoint: PUBLIC_URL + '/oauth/token',
  }
  const client: oauth.Client = { client_id: registered.id }
  const [keys, others] = [
    await oauth.generateKeyPair('ES256'),
    await oauth.generateKeyPair('ES256'),
  ]
  const proofs = oauth.DPoP(client, keys)
  const ask = async (parameters: { [name: string]: string }, DPoP: oauth.DPoPHandle) => {
    const send = async () => {
      const grant = parameters['grant_type'] ?? ''
      const answer = await oauth.genericTokenEndpointRequest(
        ...([server, client, oauth.None(), grant, new URLSearchParams(parameters)] as const),
        { [oauth.customFetch]: fetchFor(api), DPoP, headers: KEY },
      )
      return { status: answer.status, body: await answer.json() }
    }
    const answer = await send()
    // The first proof is told the nonce of the server.
    return answer.body.error === 'use_dpop_nonce' ? send() : answer
  }
  const grant = { grant_type: 'authorization_code', code, code_verifier: verifier }
  const given = await ask({ ...grant, redirect_uri: RETURN_URL }, proofs)
  t.match(given, { status: 200, body: { token_type: 'DPoP' } }, JSON.stringify(given.body))
  const refresh = { grant_type: 'refresh_token', refresh_token: given.body.refresh_token }
  const first = await ask(refresh, proofs)
  t.equal(first.status, 200, JSON.stringify(first.body))
  const stolen = await ask(refresh, oauth.DPoP(client, others))
  t.equal(stolen.status, 400, 'another key')
  t.notMatch(stolen.body, { access_token: /./ })
  const again = await ask(refresh, proofs)
  t.same([again.status, again.body], [200, first.body])
})
