// Many refreshes of one token at once, races with revocation, and two processes.
import { test } from 'tap'
import { Agent, request } from 'undici'
import { Credentials } from '../../../api/access/credentials/credentials.ts'
import { apiKeyHash } from '../../../shared/api-key.ts'
import { systemClock } from '../../../shared/clock.ts'
import type { TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { connect, postForm } from '../../harness/oauth.ts'

const MANY = 1000
/** By hand `SVC_TEST_REVOKES=1000 npm run test:some -- test/live/oauth/parallel.test.ts`. */
const REVOKES = Number(process.env['SVC_TEST_REVOKES'] ?? 20)
/** Each address may send 120 calls at once. */
const ADDRESSES = 20

interface Given {
  access_token?: string
  refresh_token?: string
  error?: string
}

function dispatcherOf(dispatcher: Agent | undefined) {
  return dispatcher === undefined ? {} : { dispatcher }
}

function refresh(api: TestApi, refresh_token: string) {
  return postForm(api, '/oauth/token', { grant_type: 'refresh_token', refresh_token })
}

test('6: a thousand refreshes of one token give one pair, and the connection lives', async (t) => {
  const api = await startIssuingApi()
  const { refresh_token } = await connect(api)
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token }).toString()
  const agents = Array.from({ length: ADDRESSES }, (_, index) => {
    return new Agent({ connections: 4, localAddress: '127.0.1.' + (index + 1) })
  })
  t.teardown(() => Promise.all(agents.map((agent) => agent.close())))
  const post = async (index: number) => {
    const answer = await request(api.url + '/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      ...dispatcherOf(agents[index % ADDRESSES]),
    })
    return { status: answer.statusCode, body: (await answer.body.json()) as Given }
  }
  const begun = systemClock.monotonicNs()
  const answers = await Promise.all(Array.from({ length: MANY }, (_, index) => post(index)))
  t.comment('ms: ' + Math.round((systemClock.monotonicNs() - begun) / 1e6))
  const winners = answers.filter(({ status }) => status === 200)
  const losers = answers.filter(({ status }) => status !== 200)
  t.equal(winners.length, 1)
  // The limits of calls at once may answer some of them.
  const refusals = new Set(losers.map(({ status, body }) => status + ' ' + body.error))
  refusals.delete('429 temporarily_unavailable')
  t.same([...refusals], ['400 invalid_grant'])
  const [winner] = winners
  const { access_token = '', refresh_token: next = '' } = winner?.body ?? {}
  t.equal((await api.call('GET', '/v1/cards', { key: access_token })).status, 200)
  t.equal((await refresh(api, next)).status, 200)
})

test('8: nothing lives after a revocation answered, whatever refreshes at that time', async (t) => {
  const api = await startIssuingApi()
  const outcomes = { refreshed: 0, refused: 0 }
  for (let round = 0; round < REVOKES; round++) {
    const { access_token, refresh_token } = await connect(api)
    const [refreshed, ended] = await Promise.all([
      refresh(api, refresh_token),
      postForm(api, '/oauth/revoke', { token: access_token }),
    ])
    t.equal(ended.status, 200, ended.text)
    const texts = [access_token, refreshed.body.access_token].filter((text) => text !== undefined)
    for (const key of texts) {
      const { status } = await api.call('GET', '/v1/cards', { key })
      t.equal(status, 401, 'no token lives')
    }
    outcomes[refreshed.status === 200 ? 'refreshed' : 'refused'] += 1
    if (refreshed.status === 200)
      t.equal((await refresh(api, refreshed.body.refresh_token)).status, 400)
  }
  t.equal(outcomes.refreshed + outcomes.refused, REVOKES)
  t.comment('rounds: ' + JSON.stringify(outcomes))
})

test('another process forgets a token when its connection ends', async (t) => {
  const api = await startIssuingApi()
  const { access_token } = await connect(api)
  const other = new Credentials(api.sql, systemClock)
  other.listening()
  const hash = apiKeyHash(access_token).toString('hex')
  t.equal((await other.token(hash))?.state, 'active')
  const heard = Promise.withResolvers<void>()
  const listener = await api.sql.listen('auth', (payload) => {
    other.forget(payload)
    if (payload.startsWith('grant:')) heard.resolve()
  })
  const begun = systemClock.monotonicNs()
  await postForm(api, '/oauth/revoke', { token: access_token })
  await heard.promise
  t.comment('ms from the call to the notice: ' + (systemClock.monotonicNs() - begun) / 1e6)
  t.equal((await other.token(hash))?.state, 'revoked')
  await listener.unlisten()
})
