import { test } from 'tap'
import { purgeErasedIdentities } from '../../../api/issuing/cardholders/index.ts'
import { purgeUnmatched } from '../../../api/issuing/transactions/index.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedOperator } from '../../harness/operator.ts'
import { until } from '../../harness/until.ts'

const DAY_MS = 86_400_000
const KEPT_MS = 1826 * DAY_MS
const ADDRESS = { line1: '1 Main St', city: 'Portland', postal_code: '97201', country: 'US' }
const PERSON = {
  first_name: 'Augusta',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  phone: '+15035550100',
  date_of_birth: '1985-12-10',
  address: ADDRESS,
  external_id: 'crew-7',
  metadata: { title: 'Countess' },
}
/** Each is part of what the tenant told of the person. */
const TOLD = /augusta|lovelace|5035550100|1985-12-10|main st|crew-7|countess/i

function post(api: TestApi, path: string, body?: object): Promise<Answer> {
  return api.call('POST', path, { key: api.tenant.keys.admin, ...(body && { body }) })
}

function get(api: TestApi, path: string): Promise<Answer> {
  return api.call('GET', path, { key: api.tenant.keys.read })
}

/** Creates Ada; returns her id. */
async function makeAda(api: TestApi): Promise<string> {
  const { programId } = api.tenant
  const made = await post(api, '/v1/cardholders', { program_id: programId, ...PERSON })
  return made.body.id
}

/** Issues a card in her name, with her address and the tenant's own data about her. */
async function makeCard(api: TestApi, id: string): Promise<string> {
  await api.sql`
    update cardholders set identity = identity || '{"status": "approved"}' where id = ${id}`
  const made = await post(api, '/v1/cards', {
    cardholder_id: id,
    type: 'physical',
    name_on_card: 'AUGUSTA LOVELACE',
    shipping: { name: 'Augusta Lovelace', ...ADDRESS },
    metadata: { nick: 'Countess' },
    external_id: 'crew-7-card',
  })
  return made.body.id
}

/** Texts of tables and events that still tell of the person. */
async function found(api: TestApi): Promise<string[]> {
  const rows = await api.sql<{ row: string }[]>`
    select 'cardholders ' || to_jsonb(t)::text as row from cardholders t
    union all select 'cards ' || to_jsonb(t)::text from cards t
    union all select 'passes ' || to_jsonb(t)::text from passes t
    union all select 'audit ' || to_jsonb(t)::text from audit_log t
    union all select 'erasures ' || to_jsonb(t)::text from cardholder_erasures t
    union all select 'config ' || to_jsonb(t)::text from config_history t
    union all select 'attempts ' || body from delivery_attempts
    union all select 'event ' || convert_from(body, 'utf8') from events where get_byte(body, 0) > 31`
  return rows.map(({ row }) => row).filter((row) => TOLD.test(row))
}

test('an erased person is in no resource, no event and no later webhook', async (t) => {
  const api = await startIssuingApi()
  const endpoint = await post(api, '/v1/webhook_endpoints', { url: 'https://tenant.example/hook' })
  const sent: { cause: string; body: string }[] = []
  await startDispatch(api.sql, {
    async send({ cause, body }) {
      sent.push({ cause, body: body.toString() })
      return { body: 'thank you, Augusta' }
    },
  })
  const id = await makeAda(api)
  const cardId = await makeCard(api, id)
  await until(() => sent.some(({ body }) => body.includes('AUGUSTA LOVELACE')))
  const events = (await get(api, '/v1/events?limit=100')).body.data as { id: string }[]

  t.match(await post(api, '/v1/cardholders/' + id + '/erase'), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'in_use', resource_id: cardId } },
  })
  await post(api, '/v1/cards/' + cardId + '/terminate')
  const terminated = () => sent.filter(({ body }) => body.includes('"card.terminated"')).length
  await until(() => terminated() > 0)
  const attempts = async () => (await api.sql`select 1 from delivery_attempts`).length
  await until(async () => (await attempts()) === sent.length)
  t.ok((await found(api)).length > 5, 'the search finds her before')

  const erased = await post(api, '/v1/cardholders/' + id + '/erase')
  t.equal(erased.status, 200)
  t.match(erased.body, {
    ...{ id, name: 'Erased', first_name: null, last_name: null, email: null, phone: null },
    ...{ date_of_birth: null, address: null, external_id: null, metadata: {} },
    ...{ status: 'inactive', erased_at: Math.floor(api.clock.nowMs / 1000) },
  })
  t.same(await found(api), [])
  t.same((await get(api, '/v1/cardholders/' + id)).body, erased.body)
  t.same((await get(api, '/v1/cardholders?email=ada@example.com')).body.data, [])
  const card = (await get(api, '/v1/cards/' + cardId)).body
  t.match(card, { name_on_card: null, metadata: {}, external_id: null, status: 'terminated' })
  t.match(card.shipping, { name: null, line1: null, city: null, status: 'pending' })
  const after = (await get(api, '/v1/events?limit=100')).body.data as { id: string }[]
  const ids = new Set(after.map((event) => event.id))
  t.ok(
    events.every((event) => ids.has(event.id)),
    'no event is lost',
  )

  sent.length = 0
  for (const event of events)
    await post(api, '/v1/webhook_endpoints/' + endpoint.body.id + '/replay', { event_id: event.id })
  await until(() => sent.length === events.length)
  t.ok(sent.every(({ cause }) => cause === 'replay'))
  t.same(
    sent.filter(({ body }) => TOLD.test(body)),
    [],
  )
  t.match(sent.map(({ body }) => body).join('\n'), /"name":"Erased"/)
})

