// Captures that the engine has not answered yet: one that comes too late ends with its hold, and a
// final one releases nothing that another one asks for. The rest of a payment ends at its time,
// whatever became of the other parts.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { failCaptures, landCaptures, landRefunds } from '../../../api/payments/payments/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { PAYMENTS_NETWORK } from '../../../shared/schemas/network-message.ts'
import { transactionLink } from '../../../shared/wire/journal-entry.ts'
import { confirmedPayment, openPayments, type PaymentsApi } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

const CUT_OFF_MS = 11_000
/** Later than any payment ends. */
const AHEAD_MS = 8 * 86_400_000

let away = false
const decide: { payment: PaymentsApi['client']['decidePayment'] | null } = { payment: null }
const api = await openPayments(file, {
  async decidePayment(message) {
    if (away || decide.payment === null) return { state: 'away' }
    return decide.payment(message)
  },
})
decide.payment = (message) => api.client.decidePayment(message)

/** A capture that the engine is not told of. */
async function unanswered(path: string, terms: object): Promise<void> {
  away = true
  const { status } = await api.post(path + '/capture', terms)
  away = false
  if (status !== 503) throw new Error('answered with ' + status)
}

/** The hold of a payment ends at the engine, and the drain has brought it. */
async function endHold(id: string): Promise<void> {
  const [row] = await api.sql<{ transactionId: string; windowsId: string; expiresAt: number }[]>`
    select p.transaction_id as "transactionId", coalesce(a.windows_id, a.id) as "windowsId",
      p.expires_at as "expiresAt"
    from payments p join payment_accounts a on a.id = p.payment_account_id where p.id = ${id}`
  if (row === undefined) throw new Error('no payment')
  const link = transactionLink('sandbox', PAYMENTS_NETWORK, row.windowsId, id)
  const hold = { transaction_id: row.transactionId, link, now_ms: row.expiresAt }
  if ((await api.client.endHolds([hold])) !== 1) throw new Error('the hold was not open')
  await until(async () => {
    const status = await api.client.status()
    return status.drained_seq === status.synced_seq
  })
}

async function cents(accountId: string, kind: string): Promise<number> {
  const [row] = await api.sql<{ cents: number }[]>`
    select coalesce(sum(balance / 10000), 0)::bigint as cents from ledger_accounts
    where owner_id = ${accountId} and kind = ${kind}`
  return row?.cents ?? 0
}

test('a capture that reaches the engine after its hold gives everything back', async (t) => {
  const { id, path, terms } = await confirmedPayment(api)
  await unanswered(path, { amount_cents: 2000, final: false })
  await endHold(id)
  t.match(await api.get(path), { status: 'confirmed', voided_cents: 0 }, 'the capture comes first')
  await api.runJob(CUT_OFF_MS)
  t.match(await api.get(path), {
    ...{ status: 'voided', void_cause: 'authorization_expired', voided_cents: 2500 },
    captures: [],
  })
  t.equal(await cents(terms.payment_account_id, 'held'), 0)
  t.equal(await cents(terms.payment_account_id, 'available'), 100_000)
  t.equal((await api.events(id)).at(-1), 'payment.voided')
  t.match((await api.post(path + '/capture')).body.error, {
    code: 'invalid_state',
    current_status: 'voided',
  })
})

test('a final capture waits for another one, and leaves nothing to a later one', async (t) => {
  const { path } = await confirmedPayment(api)
  await unanswered(path, { amount_cents: 1000, final: false })
  const other = { amount_cents: 500, final: false }
  t.match((await api.post(path + '/capture', { amount_cents: 500 })).body.error, {
    ...{ code: 'invalid_state', current_status: 'capture_pending' },
    message: /is not answered yet/,
  })
  await unanswered(path, other)
  await api.runJob(CUT_OFF_MS)
  t.match(await api.get(path), { capture_pending_cents: 1500, capturable_cents: 1000 })
  await unanswered(path, { amount_cents: 700 })
  t.match((await api.post(path + '/capture', other)).body.error, {
    ...{ code: 'amount_not_capturable', capturable_cents: 0 },
  })
  await api.runJob(CUT_OFF_MS)
  t.match(await api.get(path), {
    ...{ capture_pending_cents: 2200, voided_cents: 300, capturable_cents: 0 },
  })
})

test('the answer to a capture comes after another one has failed', async (t) => {
  const { id, path } = await confirmedPayment(api)
  const { body } = await api.post(path + '/capture', { amount_cents: 1000, final: false })
  await unanswered(path, { amount_cents: 500, final: false })
  const failure = { stage: 'capture', code: 'transfer_failed', detail: null } as const
  const failures = [{ id: body.captures[0].id, failure }]
  await tx(api.sql, (sql) => failCaptures(sql, { failures, now: systemClock.nowMs() }))
  t.match(await api.get(path), { status: 'failed' })
  t.match((await api.operate('POST', '/payments/' + id + '/abandon')).body.error, {
    ...{ code: 'invalid_state', current_status: 'capture_pending' },
  })
  await api.runJob(CUT_OFF_MS)
  t.match(await api.get(path), {
    ...{ status: 'capture_pending', capture_pending_cents: 500, capturable_cents: 1000 },
  })
})

test('the rest ends by the tenant’s clock beside refunded and waiting parts', async (t) => {
  const now = systemClock.nowMs()
  const part = { amount_cents: 1000, final: false }
  const [refunded, waiting] = [await confirmedPayment(api), await confirmedPayment(api)]
  const { body } = await api.post(refunded.path + '/capture', part)
  await tx(api.sql, (sql) => landCaptures(sql, { ids: [body.captures[0].id], now }))
  const asked = await api.post(refunded.path + '/refund', { amount_cents: 400 })
  await tx(api.sql, (sql) => landRefunds(sql, { ids: [asked.body.refunds[0].id], now }))
  await api.post(waiting.path + '/capture', part)
  await api.sql`
    insert into sandbox_clocks (tenant_id, offset_ms) values (${api.tenant.tenantId}, ${AHEAD_MS})
    on conflict (tenant_id) do update set offset_ms = excluded.offset_ms`
  for (const { path, status } of [
    { path: refunded.path, status: 'partially_refunded' },
    { path: waiting.path, status: 'capture_pending' },
  ]) {
    await until(async () => (await api.get(path)).voided_cents > 0)
    t.match(await api.get(path), { status, voided_cents: 1500, capturable_cents: 0 })
  }
})
