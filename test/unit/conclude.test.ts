// The journal entry of a decision, and the decider of a request to a tenant.
import { test } from 'tap'
import { encodeId } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { flagNames } from '../../shared/transaction-sums.ts'
import type { FraudRule, StandInPolicy } from '../../shared/wire/config-records.ts'
import { controlsConfig, type JudgedChange, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { LineRig } from '../harness/line-rig.ts'

type Program = Partial<Extract<JudgedChange['program'], object>>

const HOUR_MS = 3_600_000
const REALTIME: Program = { realtime: true, endpoint_id: 'we_1' }
const POLICY: StandInPolicy = {
  version: 7,
  action: 'controls',
  max_per_authorization_cents: 999,
  max_per_card_per_day_cents: null,
  max_per_hour_cents: null,
  excluded_kinds: [],
}

function rigWith(program: Program): LineRig {
  return new LineRig({ configCache: { program } })
}

/** The decision on 10.00 that a tenant is asked about, after `then` has run. */
function askedAbout(
  change: Partial<NetworkMessage>,
  then: (rig: LineRig) => void,
  program: Program = {},
) {
  const rig = rigWith({ ...REALTIME, ...program })
  const sent = rig.send('authorization', change)
  then(rig)
  return { answer: sent.answer, decision: rig.lastDecision().decision, rig }
}

test('a decline approves nothing, holds nothing and counts nowhere', (t) => {
  const limits = [limitConfig({ amount_cents: 999 as never })]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  t.match(rig.send('authorization').answer, {
    approved: false,
    approved_amount_cents: 0,
    authorization_code: null,
    response_code: '61',
    decline_reason: 'limit_daily',
    decided_by: 'static_controls',
    stand_in: false,
  })
  const { decision } = rig.lastDecision()
  t.same(
    [decision.holdCents, decision.meters, decision.availableCents, decision.declineDetail],
    [0, [], null, 'card:lim_1'],
  )
  t.same(
    [decision.standInWould, decision.standInCap, decision.standInPolicyVersion],
    [null, null, null],
  )
  t.same(rig.used(), { amount: 0, count: 0, reserved: 0 })
  rig.send('authorization', { card: { token: 'nobody’s' } })
  const unknown = rig.lastDecision()
  t.equal(unknown.effect, null)
  t.match(unknown.decision, { approved: false, holdCents: 0, standInPolicyVersion: null })
  t.end()
})

test('an approval and its increments hold the amounts they add', (t) => {
  const rig = new LineRig()
  rig.send('authorization', { amount_cents: 700 })
  t.match(rig.lastDecision().decision, { holdCents: 700, declineDetail: null, breaker: null })
  rig.send('incremental', { amount_cents: 200 })
  t.equal(rig.lastDecision().decision.holdCents, 200)
  t.end()
})

test('a notification holds and counts its amount, also beyond a limit', (t) => {
  const limits = [limitConfig({ amount_cents: 1000 as never })]
  const rig = new LineRig({ controls: [controlsConfig({ limits })] })
  const told = (kind: NetworkMessage['kind'], id: string, amount_cents: number) => {
    rig.send(kind, { network_transaction_id: id, amount_cents, final: false })
    const { decision, effect } = rig.lastDecision()
    const isOver = flagNames(effect?.flags ?? 0).includes('limit_overrun')
    return [decision.holdCents, decision.meters.length > 0, isOver]
  }
  t.same(told('advice', 'a', 700), [700, true, false])
  t.same(told('advice', 'a', 900), [200, false, false])
  t.same(told('capture', 'a', 900), [0, false, false], 'it counts already')
  t.same(told('capture', 'b', 100), [0, true, false], 'equality')
  t.same(told('capture', 'c', 1), [0, true, true])
  t.same(told('refund', 'a', 1), [0, false, false], 'it adds nothing to what is too much')
  t.same(told('refund', 'd', 1), [0, false, false])
  told('authorization', 'e', 1)
  t.same(told('capture', 'e', 1), [0, true, true], 'what was declined counted nowhere yet')
  const asking = new LineRig({
    configCache: { program: REALTIME },
    controls: [controlsConfig({ limits })],
  })
  asking.send('authorization', { amount_cents: 600 })
  asking.send('capture', { network_transaction_id: 'b', amount_cents: 401 })
  t.ok(flagNames(asking.lastDecision().effect?.flags ?? 0).includes('limit_overrun'), 'what waits')
  t.end()
})

test('decisions and notifications carry the time of the tenant’s clock', (t) => {
  const rig = rigWith({ clock_offset_ms: HOUR_MS })
  rig.send('authorization')
  const asked = rig.lastDecision()
  t.same(
    [asked.receivedAtMs, asked.decision.decidedAtMs],
    [rig.nowMs + HOUR_MS, rig.nowMs + HOUR_MS],
  )
  rig.send('capture')
  t.equal(rig.lastDecision().decision.decidedAtMs, rig.nowMs + HOUR_MS)
  t.end()
})

test('an authorization code is six digits of the random part of the id', (t) => {
  const rig = new LineRig()
  const codeOf = (number: number): string | null => {
    const bytes = Buffer.alloc(16, 0xff)
    bytes.writeUInt32BE(number, 10)
    rig.line.newTransactionId = () => ({ text: 'txn_' + encodeId(bytes), bytes })
    return rig.send('authorization', { network_transaction_id: 'n' + number }).answer
      .authorization_code
  }
  t.same([7, 1_234_567, 999_999, 1_000_000, 4_000_001_000].map(codeOf), [
    '000007',
    '234567',
    '999999',
    '000000',
    '001000',
  ])
  t.end()
})

test('a tenant approves the whole amount, more, or a part if the terminal takes one', (t) => {
  const approved = (change: Partial<NetworkMessage>, approvedAmountCents: number | null) => {
    const { answer } = askedAbout(change, ({ asked }) =>
      asked[0]?.({ approve: true, approvedAmountCents }),
    )
    t.equal(answer.stand_in, false)
    return [answer.approved_amount_cents, answer.decline_reason, answer.decided_by]
  }
  const partly = { partial_approval_capable: true }
  t.same(approved({}, null), [1000, null, 'tenant'])
  t.same(approved({}, 1000), [1000, null, 'tenant'])
  t.same(approved({}, 1001), [1000, null, 'tenant'])
  t.same(approved({}, 999), [0, 'tenant_declined', 'tenant'])
  t.same(approved(partly, 999), [999, null, 'tenant'])
  t.same(approved(partly, 1001), [1000, null, 'tenant'])
  t.end()
})

test('the answer names the tenant’s reason if it is a valid one, else tenant_declined', (t) => {
  const declined = (reason: string | null) => {
    const { answer } = askedAbout({}, ({ asked }) => asked[0]?.({ approve: false, reason }))
    return [answer.approved_amount_cents, answer.decline_reason, answer.stand_in]
  }
  t.same(declined('insufficient_funds'), [0, 'insufficient_funds', false])
  t.same(declined('card_suspended'), [0, 'tenant_declined', false], 'ours to say')
  t.same(declined(null), [0, 'tenant_declined', false])
  t.end()
})

test('each entry keeps the stand-in verdict, and its cap only if stand-in decided', (t) => {
  const policy = { stand_in_policy: POLICY }
  const silent = askedAbout({}, (rig) => rig.advance(1500), policy)
  t.match(silent.answer, { approved: false, decided_by: 'stand_in', stand_in: true })
  t.match(silent.decision, {
    standIn: true,
    standInCap: 'per_authorization',
    standInWould: { approve: false, reason: 'stand_in_limit_exceeded' },
    standInPolicyVersion: 7,
    declineDetail: null,
  })
  const answered = askedAbout({}, ({ asked }) => asked[0]?.({ approve: true }), policy)
  t.match(answered.answer, { approved: true, decided_by: 'tenant', stand_in: false })
  t.match(answered.decision, {
    standIn: false,
    standInCap: null,
    standInWould: { approve: false },
    standInPolicyVersion: 7,
    breaker: 'closed',
  })
  const plain = askedAbout({}, (rig) => rig.advance(1500))
  t.match(plain.answer, { approved: true, approved_amount_cents: 1000, stand_in: true })
  t.match(plain.decision, { standInWould: { approve: true }, standInPolicyVersion: 0 })
  t.end()
})

test('the controls decide if no tenant can be asked, and that is no stand-in', (t) => {
  const { answer, decision } = askedAbout({}, () => {}, {
    realtime_entitled: false,
    stand_in: 'decline',
  })
  t.match(answer, { approved: true, decided_by: 'static_controls', stand_in: false })
  t.match(decision, {
    standInWould: null,
    standInPolicyVersion: null,
    tenant: { outcome: 'not_configured' },
  })
  t.end()
})

test('a decision more than two seconds after receipt declines: the network has answered itself', (t) => {
  const after = (ms: number) =>
    askedAbout({}, (rig) => {
      // The machine slept: no timer rang.
      rig.nowMs += ms
      rig.asked[0]?.({ approve: true })
    }).answer
  t.match(after(2000), { approved: true, decided_by: 'tenant' })
  t.match(after(2001), {
    approved: false,
    approved_amount_cents: 0,
    decline_reason: 'issuer_overloaded',
    decided_by: 'system',
    stand_in: false,
  })
  t.end()
})

test('a change while the tenant is asked overrides an approval only if it forbids', (t) => {
  const after = (change: (line: LineInHand) => void) => {
    const line = new LineInHand(Date.UTC(2026, 10, 20, 12), { ...REALTIME })
    const answers = line.sendOpen()
    change(line)
    line.answer(true)
    t.equal(line.contradiction(), null)
    const [answer] = answers
    t.equal(answer?.stand_in, false)
    return [answer?.decline_reason, answer?.decided_by, answer?.approved_amount_cents]
  }
  const declined = (reason: string) => [reason, 'static_controls', 0]
  t.same(
    after((line) => (line.card = { ...line.card, version: 2 })),
    [null, 'tenant', 1000],
  )
  t.same(
    after((line) => (line.card = { ...line.card, version: 2, status: 'suspended' })),
    declined('card_suspended'),
  )
  t.same(
    after((line) => (line.cardholder = { ...line.cardholder, version: 2, status: 'inactive' })),
    declined('cardholder_inactive'),
  )
  t.same(
    after((line) => (line.program = { ...line.program, version: 2, status: 'suspended' })),
    declined('program_suspended'),
  )
  t.same(
    after((line) => (line.card = { ...line.card, version: 2, token: 'ctok_other' })),
    declined('card_terminated'),
  )
  t.end()
})

const TESTING: FraudRule = {
  name: 'card_testing',
  state: 'active',
  count: 2,
  seconds: 60,
  amount_cents: 200,
}

test('a fraud rule that reaches its count stops the card once, at the time of the decision', (t) => {
  const rig = rigWith({ fraud_rules: [TESTING], clock_offset_ms: HOUR_MS })
  const small = (id: string) =>
    rig.send('authorization', {
      network_transaction_id: id,
      amount_cents: 200,
      entry_method: 'online',
    }).answer
  const stops = () => rig.entries().filter(({ kind }) => kind === 'card_suspension')
  t.equal(small('a').approved, true)
  t.same(stops(), [])
  const second = small('b')
  t.equal(second.approved, true, 'from the next message on')
  t.match(stops(), [
    {
      cardId: 'card_1',
      cardVersion: 1,
      rule: 'card_testing',
      suspendedAtMs: rig.nowMs + HOUR_MS,
      transactionId: second.transaction_id,
    },
  ])
  t.equal(small('c').decline_reason, 'card_suspended')
  t.equal(stops().length, 1)
  t.end()
})

test('a fraud rule in draft appears in the entry, and stops nothing', (t) => {
  const rig = rigWith({ fraud_rules: [{ ...TESTING, state: 'draft' }] })
  const told = ['a', 'b'].map((id) => {
    rig.send('authorization', {
      network_transaction_id: id,
      amount_cents: 200,
      entry_method: 'online',
    })
    return rig.lastDecision().decision.wouldStop
  })
  t.same(told, [[], ['card_testing']])
  t.equal(rig.entries().length, 2)
  t.end()
})
