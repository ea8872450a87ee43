// The literal calls of the specification, from the first request to a refused token.
import { test } from 'tap'
import { startIssuingApi } from '../../harness/issuing.ts'
import { approvedCode, connect, postForm } from '../../harness/oauth.ts'

test('a platform connects, calls, refreshes and ends its connection', async (t) => {
  const api = await startIssuingApi()
  const { client, code, verifier } = await approvedCode(api)
  t.match(code, /^svc_ac_sandbox_[0-9A-Za-z]{49}$/)
  const form = { code, code_verifier: verifier, client_id: client.id }
  const given = await postForm(api, '/oauth/token', form)
  t.equal(given.status, 200, given.text)
  t.match(given.body, { expires_in: 900, token_type: 'Bearer', scope: 'card:read' })
  t.match(given.body.access_token, /^svc_at_sandbox_[0-9A-Za-z]{49}$/)
  t.match(given.body.refresh_token, /^svc_rt_sandbox_[0-9A-Za-z]{49}$/)
  t.equal(given.headers.get('cache-control'), 'no-store')

  const key = given.body.access_token
  const cards = await api.call('GET', '/v1/cards', { key })
  t.equal(cards.status, 200, cards.text)
  t.same(
    cards.body.data.map(({ id }: { id: string }) => id),
    [api.tenant.cardId],
  )
  const refused = await api.call('POST', '/v1/passes', { key, body: {} })
  t.match(refused.body.error, { code: 'insufficient_scope', granted_scopes: ['card:read'] })

  const { refresh_token } = given.body
  const refreshed = await postForm(api, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token,
  })
  t.equal(refreshed.status, 200, refreshed.text)
  t.not(refreshed.body.refresh_token, refresh_token)
  t.not(refreshed.body.access_token, key)
  const again = refreshed.body.access_token
  t.equal((await api.call('GET', '/v1/cards', { key: again })).status, 200)

  const ended = await postForm(api, '/oauth/revoke', { token: again })
  t.same([ended.status, ended.text], [200, ''])
  for (const token of [key, again]) {
    const after = await api.call('GET', '/v1/cards', { key: token })
    t.same([after.status, after.body.error.code], [401, 'token_revoked'])
  }
  const late = await postForm(api, '/oauth/token', {
    refresh_token: refreshed.body.refresh_token,
  })
  t.match([late.status, late.body], [400, { error: 'invalid_grant' }])
})

test('only hashes of codes and tokens are stored', async (t) => {
  const api = await startIssuingApi()
  const { access_token, refresh_token, code } = await connect(api)
  const rows = await api.sql<{ whole: string }[]>`
    select to_jsonb(t)::text as whole from oauth_tokens t
    union all select to_jsonb(s)::text from oauth_states s
    union all select to_jsonb(g)::text from oauth_grants g
    union all select to_jsonb(c)::text from oauth_clients c`
  t.ok(rows.length >= 5)
  for (const secret of [access_token, refresh_token, code])
    t.notOk(rows.some(({ whole }) => whole.includes(secret.slice(-30))))
})
