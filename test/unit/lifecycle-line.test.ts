import { type Test, test } from 'tap'
import { latencies } from '../../engine/latencies.ts'
import { flagNames, openHold, type Sums, transactionStatus } from '../../shared/transaction-sums.ts'
import { controlsConfig, judgedConfig, limitConfig } from '../harness/judged.ts'
import { LineRig } from '../harness/line-rig.ts'

const ASKS = { configCache: { program: { realtime: true, endpoint_id: 'we_1' } } } as const
const DAY_MS = 24 * 3_600_000

/** Status, open hold and flags of the transaction, and what counts on the card. */
function life(rig: LineRig) {
  const { sums, flags } = rig.transaction()
  const { amount, count } = rig.used(4)
  return {
    status: transactionStatus(sums, flags),
    hold: openHold(sums),
    flags: flagNames(flags),
    amount,
    count,
  }
}

function sumsOf(rig: LineRig): Partial<Sums> {
  return Object.fromEntries(Object.entries(rig.transaction().sums).filter(([, sum]) => sum !== 0))
}

test('an authorization, increments and its captures move one transaction', (t) => {
  const rig = new LineRig()
  const opened = rig.send('authorization', { amount_cents: 1000 }).answer
  t.match(opened, { approved: true, response_code: '00' })
  const more = rig.send('incremental', { amount_cents: 500 }).answer
  t.match(more, { approved: true, transaction_id: opened.transaction_id })
  t.match(life(rig), { status: 'authorized', hold: 1500, amount: 1500, count: 1 })
  const first = rig.send('capture', { amount_cents: 600, final: false }).answer
  t.match(first, {
    approved: true,
    approved_amount_cents: 600,
    response_code: '00',
    authorization_code: null,
    decided_by: 'network',
    transaction_id: opened.transaction_id,
  })
  t.match(life(rig), { status: 'partially_captured', hold: 900, amount: 1500, count: 1 })
  rig.send('capture', { amount_cents: 700 })
  t.match(life(rig), { status: 'captured', hold: 0, amount: 1300, count: 1, flags: ['final'] })
  t.equal(rig.transaction().sequence, 4)
  t.equal(rig.lastDecision().effect?.event, 'captured')
  t.end()
})

test('a restart, from the journal or a snapshot, changes nothing', (t) => {
  const rig = new LineRig()
  rig.send('authorization')
  rig.send('incremental', { amount_cents: 50 })
  rig.advance(DAY_MS)
  rig.send('incremental', { amount_cents: 70 })
  rig.send('reversal', { amount_cents: 100 })
  const before = [life(rig), rig.transaction()]
  for (const from of ['journal', 'snapshot', 'snapshot'] as const) {
    rig.restart(from)
    t.same([life(rig), rig.transaction()], before, from)
  }
  rig.send('reversal', { amount_cents: 1020 })
  t.match(life(rig), { status: 'reversed', hold: 0, amount: 0, count: 0 })
  t.end()
})

test('an increment on a later day counts in that day’s windows, and is reversed first', (t) => {
  const rig = new LineRig()
  rig.send('authorization', { amount_cents: 1000 })
  rig.advance(DAY_MS)
  rig.send('incremental', { amount_cents: 300 })
  t.same(rig.used(0), { amount: 300, count: 0, reserved: 0 })
  t.same(rig.used(4), { amount: 1300, count: 1, reserved: 0 })
  rig.send('reversal', { amount_cents: 400 })
  t.same(rig.used(0), { amount: 0, count: 0, reserved: 0 })
  t.same(rig.used(4), { amount: 900, count: 1, reserved: 0 })
  rig.restart('snapshot')
  t.same(rig.used(4), { amount: 900, count: 1, reserved: 0 })
  t.end()
})

