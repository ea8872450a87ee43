import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { insertReplacement } from '../../../api/issuing/cards/store.ts'
import { SEAL_CONTEXTS, unseal } from '../../../shared/keyring.ts'
import { luhnDigit } from '../../../shared/pan.ts'
import { type Answer, MASTER_KEYS, type TestApi } from '../../harness/api.ts'
import { DERIVATION, startIssuingApi } from '../../harness/issuing.ts'

function replace(api: TestApi, cardId: string, reason?: string): Promise<Answer> {
  const body = reason === undefined ? {} : { body: { reason } }
  return api.call('POST', '/v1/cards/' + cardId + '/replace', {
    key: api.tenant.keys.write,
    ...body,
  })
}

function get(api: TestApi, path: string): Promise<Answer> {
  return api.call('GET', path, { key: api.tenant.keys.read })
}

test('a replacement has a new number, and the old card is terminated', async (t) => {
  const api = await startIssuingApi()
  const { cardId, cardholderId } = api.tenant
  const before = (await get(api, '/v1/cards/' + cardId)).body
  const answer = await replace(api, cardId, 'lost')
  t.equal(answer.status, 201, answer.text)
  const card = answer.body
  t.match(card, {
    status: 'active',
    type: 'virtual',
    replaces: cardId,
    cardholder_id: cardholderId,
    currency: 'USD',
    exp_month: 11,
    exp_year: 2030,
    created: api.clock.nowMs / 1000,
    limits: before.limits,
    spending_control_ids: before.spending_control_ids,
  })
  t.not(card.token, before.token)
  t.same((await get(api, '/v1/cards/' + card.id)).body, card)
  const old = (await get(api, '/v1/cards/' + cardId)).body
  t.match(old, { status: 'terminated', terminate_reason: 'lost', limits: [] })
  t.equal(api.engine.asked.length, 1, 'the call waited for the engine')

  const [row] = await api.sql`select * from cards where id = ${card.id}`
  const opened = unseal(MASTER_KEYS, SEAL_CONTEXTS.pan, row?.['sealed_pan'])
  const pan = opened.ok ? opened.value.toString() : ''
  t.match(pan, /^999999\d{10}$/)
  t.equal(Number(pan[15]), luhnDigit(pan.slice(0, 15)))
  const keys = DERIVATION
  const fingerprint = keys.fingerprint(pan)
  t.match(row, {
    fingerprint,
    last4: pan.slice(-4),
    cvc_verifier: keys.cvcVerifier(fingerprint, keys.cvc(pan, 11, 2030)),
    windows_id: cardId,
    pin_verifier: null,
  })
  t.notOk(JSON.stringify({ ...row, card }).includes(pan), 'the number is nowhere as it is')
})

test('the events of both cards show them as GET does', async (t) => {
  const api = await startIssuingApi()
  const { cardId } = api.tenant
  const { body: card } = await replace(api, cardId)
  const events = (await get(api, '/v1/events?order=asc')).body.data
  t.same(
    events.map(({ type }: Answer['body']) => type),
    ['card.created', 'card.terminated'],
  )
  t.same(events[0].data, { card })
  t.same(events[1].data, { card: (await get(api, '/v1/cards/' + cardId)).body })
  t.equal(events[1].data.card.terminate_reason, 'replaced')
})

test('replacing again returns the existing replacement', async (t) => {
  const api = await startIssuingApi()
  const { cardId } = api.tenant
  const answers = await Promise.all(Array.from({ length: 8 }, () => replace(api, cardId)))
  t.same([...new Set(answers.map(({ status }) => status))], [201])
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  t.equal((await get(api, '/v1/events')).body.data.length, 2)
  t.equal((await get(api, '/v1/cards')).body.data.length, 2)
})

test('controls follow a chain of replacements under their ids, and so do the windows', async (t) => {
  const api = await startIssuingApi()
  const { cardId, keys } = api.tenant
  const control = await api.call('POST', '/v1/spending_controls', {
    key: keys.write,
    body: { scope: 'card', subject_id: cardId, merchant_lock: true },
  })
  const second = (await replace(api, cardId)).body.id
  const third = (await replace(api, second)).body.id
  const [row] = await api.sql`select windows_id, replaces from cards where id = ${third}`
  t.same(row, { windows_id: cardId, replaces: second })
  const moved = await get(api, '/v1/spending_controls/' + control.body.id)
  t.match(moved.body, { subject_id: third, version: 1 })

  const limits = [{ interval: 'daily', amount_cents: 7 }]
  const path = '/v1/cards/' + third + '/limits'
  const put = await api.call('PUT', path, { key: keys.write, body: { limits } })
  t.match(put.body.limits, [{ interval: 'daily', amount_cents: 7 }])
  const own = await get(api, '/v1/spending_controls/ctl_' + cardId.slice(5))
  t.match(
    own.body,
    { subject_id: third, version: 2 },
    'the first card’s own control is the last one’s',
  )
  const bound = await api.sql`
    select subject_id, jsonb_array_length(controls) as count from controls
    where subject_id in (${cardId}, ${second}, ${third}) order by subject_id`
  t.same(
    bound.map((one) => one['count']),
    [0, 0, 2],
  )
})

