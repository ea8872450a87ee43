// An operator's word on failed payments and batches, the tenant's view of batches, and the
// entitlement and the fee that an operator grants.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { failCaptures, failRefunds, landCaptures } from '../../../api/payments/payments/index.ts'
import { closeBatch, failBatch } from '../../../api/payments/settlement-batches/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import type { Answer } from '../../harness/api.ts'
import { FAILURE, failedBatch } from '../../harness/failed-batch.ts'
import {
  type ConfirmedPayment,
  confirmedPayment,
  openPayments,
  PLACE,
} from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'

const DAY_MS = 86_400_000

const api = await openPayments(file)
const { tenant, sql } = api
const now = () => systemClock.nowMs()

async function captured(amount: object = {}): Promise<ConfirmedPayment & { captureId: string }> {
  const payment = await confirmedPayment(api)
  const { body } = await api.post(payment.path + '/capture', amount)
  return { ...payment, captureId: body.captures[0].id }
}

async function failed(amount: object = {}): Promise<ConfirmedPayment & { captureId: string }> {
  const payment = await captured(amount)
  const failures = [{ id: payment.captureId, failure: FAILURE }]
  await tx(sql, (inner) => failCaptures(inner, { failures, now: now() }))
  return payment
}

async function ledger(accountId: string): Promise<Answer['body']> {
  const rows = await sql<{ kind: string; cents: number }[]>`
    select kind, (balance / 10000)::bigint as cents from ledger_accounts where owner_id = ${accountId}`
  return Object.fromEntries(rows.map(({ kind, cents }) => [kind, cents]))
}

test('an operator queues a failed payment again', async (t) => {
  const { id, path, captureId } = await failed()
  const retry = '/payments/' + id + '/retry'
  t.match(await api.call('POST', '/operator/v1' + retry), { status: 404 }, 'not a tenant’s call')
  const retried = await api.operate('POST', retry)
  t.match(retried.body, {
    ...{ status: 'capture_pending', capture_pending_cents: 2500, failure: null },
    captures: [{ id: captureId, status: 'pending', settlement_batch_id: null, failure: null }],
  })
  t.match(await api.get(path), { status: 'capture_pending' })
  t.equal((await api.events(id)).at(-1), 'payment.settlement_retry_requested')
  t.match((await api.operate('POST', retry)).body.error, {
    code: 'invalid_state',
    allowed_from: ['failed'],
  })
  t.match(
    await sql`select actor_type, action from audit_log where resource_id = ${id}
    order by seq desc limit 1`,
    [{ actor_type: 'operator', action: 'POST /operator/v1/payments/:id/retry' }],
  )
  t.match(await api.operate('POST', '/payments/pay_unknown/retry'), { status: 404 })
})

test('a retry after the end of the approval is refused, an abandonment is not', async (t) => {
  const { id, path, terms } = await failed()
  await sql`update payments set approval_valid_until = 1 where id = ${id}`
  t.match(await api.operate('POST', '/payments/' + id + '/retry'), {
    status: 409,
    body: { error: { code: 'approval_expired' } },
  })
  const abandoned = await api.operate('POST', '/payments/' + id + '/abandon')
  t.match(abandoned.body, { status: 'voided', void_cause: 'settlement_abandoned' })
  t.match(await api.get(path), { voided_cents: 2500, capturable_cents: 0 })
  t.equal((await api.events(id)).at(-1), 'payment.voided')
  const account = terms.payment_account_id
  t.match(await ledger(account), { available: 100_000, held: 0, in_settlement: 0 })
  // The engine has the funds back as well: everything can be spent again.
  const again = { ...terms, amount_cents: 100_000 }
  t.match((await api.post('payments', again)).body, { status: 'needs_confirmation' })
  t.match(await api.operate('POST', '/payments/' + id + '/abandon'), { status: 409 })
})