test('per_authorization compares the chain of increments, windows each addition', (t) => {
  const limits = [
    limitConfig({ id: 'lim_p', interval: 'per_authorization', amount_cents: 1500 as never }),
    limitConfig({ id: 'lim_d', amount_cents: 1800 as never }),
  ]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  rig.send('authorization', { amount_cents: 1000 })
  t.match(rig.send('incremental', { amount_cents: 501 }).answer, {
    approved: false,
    decline_reason: 'limit_per_authorization',
  })
  t.match(life(rig), { status: 'authorized', hold: 1000 }, 'the original is as before')
  t.match(rig.send('incremental', { amount_cents: 500 }).answer, { approved: true })
  t.match(rig.send('authorization', { network_transaction_id: 'n-2', amount_cents: 301 }).answer, {
    decline_reason: 'limit_daily',
  })
  t.match(rig.send('authorization', { network_transaction_id: 'n-3', amount_cents: 300 }).answer, {
    approved: true,
  })
  t.end()
})

test('an increment of an unknown or ended transaction is declined', (t) => {
  const rig = new LineRig()
  t.match(rig.send('incremental').answer, {
    approved: false,
    response_code: '12',
    decline_reason: 'original_not_found',
  })
  rig.send('authorization', { network_transaction_id: 'n-2' })
  rig.send('reversal', { network_transaction_id: 'n-2' })
  const late = rig.send('incremental', { network_transaction_id: 'n-2' }).answer
  t.match(late, { approved: false, decline_reason: 'original_expired' })
  t.equal(rig.lastDecision().effect?.sequence, 3, 'it is told on the transaction it asked about')
  t.end()
})

test('a reversal before its authorization declines it when it comes', (t) => {
  const rig = new LineRig()
  const reversed = rig.send('reversal').answer
  t.match(reversed, { approved: true, decided_by: 'network' })
  rig.send('balance_inquiry')
  rig.restart('snapshot')
  const late = rig.send('authorization').answer
  t.match(late, {
    approved: false,
    decline_reason: 'original_reversed',
    decided_by: 'network',
    transaction_id: reversed.transaction_id,
  })
  t.match(life(rig), { status: 'reversed', hold: 0, amount: 0, count: 0 })
  t.end()
})

test('a reversal during the tenant’s decision voids it: nothing is held', (t) => {
  const rig = new LineRig(ASKS)
  const asked = rig.send('authorization')
  t.equal(asked.status, 0)
  t.match(rig.used(), { reserved: 1000 })
  const reversed = rig.send('reversal')
  t.equal(reversed.status, 200, 'recorded at once')
  rig.asked.shift()?.({ approve: true })
  t.match(asked.answer, { approved: false, decline_reason: 'original_reversed' })
  t.equal(asked.answer.transaction_id, reversed.answer.transaction_id, 'one transaction')
  t.match(life(rig), { status: 'reversed', hold: 0, amount: 0, count: 0 })
  t.match(rig.used(), { reserved: 0 })
  t.end()
})

test('a capture during the tenant’s decision joins the transaction it captures', (t) => {
  const rig = new LineRig(ASKS)
  const asked = rig.send('authorization', { amount_cents: 1000 })
  rig.send('capture', { amount_cents: 800, final: false })
  rig.asked.shift()?.({ approve: true })
  t.match(asked.answer, { approved: true })
  t.match(life(rig), {
    status: 'partially_captured',
    hold: 200,
    amount: 1000,
    count: 1,
    flags: ['captured_before_authorization'],
  })
  rig.restart('snapshot')
  t.end()
})

test('an advice during the tenant’s decision holds once, because the network has decided', (t) => {
  const rig = new LineRig(ASKS)
  const asked = rig.send('authorization', { amount_cents: 1000 })
  rig.send('advice', { amount_cents: 1000 })
  rig.asked.shift()?.({ approve: true })
  t.match(asked.answer, {
    approved: false,
    decline_reason: 'issuer_overloaded',
    decided_by: 'network',
  })
  t.match(life(rig), { status: 'authorized', hold: 1000, amount: 1000, count: 1 })
  t.match(rig.used(), { reserved: 0 })
  t.end()
})

test('any notification during the tenant’s decision joins that transaction', (t) => {
  for (const kind of ['refund', 'capture_reversal', 'refund_reversal'] as const) {
    const rig = new LineRig(ASKS)
    const asked = rig.send('authorization')
    const notification = rig.send(kind, { amount_cents: 10 })
    rig.asked.shift()?.({ approve: true })
    t.match(
      asked.answer,
      { approved: true, transaction_id: notification.answer.transaction_id },
      kind,
    )
    t.match(rig.transaction(), { sequence: 2, sums: { authorized: 1000 } }, kind)
    rig.restart('journal')
  }
  t.end()
})

