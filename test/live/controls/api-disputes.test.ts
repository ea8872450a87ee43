// Disputes over the API, their events, and their deadlines by the tenant's clock.

import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { decideDispute, disputeExpiry } from '../../../api/issuing/disputes/index.ts'
import { DISPUTE_STATUSES } from '../../../shared/schemas/dispute.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedOperator } from '../../harness/operator.ts'
import { fc } from '../../harness/properties.ts'
import { Story } from '../../harness/story.ts'

const DAY_MS = 86_400_000

async function captured(api: TestApi, cents: number): Promise<Story> {
  const story = new Story(api.tenant)
  await drain(
    api.sql,
    story.message('authorization', {
      event: 'authorized',
      amountCents: cents,
      sums: { authorized: cents },
    }),
    story.message('capture', { event: 'captured', amountCents: cents, sums: { captured: cents } }),
  )
  return story
}

async function refund(api: TestApi, story: Story, cents: number): Promise<void> {
  const step = { event: 'refunded', amountCents: cents, sums: { refunded: cents } } as const
  await drain(api.sql, story.message('refund', step))
}

const post = (api: TestApi, path: string, body: object = {}): Promise<Answer> =>
  api.call('POST', '/v1/disputes' + path, { key: api.tenant.keys.write, body })
const get = async (api: TestApi, path: string): Promise<Answer['body']> =>
  (await api.call('GET', path, { key: api.tenant.keys.read })).body
const operate = (api: TestApi, key: string, path: string, body: object): Promise<Answer> =>
  api.call('POST', '/operator/v1/disputes/' + path, { key, body })

/**
 * Types of the dispute's events, oldest first; checks that the latest shows the dispute as GET
 * does.
 */
async function told(api: TestApi, id: string): Promise<string[]> {
  const { data } = await get(api, '/v1/events?order=asc&resource_id=' + id)
  return data.map(({ type }: { type: string }) => type)
}

function expire(api: TestApi, now: number): Promise<number> {
  return runJob(disputeExpiry, { sql: api.sql, now })
}

test('a dispute is filed, evidenced, submitted, returned and won, and its transaction shows it', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const story = await captured(api, 5000)
  const made = await post(api, '', {
    transaction_id: story.id,
    amount_cents: 3000,
    reason: 'not_received',
    explanation: 'It never came.\nTwice.',
    external_id: 'case-1',
    metadata: { case: '1' },
  })
  t.equal(made.status, 201)
  const dueBy = new Date(api.clock.nowMs + 30 * DAY_MS).toISOString()
  t.match(made.body, {
    object: 'dispute',
    livemode: false,
    transaction_id: story.id,
    card_id: api.tenant.cardId,
    cardholder_id: api.tenant.cardholderId,
    amount_cents: 3000,
    currency: 'USD',
    reason: 'not_received',
    status: 'needs_response',
    outcome: null,
    evidence_due_by: dueBy,
    evidence_requested: null,
    evidence_count: 0,
    external_id: 'case-1',
    metadata: { case: '1' },
  })
  const { id } = made.body
  const path = '/v1/disputes/' + id
  t.same(await get(api, path), made.body)

  const fields = { tracking_number: '1Z9', expected_at: '2026-11-01' }
  const evidence = await post(api, '/' + id + '/evidence', { kind: 'shipping', fields })
  t.equal(evidence.status, 201)
  t.match(evidence.body, { object: 'dispute_evidence', dispute_id: id, text: null, fields })
  t.same((await get(api, path + '/evidence')).data, [evidence.body])

  const submitted = await post(api, '/' + id + '/submit')
  t.match(submitted.body, { status: 'submitted', evidence_count: 1 })
  t.ok(submitted.body.submitted_at)
  t.equal((await post(api, '/' + id + '/evidence', { kind: 'other', text: 'x' })).status, 409)

  const due = new Date(api.clock.nowMs + DAY_MS).toISOString()
  const back = await operate(api, operator, id + '/require_evidence', {
    requested: 'A letter.',
    due_by: due,
  })
  t.match(back.body, {
    status: 'needs_response',
    evidence_due_by: due,
    evidence_requested: 'A letter.',
  })
  t.equal((await operate(api, operator, id + '/outcome', { outcome: 'won' })).status, 409)
  await post(api, '/' + id + '/submit')
  const won = await operate(api, operator, id + '/outcome', { outcome: 'won' })
  t.match(won.body, { status: 'won', outcome: 'won' })
  t.same(await get(api, path), won.body)
  t.same(await told(api, id), [
    'dispute.created',
    'dispute.updated',
    'dispute.evidence_required',
    'dispute.updated',
    'dispute.updated',
    'dispute.updated',
  ])
  const { data } = await get(api, '/v1/events?resource_id=' + id)
  t.same(data[0].data.dispute, won.body, 'an event tells what GET shows')

  const summary = { id, amount_cents: 3000, status: 'won', outcome: 'won' }
  const transaction = await get(api, '/v1/card_transactions/' + story.id)
  t.match(transaction.disputes, [summary])
  t.match(transaction.sums, { captured_cents: 5000, refunded_cents: 0 })
  await refund(api, story, 100)
  const [refunded] = (await get(api, '/v1/events?resource_id=' + story.id)).data
  t.match(refunded, {
    type: 'card.transaction.refunded',
    data: { transaction: { disputes: [summary] } },
  })
})

