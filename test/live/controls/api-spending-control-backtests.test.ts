// Backtests over the API: asked for, judged by the engine's process from drained entries, bounded,
// and seen by their owner only.
import { test } from 'tap'
import { windowsFrom } from '../../../api/issuing/backtests/create.ts'
import { backtestsJob } from '../../../api/issuing/backtests/index.ts'
import { Backtest } from '../../../engine/backtest/tally.ts'
import { newId } from '../../../shared/id.ts'
import type { MinorUnits } from '../../../shared/money.ts'
import { openControl, ownControlId } from '../../../shared/wire/config-records.ts'
import { type DecisionEntry, encodeEntry } from '../../../shared/wire/journal-entry.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { runJob } from '../../harness/jobs.ts'
import { limitConfig } from '../../harness/judged.ts'
import { LineInHand } from '../../harness/line-in-hand.ts'
import { addControl, seedPaymentAccount } from '../../harness/tenant.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const pathOf = (api: TestApi): string =>
  '/v1/spending_controls/' + ownControlId(api.tenant.cardId) + '/backtests'

function post(api: TestApi, body: object, more: { path?: string; key?: string } = {}) {
  const { path = pathOf(api), key = api.tenant.keys.write } = more
  return api.call('POST', path, { key, body })
}

const get = (api: TestApi, path: string, key = api.tenant.keys.read): Promise<Answer> =>
  api.call('GET', path, { key })

const run = (api: TestApi, entriesMax?: number): Promise<number> =>
  runJob(backtestsJob(entriesMax), { sql: api.sql, now: api.clock.nowMs })

const LIMITS = (amount: number) => [
  { interval: 'daily', amount_cents: amount },
  { interval: 'monthly', amount_cents: 4000 },
]

/** Four days of authorizations by a real line, as the drain stores them. */
async function recorded(api: TestApi): Promise<DecisionEntry[]> {
  const { tenantId, programId, cardholderId, cardId } = api.tenant
  const line = new LineInHand(api.clock.nowMs - 4 * DAY, { id: programId, tenant_id: tenantId })
  line.cardholder = { ...line.cardholder, id: cardholderId, program_id: programId }
  line.card = {
    ...line.card,
    id: cardId,
    tenant_id: tenantId,
    program_id: programId,
    cardholder_id: cardholderId,
    windows_id: cardId,
  }
  const [limit] = await api.sql<{ id: string }[]>`
    select terms -> 'limits' -> 0 ->> 'id' as id from spending_control_versions
    where control_id = ${ownControlId(cardId)}`
  line.control('card', {
    id: ownControlId(cardId),
    limits: [limitConfig({ id: limit?.id ?? '', amount_cents: 1500 as MinorUnits })],
  })
  const name = (at: number) => ({ id: api.tenant.cardId + at, network_transaction_id: cardId + at })
  for (let at = 0; at < 16; at++) {
    line.buy({ ...name(at), amount_cents: 400 + at })
    if (at % 5 === 0)
      line.send({
        id: api.tenant.cardId + 'r' + at,
        kind: 'reversal',
        network_transaction_id: cardId + at,
        amount_cents: 100,
      })
    line.moveTo(line.nowMs + 5.5 * HOUR)
  }
  // Lines of two tests number their transactions alike.
  const ids = new Map<string | null, string>()
  const entries = line.entries.map((entry) => {
    const id = ids.get(entry.transactionId) ?? newId('txn', entry.receivedAtMs)
    ids.set(entry.transactionId, id)
    return { ...entry, transactionId: id }
  })
  await drain(api.sql, ...entries)
  return entries
}