test('an abandoned part leaves what landed, and releases the rest', async (t) => {
  const { id, path, captureId, terms } = await captured({ amount_cents: 1000, final: false })
  await tx(sql, (inner) => landCaptures(inner, { ids: [captureId], now: now() }))
  const { body } = await api.post(path + '/capture', { amount_cents: 500, final: false })
  const failures = [{ id: body.captures[1].id, failure: FAILURE }]
  await tx(sql, (inner) => failCaptures(inner, { failures, now: now() }))
  t.equal((await api.get(path)).status, 'failed')
  t.match((await api.operate('POST', '/payments/' + id + '/abandon')).body, {
    ...{ status: 'captured', captured_cents: 1000, voided_cents: 1500 },
    void_cause: 'settlement_abandoned',
  })
  const account = terms.payment_account_id
  t.match(await ledger(account), { available: 99_000, held: 0, in_settlement: 1000 })
  t.equal(
    (await api.post('payments', { ...terms, amount_cents: 99_001 })).body.status,
    'risk_declined',
  )
  const whole = await api.post('payments', { ...terms, amount_cents: 99_000 })
  t.equal(whole.body.status, 'needs_confirmation')
})

test('a failed payment is abandoned by itself after 28 days', async (t) => {
  const { id, path } = await failed()
  await api.runJob(27 * DAY_MS)
  t.equal((await api.get(path)).status, 'failed')
  await api.runJob(28 * DAY_MS + 60_000)
  t.match(await api.get(path), { status: 'voided', void_cause: 'settlement_abandoned' })
  t.equal((await api.events(id)).at(-1), 'payment.voided')
})

test('the review of a batch ends with a retry or an abandonment', async (t) => {
  const first = await captured()
  const { settlement_account_id } = first.terms
  const second = await confirmedPayment(api, { settlement_account_id })
  await api.post(second.path + '/capture')
  const id = await failedBatch(api, settlement_account_id)
  const open = await api.operate('GET', '/settlement_batches?review=open')
  t.ok(open.body.data.some((batch: Answer['body']) => batch.id === id))
  const payments = (await api.get('settlement_batches/' + id + '/payments')).data
  t.same(
    payments.map((each: Answer['body']) => each.id),
    [second.id, first.id],
  )
  const path = '/settlement_batches/' + id + '/resolve'
  t.match((await api.operate('POST', path, { resolution: 'ignore' })).body.error, {
    code: 'parameter_invalid',
  })
  t.match((await api.operate('POST', path, { resolution: 'retry' })).body, {
    status: 'failed',
    review: { status: 'resolved', resolution: 'retried' },
  })
  t.match(await api.get(first.path), { status: 'capture_pending' })
  const later = await failedBatch(api, settlement_account_id)
  t.not(later, id)
  t.equal((await api.get('settlement_batches/' + id + '/payments')).data.length, 2, 'still its own')
  t.match(await api.operate('POST', '/payments/' + first.id + '/retry'), { status: 200 })
  t.match(await api.get('settlement_batches/' + later), { review: { status: 'open' } })
  const { body } = await api.operate('POST', '/settlement_batches/' + later + '/resolve', {
    resolution: 'abandon',
  })
  t.match(body, { review: { status: 'resolved', resolution: 'abandoned' } })
  t.match(await api.get(second.path), { status: 'voided' })
  t.match(await api.get(first.path), { status: 'capture_pending' }, 'it was tried again before')
  t.match(
    await api.call('GET', '/v1/settlement_batches/' + id + '/payments', {
      key: api.other.keys.read,
    }),
    { status: 404 },
  )
})

test('a refund that was given up opens the review of its batch', async (t) => {
  const { path, captureId, terms } = await captured()
  await tx(sql, (inner) => landCaptures(inner, { ids: [captureId], now: now() }))
  const { body } = await api.post(path + '/refund', { amount_cents: 300 })
  const [refund] = body.refunds
  const failures = [{ id: refund.id, failure: FAILURE }]
  for (let tried = 0; tried < 2; tried++) await tx(sql, (inner) => failRefunds(inner, { failures }))
  const id = await failedBatch(api, terms.settlement_account_id)
  t.match(await api.get(path), { refund_pending_cents: 0, refunds: [{ status: 'failed' }] })
  t.match(await api.get('settlement_batches/' + id), { review: { status: 'open' } })
  const resolve = '/settlement_batches/' + id + '/resolve'
  t.match((await api.operate('POST', resolve, { resolution: 'retry' })).body.review, {
    status: 'resolved',
  })
  t.match(await api.get(path), { refund_pending_cents: 300, refunds: [{ status: 'pending' }] })
})

