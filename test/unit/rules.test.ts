import fc from 'fast-check'
import { test } from 'tap'
import { judge } from '../../engine/line/judge.ts'
import { CARD_NOT_FOUND_ROW, RULES, rejudge } from '../../engine/rules/order.ts'
import type { LimitView, Trace } from '../../engine/rules/rule.ts'
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { RULE_CATALOG, type RuleId } from '../../shared/rule-catalog.ts'
import type { LimitInterval } from '../../shared/wire/facts.ts'
import {
  allow,
  block,
  boundControl,
  type JudgedChange,
  judgedFacts,
  limitFact,
} from '../harness/judged.ts'

function limit(interval: LimitInterval, amount: number, used = 0, reserved = 0): LimitView {
  const amount_cents = amount as MinorUnits
  return {
    scope: 'card',
    limit: limitFact({ id: 'lim_' + interval, interval, amount_cents }),
    used,
    reserved,
    startMs: null,
    endMs: null,
  }
}

// One row per reason, in the order of the rules: each row alone declines for its reason.
const CASES: readonly [reason: DeclineReason, rule: RuleId, change: JudgedChange][] = [
  ['program_suspended', 'program_active', { program: { status: 'suspended' } }],
  ['program_not_active', 'program_active', { program: { status: 'pending' } }],
  ['card_not_activated', 'card_state', { card: { status: 'issued' } }],
  ['card_suspended', 'card_state', { card: { status: 'suspended' } }],
  ['card_terminated', 'card_state', { card: { status: 'terminated' } }],
  ['card_expired', 'card_not_expired', { expired: true }],
  ['cardholder_frozen', 'cardholder_state', { cardholder: { frozen: true } }],
  ['cardholder_inactive', 'cardholder_state', { cardholder: { status: 'inactive' } }],
  ['expiry_mismatch', 'expiry_matches', { expiry: 'mismatch' }],
  ['cvc_mismatch', 'cvc_matches', { cvc: 'mismatch' }],
  ['card_suspended', 'not_stopped', { stoppedBy: 'card_testing' }],
  ['pin_incorrect', 'pin_matches', { pin: 'mismatch' }],
  ['pin_tries_exceeded', 'pin_matches', { pin: 'match', pinFailures: 3 }],
  ['token_inactive', 'wallet_token_active', { walletToken: 'suspended' }],
  ['fx_rate_unavailable', 'amount_convertible', { convertible: false }],
  [
    'merchant_category_blocked',
    'merchant_category_allowed',
    { controls: [boundControl({ mccs: block('5411') })] },
  ],
  [
    'merchant_blocked',
    'merchant_allowed',
    { controls: [boundControl({ merchants: block('m-1') })] },
  ],
  [
    'merchant_country_blocked',
    'merchant_country_allowed',
    { controls: [boundControl({ countries: block('US') })] },
  ],
  ['limit_per_authorization', 'within_limit', { limits: [limit('per_authorization', 999)] }],
  ['limit_daily', 'within_limit', { limits: [limit('daily', 1999, 500, 500)] }],
  ['limit_weekly', 'within_limit', { limits: [limit('weekly', 1000, 1)] }],
  ['limit_monthly', 'within_limit', { limits: [limit('monthly', 0)] }],
  ['limit_yearly', 'within_limit', { limits: [limit('yearly', 1999, 1000)] }],
  ['limit_all_time', 'within_limit', { limits: [limit('all_time', 1000, 0, 1)] }],
]

const declineOf = (change: JudgedChange): DeclineReason | null => judge(judgedFacts(change), [])

for (const [reason, rule, change] of CASES) {
  test(rule + ' declines for ' + reason + ', and no other rule does', (t) => {
    const trace: Trace = []
    t.equal(judge(judgedFacts(change), trace), reason)
    t.same(rejudge(trace), { reason, consistent: true })
    const objections = trace.filter((row) => row[2] === 1).map((row) => row[0])
    t.same(objections, [RULE_CATALOG[rule].number])
    t.end()
  })
}

test('an objection of an earlier rule names the decline', (t) => {
  const ranks = CASES.map(([reason, , change]) => ({ reason, change, rank: rankOf(change) }))
  const wrong = ranks.flatMap((first) =>
    ranks
      .filter((second) => second.rank > first.rank)
      .filter(
        (second) =>
          declineOf({
            ...second.change,
            ...first.change,
            ...mergedObjects(first.change, second.change),
          }) !== first.reason,
      )
      .map((second) => first.reason + ' before ' + second.reason),
  )
  t.same(wrong, [])
  t.end()
})

