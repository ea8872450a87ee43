import { test } from 'tap'
import { purgeAuthentications } from '../../../api/issuing/jobs.ts'
import { startTestApi } from '../../harness/api.ts'
import { runJob } from '../../harness/jobs.ts'

test('a 3DS result is recorded once, and another one for the same transaction is refused', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const post = (body: object) => api.call('POST', '/v1/authentications', { key: keys.write, body })
  const result = { three_ds_transaction_id: 'ds-1', card_id: cardId, result: 'authenticated' }
  const made = await post(result)
  t.equal(made.status, 201)
  t.match(made.body, {
    id: 'ds-1',
    object: 'authentication',
    card_id: cardId,
    result: 'authenticated',
  })
  t.equal(made.body.expires_at - made.body.created, 900)
  t.same((await post(result)).body, made.body)
  t.equal((await post({ ...result, result: 'failed' })).status, 409)
  t.same((await api.call('GET', '/v1/authentications/ds-1', { key: keys.read })).body, made.body)
  t.equal(api.engine.asked.length, 2)
})

test('a 3DS result of an unknown card, or with a contradiction, is refused by field', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const refusal = async (change: object) => {
    const body = { three_ds_transaction_id: 'ds-2', card_id: cardId, result: 'failed', ...change }
    const answer = await api.call('POST', '/v1/authentications', { key: keys.write, body })
    return [answer.status, answer.body.error.code, answer.body.error.param]
  }
  t.same(await refusal({ card_id: 'card_nobody' }), [404, 'resource_missing', 'card_id'])
  t.same(await refusal({ result: 'maybe' }), [400, 'parameter_invalid', 'result'])
  t.same(await refusal({ valid_seconds: 0 }), [400, 'parameter_invalid', 'valid_seconds'])
})

test('a recorded 3DS result does not block another owner’s result of the same id', async (t) => {
  const api = await startTestApi()
  for (const { cardId, keys } of [api.tenant, api.other, api.live]) {
    const made = await api.call('POST', '/v1/authentications', {
      key: keys.write,
      body: { three_ds_transaction_id: 'ds-shared', card_id: cardId, result: 'authenticated' },
    })
    t.equal(made.status, 201, made.text)
    const read = await api.call('GET', '/v1/authentications/ds-shared', { key: keys.read })
    t.same(read.body, made.body)
  }
  const rows = await api.sql`
    select id from authentications where three_ds_id = 'ds-shared' order by id`
  const cards = [api.tenant, api.other, api.live].map(({ cardId }) => cardId + ':ds-shared')
  t.same(
    rows.map(({ id }) => id),
    cards.sort(),
    'the engine knows them by their cards',
  )
})

test('a 3DS result is kept for 120 days after its life, by the tenant’s clock', async (t) => {
  const api = await startTestApi()
  const { cardId, keys } = api.tenant
  const body = { three_ds_transaction_id: 'ds-9', card_id: cardId, result: 'authenticated' }
  const made = await api.call('POST', '/v1/authentications', { key: keys.write, body })
  const read = () => api.call('GET', '/v1/authentications/ds-9', { key: keys.read })
  const [stored] = await api.sql<{ at: number }[]>`
    select expires_at as at from authentications where three_ds_id = 'ds-9'`
  const last = (stored?.at ?? 0) + 120 * 86_400_000
  t.equal(Math.floor((stored?.at ?? 0) / 1000), made.body.expires_at)
  await runJob(purgeAuthentications, { sql: api.sql, now: last })
  t.equal((await read()).status, 200)
  t.ok((await runJob(purgeAuthentications, { sql: api.sql, now: last + 1 })) > 0)
  t.equal((await read()).status, 404)
  const [change] = await api.sql<{ removed: boolean }[]>`
    select removed from config_change where type = 'authentication' order by version desc limit 1`
  t.equal(change?.removed, true, 'the engine is told')
})