test('a refund that was given up is not tried again for money refunded since', async (t) => {
  const { path, captureId, terms } = await captured({ amount_cents: 1000 })
  await tx(sql, (inner) => landCaptures(inner, { ids: [captureId], now: now() }))
  const ids = []
  for (const amount_cents of [400, 600]) {
    const { body } = await api.post(path + '/refund', { amount_cents })
    ids.push(body.refunds.at(-1).id)
  }
  const failures = ids.map((id) => ({ id, failure: FAILURE }))
  for (let tried = 0; tried < 2; tried++) await tx(sql, (inner) => failRefunds(inner, { failures }))
  const id = await failedBatch(api, terms.settlement_account_id)
  t.match(await api.get(path), { refund_pending_cents: 0 })
  t.equal((await api.post(path + '/refund', { amount_cents: 500 })).status, 200)
  const resolve = '/settlement_batches/' + id + '/resolve'
  t.match(await api.operate('POST', resolve, { resolution: 'retry' }), {
    ...{ status: 200, body: { review: { status: 'resolved' } } },
  })
  t.match(await api.get(path), {
    refund_pending_cents: 900,
    refunds: [
      { amount_cents: 400, status: 'pending' },
      { amount_cents: 600, status: 'failed' },
      { amount_cents: 500, status: 'pending' },
    ],
  })
})

test('an operator asks to cancel a batch; one that has ended stays', async (t) => {
  const { terms } = await captured()
  const { settlement_account_id: account } = terms
  const run = await api.operate('POST', '/tenants/' + tenant.tenantId + '/settlement_runs', {
    environment: 'sandbox',
  })
  const batches: Answer['body'][] = run.body.settlement_batches
  const { id } = batches.find((batch) => batch.settlement_account_id === account)
  t.equal((await api.events(id)).at(-1), 'payment.settlement_manually_triggered')
  const path = '/settlement_batches/' + id + '/cancel'
  t.match((await api.operate('POST', path)).body, { id, status: 'open' })
  t.match(
    await sql`select cancel_requested_at is not null as asked from settlement_batches
    where id = ${id}`,
    [{ asked: true }],
  )
  await tx(sql, (inner) => failBatch(inner, { batchId: id, failure: FAILURE, now: now() }))
  t.match((await api.operate('POST', path)).body.error, {
    code: 'invalid_state',
    allowed_from: ['open', 'submitted'],
  })
  const nothing = await api.operate('POST', '/tenants/' + api.other.tenantId + '/settlement_runs', {
    environment: 'sandbox',
  })
  t.match(nothing, { status: 409, body: { error: { code: 'invalid_state' } } })
})

test('the balance tells what waits, what is in settlement, and what was paid', async (t) => {
  const { captureId, path, terms } = await captured({ amount_cents: 2000 })
  const { settlement_account_id: account } = terms
  const balance = () => api.get('settlement_balance?settlement_account_id=' + account)
  const none = { pending_cents: 0, in_settlement_cents: 0, paid_out_cents: 0, refunds_due_cents: 0 }
  t.match(await balance(), { ...none, object: 'settlement_balance', pending_cents: 2000 })
  await failedBatch(api, account)
  t.match(await balance(), none, 'a failed capture is neither')
  await sql`update payment_captures set status = 'submitted' where id = ${captureId}`
  t.match(await balance(), { ...none, in_settlement_cents: 2000 })
  await sql`
    update payments set capture_pending_cents = 2000, capture_failed_cents = 0,
      status = 'capture_pending' where id = ${terms.payment_account_id} or id = ${path.slice(9)}`
  await tx(sql, (inner) => landCaptures(inner, { ids: [captureId], now: now() }))
  await api.post(path + '/refund', { amount_cents: 150 })
  t.match(await balance(), { ...none, refunds_due_cents: 150 })
  t.match(await api.get('settlement_balance'), { settlement_account_id: null, livemode: false })
  const foreign = await api.seedPayee(api.other)
  t.match((await api.get('settlement_balance?settlement_account_id=' + foreign)).error, {
    code: 'resource_missing',
  })
})