test('an increment whose original ends during the tenant’s decision is declined', (t) => {
  const rig = new LineRig(ASKS)
  rig.send('authorization')
  rig.asked.shift()?.({ approve: true })
  const asked = rig.send('incremental', { amount_cents: 200 })
  rig.send('reversal')
  rig.asked.shift()?.({ approve: true })
  t.match(asked.answer, { approved: false, decline_reason: 'original_expired' })
  t.match(life(rig), { hold: 0, amount: 0, count: 0 })
  t.match(rig.used(), { reserved: 0 })
  t.end()
})

test('a late authorization adds only the amount beyond its earlier capture', (t) => {
  for (const [final, hold, status] of [
    [false, 200, 'partially_captured'],
    [true, 0, 'captured'],
  ] as const) {
    const early = new LineRig()
    early.send('capture', { amount_cents: 800, final })
    t.match(life(early), { amount: 800, count: 1 })
    t.match(early.send('authorization', { amount_cents: 1000 }).answer, { approved: true })
    t.match(life(early), { hold, status })
    const usual = new LineRig()
    usual.send('authorization', { amount_cents: 1000 })
    usual.send('capture', { amount_cents: 800, final })
    t.same(sumsOf(early), sumsOf(usual), 'the sums are those of the usual order')
    t.same(early.used(4), usual.used(4))
    early.restart('snapshot')
  }
  t.end()
})

test('a late authorization after its capture is judged by its addition', (t) => {
  const limits = [limitConfig({ amount_cents: 1000 as never })]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  rig.send('capture', { amount_cents: 800, final: false })
  t.match(rig.send('authorization', { amount_cents: 1000 }).answer, { approved: true })
  t.end()
})

test('a late authorization reserves one more number unless its capture already counts', (t) => {
  for (const [takenBack, reason] of [
    [false, undefined],
    [true, 'limit_count'],
  ] as const) {
    const limits = [limitConfig({ amount_cents: null, count: takenBack ? 1 : 2 })]
    const rig = new LineRig({ ...ASKS, controls: [controlsConfig({ limits })] })
    rig.send('capture', { amount_cents: 1, final: false })
    if (takenBack) rig.send('capture_reversal', { amount_cents: 1 })
    rig.send('authorization')
    t.equal(rig.asked.length, 1)
    const { answer } = rig.send('authorization', { network_transaction_id: 'n-2' })
    t.equal(answer.decline_reason, reason)
  }
  t.end()
})

test('a hold expires on its hour, also after a restart, and a later capture is flagged', (t) => {
  const rig = new LineRig()
  rig.send('authorization')
  t.equal(rig.passDays(4), 0)
  rig.restart('snapshot')
  t.equal(rig.passDays(1.1), 1)
  t.equal(rig.passDays(1), 0, 'once')
  t.match(life(rig), { status: 'expired', hold: 0, amount: 0, count: 0 })
  const expiry = rig.entries().at(-1)
  t.match(expiry, { kind: 'expiry', effect: { event: 'reversed', amountCents: 1000, sequence: 2 } })
  t.equal(expiry?.kind === 'expiry' && expiry.transactionId, rig.lastDecision().transactionId)
  rig.send('capture')
  t.match(life(rig), { status: 'captured', amount: 1000, count: 1 })
  t.match(life(rig).flags, ['captured_after_expiry', 'final'])
  rig.restart('snapshot')
  t.end()
})

test('an increment extends a hold as long as a new one lasts', (t) => {
  const rig = new LineRig()
  rig.send('authorization')
  rig.passDays(4)
  rig.send('incremental')
  t.equal(rig.passDays(2), 0, 'beyond the five days of the first')
  t.equal(rig.passDays(4), 1)
  t.match(life(rig), { status: 'expired', amount: 0, count: 0 })
  t.end()
})

test('no hold expires while the journal is full or the engine is not ready', (t) => {
  const rig = new LineRig()
  rig.send('authorization')
  rig.log.roomLeft = false
  t.equal(rig.passDays(6), 0)
  rig.log.roomLeft = true
  t.equal(rig.passDays(0), 1)
  t.end()
})

