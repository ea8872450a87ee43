import { test } from 'tap'
import { startTestApi } from '../harness/api.ts'
import { seedCardholder } from '../harness/tenant.ts'

test('a freeze holds, keeps its first reason, and lifting it may be repeated', async (t) => {
  const api = await startTestApi()
  const { cardholderId, keys } = api.tenant
  const path = '/v1/cardholders/' + cardholderId
  const post = (verb: string, body?: object) =>
    api.call('POST', path + '/' + verb, { key: keys.write, ...(body ? { body } : {}) })
  const get = async () => (await api.call('GET', path, { key: keys.read })).body

  t.match(await get(), { object: 'cardholder', status: 'active', frozen: false, name: 'Ada' })
  const early = await post('unfreeze')
  t.same([early.status, early.body], [200, await get()], 'nothing to lift')

  const frozen = await post('freeze', { reason: 'review' })
  t.equal(frozen.status, 200)
  t.match(frozen.body, { frozen: true, frozen_reason: 'review', status: 'active' })
  t.same((await post('freeze', { reason: 'other' })).body, frozen.body)
  t.same(await get(), frozen.body)

  const lifted = await post('unfreeze')
  t.equal(lifted.body.frozen, false)
  t.equal(lifted.body.frozen_reason, null)
  t.same((await post('unfreeze')).body, lifted.body)
  t.equal(api.engine.asked.length, 5, 'each call that was answered 200 waited for the engine')
})

test('an inactive cardholder who was frozen is inactive again', async (t) => {
  const api = await startTestApi()
  const { cardholderId, keys } = api.tenant
  await api.sql`update cardholders set status = 'inactive' where id = ${cardholderId}`
  const path = '/v1/cardholders/' + cardholderId
  await api.call('POST', path + '/freeze', { key: keys.write })
  t.match((await api.call('POST', path + '/unfreeze', { key: keys.write })).body, {
    status: 'inactive',
    frozen: false,
  })
})

test('the list holds the tenant’s own cardholders, newest first', async (t) => {
  const api = await startTestApi()
  const newer = await seedCardholder(api.sql, api.tenant)
  const { body } = await api.call('GET', '/v1/cardholders', { key: api.tenant.keys.read })
  t.same(
    body.data.map(({ id }: { id: string }) => id),
    [newer, api.tenant.cardholderId],
  )
})

test('a freeze the engine does not confirm is 503, and reads go on', async (t) => {
  const api = await startTestApi()
  api.engine.covers = false
  const { cardholderId, keys } = api.tenant
  const answer = await api.call('POST', '/v1/cardholders/' + cardholderId + '/freeze', {
    key: keys.write,
  })
  t.same([answer.status, answer.body.error.code], [503, 'dependency_unavailable'])
  t.equal((await api.call('GET', '/v1/cardholders', { key: keys.read })).status, 200)
})
