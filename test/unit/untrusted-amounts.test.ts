import { test } from 'tap'
import { flagNames, openHold } from '../../shared/transaction-sums.ts'
import { controlsConfig, type JudgedChange, limitConfig } from '../harness/judged.ts'
import { LineRig } from '../harness/line-rig.ts'

const RATES = new Map([['EUR/USD', '1.10']])
const DAILY = [controlsConfig({ limits: [limitConfig({})] })]
let credits = 0

const dollars = (amount_cents: number) => ({ amount_cents, currency: 'USD' })

function rigWith(program: JudgedChange['program'] = {}, rates = RATES): LineRig {
  return new LineRig({ configCache: { program }, controls: DAILY, rates })
}

function flags(rig: LineRig): string[] {
  return flagNames(rig.lastDecision().effect?.flags ?? 0)
}

test('a million euros billed as one cent do not pass a limit of a hundred dollars', (t) => {
  for (const billing_mismatch_action of ['decline', 'take_larger'] as const) {
    const rig = rigWith({ billing_mismatch_action })
    const { answer } = rig.send('authorization', {
      amount_cents: 100_000_000,
      currency: 'EUR',
      billing: dollars(1),
    })
    const isDecline = billing_mismatch_action === 'decline'
    t.match(answer, {
      approved: false,
      response_code: isDecline ? '13' : '61',
      decline_reason: isDecline ? 'billing_amount_mismatch' : 'limit_daily',
    })
    t.same(flags(rig), ['declined', 'billing_mismatch'])
    t.equal(rig.used().amount, 0)
  }
  t.end()
})

test('the larger of our amount and the network’s counts, and our rate is named if it is used', (t) => {
  for (const [billed, counted, source] of [
    [500, 1100, 'internal'],
    [1043, 1100, 'internal'],
    [1044, 1044, 'network'],
    [1156, 1156, 'network'],
    [1157, 1157, 'network'],
  ] as const) {
    const rig = rigWith()
    const { answer } = rig.send('authorization', { currency: 'EUR', billing: dollars(billed) })
    t.match(answer, { approved: true, approved_amount_cents: 1000 })
    t.equal(rig.used().amount, counted, String(billed))
    const isApart = billed < 1044 || billed > 1156
    t.same(flags(rig), isApart ? ['billing_mismatch'] : [])
    const { fx, trace } = rig.lastDecision()
    t.match(fx, { source, version: 1, ...(source === 'network' && { verified: true }) })
    t.ok(trace.some((row) => row[0] === 34 && row[5] === billed && row[6] === 1100))
  }
  t.end()
})

test('the tolerance comes from the program, and the margin is not part of the comparison', (t) => {
  const exact = rigWith({ billing_tolerance_bps: 0, billing_mismatch_action: 'decline' })
  const buy = (rig: LineRig, billed: number) =>
    rig.send('authorization', {
      network_transaction_id: 'n-' + billed,
      currency: 'EUR',
      billing: dollars(billed),
    }).answer.decline_reason
  t.equal(buy(exact, 1101), null, 'one minor unit is rounding')
  t.equal(buy(exact, 1102), 'billing_amount_mismatch')
  t.equal(buy(exact, 1098), 'billing_amount_mismatch')
  const dear = rigWith({ fx_margin_bps: 10_000, billing_mismatch_action: 'decline' })
  t.equal(buy(dear, 1100), null)
  t.end()
})

test('every increment is compared as well', (t) => {
  const rig = rigWith({ billing_mismatch_action: 'decline' })
  const euros = { currency: 'EUR', amount_cents: 1000 }
  t.ok(rig.send('authorization', { ...euros, billing: dollars(1100) }).answer.approved)
  t.equal(
    rig.send('incremental', { ...euros, billing: dollars(1) }).answer.decline_reason,
    'billing_amount_mismatch',
  )
  t.equal(openHold(rig.transaction().sums), 1100)
  t.same(flags(rig), ['billing_mismatch'])
  const larger = rigWith()
  larger.send('authorization', { ...euros, billing: dollars(1100) })
  larger.send('incremental', { ...euros, billing: dollars(1) })
  t.equal(larger.used().amount, 2200)
  larger.send('reversal', { ...euros, amount_cents: 2000, billing: dollars(1) })
  t.equal(larger.used().amount, 0, 'and given back at the rate at which it counted')
  t.end()
})