test('notifications are recorded for suspended and terminated cards, cardholders and programs', (t) => {
  const states = [
    { card: { status: 'suspended' } },
    { card: { status: 'terminated' } },
    { cardholder: { frozen: true } },
    { program: { status: 'suspended' } },
  ] as const
  for (const configCache of states) {
    const rig = new LineRig({ configCache })
    t.match(rig.send('authorization').answer, { approved: false })
    for (const kind of ['capture', 'refund', 'reversal', 'advice'] as const) {
      const { answer } = rig.send(kind, { network_transaction_id: kind })
      t.match(answer, { approved: true, response_code: '00', decided_by: 'network' }, kind)
    }
  }
  t.end()
})

test('holds of before a suspension of billing are captured, reversed and refunded, and expire', (t) => {
  const rig = new LineRig()
  for (const id of ['n-1', 'n-2', 'n-3', 'n-4'])
    t.match(rig.send('authorization', { network_transaction_id: id }).answer, { approved: true })
  rig.changeProgram({ authorizations_closed: true })
  const refused = { approved: false, decline_reason: 'program_suspended' }
  t.match(rig.send('authorization', { network_transaction_id: 'n-5' }).answer, refused)
  t.match(rig.send('incremental', { network_transaction_id: 'n-4' }).answer, refused)
  t.equal(openHold(rig.transaction('n-4').sums), 1000, 'the hold is as before')
  for (const [kind, id] of [
    ['capture', 'n-1'],
    ['reversal', 'n-2'],
    ['capture', 'n-3'],
    ['refund', 'n-3'],
  ] as const)
    t.match(rig.send(kind, { network_transaction_id: id }).answer, { approved: true }, kind)
  const statusOf = (id: string): string => {
    const { sums, flags } = rig.transaction(id)
    return transactionStatus(sums, flags)
  }
  t.same(['n-1', 'n-2', 'n-3'].map(statusOf), ['captured', 'reversed', 'refunded'])
  t.equal(rig.passDays(6), 1, 'the fourth expires')
  t.equal(statusOf('n-4'), 'expired')
  rig.changeProgram({ authorizations_closed: false })
  t.match(rig.send('authorization', { network_transaction_id: 'n-6' }).answer, { approved: true })
  t.end()
})

test('notifications are counted as such, and not as decisions', (t) => {
  const rig = new LineRig()
  rig.send('capture')
  rig.send('authorization', { network_transaction_id: 'n-2' })
  const gauges = { journalSyncs: latencies(), clockAheadMs: {}, process: [] }
  const text = rig.line.metrics.text(gauges as never)
  t.match(text, 'svc_facts_total{kind="capture"} 1')
  t.match(text, 'svc_decisions_total{outcome="approved",reason="approved"} 1')
  t.end()
})

test('a notification about an unknown card is answered as a notification', (t) => {
  const rig = new LineRig()
  const { answer } = rig.send('capture', { card: { token: 'nobody' } })
  t.match(answer, { approved: false, response_code: '14', decline_reason: 'card_not_found' })
  t.match(rig.lastDecision(), { card: null, effect: null, transactionId: null })
  t.end()
})

test('a notification is never too old; an authorization request can be', (t) => {
  const rig = new LineRig()
  const old = { transmitted_at: '2026-10-01T00:00:00Z' }
  t.match(rig.send('authorization', old), {
    status: 400,
    answer: { error: { code: 'message_stale' } },
  })
  t.match(rig.send('incremental', old), { status: 400 })
  t.match(rig.send('capture', old), { status: 200 })
  t.end()
})

test('a notification repeated days later gets the same bytes and moves nothing', (t) => {
  const rig = new LineRig()
  rig.send('authorization', { amount_cents: 5000 })
  const configCache = [
    rig.message('capture', { amount_cents: 100, final: false }),
    rig.message('reversal', { amount_cents: 50 }),
    rig.message('capture', { amount_cents: 70, final: false }),
    rig.message('capture', { amount_cents: 30, final: false }),
    rig.message('refund', { amount_cents: 20 }),
    rig.message('refund_reversal', { amount_cents: 10 }),
    rig.message('advice', { advice: { approved: false, response_code: '51' } }),
  ]
  const first = configCache.map((notification) => rig.send(notification.kind, notification).text)
  const before = [rig.transaction(), rig.used(4)]
  t.same(
    configCache.map((notification) => rig.send(notification.kind, notification).text),
    first,
    'while answers are recalled',
  )
  for (let count = 0; count < 20; count++) {
    rig.advance(DAY_MS / 5)
    rig.send('balance_inquiry', { network_transaction_id: 'other' + count })
  }
  rig.restart('snapshot')
  const again = configCache.map((notification) => rig.send(notification.kind, notification).text)
  t.same(again, first, 'and when they no longer are')
  t.same([rig.transaction(), rig.used(4)], before)
  t.end()
})