test('an illegal move is refused and changes nothing', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const story = await captured(api, 5000)
  const body = { transaction_id: story.id, reason: 'fraudulent' }
  const refusal = async (answer: Promise<Answer>) => {
    const { status, body: said } = await answer
    return [status, said.error.code, said.error.param]
  }
  const missing = post(api, '', { ...body, transaction_id: 'txn_nobody' })
  t.same(await refusal(missing), [404, 'resource_missing', 'transaction_id'])
  t.same(await refusal(post(api, '', { ...body, reason: 'because' })), [
    400,
    'parameter_invalid',
    'reason',
  ])
  t.same(await refusal(post(api, '', { ...body, amount_cents: 0 })), [
    400,
    'parameter_invalid',
    'amount_cents',
  ])
  const tooMuch = await post(api, '', { ...body, amount_cents: 5001 })
  t.equal(tooMuch.status, 409)
  t.match(tooMuch.body.error, { code: 'amount_not_disputable', disputable_cents: 5000 })

  const open = new Story(api.tenant)
  const sums = { authorized: 100 }
  await drain(
    api.sql,
    open.message('authorization', { event: 'authorized', amountCents: 100, sums }),
  )
  const early = await post(api, '', { ...body, transaction_id: open.id })
  t.equal(early.status, 409)
  t.match(early.body.error, { code: 'invalid_state', current_status: 'authorized' })

  const { id } = (await post(api, '', { ...body, external_id: 'mine' })).body
  const again = await post(api, '', { ...body, external_id: 'mine' })
  t.match(again.body.error, { code: 'already_exists', resource_id: id })
  t.same(await refusal(post(api, '', body)), [409, 'amount_not_disputable', 'amount_cents'])
  t.same(await refusal(post(api, '/' + id + '/evidence', { kind: 'other' })), [
    400,
    'parameter_missing',
    'text',
  ])
  const late = { requested: 'More.', due_by: new Date(api.clock.nowMs).toISOString() }
  t.same(await refusal(operate(api, operator, id + '/require_evidence', late)), [
    400,
    'parameter_invalid',
    'due_by',
  ])
  const nobody = operate(api, operator, 'dsp_nobody/outcome', { outcome: 'won' })
  t.same(await refusal(nobody), [404, 'resource_missing', null])
  const other = await api.call('GET', '/v1/disputes/' + id, { key: api.other.keys.read })
  t.equal(other.status, 404)
  const notOperator = operate(api, api.tenant.keys.admin, id + '/outcome', { outcome: 'won' })
  t.equal((await notOperator).status, 404)
  await api.sql`update disputes set evidence_count = 100 where id = ${id}`
  const full = post(api, '/' + id + '/evidence', { kind: 'other', text: 'One more.' })
  t.same(await refusal(full), [409, 'too_much_evidence', null])
  t.same(await told(api, id), ['dispute.created'])
})

