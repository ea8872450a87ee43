// Refunds take bits of the approval, as captures do: 64 under one approval, each its own and for
// ever, whichever release recorded it.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { landCaptures } from '../../../api/payments/payments/index.ts'
import { closeBatch } from '../../../api/payments/settlement-batches/index.ts'
import { callOf } from '../../../api/payments/settler/encode.ts'
import { assignRefundBits } from '../../../api/payments/settler/refund-bits.ts'
import { listChainItems } from '../../../api/payments/settler/store.ts'
import { approveOn } from '../../../scripts/holder-peer/pages.ts'
import { systemClock } from '../../../shared/clock.ts'
import { confirmedPayment, openPayments, PLACE } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'

const REFUNDS_MAX = 64
const CENTS = 1000

const api = await openPayments(file)

/** Captures all of a payment, and records it as landed. */
async function captured(id: string): Promise<string> {
  const { body } = await api.post('payments/' + id + '/capture')
  const ids = body.captures.map((capture: { id: string }) => capture.id)
  await tx(api.sql, (sql) => landCaptures(sql, { ids, now: systemClock.nowMs() }))
  return id
}

const refund = (id: string) => api.post('payments/' + id + '/refund', { amount_cents: 1 })

/** Refunds of one cent, as an earlier release records them. */
async function recorded(id: string, count: number): Promise<void> {
  await api.sql`
    insert into payment_refunds (id, payment_id, tenant_id, environment, amount_cents, status,
      created_at)
    select 'ref_' || md5(${id} || n), ${id}, ${api.tenant.tenantId}, 'sandbox', 1, 'pending', n
    from generate_series(1, ${count}::int) n`
  await api.sql`
    update payments set refund_pending_cents = refund_pending_cents + ${count} where id = ${id}`
}

/** Two captured payments under one mandate. */
async function underMandate() {
  const { id, passkey } = await api.openAccount()
  const settlement_account_id = await api.seedPayee()
  const parties = { payment_account_id: id, settlement_account_id }
  const terms = { ...parties, limit_cents: 2 * CENTS, expires_in: 86_400 }
  const mandate = (await api.post('payment_mandates', terms)).body
  await approveOn(mandate.confirmation.url, passkey)
  const pay = async (): Promise<string> => {
    const { body } = await api.post('payments', { ...parties, amount_cents: CENTS })
    return captured(body.id)
  }
  return { mandate, settlement_account_id, one: await pay(), other: await pay() }
}

const REFUSED = { status: 409, body: { error: { code: 'amount_not_refundable' } } }

test('64 refunds are the most under the approval of a payment', async (t) => {
  const { id } = await confirmedPayment(api)
  await captured(id)
  await recorded(id, REFUNDS_MAX - 1)
  const last = await refund(id)
  t.match(last, { status: 200, body: { refund_pending_cents: REFUNDS_MAX } })
  t.match(await refund(id), REFUSED)
  t.match((await refund(id)).body.error, { refundable_cents: 2500 - REFUNDS_MAX })
})

test('payments under one mandate share its 64 refunds, also by calls at once', async (t) => {
  const { one, other } = await underMandate()
  await recorded(one, REFUNDS_MAX - 3)
  const tries = await Promise.all([one, other, one, other, other, one].map(refund))
  t.same(tries.map(({ status }) => status).sort(), [200, 200, 200, 409, 409, 409])
  t.match(await refund(other), REFUSED)
})

test('each refund has a bit of its approval, which no other one has', async (t) => {
  const { mandate, settlement_account_id, one, other } = await underMandate()
  const account = {
    ...{ id: settlement_account_id, tenantId: api.tenant.tenantId, chainId: PLACE.chainId },
    environment: 'sandbox' as const,
  }
  const close = async (drawableCents: number): Promise<string> => {
    const now = systemClock.nowMs()
    const closing = { account, trigger: 'interval', drawableCents, now, tenantNow: now } as const
    return tx(api.sql, async (sql) => {
      const batch = await closeBatch(sql, closing)
      await assignRefundBits(sql, batch?.id ?? 'none')
      return batch?.id ?? 'none'
    })
  }
  const bits = async (): Promise<unknown[]> => {
    const rows = await api.sql<{ bit: number | null }[]>`
      select bit from payment_refunds where approval_id = ${mandate.id} order by bit`
    return rows.map(({ bit }) => bit)
  }
  await refund(other)
  t.same(await bits(), [0], 'a refund has it from its creation on')
  await recorded(one, 2)
  await close(2)
  t.same(await bits(), [0, 1, 2], 'those of an earlier release get theirs with the batch')
  await recorded(other, REFUNDS_MAX - 3)
  const last = await close(CENTS)
  const all = Array.from({ length: REFUNDS_MAX }, (_, bit) => bit)
  t.same(await bits(), all)
  await t.rejects(
    api.sql`update payment_refunds set bit = 1 where approval_id = ${mandate.id} and bit = 0`,
    /payment_refunds_approval_id_bit/,
    'the database holds a bit once',
  )
  const items = (await listChainItems(api.sql, last)).filter(({ kind }) => kind === 'refund')
  t.match(callOf(PLACE, last, items), /^0x/)
  t.equal(callOf(PLACE, last, [{ ...(items[0] as (typeof items)[0]), bit: null }]), 'bit_missing')
})