function available(t: Test, rig: LineRig): number | undefined {
  const message = rig.message('balance_inquiry', { network_transaction_id: 'inquiry' })
  const { text, answer } = rig.send('balance_inquiry', message)
  t.equal(rig.send('balance_inquiry', message).text, text, 'recalled to the byte')
  return answer.available_amount_cents
}

test('a balance inquiry returns the headroom of the limits, or none without limits', (t) => {
  const limits = [limitConfig({ amount_cents: 3000 as never })]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  t.equal(available(t, rig), 3000)
  rig.send('authorization', { amount_cents: 1200 })
  const other = { network_transaction_id: 'inquiry-2' }
  t.match(rig.send('balance_inquiry', other).answer, {
    approved: true,
    response_code: '00',
    approved_amount_cents: 0,
    available_amount_cents: 1800,
  })
  rig.restart('snapshot')
  t.equal(available(t, new LineRig()), undefined)
  t.end()
})

test('an account verification is judged and sent to the tenant, uses nothing and answers 85', (t) => {
  const rig = new LineRig(ASKS)
  const verified = rig.send('account_verification')
  t.equal(verified.status, 0, 'the tenant is asked')
  rig.asked.shift()?.({ approve: true })
  t.match(verified.answer, { approved: true, response_code: '85', approved_amount_cents: 0 })
  t.match(rig.used(4), { amount: 0, count: 0, reserved: 0 })
  const suspended = new LineRig({ configCache: { card: { status: 'suspended' } } })
  t.match(suspended.send('account_verification').answer, { decline_reason: 'card_suspended' })
  t.end()
})

test('an advice of the network holds beyond limits and is flagged', (t) => {
  const limits = [limitConfig({ amount_cents: 500 as never })]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  t.match(rig.send('advice', { amount_cents: 800 }).answer, {
    approved: true,
    decided_by: 'network',
  })
  t.match(life(rig), { status: 'authorized', hold: 800, amount: 800, flags: ['limit_overrun'] })
  const declined = rig.send('advice', {
    network_transaction_id: 'n-2',
    advice: { approved: false, decided_by: 'sponsor_bank', response_code: '51' },
  })
  t.match(declined.answer, {
    approved: false,
    approved_amount_cents: 0,
    response_code: '51',
    decline_reason: 'network_stand_in_declined',
    decided_by: 'sponsor_bank',
  })
  t.end()
})

test('a fuel pump: one unit, a hold of a hundred, the advice of the sum, the capture', (t) => {
  const rig = new LineRig()
  const fuel = { merchant: { id: 'm', name: 'Fuel', mcc: '5542', city: '', country: 'US' } }
  t.match(rig.send('authorization', { ...fuel, amount_cents: 100 }).answer, {
    approved_amount_cents: 100,
  })
  t.match(life(rig), { hold: 10_000, amount: 10_000 })
  rig.send('advice', { ...fuel, amount_cents: 6241 })
  t.match(life(rig), { status: 'authorized', hold: 6241, amount: 6241, count: 1 })
  rig.send('capture', { ...fuel, amount_cents: 6241 })
  t.match(life(rig), { status: 'captured', hold: 0, amount: 6241, flags: ['final'] })
  rig.restart('snapshot')
  t.end()
})

test('a credit is authorized without a hold, whatever the limits are', (t) => {
  const limits = [limitConfig({ amount_cents: 0 as never })]
  const controls = [controlsConfig({ limits })]
  const rig = new LineRig({ controls })
  t.match(rig.send('authorization', { transaction_type: 'refund' }).answer, {
    approved: true,
    approved_amount_cents: 1000,
  })
  t.match(life(rig), { hold: 0, amount: 0, count: 0 })
  const asking = new LineRig({ ...ASKS, controls })
  asking.send('authorization', { transaction_type: 'refund' })
  t.equal(asking.asked.length, 1)
  t.equal(asking.used().reserved, 0, 'nothing is kept for it while its tenant thinks')
  rig.send('refund')
  t.match(life(rig), { status: 'refunded', amount: 0 })
  t.end()
})

