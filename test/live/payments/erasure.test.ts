// An erasure of somebody who paid: payments, mandates, withdrawals and events, over a real API,
// engine and database.
import { test } from 'tap'
import { confirmedAnswer, emptyAccount, openPayments } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { tablesOf, tracesOf } from '../../harness/traces.ts'
import { until } from '../../harness/until.ts'

const OWN = { external_id: 'crew-7', metadata: { title: 'Countess' } }
const TOLD = /augusta|crew-7|countess/i
const HOUR_S = 3600
const api = await openPayments(file)

test('an erased payer is in no payment, mandate or event', async (t) => {
  const { id: payment_account_id } = await api.openAccount()
  const { cardholder_id } = await api.get('payment_accounts/' + payment_account_id)
  const settlement_account_id = await api.seedPayee()
  const parties = { payment_account_id, settlement_account_id }
  const words = { description: 'Gift of Augusta', ...OWN }
  const payment = await api.post('payments', { ...parties, amount_cents: 2500, ...words })
  t.equal(payment.status, 201)
  const terms = { ...parties, limit_cents: 5000, expires_in: HOUR_S, ...words }
  t.equal((await api.post('payment_mandates', terms)).status, 201)
  await api.sql`
    insert into payment_withdrawals (id, tenant_id, environment, payment_account_id, chain_id,
      status, amount_cents, recipient, nonce, withdrawal_hash, confirmation_expires_at, created_at,
      external_id, metadata)
    values ('wdr_1', ${api.tenant.tenantId}, 'sandbox', ${payment_account_id}, 31337, 'canceled', 100,
      ${'0x' + '1'.repeat(40)}, 0, ${Buffer.alloc(32)}, 0, 0, 'crew-7', '{"title": "Countess"}')`
  await until(async () => (await api.events(payment.body.id)).length > 0)
  const path = '/v1/cardholders/' + cardholder_id + '/erase'
  const key = api.tenant.keys.write
  t.match(await api.call('POST', path, { key }), {
    ...{ status: 409, body: { error: { resource_id: payment_account_id } } },
  })
  t.match(await api.post('payments/' + payment.body.id + '/void'), { status: 200 })
  await emptyAccount(api, { id: payment_account_id, cents: 100_000 })
  t.match((await confirmedAnswer(api, 'payment_accounts/' + payment_account_id + '/close')).body, {
    status: 'closed',
  })
  t.same(tablesOf(await tracesOf(api.sql, TOLD)), [
    ...['events', 'payment_mandates', 'payment_withdrawals', 'payments'],
  ])

  const erased = await api.call('POST', path, { key })
  t.equal(erased.status, 200, erased.text)
  t.same(await tracesOf(api.sql, TOLD), [])
  t.match(await api.get('payments/' + payment.body.id), {
    ...{ description: null, external_id: null, metadata: {}, amount_cents: 2500 },
  })
})
