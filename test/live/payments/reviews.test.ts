// An operator's decision on the review of a batch: it is made once, and reaches the payments that
// can be decided on; the others are named, and the review stays open for them.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { failRefunds, landCaptures } from '../../../api/payments/payments/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { FAILURE, failedBatch } from '../../harness/failed-batch.ts'
import { confirmedPayment, openPayments, type PaymentsApi } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'

const CUT_OFF_MS = 11_000

let away = false
const decide: { payment: PaymentsApi['client']['decidePayment'] | null } = { payment: null }
const api = await openPayments(file, {
  async decidePayment(message) {
    if (away || decide.payment === null) return { state: 'away' }
    return decide.payment(message)
  },
})
decide.payment = (message) => api.client.decidePayment(message)
const { sql } = api

/** Payments of one settlement account, each with a capture of 10.00 in one batch that failed. */
async function failedTogether(
  count: number,
  before: (path: string) => Promise<void> = async () => undefined,
) {
  const settlement_account_id = await api.seedPayee()
  const payments = []
  for (let made = 0; made < count; made++) {
    const payment = await confirmedPayment(api, { settlement_account_id })
    const { body } = await api.post(payment.path + '/capture', { amount_cents: 1000, final: false })
    payments.push({ ...payment, captureId: body.captures[0].id as string })
  }
  await before(payments.at(-1)?.path ?? '')
  const id = await failedBatch(api, settlement_account_id)
  const path = '/settlement_batches/' + id + '/resolve'
  const resolve = (resolution: string) => api.operate('POST', path, { resolution })
  return { id, payments, resolve, settlement_account_id }
}

/** Rows of operators in the tenant's log. */
async function auditRows(id: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from audit_log where resource_id = ${id}
      and tenant_id = ${api.tenant.tenantId} and actor_type = 'operator'`
  return row?.count ?? 0
}

test('a review is resolved once, also by two operators at once', async (t) => {
  const { id, payments, resolve } = await failedTogether(1)
  const answers = await Promise.all([resolve('retry'), resolve('retry'), resolve('abandon')])
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409])
  const { resolution } = (await api.get('settlement_batches/' + id)).review
  const events = await api.events(payments[0]?.id ?? '')
  for (const again of ['retry', 'abandon'])
    t.match((await resolve(again)).body.error, {
      ...{ code: 'invalid_state', current_status: 'resolved', allowed_from: ['open'] },
    })
  t.match((await api.get('settlement_batches/' + id)).review, { status: 'resolved', resolution })
  t.same(await api.events(payments[0]?.id ?? ''), events)
  t.equal(await auditRows(id), 1)
})

test('a refund that was given up with its review is not tried again', async (t) => {
  const settlement_account_id = await api.seedPayee()
  const { path } = await confirmedPayment(api, { settlement_account_id })
  const { body } = await api.post(path + '/capture')
  const landed = { ids: [body.captures[0].id], now: systemClock.nowMs() }
  await tx(sql, (inner) => landCaptures(inner, landed))
  const asked = await api.post(path + '/refund', { amount_cents: 300 })
  const failures = [{ id: asked.body.refunds[0].id, failure: FAILURE }]
  for (let tried = 0; tried < 2; tried++) await tx(sql, (inner) => failRefunds(inner, { failures }))
  const resolve = '/settlement_batches/' + (await failedBatch(api, settlement_account_id))
  const decision = (resolution: string) => api.operate('POST', resolve + '/resolve', { resolution })
  t.match((await decision('abandon')).body, { review: { resolution: 'abandoned' } })
  t.match(await decision('retry'), { status: 409, body: { error: { code: 'invalid_state' } } })
  t.match(await api.get(path), { refund_pending_cents: 0, refunds: [{ status: 'failed' }] })
})

test('an unanswered capture keeps its own payment undecided, and no other one', async (t) => {
  const { id, payments, resolve } = await failedTogether(2, async (path) => {
    away = true
    const part = { amount_cents: 500, final: false }
    t.equal((await api.post(path + '/capture', part)).status, 503)
    away = false
  })
  const [free, busy] = payments
  if (free === undefined || busy === undefined) throw new Error('no payments')
  const first = await resolve('abandon')
  t.match(first.body, {
    review: { status: 'open', resolution: null },
    undecided_payments: [{ payment_id: busy.id, code: 'invalid_state' }],
  })
  t.match(await api.get(free.path), { status: 'voided', void_cause: 'settlement_abandoned' })
  t.match(await api.get(busy.path), { status: 'failed', voided_cents: 0 })
  await api.runJob(CUT_OFF_MS)
  t.match(await api.get(busy.path), { status: 'capture_pending', capture_pending_cents: 500 })
  t.match((await resolve('abandon')).body.error, { code: 'invalid_state' }, 'none can be decided')
  const [, captured] = (await api.get(busy.path)).captures
  const landed = { ids: [captured.id], now: systemClock.nowMs() }
  await tx(sql, (inner) => landCaptures(inner, landed))
  t.match((await resolve('abandon')).body, {
    review: { status: 'resolved', resolution: 'abandoned' },
    undecided_payments: [],
  })
  t.match(await api.get(busy.path), { status: 'captured', captured_cents: 500, voided_cents: 2000 })
  t.equal(await auditRows(id), 2, 'a call that decides nothing leaves no row')
})

test('a retry leaves out payments whose approval has ended', async (t) => {
  const { payments, resolve } = await failedTogether(2)
  const [alive, ended] = payments
  if (alive === undefined || ended === undefined) throw new Error('no payments')
  await sql`update payments set approval_valid_until = 1 where id = ${ended.id}`
  t.match((await resolve('retry')).body, {
    review: { status: 'open' },
    undecided_payments: [{ payment_id: ended.id, code: 'approval_expired' }],
  })
  t.match(await api.get(alive.path), { status: 'capture_pending', capture_pending_cents: 1000 })
  t.match((await resolve('retry')).body.error, { code: 'approval_expired' })
  t.match((await resolve('abandon')).body, { review: { resolution: 'abandoned' } })
  t.match(await api.get(ended.path), { status: 'voided', voided_cents: 2500 })
  t.match(await api.get(alive.path), { status: 'capture_pending', voided_cents: 0 })
})

test('an abandonment is final while the engine is away, and ends with its answer', async (t) => {
  const { id, payments, resolve } = await failedTogether(2)
  const [first, second] = payments
  if (first === undefined || second === undefined) throw new Error('no payments')
  away = true
  const abandon = '/payments/' + first.id + '/abandon'
  t.equal((await api.operate('POST', abandon)).status, 503)
  t.equal((await api.operate('POST', abandon)).status, 503)
  t.match(await api.get('settlement_batches/' + id), { review: { status: 'open' } })
  t.match((await resolve('abandon')).body, {
    review: { status: 'resolved', resolution: 'abandoned' },
    undecided_payments: [],
  })
  away = false
  t.match((await resolve('retry')).body.error, { code: 'invalid_state' })
  await api.runJob()
  for (const { path, id: paymentId } of payments) {
    t.match(await api.get(path), { status: 'voided', void_cause: 'settlement_abandoned' })
    const events = await api.events(paymentId)
    t.equal(events.filter((type) => type === 'payment.voided').length, 1)
  }
  t.same([await auditRows(first.id), await auditRows(second.id)], [1, 0])
})