test('a reversal in another currency uses the rate of its authorization', (t) => {
  const rig = new LineRig()
  const euros = (cents: number, dollars: number) => ({
    currency: 'EUR',
    amount_cents: cents,
    billing: { amount_cents: dollars, currency: 'USD' },
  })
  t.match(rig.send('authorization', euros(100, 110)).answer, { approved_amount_cents: 100 })
  rig.send('incremental', euros(100, 112))
  t.match(life(rig), { hold: 222 })
  rig.restart('snapshot')
  rig.send('reversal', euros(50, 54))
  t.match(life(rig), { hold: 166 }, 'a quarter of 222, a half rounded up')
  rig.send('reversal', { currency: 'EUR', amount_cents: 200 })
  t.match(life(rig), { status: 'reversed', hold: 0, amount: 0, count: 0 }, 'no rate is needed')
  const early = { currency: 'EUR', amount_cents: 10, network_transaction_id: 'n-9' }
  t.match(rig.send('reversal', early), { status: 200 })
  t.end()
})

test('a network that uses an id twice has two transactions, each with its own end', (t) => {
  const rig = new LineRig()
  const first = rig.send('authorization', { amount_cents: 100 }).answer
  const second = rig.send('authorization', { amount_cents: 200 }).answer
  t.not(first.transaction_id, second.transaction_id)
  rig.restart('snapshot')
  t.equal(rig.send('capture', { amount_cents: 200 }).answer.transaction_id, second.transaction_id)
  t.equal(rig.passDays(6), 1)
  const expiry = rig.entries().at(-1)
  t.equal(expiry?.kind === 'expiry' && expiry.transactionId, first.transaction_id)
  t.same(rig.used(4), { amount: 200, count: 1, reserved: 0 })
  t.end()
})

test('a notification repeated after its id was reused belongs to the earlier transaction', (t) => {
  const rig = new LineRig()
  rig.send('authorization', { amount_cents: 100 })
  const capture = rig.message('capture', { amount_cents: 100 })
  const first = rig.send('capture', capture).text
  rig.send('authorization', { amount_cents: 200 })
  rig.advance(3 * DAY_MS)
  for (let count = 0; count < 3; count++) rig.send('refund', { network_transaction_id: 'tick' })
  rig.restart('snapshot')
  t.equal(rig.send('capture', capture).text, first)
  t.match(life(rig), { status: 'authorized', hold: 200 })
  t.end()
})

test('a message without effect leaves its id to the transaction that had one', (t) => {
  const limits = [limitConfig({ amount_cents: 1000 as never })]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  const opened = rig.send('authorization', { amount_cents: 1000 }).answer
  t.match(rig.send('authorization', { amount_cents: 1 }).answer, { approved: false })
  t.equal(rig.send('capture').answer.transaction_id, opened.transaction_id)
  t.match(rig.send('account_verification').answer, { approved: true })
  t.equal(rig.send('refund').answer.transaction_id, opened.transaction_id, 'and then')
  t.end()
})

test('an amount that cannot be posted exactly is refused, and nothing of it is kept', (t) => {
  const rig = new LineRig()
  t.match(rig.send('capture', { amount_cents: Number.MAX_SAFE_INTEGER }), { status: 200 })
  t.match(rig.send('capture', { amount_cents: 1 }), {
    status: 400,
    answer: { error: { code: 'parameter_invalid', param: 'amount_cents' } },
  })
  t.equal(rig.entries().length, 1)
  const billed = { amount_cents: 110, currency: 'USD' }
  t.match(
    new LineRig().send('capture', { currency: 'EUR', amount_cents: 100, billing: billed }).answer,
    { approved: true, approved_amount_cents: 100 },
  )
  t.end()
})