test('a notification is recorded as billed, and flagged', (t) => {
  const rig = rigWith({ billing_mismatch_action: 'decline' })
  const { answer } = rig.send('capture', { currency: 'EUR', billing: dollars(7) })
  t.match(answer, { approved: true })
  t.equal(rig.transaction().sums.captured, 7)
  t.same(flags(rig), ['force_post', 'final', 'billing_mismatch'])
  const same = rigWith()
  same.send('capture', { amount_cents: 900, billing: dollars(9) })
  t.equal(same.transaction().sums.captured, 900, 'in one currency the amount itself counts')
  t.ok(flags(same).includes('billing_mismatch'))
  t.end()
})

test('the network’s amount counts if we have no rate, and the conversion is marked', (t) => {
  const rig = rigWith({ billing_mismatch_action: 'decline' }, new Map())
  t.ok(rig.send('authorization', { currency: 'EUR', billing: dollars(1) }).answer.approved)
  t.match(rig.lastDecision().fx, { source: 'network', version: 0, verified: false })
  t.same(flags(rig), [])
  t.end()
})

/** Sends a credit; returns its decline reason, or null. */
function refundOf(rig: LineRig, amount_cents: number, original?: string): string | null {
  return rig.send('authorization', {
    network_transaction_id: 'credit-' + ++credits,
    ...(original !== undefined && { original_network_transaction_id: original }),
    transaction_type: original === undefined ? 'original_credit' : 'refund',
    amount_cents,
  }).answer.decline_reason
}

const LIMITED = { per_authorization_cents: 500, per_card_per_day_cents: 800 }

test('the program’s limits bound a credit, alone and over the day', (t) => {
  const rig = rigWith({ credit_limit: LIMITED })
  t.equal(refundOf(rig, 501), 'credit_limit')
  t.equal(rig.lastDecision().decision.responseCode, '61')
  t.equal(refundOf(rig, 500), null)
  t.equal(refundOf(rig, 301), 'credit_limit', 'the day')
  rig.restart('snapshot')
  t.equal(refundOf(rig, 301), 'credit_limit', 'after a restart from a snapshot')
  rig.restart('journal')
  t.equal(refundOf(rig, 301), 'credit_limit', 'after a restart from the journal')
  t.equal(refundOf(rig, 300), null)
  t.equal(refundOf(rig, 1), 'credit_limit')
  rig.advance(24 * 3_600_000)
  t.equal(refundOf(rig, 500), null, 'the next day')
  t.equal(rig.used().amount, 0, 'no credit takes anything from a limit of spending')
  t.end()
})

test('zero allows no credit, and null sets no limit', (t) => {
  const none = { per_authorization_cents: 0, per_card_per_day_cents: null }
  const any = { per_authorization_cents: null, per_card_per_day_cents: null }
  t.equal(refundOf(rigWith({ credit_limit: none }), 1), 'credit_limit')
  t.equal(refundOf(rigWith({ credit_limit: none }), 0), null)
  t.equal(refundOf(rigWith({ credit_limit: any }), Number.MAX_SAFE_INTEGER), null)
  t.end()
})

test('a captured amount covers the credit that names it, once', (t) => {
  const rig = rigWith({
    credit_limit: { per_authorization_cents: 0, per_card_per_day_cents: 0 },
  })
  rig.send('authorization', { amount_cents: 900 })
  t.equal(refundOf(rig, 1, 'n-1'), 'credit_limit', 'nothing was captured yet')
  rig.send('capture', { amount_cents: 900 })
  t.equal(refundOf(rig, 901, 'n-1'), 'credit_limit')
  t.equal(refundOf(rig, 600, 'n-1'), null)
  t.equal(refundOf(rig, 301, 'n-1'), 'credit_limit')
  rig.restart('snapshot')
  t.equal(refundOf(rig, 301, 'n-1'), 'credit_limit')
  t.equal(refundOf(rig, 300, 'n-1'), null)
  t.equal(refundOf(rig, 1, 'n-2'), 'credit_limit', 'an original that nobody knows')
  t.end()
})