test('a proposal is judged against what was recorded, and changes nothing', async (t) => {
  const api = await startTestApi()
  const drained = await recorded(api)
  const before = await get(api, '/v1/spending_controls/' + ownControlId(api.tenant.cardId))
  const asked = await post(api, { days: 3, limits: LIMITS(800) })
  t.equal(asked.status, 202, asked.text)
  t.match(asked.body, { status: 'queued', result: null, failure: null, finished_at: null })
  t.equal(asked.body.to - asked.body.from, (3 * DAY) / 1000)
  t.match(asked.body.terms.limits, LIMITS(800))
  const one = pathOf(api) + '/' + asked.body.id
  t.same((await get(api, one)).body, asked.body)

  t.equal(await run(api), 1)
  const done = (await get(api, one)).body
  t.match(done, { status: 'completed', failure: null, finished_at: Number })

  const own = new Backtest({
    scope: 'card',
    subjectId: api.tenant.cardId,
    control: {
      ...openControl(ownControlId(api.tenant.cardId)),
      limits: [
        limitConfig({ amount_cents: 800 as MinorUnits }),
        limitConfig({ interval: 'monthly', amount_cents: 4000 as MinorUnits }),
      ],
    },
    ownIds: [String(drained.find((entry) => !entry.decision.approved)?.decision.declineDetail)].map(
      (detail) => detail.slice('card:'.length),
    ),
    fromMs: api.clock.nowMs - 3 * DAY,
  })
  for (const [at, entry] of drained.entries()) own.take(at + 1, encodeEntry(entry))
  const { judged, declines, approves, entries, days } = own.result()
  t.match(done.result, {
    judged,
    entries,
    skipped: 0,
    would_decline: {
      count: declines.count,
      amounts: [{ currency: 'USD', amount_cents: declines.amounts[0]?.amountCents }],
      decline_reasons: declines.reasons.map(({ reason, count }) => ({
        decline_reason: reason,
        count,
      })),
    },
    would_approve: { count: approves.count },
  })
  t.ok(judged > 10 && judged < 16, judged + ' in three days')
  t.ok(declines.count > 3, declines.count + ' declined')
  t.equal(done.result.days.length, days.length)
  t.match(done.result.examples[0], { change: 'would_decline', card_id: api.tenant.cardId })
  const told = done.result.examples[0].transaction_id
  t.equal((await get(api, '/v1/card_transactions/' + told)).status, 200, 'an example can be opened')

  const after = await get(api, '/v1/spending_controls/' + ownControlId(api.tenant.cardId))
  t.same(after.body, before.body)
  t.match((await get(api, pathOf(api))).body.data, [{ id: asked.body.id }])
  t.equal(await run(api), 0)
})

test('unchanged terms change no answer, whatever the level of the control', async (t) => {
  const api = await startTestApi()
  await recorded(api)
  const { cardholderId, programId } = api.tenant
  for (const [scope, id] of [
    ['cardholder', cardholderId],
    ['program', programId],
  ] as const)
    await addControl(api.sql, api.tenant, {
      scope,
      id,
      limits: [{ amount_cents: 1_000_000 as MinorUnits }],
    })
  const amounts: number[] = []
  for (const id of [api.tenant.cardId, cardholderId, programId]) {
    const path = '/v1/spending_controls/' + ownControlId(id) + '/backtests'
    const asked = await post(
      api,
      id === api.tenant.cardId ? { limits: [{ interval: 'daily', amount_cents: 1500 }] } : {},
      { path },
    )
    t.equal(asked.status, 202, asked.text)
    await run(api)
    const { result } = (await get(api, path + '/' + asked.body.id)).body
    t.match(result, { judged: 16, would_decline: { count: 0 }, would_approve: { count: 0 } }, id)
    amounts.push(result.declined)
  }
  t.ok(Number(amounts[0]) > 0 && new Set(amounts).size === 1, String(amounts))
})

test('one at a time: a second is refused, a repeat gets the first', async (t) => {
  const api = await startTestApi()
  const path = pathOf(api)
  const repeated = { key: api.tenant.keys.write, body: {}, headers: { 'idempotency-key': 'b-1' } }
  const first = await api.call('POST', path, repeated)
  t.match(await api.call('POST', path, repeated), { status: 202, body: { id: first.body.id } })
  t.match(await post(api, {}), {
    status: 409,
    body: { error: { code: 'invalid_state', resource_id: first.body.id } },
  })
  const path2 = '/v1/spending_controls/' + ownControlId(api.other.cardId) + '/backtests'
  const theirs = await post(api, {}, { path: path2, key: api.other.keys.write })
  t.equal(theirs.status, 202, 'of another tenant')
  await api.sql`
    update spending_control_backtests set status = 'running', attempts = 1,
      claimed_until = ${api.clock.nowMs + 1000} where id = ${first.body.id}`
  t.equal(await run(api), 0, 'while another process works')
  api.clock.nowMs += 2000
  t.equal(await run(api), 1, 'its claim is over')
  t.equal(await run(api), 1)
  t.match((await get(api, path + '/' + first.body.id)).body, { status: 'completed' })
  t.match(
    (await get(api, path2 + '/' + theirs.body.id, api.other.keys.read)).body,
    { status: 'completed', result: { judged: 0, entries: 0, days: [], examples: [] } },
    'nothing was recorded',
  )
})

