import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { listTransactions } from '../../../api/issuing/transactions/store.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { lateReplyEntry } from '../../harness/entries.ts'
import { readTables } from '../../harness/read-tables.ts'
import { type Question, requestOf } from '../../harness/stand-in.ts'
import { SEEDED_AT_MS, type TestTenant } from '../../harness/tenant.ts'

const times = (count: number, question: Question): Question[] => Array(count).fill(question)

async function report(api: TestApi, query = '', tenant = api.tenant) {
  return api.call('GET', '/v1/stand_in/report' + query, { key: tenant.keys.read })
}

const NOTHING = {
  object: 'stand_in_report',
  questions: 0,
  outcomes: {},
  decided: { approved: 0, declined: 0 },
  compared: {
    both_approve: 0,
    both_decline: 0,
    only_stand_in_approves: 0,
    only_tenant_approves: 0,
  },
  false_approve_rate: null,
  false_decline_rate: null,
  late: { approved: 0, declined: 0, disagreed: 0 },
}

test('a tenant that was never asked has an empty report', async (t) => {
  const api = await startTestApi()
  const answer = await report(api)
  t.equal(answer.status, 200)
  t.same(answer.body, NOTHING)
})

test('the report shows stand-in’s verdicts beside the tenant’s answers', async (t) => {
  const api = await startTestApi()
  const silent = requestOf(api.tenant, { outcome: 'timeout_response', would: true, standIn: true })
  const questions = [
    ...times(5, { outcome: 'answered_approve', would: true }),
    ...times(1, { outcome: 'answered_approve', would: false }),
    ...times(2, { outcome: 'answered_decline', would: false }),
    ...times(1, { outcome: 'answered_decline', would: true }),
    ...times(2, { outcome: 'breaker_open', would: false, standIn: true }),
    ...times(3, { outcome: 'not_configured', would: null }),
  ].map((question) => requestOf(api.tenant, question))
  await drain(
    api.sql,
    silent,
    ...questions,
    requestOf(api.other, { outcome: 'answered_decline', would: true }),
    lateReplyEntry({
      transactionId: silent.transactionId ?? '',
      tenantId: api.tenant.tenantId,
      outcome: 'late_decline',
      disagrees: true,
    }),
  )
  t.same((await report(api)).body, {
    object: 'stand_in_report',
    questions: 12,
    outcomes: { answered_approve: 6, answered_decline: 3, breaker_open: 2, timeout_response: 1 },
    decided: { approved: 1, declined: 2 },
    compared: {
      both_approve: 5,
      both_decline: 2,
      only_stand_in_approves: 1,
      only_tenant_approves: 1,
    },
    false_approve_rate: 0.3333,
    false_decline_rate: 0.1667,
    late: { approved: 0, declined: 1, disagreed: 1 },
  })
  t.match((await report(api, '', api.other)).body, { questions: 1, false_approve_rate: 1 })
  t.same((await report(api, '', api.live)).body, NOTHING, 'sandbox is not live')
})

test('a report can cover a period', async (t) => {
  const api = await startTestApi()
  await drain(
    api.sql,
    requestOf(api.tenant, { outcome: 'answered_approve', would: true }),
    requestOf(api.tenant, { outcome: 'answered_approve', would: true, atMs: 3_600_000 }),
  )
  const from = new Date(SEEDED_AT_MS + 1000).toISOString()
  t.match((await report(api, '?created[gte]=' + from)).body, { questions: 1 })
  t.match((await report(api, '?created[lt]=' + from)).body, { questions: 1 })
  t.match(await report(api, '?created[gte]=yesterday'), { status: 400 })
  t.match(await report(api, '?page=2'), { status: 400 })
})

const acknowledge = (api: TestApi, transaction_ids: unknown, key = api.tenant.keys.write) =>
  api.call('POST', '/v1/stand_in/acknowledge', { key, body: { transaction_ids } })

async function listed(api: TestApi, acknowledged: boolean): Promise<string[]> {
  const path = '/v1/card_transactions?stand_in_acknowledged=' + acknowledged
  const { body } = await api.call('GET', path, { key: api.tenant.keys.read })
  return body.data.map(({ id }: { id: string }) => id)
}

