import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { Refusal } from '../../../api/http/refusal.ts'
import {
  freezeForAlert,
  requireIssuable,
  unfreezeAfterReview,
} from '../../../api/issuing/cardholders/index.ts'
import { type Answer, SAMPLE, startTestApi, type TestApi } from '../../harness/api.ts'
import { seedOperator } from '../../harness/operator.ts'
import { seedCardholder } from '../../harness/tenant.ts'

const PERSON = {
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'Grace@Example.com',
  phone: '+15035550100',
  date_of_birth: '1986-12-09',
  address: {
    line1: '1 Main St',
    city: 'Portland',
    state: 'OR',
    postal_code: '97201',
    country: 'US',
  },
}

function create(api: TestApi, body: object): Promise<Answer> {
  const { programId, keys } = api.tenant
  return api.call('POST', '/v1/cardholders', {
    key: keys.write,
    body: { program_id: programId, ...body },
  })
}

function patch(api: TestApi, id: string, body: object): Promise<Answer> {
  return api.call('PATCH', '/v1/cardholders/' + id, { key: api.tenant.keys.write, body })
}

function post(api: TestApi, id: string, verb: string): Promise<Answer> {
  return api.call('POST', '/v1/cardholders/' + id + '/' + verb, { key: api.tenant.keys.write })
}

async function get(api: TestApi, id: string): Promise<Answer['body']> {
  return (await api.call('GET', '/v1/cardholders/' + id, { key: api.tenant.keys.read })).body
}

/** Types of the events about one cardholder, oldest first, and the latest one's data. */
async function eventsOf(api: TestApi, id: string): Promise<{ types: string[]; latest: unknown }> {
  const rows = await api.sql<{ type: string; body: Buffer }[]>`
    select type, body from events where resource_id = ${id} order by seq`
  const last = rows.at(-1)
  return {
    types: rows.map(({ type }) => type),
    latest: last === undefined ? null : JSON.parse(last.body.toString()).data,
  }
}

/** Issues a card to the cardholder; returns null, or the code of the refusal. */
async function issuable(api: TestApi, id: string): Promise<string | null> {
  try {
    await tx(api.sql, (sql) => requireIssuable(sql, api.tenant, id))
    return null
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.code
    throw refusal
  }
}

test('a cardholder is created with all its fields, announced, and found', async (t) => {
  const api = await startTestApi()
  const own = { external_id: 'emp-7', metadata: { team: 'navy' } }
  const made = await create(api, { ...PERSON, ...own, type: 'individual' })
  t.equal(made.status, 201)
  const { id } = made.body
  t.same(made.body, {
    id,
    object: 'cardholder',
    created: Math.floor(api.clock.nowMs / 1000),
    livemode: false,
    program_id: api.tenant.programId,
    type: 'individual',
    name: 'Grace Hopper',
    ...PERSON,
    address: { ...PERSON.address, line2: null },
    status: 'active',
    kyc: {
      status: 'pending',
      reasons: [],
      verification_id: made.body.kyc.verification_id,
      completed_at: null,
    },
    screening: {
      status: 'clear',
      screened_at: made.body.created,
      list_version: SAMPLE.current().version,
      open_alert_ids: [],
    },
    frozen: false,
    frozen_reason: null,
    frozen_by: null,
    erased_at: null,
    ...own,
  })
  t.match(made.body.kyc.verification_id, /^idv_[0-9a-z]{26}$/)
  t.same(await get(api, id), made.body)
  t.same(await eventsOf(api, id), {
    types: ['cardholder.created'],
    latest: { cardholder: made.body },
  })
  t.equal(await issuable(api, id), 'cardholder_not_approved')

  const other = (await create(api, { name: 'Only A Name' })).body
  t.match(other, { name: 'Only A Name', first_name: null, address: null })
  t.match(other, { external_id: null, metadata: {}, kyc: { status: 'not_started' } })
  const found = async (query: string) =>
    (
      await api.call('GET', '/v1/cardholders?' + query, { key: api.tenant.keys.read })
    ).body.data.map((row: { id: string }) => row.id)
  t.same(await found('email=grace@EXAMPLE.com'), [id])
  t.same(await found('external_id=emp-7'), [id])
  t.same(await found('external_id=emp'), [])
  t.same(await found('program_id=' + api.other.programId), [])
  t.same(await found('program_id=' + api.tenant.programId + '&limit=2'), [other.id, id])
  await patch(api, other.id, { status: 'inactive' })
  t.same(await found('status=inactive'), [other.id])
})

