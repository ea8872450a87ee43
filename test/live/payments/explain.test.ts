// `npm run explain` of payments and batches: the decision, the approval checked again, the chain.
import { test } from 'tap'
import { mandateTimeline, readMandateStory } from '../../../scripts/explain/holder-story.ts'
import {
  readBatchStory,
  readPaymentStory,
  storyKind,
} from '../../../scripts/explain/payment-story.ts'
import { batchTimeline, paymentTimeline } from '../../../scripts/explain/payment-timeline.ts'
import { plainText } from '../../../scripts/explain/style.ts'
import { approveOn } from '../../../scripts/holder-peer/pages.ts'
import { confirmedPayment, openPayments, PLACE } from '../../harness/payments.ts'

test('a payment is told with its decision and an approval that holds', async (t) => {
  const api = await openPayments(t)
  const { databaseUrl, tenant } = api
  const sources = { apiUrl: api.url, key: tenant.keys.read, dataDir: '/nowhere', databaseUrl }
  const { id, path } = await confirmedPayment(api)
  const told = async (): Promise<string> => {
    const story = await readPaymentStory(sources, id)
    return story.ok ? paymentTimeline(story.value, plainText) : story.error
  }
  const text = await told()
  t.match(text, id + '  confirmed')
  t.match(text, '25.00 USD from pacc_')
  t.match(text, 'funds_available')
  t.match(text, 'the stored signature holds')
  for (const type of ['authorized', 'needs_confirmation', 'confirmed'])
    t.match(text, 'payment.' + type)
  t.notMatch(text, /undefined|NaN/)

  await api.post(path + '/capture', { amount_cents: 1000 })
  t.match(await told(), /capture +cap_\w+ of 10\.00 USD, pending/)
  await api.sql`
    update payments set assertion = jsonb_set(assertion, '{authenticator_data}',
      to_jsonb(replace(assertion ->> 'authenticator_data', 'A', 'B'))) where id = ${id}`
  t.match(await told(), 'the stored signature fails: ')

  const batchId = 'stb_' + '0'.repeat(26)
  await api.sql`
    insert into settlement_batches (id, tenant_id, environment, chain_id, settlement_account_id,
      status, trigger, captures, refunds, gross_cents, refunds_cents, fee_cents, net_cents, created_at)
    select ${batchId}, tenant_id, environment, ${PLACE.chainId}, settlement_account_id, 'open',
      'interval', 1, 0, 1000, 0, 0, 1000, 0 from payments where id = ${id}`
  await api.sql`
    update payment_captures set settlement_batch_id = ${batchId} where payment_id = ${id}`
  await api.sql`
    insert into settlement_batch_payments (settlement_batch_id, payment_id)
    values (${batchId}, ${id})`
  const batch = await readBatchStory(sources, batchId)
  const batchText = batch.ok ? batchTimeline(batch.value, plainText) : batch.error
  t.match(batchText, batchId + '  open')
  t.match(batchText, id)
  t.match(batchText, 'no transaction was signed')
  t.match(
    batchText,
    '10.00 USD of captures, 0.00 USD of refunds, fee 0.00 USD, to be paid 10.00 USD',
  )
  await api.sql`
    update settlement_batches set status = 'failed',
      failure = '{"stage":"rehearsal","code":"transfer_failed","detail":null}',
      review = '{"status":"open","openedAt":1,"resolvedAt":null,"resolution":null}'
    where id = ${batchId}`
  const failed = await readBatchStory(sources, batchId)
  const failedText = failed.ok ? batchTimeline(failed.value, plainText) : failed.error
  t.match(failedText, 'fee 0.00 USD, nothing paid')
  t.match(failedText, /review open$/m)
  t.match(await told(), batchId)

  const unknown = await readPaymentStory(sources, 'pay_' + '0'.repeat(26))
  t.match(unknown.ok ? '' : unknown.error, /^No pay_0+ in this sandbox/)
  const away = await readPaymentStory({ ...sources, databaseUrl: null }, id)
  t.match(away.ok ? away.value.approval : '', 'no database is known')
  t.same([storyKind(id), storyKind(batchId), storyKind('txn_1')], ['payment', 'batch', null])
})

test('a mandate is told with its approval, which is checked again, and its payments', async (t) => {
  const api = await openPayments(t)
  const { id: payment_account_id, passkey } = await api.openAccount()
  const of = { payment_account_id, settlement_account_id: await api.seedPayee() }
  const terms = { ...of, limit_cents: 5000, expires_in: 86_400, description: 'Books' }
  const mandate = (await api.post('payment_mandates', terms)).body
  const { tenant, databaseUrl } = api
  const sources = { apiUrl: api.url, key: tenant.keys.read, dataDir: '/nowhere', databaseUrl }
  const told = async (): Promise<string> => {
    const story = await readMandateStory(sources, mandate.id)
    return story.ok ? mandateTimeline(story.value, plainText) : story.error
  }
  t.equal(storyKind(mandate.id), 'mandate')
  t.match(await told(), 'the holder has not approved with a passkey')
  await approveOn(mandate.confirmation.url, passkey)
  const payment = (await api.post('payments', { ...of, amount_cents: 700 })).body
  const text = await told()
  t.match(text, mandate.id + '  active\nat most 50.00 USD')
  t.match(text, 'the stored signature holds')
  t.match(text, '7.00 USD reserved')
  t.match(text, payment.id + ' authorized 7.00 USD')
  t.notMatch(text, /undefined|NaN/)
  const story = await readPaymentStory(sources, payment.id)
  const ofPayment = story.ok ? paymentTimeline(story.value, plainText) : story.error
  t.match(ofPayment, 'approval by the mandate ' + mandate.id)
  t.match(ofPayment, 'the stored signature holds')
  await api.sql`
    update payment_mandates set assertion = jsonb_set(assertion, '{authenticator_data}',
      to_jsonb(replace(assertion ->> 'authenticator_data', 'A', 'B'))) where id = ${mandate.id}`
  t.match(await told(), 'the stored signature fails: ')
  const unknown = await readMandateStory(sources, 'man_' + '0'.repeat(26))
  t.match(unknown.ok ? '' : unknown.error, /^No man_0+ in this sandbox/)
})