test('a physical replacement is issued and a terminated card is not replaced', async (t) => {
  const api = await startIssuingApi()
  const { cardId } = api.tenant
  await api.sql`update cards set type = 'physical', status = 'suspended' where id = ${cardId}`
  const { body: card } = await replace(api, cardId)
  t.match(card, { status: 'issued', type: 'physical' })
  await api.sql`update cards set status = 'terminated' where id = ${card.id}`
  const refused = await replace(api, card.id)
  t.equal(refused.status, 409)
  t.match(refused.body.error, {
    code: 'invalid_state',
    current_status: 'terminated',
    allowed_from: ['issued', 'active', 'suspended'],
  })
})

test('a control changed during a replacement follows, with the change or without', async (t) => {
  const api = await startIssuingApi()
  const { cardId, keys } = api.tenant
  const { body: control } = await api.call('POST', '/v1/spending_controls', {
    key: keys.write,
    body: { scope: 'card', subject_id: cardId },
  })
  const path = '/v1/spending_controls/' + control.id
  const change = (cancel_after: number) =>
    api.call('PATCH', path, { key: keys.write, body: { cancel_after } })
  const [replaced, ...changed] = await Promise.all([
    replace(api, cardId),
    ...[1, 2, 3, 4, 5, 6].map(change),
  ])
  t.same(
    changed.map(({ status }) => status),
    changed.map(() => 200),
  )
  const now = (await get(api, path)).body
  t.match(now, { subject_id: replaced.body.id, version: 7 })
  const [row] = await api.sql`
    select controls -> 1 as compiled from controls where subject_id = ${replaced.body.id}`
  t.match(row?.['compiled'], { id: control.id, version: 7, cancel_after: now.cancel_after })
})

test('the wallet tokens of a replaced card are deactivated with it, those of others are not', async (t) => {
  const api = await startIssuingApi()
  const { cardId, keys } = api.tenant
  const put = async (card_id: string) => {
    const body = { card_id, provider: 'apple' }
    return (await api.call('POST', '/v1/wallet_tokens', { key: keys.write, body })).body.id
  }
  const tokens = [await put(cardId), await put(cardId)]
  await api.call('POST', '/v1/wallet_tokens/' + tokens[1] + '/suspend', { key: keys.write })
  const { body: card } = await replace(api, cardId)
  const kept = await put(card.id)
  const list = await get(api, '/v1/wallet_tokens?order=asc')
  t.same(
    list.body.data.map((token: Answer['body']) => [token.id, token.status]),
    [...tokens.map((id) => [id, 'deactivated']), [kept, 'active']],
  )
  await replace(api, cardId)
  t.match((await get(api, '/v1/wallet_tokens/' + kept)).body, { status: 'active' })

  const late = await api.call('POST', '/v1/wallet_tokens', {
    key: keys.write,
    body: { card_id: cardId, provider: 'apple' },
  })
  t.match(late, { status: 409, body: { error: { current_status: 'terminated' } } })
})

test('a token made during a replacement is deactivated or refused', async (t) => {
  const api = await startIssuingApi()
  const { cardId, keys } = api.tenant
  const body = { card_id: cardId, provider: 'apple' }
  const made = [1, 2, 3, 4].map(() =>
    api.call('POST', '/v1/wallet_tokens', { key: keys.write, body }),
  )
  const [replaced, ...answers] = await Promise.all([replace(api, cardId), ...made])
  t.equal(replaced.status, 201)
  t.ok(answers.every(({ status }) => status === 201 || status === 409))
  const active = await get(api, '/v1/wallet_tokens?status=active&card_id=' + cardId)
  t.same(active.body.data, [])
})

test('a number that another card has is not issued again', async (t) => {
  const api = await startIssuingApi()
  const { cardId, tenantId } = api.tenant
  const { id } = (await replace(api, cardId)).body
  const [row] = await api.sql`select fingerprint from cards where id = ${id}`
  const number = {
    ...{ token: 'ctok_other', fingerprint: row?.['fingerprint'], sealedPan: 's', last4: '4242' },
    ...{ expMonth: 1, expYear: 2030, cvcVerifier: 'v' },
  }
  const owner = { tenantId, environment: 'sandbox' as const }
  const given = await tx(api.sql, (sql) =>
    insertReplacement(sql, owner, id, {
      id: 'card_x',
      number,
      status: 'active',
      shipping: null,
      now: 0,
    }),
  )
  t.equal(given, false)
  t.same([...(await api.sql`select id from cards where id = 'card_x'`)], [])
})