test('an invalid cardholder is refused with the name of its field, and nothing is created', async (t) => {
  const api = await startTestApi()
  const refused: [object, string, string][] = [
    [{}, 'name', 'parameter_missing'],
    [{ first_name: 'Grace' }, 'last_name', 'parameter_missing'],
    [{ last_name: 'Hopper' }, 'first_name', 'parameter_missing'],
    [{ name: '   ' }, 'name', 'parameter_invalid'],
    [{ name: 'a\tb' }, 'name', 'parameter_invalid'],
    [{ name: 'A', type: 'company' }, 'type', 'parameter_invalid'],
    [{ name: 'A', email: 'nobody' }, 'email', 'parameter_invalid'],
    [{ name: 'A', email: 'a@b' }, 'email', 'parameter_invalid'],
    [{ name: 'A', email: 'a b@c.de' }, 'email', 'parameter_invalid'],
    [{ name: 'A', phone: '5035550100' }, 'phone', 'parameter_invalid'],
    [{ name: 'A', phone: '+0123456789' }, 'phone', 'parameter_invalid'],
    [{ name: 'A', date_of_birth: '1986-02-30' }, 'date_of_birth', 'parameter_invalid'],
    [{ name: 'A', date_of_birth: '09.12.1986' }, 'date_of_birth', 'parameter_invalid'],
    [{ name: 'A', date_of_birth: '2008-11-21' }, 'date_of_birth', 'parameter_invalid'],
    [{ name: 'A', date_of_birth: '1906-11-20' }, 'date_of_birth', 'parameter_invalid'],
    [{ name: 'A', date_of_birth: '2030-01-01' }, 'date_of_birth', 'parameter_invalid'],
    [
      { name: 'A', address: { ...PERSON.address, country: 'ZZ' } },
      '/address/country',
      'parameter_invalid',
    ],
    [{ name: 'A', address: { line1: 'x', country: 'US' } }, '/address/city', 'parameter_missing'],
    [{ name: 'A', status: 'inactive' }, 'status', 'parameter_unknown'],
    [{ name: 'A', frozen: true }, 'frozen', 'parameter_unknown'],
    [{ name: 'A', kyc: { status: 'approved' } }, 'kyc', 'parameter_unknown'],
  ]
  for (const [body, param, code] of refused) {
    const answer = await create(api, body)
    t.match(answer, { status: 400, body: { error: { code, param } } }, JSON.stringify(body))
  }
  for (const date_of_birth of ['2008-11-20', '1906-11-21'])
    t.equal((await create(api, { name: 'A', date_of_birth })).status, 201, date_of_birth)
  const { body } = await api.call('GET', '/v1/cardholders', { key: api.tenant.keys.read })
  t.equal(body.data.length, 3)
})

test('a cardholder needs an active program and an unused external id of its tenant', async (t) => {
  const api = await startTestApi()
  t.match(await create(api, { name: 'A', program_id: api.other.programId }), {
    status: 404,
    body: { error: { code: 'resource_missing', param: 'program_id' } },
  })
  const { id } = (await create(api, { name: 'A', external_id: 'one' })).body
  t.match(await create(api, { name: 'B', external_id: 'one' }), {
    status: 409,
    body: { error: { code: 'already_exists', resource_id: id } },
  })
  t.equal((await create(api, { name: 'C', external_id: 'two' })).status, 201)
  t.equal((await patch(api, id, { external_id: 'two' })).body.error.code, 'already_exists')
  await api.sql`update programs set status = 'pending' where id = ${api.tenant.programId}`
  t.equal((await create(api, { name: 'D' })).body.error.code, 'program_not_active')
})

test('another tenant’s cardholder is not found, and a reader changes nothing', async (t) => {
  const api = await startTestApi()
  const { id } = (await create(api, PERSON)).body
  for (const key of [api.other.keys.write, api.live.keys.write]) {
    const path = '/v1/cardholders/' + id
    t.equal((await api.call('PATCH', path, { key, body: { name: 'X' } })).status, 404)
    t.equal((await api.call('POST', path + '/verify', { key })).status, 404)
  }
  const read = { key: api.tenant.keys.read, body: { name: 'X' } }
  t.equal((await api.call('PATCH', '/v1/cardholders/' + id, read)).status, 403)
})

test('a change merges, null removes, and only a new person is verified afresh', async (t) => {
  const api = await startTestApi()
  const { body: made } = await create(api, { ...PERSON, metadata: { a: '1', b: '2' } })
  const { id } = made
  t.equal((await patch(api, id, {})).status, 400, 'nothing is no change')
  const moved = (
    await patch(api, id, {
      email: null,
      phone: '+442071838750',
      metadata: { a: null, c: '3' },
      address: { line1: '2 High St', city: 'London', country: 'GB' },
    })
  ).body
  t.match(moved, { email: null, phone: '+442071838750', kyc: made.kyc, name: 'Grace Hopper' })
  t.same(moved.metadata, { b: '2', c: '3' })
  t.equal(moved.address.state, null)
  t.same(await get(api, id), moved)

  const renamed = (await patch(api, id, { last_name: 'Murray' })).body
  t.match(renamed, { name: 'Grace Murray', kyc: { status: 'pending' } })
  t.not(renamed.kyc.verification_id, made.kyc.verification_id)
  const stateOf = async (verificationId: string) =>
    (
      await api.sql`select state, due_at from identity_verifications where id = ${verificationId}`
    )[0]
  t.same(await stateOf(made.kyc.verification_id), { state: 'superseded', due_at: null })
  t.match(await stateOf(renamed.kyc.verification_id), { state: 'requested' })

  const unknown = (await patch(api, id, { date_of_birth: null })).body
  t.match(unknown.kyc, { status: 'not_started', verification_id: null })
  t.match(await post(api, id, 'verify'), {
    status: 400,
    body: { error: { code: 'parameter_missing', param: 'date_of_birth' } },
  })
  const complete = (await patch(api, id, { date_of_birth: PERSON.date_of_birth })).body
  t.equal(complete.kyc.status, 'pending', 'as soon as enough is known')
  t.match(await post(api, id, 'verify'), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'pending' } },
  })

  const asked = api.engine.asked.length
  t.equal((await patch(api, id, { status: 'inactive' })).body.status, 'inactive')
  t.equal(api.engine.asked.length, asked + 1, 'the engine decides by the status')
  t.same((await eventsOf(api, id)).types, ['cardholder.created'])
})

