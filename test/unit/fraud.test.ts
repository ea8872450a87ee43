import { test } from 'tap'
import { draftsFired, firedRule, fraudMarks } from '../../engine/line/fraud.ts'
import { FraudCounters } from '../../engine/state/fraud-counters.ts'
import type { FraudRule } from '../../shared/wire/config-records.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { cardSuspensionEntry, decisionEntry, ENTRY_TIME_MS } from '../harness/entries.ts'
import { type JudgedChange, judgedConfig } from '../harness/judged.ts'

const BURST: FraudRule = {
  name: 'card_testing',
  state: 'active',
  count: 3,
  seconds: 60,
  amount_cents: 200,
}
const CVC: FraudRule = {
  name: 'cvc_failures',
  state: 'active',
  count: 2,
  seconds: 60,
  amount_cents: null,
}

function judgedWith(rules: readonly FraudRule[], change: JudgedChange = {}) {
  return judgedConfig({ ...change, program: { fraud_rules: rules } })
}

/**
 * Plays messages under these rules at these seconds; returns the seconds at which the card was
 * stopped, and at which drafts would have stopped it.
 */
function play(rules: readonly FraudRule[], change: JudgedChange, seconds: readonly number[]) {
  const tries = new FraudCounters()
  const stopped: number[] = []
  const drafts: number[] = []
  for (const second of seconds) {
    const judged = judgedWith(rules, change)
    const nowMs = ENTRY_TIME_MS + second * 1000
    const marks = fraudMarks(judged)
    if (draftsFired(tries, judged, marks, nowMs).length > 0) drafts.push(second)
    const { decision } = decisionEntry({})
    tries.apply(decisionEntry({ receivedAtMs: nowMs, decision: { ...decision, marks } }))
    if (firedRule(tries, judged, marks, nowMs) !== null) stopped.push(second)
  }
  return { stopped, drafts }
}

const SMALL_ONLINE: JudgedChange = { message: { entryMethod: 'online' }, cardAmountCents: 200 }

test('a card-testing burst stops the card at its count within its seconds', (t) => {
  t.same(play([BURST], SMALL_ONLINE, [0, 10, 20]), { stopped: [20], drafts: [] })
  t.same(play([BURST], SMALL_ONLINE, [0, 60, 60.001]).stopped, [], 'the first is out of sight')
  t.same(play([BURST], SMALL_ONLINE, [0, 30, 60]).stopped, [60], 'the edge counts')
  t.same(play([BURST], { ...SMALL_ONLINE, cardAmountCents: 201 }, [0, 1, 2]).stopped, [])
  const chip: JudgedChange = { message: { entryMethod: 'chip' }, cardAmountCents: 200 }
  const verified: JudgedChange = {
    message: { kind: 'account_verification', entryMethod: 'online' },
    cardAmountCents: 0,
  }
  t.same(play([BURST], verified, [0, 10, 20]).stopped, [20], 'asked with an amount or without')
  t.same(play([BURST], chip, [0, 1, 2]).stopped, [], 'a card that is there is not tested')
  const ofNothing: FraudRule = { ...BURST, amount_cents: null }
  t.same(play([ofNothing], verified, [0, 10, 20]).stopped, [20])
  t.same(play([ofNothing], { ...SMALL_ONLINE, cardAmountCents: 1 }, [0, 10, 20]).stopped, [])
  t.end()
})

test('repeated CVC and PIN failures stop the card', (t) => {
  t.same(play([CVC], { cvc: 'mismatch' }, [0, 1]).stopped, [1])
  t.same(play([CVC], { cvc: 'match' }, [0, 1, 2]).stopped, [])
  const pin: FraudRule = { ...CVC, name: 'pin_failures' }
  t.same(play([pin], { pin: 'mismatch' }, [0, 1]).stopped, [1])
  t.same(play([pin], { pin: 'not_provided' }, [0, 1]).stopped, [])
  t.end()
})

