// Messages of the network of payments at a whole engine: decided on the line of the cards, with
// their windows and journal, over the control socket alone.
import { test } from 'tap'
import type { PaymentDecision } from '../../../api/engine-link/client.ts'
import { rejudge } from '../../../engine/rules/order.ts'
import type { MinorUnits } from '../../../shared/money.ts'
import { TRANSACTION_FLAGS } from '../../../shared/transaction-sums.ts'
import type { PaymentMessage } from '../../../shared/wire/control.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import {
  newMessage,
  pushConfig,
  sealedSecret,
  startEngine,
  type TestEngine,
} from '../../harness/engine.ts'
import { controlsConfig, limitConfig } from '../../harness/judged.ts'
import { accountConfig, paymentFollowUp, paymentMessage } from '../../harness/payment-messages.ts'
import type { Teardown } from '../../harness/postgres.ts'

async function withAccount(t: Teardown, change = {}, more = {}): Promise<TestEngine> {
  const engine = await startEngine(t)
  await pushConfig(engine, { more: [accountConfig(change)], ...more })
  return engine
}

/** The entry of a message that is decided for the first time. */
async function decided(engine: TestEngine, message: PaymentMessage): Promise<DecisionEntry> {
  const answer = await engine.client.decidePayment(message)
  if (answer.state !== 'decided') throw new Error('decided before: ' + JSON.stringify(answer))
  return answer.entry
}

function reasonOf({ decision }: DecisionEntry): string | null {
  return decision.declineReason
}

test('a payment is approved within its funds, with its entry, and recalled afterwards', async (t) => {
  const engine = await withAccount(t)
  const message = paymentMessage({ amount_cents: 9_999 })
  const entry = await decided(engine, message)
  t.match(entry, {
    message: { id: message.id, network: 'payments', transactionType: 'payment' },
    card: { cardId: 'pacc_1', cardType: 'account' },
    decision: { approved: true, holdCents: 9_999, decidedBy: 'static_controls' },
    effect: { sequence: 1, holdExpiresAtMs: message.hold_expires_at_ms },
  })
  t.same(await engine.entries(), [entry], 'the journal has the same entry')
  t.same(rejudge(entry.trace), { reason: null, consistent: true })
  const recalled = { state: 'recalled', approved: true, declineReason: null }
  t.same(await engine.client.decidePayment(message), recalled)
  t.equal(
    reasonOf(await decided(engine, paymentMessage({ amount_cents: 2 }))),
    'insufficient_funds',
  )
  t.equal(reasonOf(await decided(engine, paymentMessage({ amount_cents: 1 }))), null)

  const restarted = await engine.restart()
  t.same(await restarted.client.decidePayment(message), recalled, 'also after a restart')
  const late = await decided(restarted, paymentMessage({ amount_cents: 1 }))
  t.equal(reasonOf(late), 'insufficient_funds')
  t.match(late.trace.at(-1), [36, 1, 1, 10_000, 10_000, 0, 1])
  t.equal((await restarted.entries()).length, 4)
})

test('a message id with other content is refused, and a malformed message too', async (t) => {
  const engine = await withAccount(t)
  const message = paymentMessage()
  await decided(engine, message)
  const { client } = engine
  await t.rejects(
    client.decidePayment({ ...message, amount_cents: 1 }),
    /another message has this id/,
  )
  for (const change of [
    { amount_cents: -1 },
    { amount_cents: 0.5 },
    { merchant: { ...message.merchant, mcc: 'x' } },
    { hold_expires_at_ms: null },
    { environment: 'test' },
    { kind: 'refund' },
    { payment_account_id: '' },
  ]) {
    const bad = paymentMessage(change as Partial<PaymentMessage>)
    await t.rejects(client.decidePayment(bad), /the engine refused/, JSON.stringify(change))
  }
  t.equal((await engine.entries()).length, 1, 'nothing of it is stored')
})

test('an account that the engine does not know yet is away, not declined', async (t) => {
  const engine = await withAccount(t)
  const message = paymentMessage({ payment_account_id: 'pacc_2' })
  t.same(await engine.client.decidePayment(message), { state: 'away' })
  await engine.push(accountConfig({ id: 'pacc_2' }))
  t.equal(reasonOf(await decided(engine, message)), null)
  await engine.stop()
  t.same(await engine.client.decidePayment(message), { state: 'away' } satisfies PaymentDecision)
})

test('state of program, account and cardholder come first', async (t) => {
  const engine = await withAccount(t, { funded_cents: 0 })
  const ask = async () => reasonOf(await decided(engine, paymentMessage()))
  t.equal(await ask(), 'insufficient_funds')
  await engine.push(accountConfig({ funded_cents: 0, version: 2, status: 'suspended' }))
  t.equal(await ask(), 'card_suspended')
  await pushConfig(engine, { cardholder: { frozen: true, version: 2 }, more: [accountConfig()] })
  t.equal(await ask(), 'cardholder_frozen')
  await pushConfig(engine, { program: { status: 'suspended', version: 2 } })
  t.equal((await engine.client.decidePayment(paymentMessage())).state, 'away')
})

test('cards and payments share the windows of cardholder and program', async (t) => {
  const limits = [limitConfig({ id: 'lim_1', interval: 'daily', amount_cents: 1500 as MinorUnits })]
  const shared = { ...controlsConfig({ limits }), id: 'ch_1', scope: 'cardholder' as const }
  const engine = await withAccount(t, {}, { more: [accountConfig(), shared] })
  t.equal((await engine.purchase({ amount_cents: 1000 })).approved, true)
  t.equal(reasonOf(await decided(engine, paymentMessage({ amount_cents: 501 }))), 'limit_daily')
  t.equal(reasonOf(await decided(engine, paymentMessage({ amount_cents: 500 }))), null)
  t.match(await engine.purchase({ amount_cents: 1 }), { decline_reason: 'limit_daily' })
})