test('fifty concurrent disputes cover no more than the captured amount, while refunds arrive', async (t) => {
  const api = await startTestApi()
  const story = await captured(api, 1000)
  const body = { transaction_id: story.id, reason: 'duplicate', amount_cents: 300 }
  const refunds = async (): Promise<void> => {
    for (let count = 0; count < 20; count++) await refund(api, story, 1)
  }
  const creates = Array.from({ length: 50 }, () => post(api, '', body))
  const [answers] = await Promise.all([Promise.all(creates), refunds()])
  const statuses = answers.map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 201).length, 3)
  t.equal(statuses.filter((status) => status === 409).length, 47)
  const { data } = await get(api, '/v1/disputes?transaction_id=' + story.id)
  t.equal(data.length, 3)
})

test('a move absent from the table is refused in every state', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const story = await captured(api, 100)
  const { id } = (await post(api, '', { transaction_id: story.id, reason: 'other' })).body
  const moves = {
    submit: () => post(api, '/' + id + '/submit'),
    evidence: () => post(api, '/' + id + '/evidence', { kind: 'receipt', text: 'Paid.' }),
    require: () => operate(api, operator, id + '/require_evidence', { requested: 'More.' }),
    win: () => operate(api, operator, id + '/outcome', { outcome: 'won' }),
    lose: () => operate(api, operator, id + '/outcome', { outcome: 'lost' }),
  }
  const legal: { [status: string]: readonly string[] } = {
    needs_response: ['submit', 'evidence', 'require'],
    submitted: ['require', 'win', 'lose'],
  }
  for (const status of DISPUTE_STATUSES) {
    const outcome = { won: 'won', lost: 'lost', expired: 'lost' }[status as string] ?? null
    for (const [name, move] of Object.entries(moves)) {
      await api.sql`update disputes set status = ${status}, outcome = ${outcome} where id = ${id}`
      const { status: code, body } = await move()
      const allowed = legal[status]?.includes(name) === true
      t.equal(code < 300, allowed, name + ' from ' + status)
      if (!allowed) t.match(body.error, { code: 'invalid_state', current_status: status })
    }
  }
})

test('lists filter, and sort by the deadline', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const story = await captured(api, 900)
  const ids: string[] = []
  for (const hours of [3, 1, 2]) {
    const body = { transaction_id: story.id, reason: 'other', amount_cents: 100 }
    const { id } = (await post(api, '', { ...body, external_id: 'e' + hours })).body
    const due_by = new Date(api.clock.nowMs + hours * 3_600_000).toISOString()
    await operate(api, operator, id + '/require_evidence', { requested: 'More.', due_by })
    ids.push(id)
  }
  const [third, first, second] = ids
  const listed = async (query: string) =>
    (await get(api, '/v1/disputes?' + query)).data.map(({ id }: { id: string }) => id)
  t.same(await listed(''), [second, first, third])
  t.same(await listed('sort=evidence_due_by&order=asc'), [first, second, third])
  const page = await get(api, '/v1/disputes?sort=evidence_due_by&order=asc&limit=2')
  const rest = 'sort=evidence_due_by&order=asc&starting_after=' + page.next_cursor
  t.same(await listed(rest), [third])
  t.same(await listed('external_id=e1'), [first])
  t.same(await listed('status=submitted'), [])
  t.same((await listed('card_id=' + api.tenant.cardId + '&reason=other')).length, 3)
  await api.call('PATCH', '/v1/disputes/' + first, {
    key: api.tenant.keys.write,
    body: { external_id: null, metadata: { a: '1' } },
  })
  t.match(await get(api, '/v1/disputes/' + first), { external_id: null, metadata: { a: '1' } })
})