test('the ages tell how long captures wait for a batch, and how long they are in one', async (t) => {
  const { captureId, terms } = await captured({ amount_cents: 1500 })
  const { settlement_account_id: account } = terms
  const ages = (query = '?settlement_account_id=' + account) => api.get('settlement_ages' + query)
  const agedBy = (id: string, ms: number) =>
    sql`update payment_captures set created_at = created_at - ${ms} where id = ${id}`
  const waiting = await ages()
  t.match(waiting, {
    ...{ object: 'settlement_ages', livemode: false, currency: 'USD' },
    ...{ settlement_account_id: account, oldest_in_settlement_seconds: null },
  })
  t.match(waiting.ages[0], { from_seconds: 0, until_seconds: 3600, pending_cents: 1500 })
  await agedBy(captureId, 2 * 3_600_000)
  const older = await ages()
  t.equal(older.ages[0].pending_captures, 0)
  t.match(older.ages[1], {
    ...{ from_seconds: 3600, until_seconds: 21_600, pending_cents: 1500, pending_captures: 1 },
    ...{ in_settlement_cents: 0, in_settlement_captures: 0 },
  })
  t.ok(older.oldest_pending_seconds >= 7200 && older.oldest_pending_seconds < 21_600)
  await tx(sql, async (inner) => {
    const place = { id: account, tenantId: tenant.tenantId, environment: 'sandbox' as const }
    const of = { ...place, chainId: PLACE.chainId }
    const closing = { account: of, trigger: 'interval', drawableCents: 1e9 } as const
    await closeBatch(inner, { ...closing, now: now(), tenantNow: now() })
  })
  await agedBy(captureId, 4 * DAY_MS)
  const inside = await ages()
  t.equal(inside.oldest_pending_seconds, null)
  t.ok(inside.oldest_in_settlement_seconds > 4 * 86_400)
  t.match(inside.ages.at(-1), {
    ...{ from_seconds: 259_200, until_seconds: null, in_settlement_cents: 1500 },
    ...{ in_settlement_captures: 1, pending_captures: 0 },
  })
  t.ok((await ages('')).ages.at(-1).in_settlement_captures >= 1, 'all accounts of the tenant')
  await tx(sql, (inner) => landCaptures(inner, { ids: [captureId], now: now() }))
  t.match(await ages(), { oldest_pending_seconds: null, oldest_in_settlement_seconds: null })
  const foreign = await api.seedPayee(api.other)
  t.match((await ages('?settlement_account_id=' + foreign)).error, { code: 'resource_missing' })
})

test('an operator records the fee of a settlement account', async (t) => {
  const id = await api.seedPayee()
  const path = '/settlement_accounts/' + id + '/fee'
  t.match((await api.operate('PUT', path, { fee_bps: 125 })).body, { id, fee_bps: 125 })
  t.match(await api.get('settlement_accounts/' + id), { fee_bps: 125 })
  t.match((await api.operate('PUT', path, { fee_bps: 501 })).body.error, {
    code: 'parameter_invalid',
  })
  t.match(await sql`select actor_type from audit_log where resource_id = ${id}`, [
    { actor_type: 'operator' },
  ])
})

test('payments in live need the entitlement that an operator grants', async (t) => {
  const { tenantId } = tenant
  const path = '/tenants/' + tenantId + '/payments'
  t.match((await api.operate('GET', '/tenants/' + tenantId)).body, { payments_entitled: false })
  t.match((await api.operate('PUT', path, { entitled: true })).body, { payments_entitled: true })
  t.match(await sql`select payments_entitled as entitled from tenants where id = ${tenantId}`, [
    { entitled: true },
  ])
  t.match((await api.operate('PUT', path, { entitled: false })).body, { payments_entitled: false })
})