test('a backtest belongs to its tenant, its environment and its control', async (t) => {
  const api = await startTestApi()
  const { body: mine } = await post(api, {})
  const foreign = [api.other.keys, api.live.keys]
  for (const keys of foreign) {
    for (const path of [pathOf(api), pathOf(api) + '/' + mine.id])
      t.match(await get(api, path, keys.read), { status: 404 })
    t.match(await post(api, {}, { key: keys.write }), { status: 404 })
  }
  const wrong = '/v1/spending_controls/' + ownControlId(api.other.cardId) + '/backtests/' + mine.id
  t.match(await get(api, wrong, api.other.keys.read), { status: 404 })
  t.match(await post(api, {}, { key: api.tenant.keys.read }), { status: 403 })
})

test('a proposal that cannot be judged is refused at once, with the field', async (t) => {
  const api = await startTestApi()
  for (const [body, param] of [
    [{ days: 0 }, 'days'],
    [{ days: 31 }, 'days'],
    [{ days: 1.5 }, 'days'],
    [{ hours: 3 }, 'hours'],
    [{ limits: [{ interval: 'daily', amount_cents: -1 }] }, '/limits/0/amount_cents'],
    [{ allowed_mccs: ['5411'], blocked_mccs: ['5812'] }, 'blocked_mccs'],
  ] as const)
    t.match(
      await post(api, body),
      { status: 400, body: { error: { param } } },
      JSON.stringify(body),
    )
  const account = await seedPaymentAccount(api.sql, api.tenant)
  await addControl(api.sql, api.tenant, { scope: 'payment_account', id: account, limits: [{}] })
  const path = '/v1/spending_controls/' + ownControlId(account) + '/backtests'
  t.match(await post(api, {}, { path }), {
    status: 409,
    body: { error: { code: 'invalid_state' } },
  })
  t.match(await get(api, pathOf(api)), { status: 200, body: { data: [] } })
})

test('too many entries, and entries nobody can read, end in a failure that says so', async (t) => {
  const api = await startTestApi()
  await recorded(api)
  // Other tests left theirs in the queue.
  await api.sql`delete from spending_control_backtests`
  const asked = await post(api, { limits: LIMITS(1) })
  await run(api, 10)
  const one = pathOf(api) + '/' + asked.body.id
  t.match((await get(api, one)).body, {
    status: 'failed',
    failure: 'too_many_entries',
    result: null,
  })

  await api.sql`
    update card_transaction_messages set entry = '\\x00'
    where transaction_id in (select id from card_transactions where card_id = ${api.tenant.cardId})`
  const second = await post(api, {})
  const path = pathOf(api) + '/' + second.body.id
  for (const status of ['queued', 'queued', 'failed']) {
    t.equal(await run(api), 1)
    t.equal((await get(api, path)).body.status, status)
  }
  t.match((await get(api, path)).body, { failure: 'interrupted', finished_at: Number })
})

test('windows reach back as far as the longest limit', (t) => {
  const from = Date.UTC(2026, 10, 20)
  const reach = (change: Parameters<typeof openControl>[0], limits: object[], more = {}) =>
    (from -
      windowsFrom(
        { ...openControl(change), limits: limits.map((limit) => limitConfig(limit)), ...more },
        from,
      )) /
    DAY
  t.equal(reach('c', []), 0)
  t.equal(reach('c', [{ interval: 'per_authorization' }]), 0)
  t.equal(reach('c', [{}, { interval: 'monthly' }]), 32)
  t.equal(reach('c', [{ interval: 'rolling', rolling_seconds: 86_400 * 90 }]), 90)
  for (const all of [
    windowsFrom({ ...openControl('c'), limits: [limitConfig({ interval: 'all_time' })] }, from),
    windowsFrom({ ...openControl('c'), cancel_after: 3 }, from),
    windowsFrom({ ...openControl('c'), merchant_lock: true }, from),
  ])
    t.equal(all, 0)
  t.end()
})