test('a control names the kind payment, in lists and limits', async (t) => {
  const limits = [
    limitConfig({
      id: 'lim_1',
      interval: 'daily',
      amount_cents: 700 as MinorUnits,
      filter: { mccs: null, countries: null, kinds: ['payment'], card_present: null },
    }),
  ]
  const limited = { ...controlsConfig({ limits }), id: 'ch_1', scope: 'cardholder' as const }
  const engine = await withAccount(t, {}, { more: [accountConfig(), limited] })
  t.equal((await engine.purchase({ amount_cents: 900 })).approved, true, 'cards are not counted')
  t.equal(reasonOf(await decided(engine, paymentMessage({ amount_cents: 701 }))), 'limit_daily')
  const kinds = { mode: 'block' as const, values: ['payment'] }
  await engine.push({ ...controlsConfig({ kinds }), id: 'pacc_1', scope: 'payment_account' })
  const blocked = await decided(engine, paymentMessage({ amount_cents: 1 }))
  t.equal(reasonOf(blocked), 'transaction_kind_blocked')
  t.equal((await engine.purchase({ amount_cents: 900 })).approved, true)
})

test('an account is no card, and a card no account', async (t) => {
  const engine = await withAccount(t)
  const named = newMessage({ card: { token: 'pacc_1' }, transaction_type: 'payment' })
  t.match(await engine.purchase(named), { decline_reason: 'card_not_found' })
  const ofCard = paymentMessage({ payment_account_id: 'ctok_1' })
  t.same(await engine.client.decidePayment(ofCard), { state: 'away' })
  const [entry] = await engine.entries()
  t.match(entry, { message: { transactionType: 'unknown' } }, 'the type is ours alone')
})

test('a network key with the name of the network of payments opens nothing', async (t) => {
  const key = { type: 'network_key', id: 'nk_2', version: 1, network: 'payments' } as const
  const sealed_secret = sealedSecret('nsec_b3VycA')
  const more = [accountConfig(), { ...key, environment: 'sandbox' as const, sealed_secret }]
  const engine = await withAccount(t, {}, { more })
  const message = newMessage({ card: { token: 'pacc_1' } })
  const refused = await engine.send(message, { secret: 'nsec_b3VycA', headers: {} })
  t.equal(refused.status, 401)
})

test('captures, reversals and capture reversals move the funds', async (t) => {
  const engine = await withAccount(t)
  const payment = paymentMessage({ amount_cents: 6_000 })
  await decided(engine, payment)
  const part = paymentFollowUp(payment, { kind: 'capture', amount_cents: 2_000, final: false })
  t.match(await decided(engine, part), {
    effect: { sequence: 2, sums: { captured: 2_000, released: 0 } },
  })
  t.same(await engine.client.decidePayment(part), {
    state: 'recalled',
    approved: true,
    declineReason: null,
  })
  const spend = async (amount_cents: number) =>
    reasonOf(await decided(engine, paymentMessage({ amount_cents })))
  t.equal(await spend(4_001), 'insufficient_funds', '6,000 of 10,000 are captured or held')
  const rest = paymentFollowUp(payment, { kind: 'capture', amount_cents: 1_000 })
  t.match(await decided(engine, rest), {
    effect: { sequence: 3, sums: { captured: 3_000, released: 3_000 } },
  })
  t.equal(await spend(7_001), 'insufficient_funds', 'a final capture releases the rest')
  const abandoned = paymentFollowUp(payment, { kind: 'capture_reversal', amount_cents: 1_000 })
  t.match(await decided(engine, abandoned), { effect: { sequence: 4 } })
  t.equal(await spend(8_000), null)
  t.equal(await spend(1), 'insufficient_funds')

  const over = paymentFollowUp(payment, { kind: 'capture', amount_cents: 9_000 })
  const { effect } = await decided(engine, over)
  t.ok((effect?.flags ?? 0) & TRANSACTION_FLAGS.over_captured, 'an over-capture is flagged')
})

test('a hold ends at the moment that the payment names, and a later capture is flagged', async (t) => {
  const engine = await withAccount(t)
  const payment = paymentMessage({ amount_cents: 6_000 })
  const { transactionId, effect } = await decided(engine, payment)
  const endsAt = payment.hold_expires_at_ms ?? 0
  const hold = { transaction_id: transactionId ?? '', link: effect?.link ?? Buffer.alloc(0) }
  t.equal(await engine.client.endHolds([{ ...hold, now_ms: endsAt - 1 }]), 0)
  t.equal(await engine.client.endHolds([{ ...hold, now_ms: endsAt }]), 1)
  const capture = paymentFollowUp(payment, { kind: 'capture', amount_cents: 6_000 })
  const late = await decided(engine, capture)
  t.ok((late.effect?.flags ?? 0) & TRANSACTION_FLAGS.captured_after_expiry)
  t.equal(late.effect?.sequence, 3)
})

test('no tenant is asked, no fraud rule counts, and no preset raises the hold', async (t) => {
  const fraud = { name: 'card_testing', state: 'active', count: 1, seconds: 60 } as const
  const program = {
    realtime: true,
    endpoint_id: 'we_none',
    fraud_rules: [{ ...fraud, amount_cents: 5_000 }],
  }
  const engine = await withAccount(t, {}, { program, more: [accountConfig()] })
  for (let payments = 0; payments < 3; payments++) {
    const merchant = { id: 'sacc_1', name: 'Pump', mcc: '5542', country: 'US' }
    const { decision } = await decided(engine, paymentMessage({ amount_cents: 100, merchant }))
    t.match(decision, { approved: true, holdCents: 100, tenant: null, marks: [] })
  }
})
