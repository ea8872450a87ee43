import { test } from 'tap'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { drain, seedTransaction } from '../../harness/drained.ts'
import { decisionEntry, lateReplyEntry } from '../../harness/entries.ts'
import { Story } from '../../harness/story.ts'
import { SEEDED_AT_MS, seedCard } from '../../harness/tenant.ts'

async function list(api: TestApi, query = ''): Promise<Answer['body']> {
  return (await api.call('GET', '/v1/card_transactions' + query, { key: api.tenant.keys.read }))
    .body
}

function ids(page: Answer['body']): string[] {
  return page.data.map(({ id }: Answer['body']) => id)
}

test('a transaction shows its decision, its trace and its timings, and the list shows the same', async (t) => {
  const api = await startTestApi()
  const { id, entry } = await seedTransaction(api.sql, api.tenant, { amountCents: 1250 })
  const { status, body } = await api.call('GET', '/v1/card_transactions/' + id, {
    key: api.tenant.keys.read,
  })
  t.equal(status, 200)
  t.match(body, {
    id,
    object: 'card_transaction',
    created: SEEDED_AT_MS / 1000,
    sequence: 1,
    livemode: false,
    status: 'authorized',
    amount_cents: 1250,
    approved_amount_cents: 1250,
    currency: 'USD',
    merchant: { name: 'Corner shop', mcc: '5411' },
    card: { id: api.tenant.cardId, last4: '4242' },
    decision: {
      decided_by: 'tenant',
      response_code: '00',
      trace: [{ rule_id: 'program_active', verdict: 'pass', inputs: { program_status: 'active' } }],
      timings_us: entry.decision.timings,
      webhook: { outcome: 'answered_approve', late_answer: null },
    },
  })
  t.same((await list(api)).data, [body])
})

test('a late reply is shown and changes nothing else', async (t) => {
  const api = await startTestApi()
  const { id } = await seedTransaction(api.sql, api.tenant, { amountCents: 1250 })
  const get = async () =>
    (await api.call('GET', '/v1/card_transactions/' + id, { key: api.tenant.keys.read })).body
  const before = await get()
  const late = { transactionId: id, outcome: 'late_decline' as const, disagrees: true }
  await drain(
    api.sql,
    lateReplyEntry({ ...late, repliedAtMs: SEEDED_AT_MS + 2110, latencyMs: 2100 }),
  )
  const after = await get()
  t.same(after.decision.webhook.late_answer, {
    outcome: 'late_decline',
    late_answer_ms: 2100,
    disagrees: true,
  })
  t.same(ids(await list(api, '?late_answer=true')), [id])
  t.same(ids(await list(api, '?late_answer=false')), [])
  after.decision.webhook.late_answer = null
  t.same(after, before)
  await drain(
    api.sql,
    lateReplyEntry({ ...late, repliedAtMs: SEEDED_AT_MS + 5010, latencyMs: 5000 }),
  )
  t.equal((await get()).decision.webhook.late_answer.late_answer_ms, 2100, 'the first one counts')
})

test('the list is in the order of arrival, not in that of decision', async (t) => {
  const api = await startTestApi()
  const first = await seedTransaction(api.sql, api.tenant, { amountCents: 2, atMs: 9000 })
  const late = await seedTransaction(api.sql, api.tenant, { amountCents: 4, atMs: 1000 })
  t.same(ids(await list(api)), [late.id, first.id])
  t.same(ids(await list(api, '?order=asc')), [first.id, late.id])
  const poll = await list(api, '?order=asc&limit=1')
  const later = await seedTransaction(api.sql, api.tenant, { amountCents: 6, atMs: 0 })
  const rest = await list(api, '?order=asc&starting_after=' + poll.next_cursor)
  t.same(ids(rest), [late.id, later.id], 'a poller misses none')
})

test('filters by card, status and time combine', async (t) => {
  const api = await startTestApi()
  const cardId = await seedCard(api.sql, { ...api.tenant, createdAtMs: SEEDED_AT_MS + 1 })
  const approved = await seedTransaction(api.sql, api.tenant, { amountCents: 2 })
  const declined = await seedTransaction(api.sql, api.tenant, { amountCents: 3, atMs: 5000 })
  const elsewhere = await seedTransaction(api.sql, api.tenant, {
    amountCents: 5,
    atMs: 5000,
    cardId,
  })
  await seedTransaction(api.sql, api.other, { amountCents: 2 })

  t.same(ids(await list(api, '?card_id=' + cardId)), [elsewhere.id])
  t.same(ids(await list(api, '?status=authorized')), [approved.id])
  t.same(ids(await list(api, '?status=declined&card_id=' + api.tenant.cardId)), [declined.id])
  t.same(ids(await list(api, '?created[gte]=2026-11-20T12:00:05Z&card_id=' + cardId)), [
    elsewhere.id,
  ])
  t.same(ids(await list(api, '?card_id=' + api.other.cardId)), [])
  const unknown = await list(api, '?card=' + cardId)
  t.equal(unknown.error.code, 'parameter_unknown')
})