test('a draft reports when it would have stopped the card; a rule that is off does not count', (t) => {
  t.same(play([{ ...BURST, state: 'draft' }], SMALL_ONLINE, [0, 1, 2, 3]), {
    stopped: [],
    drafts: [2, 3],
  })
  t.same(play([{ ...BURST, state: 'off' }], SMALL_ONLINE, [0, 1, 2]), { stopped: [], drafts: [] })
  t.end()
})

function withPin(pin: DecisionEntry['pin'], cardVersion = 3): DecisionEntry {
  const entry = decisionEntry({ pin })
  return entry.card === null ? entry : { ...entry, card: { ...entry.card, cardVersion } }
}

test('wrong PINs count in a row: a right one or a changed card begins anew', (t) => {
  const tries = new FraudCounters()
  tries.apply(withPin('mismatch'))
  tries.apply(withPin('mismatch'))
  t.equal(tries.pinFailures('card_1', 3), 2)
  tries.apply(withPin('not_provided'))
  t.equal(tries.pinFailures('card_1', 3), 2)
  t.equal(tries.pinFailures('card_1', 4), 0, 'the tenant changed the card')
  tries.apply(withPin('match'))
  t.equal(tries.pinFailures('card_1', 3), 0)
  t.end()
})

test('a right PIN after the last try grants no new ones; a changed card does', (t) => {
  const tries = new FraudCounters()
  for (let tried = 0; tried < 3; tried++) tries.apply(withPin('mismatch'))
  tries.apply(withPin('match'))
  t.equal(tries.pinFailures('card_1', 3), 3)
  tries.apply(withPin('match', 4))
  t.equal(tries.pinFailures('card_1', 3), 0)
  t.end()
})

test('a stopped card stays stopped in the judged version, also over a snapshot', (t) => {
  const tries = new FraudCounters()
  tries.apply(withPin('mismatch'))
  tries.applySuspension({
    kind: 'card_suspension',
    cardId: 'card_1',
    tenantId: 'ten_1',
    environment: 'sandbox',
    cardVersion: 3,
    suspendedAtMs: ENTRY_TIME_MS,
    rule: 'card_testing',
    transactionId: null,
  })
  const again = new FraudCounters()
  again.restore(tries.rows())
  for (const known of [tries, again]) {
    t.equal(known.stoppedBy('card_1', 3), 'card_testing')
    t.equal(known.stoppedBy('card_1', 4), null, 'PostgreSQL has taken over')
    t.equal(known.pinFailures('card_1', 3), 1)
  }
  t.end()
})

test('the latest marks of a card and rule are kept, as many as the rule needs', (t) => {
  const tries = new FraudCounters()
  const { decision } = decisionEntry({})
  t.equal(tries.marksSince('card_1', 'cvc_failures', 0), 0)
  for (let second = 1; second <= 5; second++) {
    const marks = [{ rule: 'cvc_failures', keep: 3 } as const]
    tries.apply(decisionEntry({ receivedAtMs: second * 1000, decision: { ...decision, marks } }))
    t.equal(tries.marksSince('card_1', 'cvc_failures', 0), Math.min(3, second))
  }
  t.same(
    [3000, 3001, 5000, 5001].map((from) => tries.marksSince('card_1', 'cvc_failures', from)),
    [3, 2, 1, 0],
  )
  t.equal(tries.marksSince('card_1', 'pin_failures', 0), 0)
  t.equal(tries.marksSince('card_2', 'cvc_failures', 0), 0)
  t.end()
})

test('the least recent of more than a hundred thousand cards is forgotten', (t) => {
  const tries = new FraudCounters()
  const stop = (card: number): void =>
    tries.applySuspension(cardSuspensionEntry({ cardId: 'card_' + card }))
  const known = (card: number): boolean => tries.stoppedBy('card_' + card, 1) !== null
  for (let card = 0; card < 100_000; card++) stop(card)
  t.same([0, 1, 99_999].map(known), [true, true, true])
  stop(0)
  stop(100_000)
  t.same([0, 1, 2, 99_999, 100_000].map(known), [true, false, true, true, true])
  t.end()
})