/** Place of the rule that objects to a change. */
function rankOf(change: JudgedChange): number {
  const trace: Trace = []
  judge(judgedFacts(change), trace)
  return RULES.findIndex((rule) => RULE_CATALOG[rule.id].number === trace.at(-1)?.[0])
}

function mergedObjects(first: JudgedChange, second: JudgedChange): JudgedChange {
  const parts = Object.keys(first).filter((part) => part in second)
  return Object.fromEntries(
    parts.map((part) => {
      const [one, two] = [first, second].map((change) => change[part as keyof JudgedChange])
      if (Array.isArray(one) && Array.isArray(two)) return [part, [...one, ...two]]
      return [part, typeof one === 'object' ? { ...(two as object), ...(one as object) } : one]
    }),
  )
}

test('facts that nothing objects to are approved, with every rule in the trace', (t) => {
  const trace: Trace = []
  const limits = [limit('per_authorization', 1000), limit('daily', 2000, 500, 500)]
  const controls = [
    boundControl({ mccs: allow('5411'), merchants: block('other'), countries: allow('US', 'DE') }),
  ]
  const shown: JudgedChange = { pin: 'match', walletToken: 'active' }
  t.equal(judge(judgedFacts({ ...shown, limits, controls }), trace), null)
  const judged = new Set(trace.map((row) => row[0]))
  // What looks at a card that was stopped is silent about one that was not.
  const looking = RULES.filter((rule) => rule.id !== 'not_stopped')
  t.ok(looking.every((rule) => judged.has(RULE_CATALOG[rule.id].number)))
  t.same(rejudge(trace), { reason: null, consistent: true })
  t.end()
})

test('equality approves, one unit more declines, zero allows nothing but zero', (t) => {
  const amount = (amountCents: number, change: JudgedChange): DeclineReason | null =>
    declineOf({ ...change, cardAmountCents: amountCents })
  t.equal(amount(1000, { limits: [limit('daily', 1500, 300, 200)] }), null)
  t.equal(amount(1001, { limits: [limit('daily', 1500, 300, 200)] }), 'limit_daily')
  t.equal(amount(0, { limits: [limit('daily', 0)] }), null)
  t.equal(amount(1, { limits: [limit('daily', 0)] }), 'limit_daily')
  t.equal(
    amount(0, { limits: [limit('daily', 100, 200)] }),
    'limit_daily',
    'a limit lowered below what is used',
  )
  t.end()
})

test('card_found is judged again from its row like every rule', (t) => {
  t.equal(CARD_NOT_FOUND_ROW[0], RULE_CATALOG.card_found.number)
  t.same(rejudge([CARD_NOT_FOUND_ROW]), { reason: 'card_not_found', consistent: true })
  t.end()
})

test('amount_countable lets no window count beyond what is exact', (t) => {
  const largestCounted = Number.MAX_SAFE_INTEGER - 10
  t.equal(declineOf({ largestCounted, cardAmountCents: 10 }), null)
  t.equal(declineOf({ largestCounted, cardAmountCents: 11 }), 'limit_all_time')
  t.end()
})

test('every scope must agree', (t) => {
  const program = boundControl({ id: 'prog_1', scope: 'program', mccs: allow('5411', '5812') })
  const card = boundControl({ scope: 'card', mccs: block('5812') })
  t.equal(declineOf({ controls: [program, card] }), null)
  t.equal(
    declineOf({ controls: [program, card], message: { mcc: '5812' } }),
    'merchant_category_blocked',
  )
  t.equal(
    declineOf({ controls: [program, card], message: { mcc: '7995' } }),
    'merchant_category_blocked',
  )
  t.end()
})

test('a recorded trace gives its verdict again, and a changed one is noticed', (t) => {
  fc.assert(
    fc.property(
      fc.nat(4000),
      fc.nat(3000),
      fc.nat(1000),
      fc.constantFrom('5411', '7995'),
      (cents, used, reserved, mcc) => {
        const trace: Trace = []
        const facts = judgedFacts({
          message: { mcc },
          cardAmountCents: cents,
          controls: [boundControl({ mccs: block('7995') })],
          limits: [limit('daily', 3000, used, reserved)],
        })
        const reason = judge(facts, trace)
        const again = rejudge(trace)
        return again.reason === reason && again.consistent
      },
    ),
  )
  const trace: Trace = []
  judge(judgedFacts({ limits: [limit('daily', 3000)] }), trace)
  const row = trace.find((candidate) => candidate[0] === RULE_CATALOG.within_limit.number)!
  row[6] = 10
  t.equal(rejudge(trace).consistent, false)
  t.end()
})