test('credits that wait for their tenant count against each other', (t) => {
  const rig = rigWith({ realtime: true, endpoint_id: 'we_1', credit_limit: LIMITED })
  t.equal(refundOf(rig, 500), undefined as never)
  t.equal(refundOf(rig, 400), 'credit_limit')
  t.equal(rig.lastDecision().trace.at(-1)?.[6], 500, 'reserved')
  rig.asked.shift()?.({ approve: false })
  t.equal(refundOf(rig, 400), undefined as never, 'and no longer once it is declined')
  t.end()
})

test('a refund beyond the captured amount and the limit is recorded and flagged', (t) => {
  const rig = rigWith({ credit_limit: LIMITED })
  rig.send('refund', { amount_cents: 500 })
  t.same(flags(rig), ['unlinked'])
  rig.send('refund', { network_transaction_id: 'n-2', amount_cents: 501 })
  t.same(flags(rig), ['limit_overrun', 'unlinked'])
  rig.send('capture', { network_transaction_id: 'n-3', amount_cents: 600 })
  rig.send('refund', { network_transaction_id: 'n-3', amount_cents: 600 })
  t.notOk(flags(rig).includes('limit_overrun'))
  rig.send('advice', {
    network_transaction_id: 'n-4',
    transaction_type: 'original_credit',
    amount_cents: 501,
  })
  t.same(flags(rig), ['limit_overrun'])
  t.end()
})

test('cash and fee are parts of the amount: more is refused, and flagged on a notification', (t) => {
  for (const [change, param] of [
    [{ cashback_cents: 1001 }, 'cashback_cents'],
    [{ fee_cents: 1001 }, 'fee_cents'],
    [{ cashback_cents: 600, fee_cents: 401 }, 'cashback_cents'],
    [{ billing: dollars(999) }, 'billing.amount_cents'],
    [{ amount_cents: 0, currency: 'EUR', billing: dollars(1) }, 'billing.amount_cents'],
  ] as const) {
    const rig = rigWith()
    const { status, text } = rig.send('authorization', change)
    t.equal(status, 400)
    t.equal(JSON.parse(text).error.param, param)
    t.equal(rig.send('incremental', change).status, 400)
  }
  for (const change of [{ cashback_cents: 1000 }, { cashback_cents: 600, fee_cents: 400 }])
    t.ok(rigWith().send('authorization', change).answer.approved)
  for (const [kind, flagged] of [
    ['capture', true],
    ['advice', true],
    ['refund', true],
    ['reversal', false],
    ['capture_reversal', false],
    ['refund_reversal', false],
  ] as const) {
    const rig = rigWith()
    t.equal(rig.send(kind, { cashback_cents: 1001 }).status, 200)
    t.equal(flags(rig).includes('components_exceed_amount'), flagged, kind)
  }
  t.end()
})

test('a capture reversed at a changed rate is reversed whole', (t) => {
  const rates = new Map(RATES)
  const rig = rigWith({}, rates)
  rig.send('capture', { currency: 'EUR', amount_cents: 1000, final: false })
  rates.set('EUR/USD', '1.12')
  rig.send('capture_reversal', { currency: 'EUR', amount_cents: 1000 })
  t.match(rig.transaction().sums, { captured: 1100, captureReversed: 1100 })
  t.same(flags(rig), ['force_post'])
  t.end()
})

test('reversals before their captures wait, across a restart, and take nothing from others', (t) => {
  const rig = rigWith()
  rig.send('capture_reversal', { amount_cents: 5998 })
  t.same(flags(rig), ['reversal_before_original'])
  rig.send('capture', { amount_cents: 1000, final: false })
  rig.restart('snapshot')
  rig.send('capture', { amount_cents: 33, final: false })
  t.equal(rig.used().amount, 1033)
  rig.restart('journal')
  rig.send('capture', { amount_cents: 5998, final: false })
  t.equal(rig.used().amount, 1033, 'its own capture has come')
  t.same(flags(rig), ['force_post'])
  t.end()
})