test('a closed transaction is forgotten after 35 days, a declined one after two, an open one never', (t) => {
  const stays = {
    configCache: {
      program: { hold_expiry: [{ mccs: null, card_present: null, initiator: null, hours: 840 }] },
    },
  }
  const rig = new LineRig(stays)
  rig.send('authorization', { network_transaction_id: 'open' })
  rig.send('capture', { network_transaction_id: 'closed' })
  rig.send('incremental', { network_transaction_id: 'declined' })
  const tick = (): void => {
    for (let count = 0; count < 3; count++) rig.send('refund', { network_transaction_id: 'tick' })
  }
  rig.advance(3 * DAY_MS)
  tick()
  t.throws(() => rig.transaction('declined'))
  t.equal(rig.transaction('closed').sums.captured, 1000)
  t.equal(rig.state.forgotten, 0, 'a decline counted nothing')
  rig.advance(33 * DAY_MS)
  tick()
  t.throws(() => rig.transaction('closed'))
  t.equal(rig.state.forgotten, 1)
  t.equal(openHold(rig.transaction('open').sums), 1000)
  rig.restart('snapshot')
  t.equal(openHold(rig.transaction('open').sums), 1000)
  t.end()
})

const STRANGER = { token: 'ctok_2', id: 'card_2', windows_id: 'card_2', currency: 'EUR' }
const REPLACEMENT = { token: 'ctok_3', id: 'card_3', windows_id: 'card_1' }
const CARDS = { cards: [STRANGER, REPLACEMENT] } as const

test('a message that names another card moves no sum of the transaction it names', (t) => {
  const other = { card: { token: 'ctok_2' }, currency: 'EUR', amount_cents: 70 }
  for (const kind of ['capture', 'refund', 'reversal', 'advice', 'incremental'] as const) {
    const rig = new LineRig(CARDS)
    const opened = rig.send('authorization').answer
    const before = rig.transaction()
    const followed = rig.send(kind, other).answer
    t.not(followed.transaction_id, opened.transaction_id, kind)
    t.same(rig.transaction(), before, kind)
    t.match(life(rig), { hold: 1000, amount: 1000 }, kind)
    rig.restart('snapshot')
    t.match(rig.send('capture').answer, { transaction_id: opened.transaction_id }, kind)
    t.match(life(rig), { status: 'captured', amount: 1000 }, kind)
  }
  t.end()
})

test('a message that names another card does not affect the open request of the first', (t) => {
  const rig = new LineRig({ ...ASKS, ...CARDS })
  const asked = rig.send('authorization')
  rig.send('reversal', { card: { token: 'ctok_2' }, currency: 'EUR' })
  rig.asked.shift()?.({ approve: true })
  t.match(asked.answer, { approved: true })
  t.match(life(rig), { status: 'authorized', hold: 1000 })
  t.end()
})

test('a message that names a card’s replacement continues its transaction', (t) => {
  const rig = new LineRig(CARDS)
  const opened = rig.send('authorization').answer
  const captured = rig.send('capture', { card: { token: 'ctok_3' }, amount_cents: 400 }).answer
  t.equal(captured.transaction_id, opened.transaction_id)
  t.match(life(rig), { status: 'captured', amount: 400 })
  t.end()
})

test('a program that billing closed still captures, refunds and reverses', (t) => {
  const rig = new LineRig()
  rig.send('authorization', { amount_cents: 1000 })
  const { program } = judgedConfig()
  Object.assign(rig.line.configCache.program(program.id) as object, {
    authorizations_closed: true,
  })
  const closed = { approved: false, decline_reason: 'program_suspended', response_code: '62' }
  t.match(rig.send('incremental', { amount_cents: 100 }).answer, closed)
  const other = { network_transaction_id: 'n-2' }
  t.match(rig.send('authorization', { amount_cents: 100, ...other }).answer, closed)
  const advice = { amount_cents: 300, network_transaction_id: 'n-3' }
  t.equal(rig.send('advice', advice).answer.approved, true)
  t.equal(rig.send('reversal', { amount_cents: 200 }).answer.approved, true)
  t.equal(rig.send('capture', { amount_cents: 800 }).answer.approved, true)
  t.equal(rig.send('refund', { amount_cents: 100 }).answer.approved, true)
  t.match(life(rig), { status: 'partially_refunded', hold: 0 })
  t.end()
})