test('an operator decides instead of the provider, once; a rejected cardholder may be asked again', async (t) => {
  const api = await startTestApi()
  const key = await seedOperator(api.sql)
  const { id } = (await create(api, PERSON)).body
  const decide = (body: object) =>
    api.call('POST', '/operator/v1/cardholders/' + id + '/kyc', { key, body })
  const rejected = await decide({ decision: 'rejected', reason: 'document expired' })
  t.equal(rejected.status, 200)
  t.match(rejected.body.kyc, {
    status: 'rejected',
    reasons: ['document expired'],
    completed_at: Math.floor(api.clock.nowMs / 1000),
  })
  t.same(await eventsOf(api, id), {
    types: ['cardholder.created', 'cardholder.kyc.completed'],
    latest: { cardholder: await get(api, id) },
  })
  t.equal(await issuable(api, id), 'cardholder_not_approved')
  t.equal((await patch(api, id, { last_name: 'Murray' })).body.kyc.status, 'rejected')
  t.equal((await decide({ decision: 'approved' })).body.error.code, 'invalid_state')

  t.equal((await post(api, id, 'verify')).body.kyc.status, 'pending')
  t.match((await decide({ decision: 'approved' })).body.kyc, { status: 'approved', reasons: [] })
  t.equal(await issuable(api, id), null)
  t.equal((await post(api, id, 'verify')).status, 409)

  const { write } = api.tenant.keys
  const path = '/operator/v1/cardholders/' + id + '/kyc'
  const body = { decision: 'approved' }
  t.equal((await api.call('POST', path, { key: write, body })).status, 404, 'no tenant’s route')
})

test('a freeze is lifted by its author only, and the strongest is shown', async (t) => {
  const api = await startTestApi()
  const id = api.tenant.cardholderId
  const key = await seedOperator(api.sql)
  const operate = (verb: string) =>
    api.call('POST', '/operator/v1/cardholders/' + id + '/' + verb, { key })
  t.equal(await issuable(api, id), null)
  t.equal((await post(api, id, 'freeze')).body.frozen_by, 'tenant')
  t.equal(await issuable(api, id), 'cardholder_frozen')
  const alert = { cardholderId: id, reason: 'possible match' }
  const alerted = await tx(api.sql, (sql) => freezeForAlert(sql, api.tenant, alert))
  t.match(alerted, { frozen: true, frozen_by: 'sanctions', frozen_reason: 'possible match' })
  t.equal((await operate('freeze')).body.frozen_by, 'sanctions', 'the strongest is shown')
  t.match(await post(api, id, 'unfreeze'), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'frozen_by_sanctions' } },
  })
  t.equal((await operate('unfreeze')).status, 409)

  const reviewed = await tx(api.sql, (sql) => unfreezeAfterReview(sql, api.tenant, alert))
  t.match(reviewed, { frozen: true, frozen_by: 'operator', frozen_reason: null })
  await t.rejects(
    tx(api.sql, (sql) => unfreezeAfterReview(sql, api.tenant, alert)),
    { code: 'invalid_state' },
  )
  t.equal((await post(api, id, 'unfreeze')).status, 409)
  t.equal((await operate('unfreeze')).body.frozen_by, 'tenant')
  t.match((await post(api, id, 'unfreeze')).body, { frozen: false, frozen_by: null })
  await patch(api, id, { status: 'inactive' })
  t.equal(await issuable(api, id), 'invalid_state')
})

test('no personal data reaches a config record or its history', async (t) => {
  const api = await startTestApi()
  const { id } = (await create(api, PERSON)).body
  const [before] = await api.sql`select version from cardholders where id = ${id}`
  await patch(api, id, { first_name: 'Amazing', email: 'new@example.com' })
  const [after] = await api.sql`select version from cardholders where id = ${id}`
  t.same(after, before, 'nothing the engine decides by')
  const [kept] = await api.sql`
    select string_agg(body::text, '') as text from config_history where id = ${id}`
  t.match(kept?.['text'], id)
  t.notMatch(kept?.['text'], /Grace|Hopper|Amazing|example|1986|Main St|\+1503/i)
})

test('a freeze stays with its first reason, and lifting it may be repeated', async (t) => {
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
