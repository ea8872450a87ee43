import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import {
  concludeKyc,
  purgeErasedIdentities,
  simulateHit,
} from '../../../api/issuing/cardholders/index.ts'
import { purgeUnmatched } from '../../../api/issuing/transactions/index.ts'
import { newId } from '../../../shared/id.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedOperator } from '../../harness/operator.ts'
import { issuePass } from '../../harness/passes.ts'
import { seedPaymentAccount } from '../../harness/tenant.ts'
import { tablesOf, tracesOf } from '../../harness/traces.ts'
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
const TOLD =
  /augusta|lovelace|ada@example|5035550100|1985-12-10|main st|portland|97201|crew-7|countess/i
const OWN = { external_id: 'crew-7-own', metadata: { nick: 'Countess' } }
const REASON = { reason: 'The Countess asked' }

function post(api: TestApi, path: string, body?: object): Promise<Answer> {
  return api.call('POST', path, { key: api.tenant.keys.admin, ...(body && { body }) })
}

/** The answer of a call that has to succeed. */
async function done(api: TestApi, path: string, body?: object): Promise<Answer['body']> {
  const answer = await post(api, path, body)
  if (answer.status >= 300) throw new Error(path + ': ' + answer.text)
  return answer.body
}

function get(api: TestApi, path: string): Promise<Answer> {
  return api.call('GET', path, { key: api.tenant.keys.read })
}

/** Creates Ada; returns her id. */
async function makeAda(api: TestApi): Promise<string> {
  const { programId } = api.tenant
  return (await done(api, '/v1/cardholders', { program_id: programId, ...PERSON })).id
}

/** Issues a card in her name, with her address and the tenant fields about her. */
async function makeCard(api: TestApi, id: string): Promise<string> {
  await api.sql`
    update cardholders set identity = identity || '{"status": "approved"}' where id = ${id}`
  const made = await done(api, '/v1/cards', {
    cardholder_id: id,
    type: 'physical',
    name_on_card: 'AUGUSTA LOVELACE',
    shipping: { name: 'Augusta Lovelace', ...ADDRESS },
    ...OWN,
  })
  return made.id
}

/** A verification that asked for more, a dismissed alert and a freeze that was lifted. */
async function liveThrough(api: TestApi, id: string): Promise<void> {
  const { tenantId, environment } = api.tenant
  const owner = { tenantId, environment }
  const now = api.clock.nowMs
  await api.sql`
    update cardholders set identity = identity || '{"status": "pending"}' where id = ${id}`
  const reasons = ['A passport of Augusta Lovelace is missing']
  await tx(api.sql, (sql) =>
    concludeKyc(sql, owner, { cardholderId: id, result: 'requires_action', reasons, now }),
  )
  const alertId = newId('alert', now)
  await tx(api.sql, (sql) => simulateHit(sql, owner, { cardholderId: id, alertId, now }))
  const reviewed = await api.call('POST', '/operator/v1/sanctions_alerts/' + alertId + '/review', {
    key: await seedOperator(api.sql),
    body: { decision: 'dismiss', note: 'Another person than the Countess' },
  })
  if (reviewed.status !== 200) throw new Error(reviewed.text)
  await done(api, '/v1/cardholders/' + id + '/freeze', REASON)
  await done(api, '/v1/cardholders/' + id + '/unfreeze')
}

/** Passes, a wallet token, a control, a dispute and suspensions of a card. */
async function useCard(api: TestApi, id: string, cardId: string): Promise<void> {
  const { tenantId, environment, keys } = api.tenant
  const values = { points: 'Countess' }
  const shown = { card_id: cardId, holder_name: 'Augusta Lovelace', values }
  const pass = await issuePass(api, { ...shown, ...OWN })
  const path = '/v1/passes/' + pass.id
  await api.call('PATCH', path, { key: keys.write, body: { values: { points: 'Lady Lovelace' } } })
  await done(api, path + '/revoke', REASON)
  await issuePass(api, shown)
  await done(api, '/v1/wallet_tokens', { card_id: cardId, provider: 'apple', ...OWN })
  const control = { scope: 'card', subject_id: cardId, allowed_countries: ['US'], ...OWN }
  await done(api, '/v1/spending_controls', control)
  await done(api, '/v1/spending_controls', {
    ...{ ...control, scope: 'cardholder', subject_id: id, external_id: 'crew-7-person' },
  })
  await done(api, '/v1/cards/' + cardId + '/activate', await digitsOf(api, cardId))
  await done(api, '/v1/cards/' + cardId + '/suspend', REASON)
  await done(api, '/v1/cards/' + cardId + '/resume')
  const transaction_id = newId('ctx', api.clock.nowMs)
  await api.sql`
    insert into card_transactions (id, tenant_id, environment, seq, card_id, cardholder_id, network,
      status, amount_cents, approved_cents, currency, created_at, sums)
    values (${transaction_id}, ${tenantId}, ${environment}, 1, ${cardId}, ${id}, 'net', 'captured',
      500, 500, 'USD', ${api.clock.nowMs}, '{"authorized": 500, "captured": 500}')`
  await done(api, '/v1/disputes', { transaction_id, reason: 'fraudulent', ...OWN })
}