test('the messages of a transaction are listed in order, each with its decision and its effect', async (t) => {
  const api = await startTestApi()
  const story = new Story(api.tenant)
  const authorization = {
    event: 'authorized',
    amountCents: 1000,
    sums: { authorized: 1000 },
  } as const
  await drain(
    api.sql,
    story.message('authorization', authorization),
    story.message('incremental', { event: 'declined', amountCents: 9000 }),
    story.message('capture', { event: 'captured', amountCents: 400, sums: { captured: 400 } }),
    story.expiry({ amountCents: 600, sums: { expired: 600 } }),
  )
  const path = '/v1/card_transactions/' + story.id + '/messages'
  const key = api.tenant.keys.read
  const { status, body } = await api.call('GET', path + '?order=asc', { key })
  t.equal(status, 200)
  t.match(body.data, [
    { id: story.id + '-1', kind: 'authorization', event: 'card.transaction.authorized' },
    {
      kind: 'incremental',
      event: 'card.transaction.declined',
      status: 'authorized',
      amounts: { cardholder: { amount: 9000 } },
      decision: { approved: false, decline_reason: 'limit_daily' },
    },
    {
      kind: 'capture',
      status: 'partially_captured',
      message: { mti: '0220' },
      decision: { decided_by: 'network' },
      sums: { captured_cents: 400, open_hold_cents: 600 },
    },
    {
      object: 'card_transaction_message',
      transaction_id: story.id,
      sequence: 4,
      kind: 'expiry',
      amount_cents: 600,
      status: 'captured',
      message: null,
      decision: null,
    },
  ])
  const page = await api.call('GET', path + '?limit=3', { key })
  t.same(page.body.data, body.data.toReversed().slice(0, 3), 'newest first, as every list')
  const rest = await api.call('GET', path + '?starting_after=' + page.body.next_cursor, { key })
  t.same(rest.body.data, body.data.slice(0, 1))
  const foreign = await api.call('GET', path, { key: api.other.keys.read })
  t.equal(foreign.body.error.code, 'resource_missing')
})

test('the list filters by request type, decision and network transaction id', async (t) => {
  const api = await startTestApi()
  const { decision } = decisionEntry({})
  const zero = { event: 'authorized', amountCents: 0 } as const
  const inquiry = new Story(api.tenant)
  const standIn = new Story(api.tenant)
  const captured = new Story(api.tenant)
  await drain(
    api.sql,
    inquiry.message('balance_inquiry', zero),
    standIn.message('authorization', { ...zero, decision: { ...decision, standIn: true } }),
    standIn.message('incremental', zero),
    captured.message('capture', { event: 'captured', amountCents: 5, sums: { captured: 5 } }),
  )
  const found = async (query: string) => ids(await list(api, query))
  t.same(await found('?kind=balance_inquiry'), [inquiry.id])
  t.same(await found('?kind=incremental'), [standIn.id])
  t.same(await found('?stand_in=true'), [standIn.id], 'also where a later question was not')
  t.same(await found('?stand_in=false'), [captured.id, inquiry.id])
  t.same(await found('?status=captured'), [captured.id])
  t.same(await found('?network_transaction_id=' + captured.networkTransactionId), [captured.id])
  t.same(await found('?cardholder_id=' + api.tenant.cardholderId), [
    captured.id,
    standIn.id,
    inquiry.id,
  ])
  const first = await list(api, '?limit=1&cardholder_id=' + api.tenant.cardholderId)
  t.same(
    await found(
      '?starting_after=' + first.next_cursor + '&cardholder_id=' + api.tenant.cardholderId,
    ),
    [standIn.id, inquiry.id],
  )
  t.same(await found('?cardholder_id=' + api.other.cardholderId), [])
  for (const query of ['?status=pending', '?kind=gift', '?stand_in=yes', '?late_answer=1'])
    t.equal((await list(api, query)).error.code, 'parameter_invalid', query)
})