test('a window that closes without a response loses the dispute, by the tenant’s clock', async (t) => {
  const api = await startTestApi()
  const story = await captured(api, 500)
  const body = { transaction_id: story.id, reason: 'canceled', amount_cents: 100 }
  const { id } = (await post(api, '', body)).body
  const answered = (await post(api, '', body)).body
  await post(api, '/' + answered.id + '/submit')
  const dueMs = api.clock.nowMs + 30 * DAY_MS
  await expire(api, dueMs - 1)
  t.match(await get(api, '/v1/disputes/' + id), { status: 'needs_response', outcome: null })
  api.clock.nowMs = dueMs
  const late = await post(api, '/' + id + '/submit')
  t.match(late.body.error, { code: 'invalid_state', current_status: 'expired' })
  t.ok((await expire(api, dueMs)) > 0)
  t.equal(await expire(api, dueMs), 0, 'once')
  const expired = await get(api, '/v1/disputes/' + id)
  t.match(expired, { status: 'expired', outcome: 'lost' })
  t.same(await told(api, id), ['dispute.created', 'dispute.expired'])
  t.match(await get(api, '/v1/disputes/' + answered.id), { status: 'submitted', outcome: null })

  const ahead = (await post(api, '', body)).body
  const { tenantId } = api.tenant
  await api.sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, ${31 * DAY_MS})`
  t.equal(await expire(api, dueMs), 1, 'a tenant that is a month ahead')
  t.match(await get(api, '/v1/disputes/' + ahead.id), {
    status: 'expired',
    resolved_at: new Date(dueMs + 31 * DAY_MS).toISOString(),
  })
})

type Op =
  | { op: 'create'; cents: number }
  | { op: 'refund'; cents: number }
  | { op: 'submit' | 'win' | 'lose' | 'expire'; at: number }

const cents = fc.integer({ min: 1, max: 600 })
const ANY_OP: fc.Arbitrary<Op> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('create' as const), cents }) },
  fc.record({ op: fc.constant('refund' as const), cents }),
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom('submit' as const, 'win' as const, 'lose' as const, 'expire' as const),
      at: fc.nat(5),
    }),
  },
)

test('no order of moves files disputes beyond the captured and kept amount', async (t) => {
  const api = await startTestApi()
  const owner = { tenantId: api.tenant.tenantId, environment: api.tenant.environment }
  const moves = {
    submit: (id: string) => post(api, '/' + id + '/submit'),
    win: (id: string) => decided(id, 'won'),
    lose: (id: string) => decided(id, 'lost'),
    async expire(id: string) {
      await api.sql`
        update disputes set evidence_due_by = ${api.clock.nowMs}
        where id = ${id} and status = 'needs_response'`
      return expire(api, api.clock.nowMs)
    },
  }
  const decided = (id: string, outcome: 'won' | 'lost') =>
    tx(api.sql, (sql) => decideDispute(sql, owner, { id, outcome, now: api.clock.nowMs })).catch(
      (error: Error) => t.equal(error.name, 'Refusal'),
    )
  const run = async (ops: readonly Op[]): Promise<void> => {
    const story = await captured(api, 1000)
    let refunded = 0
    const listed = async () =>
      (await get(api, '/v1/disputes?order=asc&limit=100&transaction_id=' + story.id)).data
    for (const op of ops) {
      const disputes = await listed()
      if (op.op === 'create') {
        const counted = disputes
          .filter(({ outcome }: Answer['body']) => outcome !== 'lost')
          .reduce((sum: number, one: Answer['body']) => sum + one.amount_cents, 0)
        const fits = refunded < 1000 && counted + op.cents <= 1000 - refunded
        const body = { transaction_id: story.id, reason: 'other', amount_cents: op.cents }
        const { status } = await post(api, '', body)
        if (status !== (fits ? 201 : 409)) throw new Error(status + ' to ' + JSON.stringify(op))
      } else if (op.op === 'refund') {
        await refund(api, story, op.cents)
        refunded += op.cents
      } else if (disputes.length > 0) {
        await moves[op.op](disputes[op.at % disputes.length].id)
      }
    }
    for (const { status, outcome } of await listed()) {
      const open = status === 'needs_response' || status === 'submitted'
      if (open !== (outcome === null)) throw new Error(status + ' with ' + outcome)
    }
  }
  const sequences = fc.array(ANY_OP, { minLength: 4, maxLength: 14 })
  await t.resolves(fc.assert(fc.asyncProperty(sequences, run), { numRuns: 20, seed: 55 }))
})