async function digitsOf(api: TestApi, cardId: string): Promise<{ last4: string }> {
  const { last4 } = (await get(api, '/v1/cards/' + cardId)).body
  return { last4 }
}

/** A closed account, with a reason from before. */
async function makeAccount(api: TestApi, cardholderId: string): Promise<void> {
  const id = await seedPaymentAccount(api.sql, { ...api.tenant, cardholderId })
  await api.sql`
    update payment_accounts set status = 'closed', suspend_reason = ${REASON.reason},
      external_id = ${OWN.external_id}, metadata = ${JSON.stringify(OWN.metadata)}::text::jsonb
    where id = ${id}`
}

/** An earlier release kept reasons with the versions of config records. */
async function keepReasons(api: TestApi, ids: readonly string[]): Promise<void> {
  await api.sql`
    update config_history set body = body || '{"frozen_reason": "A Countess", "suspend_reason": "A Countess"}'
    where type in ('cardholder', 'card') and id = any(${[...ids]}::text[])`
}

test('an erased person is in no table, no event and no later webhook', async (t) => {
  const api = await startIssuingApi()
  const endpoint = await done(api, '/v1/webhook_endpoints', { url: 'https://tenant.example/hook' })
  const sent: { cause: string; body: string }[] = []
  await startDispatch(api.sql, {
    async send({ cause, body }) {
      const text = body.toString()
      sent.push({ cause, body: text })
      return { body: 'thank you, ' + (TOLD.exec(text)?.[0] ?? 'whoever you are') }
    },
  })
  const id = await makeAda(api)
  await liveThrough(api, id)
  const cardId = await makeCard(api, id)
  await useCard(api, id, cardId)
  await makeAccount(api, id)
  const [history] = await api.sql<{ text: string }[]>`
    select string_agg(body::text, '') as text from config_history`
  t.notMatch(history?.text, TOLD, 'no version keeps a reason')
  await keepReasons(api, [id, cardId])

  t.match(await post(api, '/v1/cardholders/' + id + '/erase'), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'in_use', resource_id: cardId } },
  })
  await done(api, '/v1/cards/' + cardId + '/terminate', REASON)
  const events = (await get(api, '/v1/events?limit=100')).body.data as { id: string }[]
  const attempts = async () => (await api.sql`select 1 from delivery_attempts`).length
  await until(async () => (await attempts()) === events.length)
  t.same(
    tablesOf(await tracesOf(api.sql, TOLD)),
    [
      ...['cardholders', 'cards', 'config_history', 'delivery_attempts', 'disputes', 'events'],
      ...['passes', 'payment_accounts', 'sanctions_alerts', 'spending_controls', 'wallet_tokens'],
    ],
    'the search finds her before',
  )

  const erased = await post(api, '/v1/cardholders/' + id + '/erase')
  t.equal(erased.status, 200)
  t.match(erased.body, {
    ...{ id, name: 'Erased', first_name: null, last_name: null, email: null, phone: null },
    ...{ date_of_birth: null, address: null, external_id: null, metadata: {} },
    ...{ status: 'inactive', erased_at: Math.floor(api.clock.nowMs / 1000) },
  })
  t.same(await tracesOf(api.sql, TOLD), [])
  t.same(await api.sql`select person, note from sanctions_alerts where cardholder_id = ${id}`, [
    { person: '', note: null },
  ])
  t.same((await get(api, '/v1/cardholders/' + id)).body, erased.body)
  t.same((await get(api, '/v1/cardholders?email=ada@example.com')).body.data, [])
  const card = (await get(api, '/v1/cards/' + cardId)).body
  t.match(card, { name_on_card: null, metadata: {}, external_id: null, status: 'terminated' })
  t.match(card.shipping, { name: null, line1: null, city: null, status: 'pending' })
  t.equal(card.terminate_reason, 'erased')
  const passes = (await get(api, '/v1/passes?card_id=' + cardId)).body.data as Answer['body'][]
  t.same(passes.map((pass) => pass.revoke_reason).sort(), ['card_terminated', 'erased'])
  for (const pass of passes) t.match(pass, { holder_name: null, values: { points: '' } })
  const after = (await get(api, '/v1/events?limit=100')).body.data as Answer['body'][]
  const ids = new Set(after.map((event) => event.id))
  t.ok(
    events.every((event) => ids.has(event.id)),
    'no event is lost',
  )
  t.match(
    after.filter((event) => !events.some((known) => known.id === event.id)),
    passes.map(() => ({ type: 'pass.updated', previous_attributes: { holder_name: null } })),
  )

  await until(() => sent.length === after.length)
  sent.length = 0
  for (const event of events)
    await done(api, '/v1/webhook_endpoints/' + endpoint.id + '/replay', { event_id: event.id })
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