test('nothing changes an erased person, and to erase again changes nothing', async (t) => {
  const api = await startIssuingApi()
  const id = await makeAda(api)
  const path = '/v1/cardholders/' + id
  const erased = await post(api, path + '/erase')
  t.equal(erased.status, 200)
  api.clock.nowMs += DAY_MS
  t.same((await post(api, path + '/erase')).body, erased.body)
  const refused = {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'erased' } },
  }
  const key = api.tenant.keys.write
  t.match(await api.call('PATCH', path, { key, body: { name: 'Ada Again' } }), refused)
  t.match(await api.call('PATCH', path, { key, body: { metadata: { title: 'x' } } }), refused)
  t.match(await post(api, path + '/verify'), refused)
  t.match(await post(api, path + '/freeze', { reason: 'Ada' }), refused)
  t.equal((await post(api, '/v1/cards', { cardholder_id: id, type: 'virtual' })).status, 409)
  const other = await makeAda(api)
  t.not(other, id, 'her external id is free for somebody else')
  const [audit] = await api.sql<{ action: string }[]>`
    select action from audit_log where resource_id = ${id} order by seq offset 1 limit 1`
  t.match(audit?.action, /erase/)
})

test('a person whom the lists name is not erased', async (t) => {
  const api = await startIssuingApi()
  const id = await makeAda(api)
  for (const status of ['alert', 'confirmed']) {
    await api.sql`
      update cardholders set screening = screening || jsonb_build_object('status', ${status}::text)
      where id = ${id}`
    t.match(await post(api, '/v1/cardholders/' + id + '/erase'), {
      status: 409,
      body: { error: { code: 'invalid_state', current_status: 'screening_' + status } },
    })
  }
})

test('the identity of a customer stays sealed for its time, and then it is gone', async (t) => {
  const api = await startIssuingApi()
  const key = await seedOperator(api.sql)
  const disclose = (id: string) =>
    api.call('POST', '/operator/v1/cardholders/' + id + '/disclose_identity', { key })
  const { programId } = api.tenant
  const named = await post(api, '/v1/cardholders', {
    program_id: programId,
    name: 'Augusta Lovelace',
  })
  const stranger = named.body.id as string
  t.equal((await disclose(stranger)).status, 404, 'nobody is disclosed before an erasure')
  await post(api, '/v1/cardholders/' + stranger + '/erase')
  t.equal((await disclose(stranger)).status, 404, 'somebody who was no customer leaves nothing')

  const customer = await makeAda(api)
  await post(api, '/v1/cards/' + (await makeCard(api, customer)) + '/terminate')
  await post(api, '/v1/cardholders/' + customer + '/erase')
  const [kept] = await api.sql<{ at: number }[]>`
    select erased_at as at from cardholder_erasures where id = ${customer}`
  const erasedAtMs = kept?.at ?? 0
  t.match(await disclose(customer), {
    status: 200,
    body: {
      id: customer,
      object: 'kept_identity',
      name: 'Augusta Lovelace',
      date_of_birth: '1985-12-10',
    },
  })
  const job = purgeErasedIdentities(KEPT_MS)
  t.equal(await runJob(job, { sql: api.sql, now: erasedAtMs + KEPT_MS - 1 }), 0)
  t.equal((await disclose(customer)).status, 200)
  // Tests of a file share their database: others were erased at that moment too.
  t.ok((await runJob(job, { sql: api.sql, now: erasedAtMs + KEPT_MS })) >= 1)
  t.equal((await disclose(customer)).status, 404)
  t.match((await get(api, '/v1/cardholders/' + customer)).body, { name: 'Erased' })
})

test('messages about unknown cards end after their time', async (t) => {
  const { sql } = await startIssuingApi()
  for (const at of [1000, 2000])
    await sql`
      insert into unmatched_messages (network, message_id, environment, created_at, journal_seq, entry)
      values ('net', ${'m' + at}, 'sandbox', ${at}, 1, '')`
  const job = purgeUnmatched(30 * DAY_MS)
  t.equal(await runJob(job, { sql, now: 30 * DAY_MS + 999 }), 0)
  t.equal(await runJob(job, { sql, now: 30 * DAY_MS + 1000 }), 1)
  t.same(await sql`select message_id from unmatched_messages`, [{ message_id: 'm2000' }])
})