test('a decision of stand-in is listed until it is acknowledged, a later one again', async (t) => {
  const api = await startTestApi()
  const silent = (tenant: TestTenant) =>
    requestOf(tenant, { outcome: 'timeout_response', would: true, standIn: true })
  const [one, two, theirs] = [silent(api.tenant), silent(api.tenant), silent(api.other)]
  const answered = requestOf(api.tenant, { outcome: 'answered_approve', would: true })
  await drain(api.sql, one, two, theirs, answered)
  const [first, second] = [String(one.transactionId), String(two.transactionId)]
  t.same(await listed(api, false), [second, first])
  t.same(await listed(api, true), [])

  t.match(await acknowledge(api, [first, theirs.transactionId]), {
    status: 404,
    body: { error: { code: 'resource_missing', param: '/transaction_ids/1' } },
  })
  t.match(await acknowledge(api, [answered.transactionId]), {
    status: 400,
    body: { error: { code: 'parameter_invalid', param: '/transaction_ids/0' } },
  })
  t.match(await acknowledge(api, [first], api.tenant.keys.read), { status: 403 })
  for (const ids of [
    [],
    'txn',
    [first, first],
    Array(101)
      .fill(0)
      .map((_none, at) => 'txn_' + at),
  ])
    t.equal((await acknowledge(api, ids)).status, 400)
  t.same(await listed(api, false), [second, first], 'a refusal acknowledges none')

  const done = { status: 200, body: { transaction_ids: [first], livemode: false } }
  t.match(await acknowledge(api, [first]), done)
  t.match(await acknowledge(api, [first]), done)
  t.same(await listed(api, false), [second])
  t.same(await listed(api, true), [first])

  const { effect } = one
  if (effect === null) throw new Error('the entry has an effect')
  const later: DecisionEntry = {
    ...one,
    message: { ...one.message, id: 'msg-later-' + first, kind: 'incremental' },
    messageKey: Buffer.alloc(16, 9),
    effect: { ...effect, sequence: 2 },
  }
  await drain(api.sql, later)
  t.same(await listed(api, false), [second, first], 'an increment that stand-in decided is open')
  await acknowledge(api, [second, first])
  t.same(await listed(api, false), [])
})

const ROWS = 20_000
const TABLES = ['card_transactions', 'card_transaction_messages']

test('a list of open decisions reads none of the acknowledged ones', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const silent = requestOf(tenant, { outcome: 'timeout_response', would: true, standIn: true })
  await drain(sql, silent)
  await sql`
    insert into card_transactions (
      id, tenant_id, environment, seq, card_id, cardholder_id, network, status, amount_cents,
      approved_cents, currency, created_at, stand_in
    )
    select 'txn_' || lpad(n::text, 26, '0'), ${tenant.tenantId}, ${tenant.environment}, n + 10,
      ${tenant.cardId}, ${tenant.cardholderId}, 'simnet', 'authorized', n, 0, 'USD',
      ${SEEDED_AT_MS}::bigint + n, true
    from generate_series(1, ${ROWS}::integer) n`
  await sql`analyze card_transactions, open_stand_in_decisions`
  const owner = { tenantId: tenant.tenantId, environment: tenant.environment }
  for (const query of [
    { stand_in_acknowledged: 'false' },
    { stand_in_acknowledged: 'false', sort: 'amount_cents' },
    { stand_in_acknowledged: 'false', order: 'asc', status: 'authorized' },
  ] as const) {
    const { rows, before, after } = await tx(sql, async (inner) => {
      const before = await readTables(inner, TABLES)
      const { rows } = await listTransactions(inner, owner, { limit: 25, ...query })
      return { rows, before, after: await readTables(inner, TABLES) }
    })
    const name = JSON.stringify(query)
    t.equal(rows.length, 1, name)
    const read = after.rows - before.rows
    t.equal(after.scans, before.scans, name)
    t.ok(read < 20, name + ' reads ' + read + ' rows')
  }
  await acknowledge(api, [silent.transactionId])
  t.same(await listed(api, false), [])
})

test('decisions of before the table are in it, as far as they are open', async (t) => {
  const api = await startTestApi()
  const silent = () =>
    requestOf(api.tenant, { outcome: 'timeout_response', would: true, standIn: true })
  const [seen, open] = [silent(), silent()]
  await drain(api.sql, seen, open)
  await acknowledge(api, [seen.transactionId])
  const filled = () => api.sql`
    select * from open_stand_in_decisions where tenant_id = ${api.tenant.tenantId}`
  const kept = await filled()
  t.equal(kept.length, 1)
  const name = '../../../api/database/migrations/0034-issuing-open-stand-in.sql'
  const migration = readFileSync(new URL(name, import.meta.url), 'utf8')
  const fill = migration.slice(migration.lastIndexOf('insert into open_stand_in_decisions'))
  await api.sql`delete from open_stand_in_decisions`
  await api.sql.unsafe(fill)
  t.same(await filled(), kept)
  t.same(await listed(api, false), [open.transactionId])
})
