import { test } from 'tap'
import { judge } from '../../engine/line/judge.ts'
import { controlVersions } from '../../engine/rules/control-versions.ts'
import { declineDetail } from '../../engine/rules/decline-detail.ts'
import { isListed, isMccListed } from '../../engine/rules/listed.ts'
import { maxApprovable } from '../../engine/rules/max-approvable.ts'
import { CARD_NOT_FOUND_ROW, RULES, rejudge } from '../../engine/rules/order.ts'
import type { LimitView, Trace } from '../../engine/rules/rule.ts'
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { RULE_CATALOG, type RuleId, type TraceRow } from '../../shared/rule-catalog.ts'
import { type LimitConfig, openControl } from '../../shared/wire/config-records.ts'
import {
  allow,
  block,
  boundControl,
  type JudgedChange,
  judgedConfig,
  limitConfig,
} from '../harness/judged.ts'
import { fc } from '../harness/properties.ts'

function limit(interval: Interval, amount: number, used = 0, reserved = 0): LimitView {
  const amount_cents = amount as MinorUnits
  return viewOf({ id: 'lim_' + interval, interval, amount_cents }, { used, reserved })
}

function countLimit(count: number, usedCount = 0, reservedCount = 0): LimitView {
  return viewOf({ id: 'lim_count', amount_cents: null, count }, { usedCount, reservedCount })
}

function viewOf(change: Partial<LimitConfig>, counted: Partial<LimitView>): LimitView {
  return {
    scope: 'card',
    limit: limitConfig(change),
    used: 0,
    reserved: 0,
    usedCount: 0,
    reservedCount: 0,
    startMs: null,
    endMs: null,
    ...counted,
  }
}

/** Mondays until noon; the tests play on a Friday. */
const MONDAY_MORNINGS = { days: [1], from_minute: 0, until_minute: 720, time_zone: 'UTC' }
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], from_minute: 0, until_minute: 1440, time_zone: 'UTC' }
const once = (mode: 'exact' | 'max', amount: number | null) => ({ mode, amount_cents: amount })

const BILLED_WRONG = {
  billed: 1,
  expected: 1000,
  toleranceBps: 500,
  action: 'decline',
  isMismatch: true,
} as const
const LARGE_CREDIT = { cents: 250_001, fromOriginalCents: 0, usedCents: 0, reservedCents: 0 }

type Interval = LimitConfig['interval']

// One row per reason, in the order of the rules: each row alone declines for its reason.
const CASES: readonly [reason: DeclineReason, rule: RuleId, change: JudgedChange][] = [
  ['program_suspended', 'program_active', { program: { status: 'suspended' } }],
  ['program_not_active', 'program_active', { program: { status: 'pending' } }],
  ['program_suspended', 'program_active', { program: { authorizations_closed: true } }],
  ['card_not_activated', 'card_state', { card: { status: 'issued' } }],
  ['card_suspended', 'card_state', { card: { status: 'suspended' } }],
  ['card_terminated', 'card_state', { card: { status: 'terminated' } }],
  ['card_lost', 'card_state', { card: { status: 'terminated', loss: 'lost' } }],
  ['card_stolen', 'card_state', { card: { status: 'terminated', loss: 'stolen' } }],
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
  ['billing_amount_mismatch', 'billing_plausible', { billing: BILLED_WRONG }],
  [
    'transaction_kind_blocked',
    'kind_allowed',
    { controls: [boundControl({ kinds: block('initial') })] },
  ],
  [
    'currency_blocked',
    'currency_allowed',
    { controls: [boundControl({ currencies: allow('EUR') })] },
  ],
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
  [
    'card_presence_blocked',
    'card_presence_allowed',
    {
      message: { entryMethod: 'chip' },
      controls: [boundControl({ card_presence: block('present') })],
    },
  ],
  [
    'entry_method_blocked',
    'entry_method_allowed',
    {
      message: { entryMethod: 'chip' },
      controls: [boundControl({ entry_methods: block('chip') })],
    },
  ],
  [
    'wallet_blocked',
    'wallet_allowed',
    {
      message: { walletTokenId: 'wt_1', walletProvider: 'pay_a' },
      controls: [boundControl({ wallets: allow('none', 'pay_b') })],
    },
  ],
  [
    'insecure_entry_method',
    'chip_not_bypassed',
    {
      message: { fallbackFromChip: true },
      controls: [boundControl({ fallback: 'blocked' })],
    },
  ],
  [
    'authentication_required',
    'online_authenticated',
    {
      message: { entryMethod: 'online' },
      threeDs: 'exempt',
      controls: [boundControl({ authentication: 'required' })],
    },
  ],
  [
    'authentication_failed',
    'online_authenticated',
    {
      message: { entryMethod: 'online' },
      threeDs: 'claimed_failed',
      controls: [boundControl({ authentication: 'required' })],
    },
  ],
  [
    'schedule_blocked',
    'within_schedule',
    { controls: [boundControl({ schedule: [MONDAY_MORNINGS] })] },
  ],
  [
    'merchant_blocked',
    'merchant_lock',
    { controls: [boundControl({ merchant_lock: true }, { uses: 1, lockedMerchant: 'm-2' })] },
  ],
  [
    'merchant_blocked',
    'merchant_lock',
    { controls: [boundControl({ merchant_lock: true }, { uses: 1, usesWaiting: 1 })] },
  ],
  [
    'card_single_use_spent',
    'uses_left',
    { controls: [boundControl({ cancel_after: 3 }, { uses: 3 })] },
  ],
  [
    'card_single_use_spent',
    'single_use',
    { controls: [boundControl({ single_use: once('max', null) }, { uses: 1 })] },
  ],
  [
    'limit_per_authorization',
    'single_use',
    { controls: [boundControl({ single_use: once('max', 999) })] },
  ],
  [
    'invalid_amount',
    'single_use',
    { controls: [boundControl({ single_use: once('exact', 1001) })] },
  ],
  ['credit_limit', 'within_credit_limit', { credit: LARGE_CREDIT }],
  ['limit_per_authorization', 'within_limit', { limits: [limit('per_authorization', 999)] }],
  ['limit_daily', 'within_limit', { limits: [limit('daily', 1999, 500, 500)] }],
  ['limit_weekly', 'within_limit', { limits: [limit('weekly', 1000, 1)] }],
  ['limit_monthly', 'within_limit', { limits: [limit('monthly', 0)] }],
  ['limit_yearly', 'within_limit', { limits: [limit('yearly', 1999, 1000)] }],
  ['limit_all_time', 'within_limit', { limits: [limit('all_time', 1000, 0, 1)] }],
  ['limit_rolling', 'within_limit', { limits: [limit('rolling', 1000, 1)] }],
  ['limit_count', 'within_limit', { limits: [countLimit(3, 2, 1)] }],
]

const declineOf = (change: JudgedChange): DeclineReason | null => judge(judgedConfig(change), [])

for (const [reason, rule, change] of CASES) {
  test(rule + ' declines for ' + reason + ', and no other rule does', (t) => {
    const trace: Trace = []
    t.equal(judge(judgedConfig(change), trace), reason)
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
  judge(judgedConfig(change), trace)
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

test('an authorization without objection is approved, with every rule in the trace', (t) => {
  const trace: Trace = []
  const limits = [
    limit('per_authorization', 1000),
    limit('daily', 2000, 500, 500),
    countLimit(3, 1, 1),
  ]
  const controls = [
    boundControl({
      mccs: allow('5411'),
      merchants: block('other'),
      countries: allow('US', 'DE'),
      currencies: allow('USD'),
      entry_methods: allow('online'),
      card_presence: block('present'),
      kinds: allow('initial'),
      wallets: allow('none'),
      schedule: [MONDAY_MORNINGS, ALWAYS],
      authentication: 'required',
      fallback: 'blocked',
      single_use: once('exact', 1000),
      merchant_lock: true,
      cancel_after: 1,
    }),
  ]
  const shown: JudgedChange = {
    pin: 'match',
    walletToken: 'active',
    threeDs: 'authenticated',
    message: { entryMethod: 'online' },
  }
  t.equal(judge(judgedConfig({ ...shown, limits, controls }), trace), null)
  const judged = new Set(trace.map((row) => row[0]))
  // Rules about a stopped card, a billing amount, a credit and funds are silent about a message
  // without one.
  const silent = new Set([
    'not_stopped',
    'billing_plausible',
    'within_credit_limit',
    'funds_available',
  ])
  const looking = RULES.filter((rule) => !silent.has(rule.id))
  t.ok(looking.every((rule) => judged.has(RULE_CATALOG[rule.id].number)))
  t.same(rejudge(trace), { reason: null, consistent: true })
  t.end()
})

test('equality approves, one unit more declines, and zero allows only zero', (t) => {
  const amount = (amountCents: number, change: JudgedChange): DeclineReason | null =>
    declineOf({ ...change, cardAmountCents: amountCents })
  t.equal(amount(1000, { limits: [limit('daily', 1500, 300, 200)] }), null)
  t.equal(amount(1001, { limits: [limit('daily', 1500, 300, 200)] }), 'limit_daily')
  t.equal(amount(0, { limits: [limit('daily', 0)] }), null)
  t.equal(amount(1, { limits: [limit('daily', 0)] }), 'limit_daily')
  t.equal(amount(0, { limits: [limit('daily', 100, 200)] }), null, 'and asks for nothing')
  t.equal(amount(1, { limits: [limit('daily', 100, 200)] }), 'limit_daily')
  const equal = { limits: [countLimit(3, 1, 1)] }
  t.equal(amount(1, equal), null)
  t.equal(amount(1, { limits: [countLimit(3, 2, 1)] }), 'limit_count')
  t.equal(amount(0, { limits: [countLimit(0)] }), null)
  t.equal(amount(1, { limits: [countLimit(0)] }), 'limit_count')
  t.end()
})

test('funds_available approves up to the funds of the account, with used and reserved', (t) => {
  const account = { card_type: 'account' as const }
  const judged = (amount: number): JudgedChange => ({
    card: account,
    cvc: 'mismatch',
    funds: { fundedCents: 1000, usedCents: 300, reservedCents: 200 },
    cardAmountCents: amount,
  })
  t.equal(declineOf(judged(500)), null, 'and no verification of a card is judged')
  t.equal(declineOf(judged(501)), 'insufficient_funds')
  t.equal(maxApprovable(judgedConfig(judged(1))), 500)
  t.end()
})

test('a recorded trace gives the same verdict again', (t) => {
  const { number } = RULE_CATALOG.within_limit
  const row: TraceRow = [
    number,
    1,
    1,
    'card',
    'lim_1',
    'daily',
    100,
    'USD',
    200,
    0,
    0,
    null,
    null,
    'UTC',
  ]
  t.same(rejudge([row]), { reason: 'limit_daily', consistent: true })
  const list: TraceRow = [RULE_CATALOG.merchant_allowed.number, 1, 1, 'card', 'block', 'm-1', true]
  t.same(rejudge([list]), { reason: 'merchant_blocked', consistent: true })
  t.end()
})

test('a decline names the limit or control and its subject', (t) => {
  const detail = (change: JudgedChange): string | null => {
    const trace: Trace = []
    judge(judgedConfig(change), trace)
    return declineDetail(trace.at(-1))
  }
  t.equal(detail({ limits: [limit('daily', 1)] }), 'card:lim_daily')
  const program = boundControl({ id: 'prog_1', scope: 'program', merchants: block('m-1') })
  t.equal(detail({ controls: [program] }), 'program:ctl_1')
  t.equal(detail({ controls: [boundControl({ cancel_after: 1 }, { uses: 1 })] }), 'card:ctl_1')
  t.equal(detail({ cvc: 'mismatch' }), null, 'no control objects')
  t.equal(detail({}), null, 'nothing objects')
  t.equal(declineDetail(undefined), null)
  const trace: Trace = []
  judge(judgedConfig({ limits: [limit('daily', 1000)] }), trace)
  const passed = trace.find((row) => row[0] === RULE_CATALOG.within_limit.number)
  t.equal(passed?.[2], 0)
  t.equal(declineDetail(passed), null, 'a limit that passes')
  t.end()
})

test('a verdict names the versions of all controls, drafts included, and 0 without controls', (t) => {
  const program = boundControl({ scope: 'program', version: 3 })
  const card = boundControl({ scope: 'card', version: 5 })
  const draft = (scope: 'cardholder' | 'program', version: number) => ({
    control: openControl('ctl_draft'),
    bound: boundControl({ scope, version }),
    limits: [],
    keys: [],
  })
  t.same(controlVersions({ controls: [], drafts: [] }), [0, 0, 0])
  t.same(controlVersions({ controls: [program, card], drafts: [] }), [3, 0, 5])
  t.same(controlVersions({ controls: [card], drafts: [draft('cardholder', 4)] }), [0, 4, 5])
  t.end()
})

test('categories match by code and by range, in any order of the list', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(9999), fc.nat(300)), { maxLength: 40 }),
      fc.array(fc.nat(9999), { maxLength: 20 }),
      (ranges, codes) => {
        const name = (code: number): string => String(Math.min(code, 9999)).padStart(4, '0')
        const values = ranges.map(([first, more]) =>
          more === 0 ? name(first) : name(first) + '-' + name(first + more),
        )
        const ends = ranges.flatMap(([first, more]) => [first - 1, first, first + more + 1])
        return [...codes, ...ends]
          .filter((code) => code >= 0 && code <= 9999)
          .every(
            (code) =>
              isMccListed(values, name(code)) ===
              ranges.some(([first, more]) => code >= first && code <= first + more),
          )
      },
    ),
  )
  t.equal(isMccListed([], '5411'), false)
  t.equal(isMccListed(['3003', '3000-3001'], '3002'), false, 'a gap of one code')
  t.equal(isMccListed(['3003', '3000-3001'], '3003'), true)
  t.equal(isMccListed(['0000'], '0001'), false)
  t.end()
})

test('a control is asked only about its own restrictions, whatever others restrict', (t) => {
  const trace: Trace = []
  const spoken = boundControl({ id: 'card_1', cancel_after: 2, merchant_lock: true })
  const silent = boundControl({ id: 'card_1', countries: allow('US') }, { uses: 9, usesWaiting: 1 })
  t.equal(judge(judgedConfig({ controls: [spoken, silent] }), trace), null)
  const rowsOf = (rule: RuleId): number =>
    trace.filter(([number]) => number === RULE_CATALOG[rule].number).length
  t.same(
    ['uses_left', 'merchant_lock', 'merchant_country_allowed'].map((id) => rowsOf(id as RuleId)),
    [1, 1, 1],
  )
  t.equal(rowsOf('kind_allowed'), 0)
  t.end()
})

test('a long list is searched like a short one', (t) => {
  const values = Array.from({ length: 200 }, (_, index) => 'm-' + index)
  t.ok(['m-0', 'm-199'].every((value) => isListed(values, value)))
  t.notOk(['m-200', ''].some((value) => isListed(values, value)))
  t.end()
})

test('a schedule is open in any of its periods, from the first minute to before the last', (t) => {
  const zone = { time_zone: 'America/New_York' }
  const schedule = [
    { days: [5], from_minute: 22 * 60, until_minute: 1440, ...zone },
    { days: [6, 7], from_minute: 0, until_minute: 150, ...zone },
  ]
  const at = (iso: string): DeclineReason | null =>
    declineOf({ receivedAtMs: Date.parse(iso), controls: [boundControl({ schedule })] })
  t.equal(at('2026-11-20T21:59:59.999-05:00'), 'schedule_blocked')
  t.equal(at('2026-11-20T22:00:00-05:00'), null)
  t.equal(at('2026-11-20T23:59:59-05:00'), null)
  t.equal(at('2026-11-21T02:29:59-05:00'), null)
  t.equal(at('2026-11-21T02:30:00-05:00'), 'schedule_blocked')
  t.equal(at('2026-11-20T01:00:00-05:00'), 'schedule_blocked', 'not the night before')
  // The clock is set back at 02:00 on November 1st, therefore 01:30 comes twice; and forward on
  // March 8th, therefore 02:15 never comes.
  t.equal(at('2026-11-01T01:30:00-04:00'), null)
  t.equal(at('2026-11-01T01:30:00-05:00'), null)
  t.equal(at('2026-03-08T01:59:59-05:00'), null)
  t.equal(at('2026-03-08T03:00:00-04:00'), 'schedule_blocked')
  t.end()
})

test('an increment is judged as part of the authorization it adds to', (t) => {
  const increment = (change: JudgedChange): DeclineReason | null =>
    declineOf({ message: { kind: 'incremental' }, chainCents: 2000, ...change })
  t.equal(increment({ limits: [limit('per_authorization', 3000)] }), null)
  t.equal(increment({ limits: [limit('per_authorization', 2999)] }), 'limit_per_authorization')
  t.equal(increment({ limits: [limit('daily', 1000)] }), null, 'windows count what is added')
  t.equal(increment({ limits: [countLimit(1, 1)] }), null)
  const spent = [
    boundControl({ single_use: once('max', 3000), cancel_after: 1 }, { uses: 1 }),
    boundControl({ merchant_lock: true }, { uses: 1, lockedMerchant: 'm-1' }),
  ]
  t.equal(increment({ controls: spent }), null)
  const tight = [boundControl({ single_use: once('max', 2999) }, { uses: 1 })]
  t.equal(increment({ controls: tight }), 'limit_per_authorization')
  t.end()
})

test('card_found is judged again from its row like every rule', (t) => {
  t.equal(CARD_NOT_FOUND_ROW[0], RULE_CATALOG.card_found.number)
  t.same(rejudge([CARD_NOT_FOUND_ROW]), { reason: 'card_not_found', consistent: true })
  t.end()
})

test('amount_countable lets no window count beyond exact numbers', (t) => {
  const largestCounted = Number.MAX_SAFE_INTEGER - 10
  t.equal(declineOf({ largestCounted, cardAmountCents: 10 }), null)
  t.equal(declineOf({ largestCounted, cardAmountCents: 11 }), 'limit_all_time')
  t.end()
})

test('an absent PIN and a card-present payment are not checked by their rules', (t) => {
  const rowsOf = (rule: RuleId, change: JudgedChange): number => {
    const trace: Trace = []
    t.equal(judge(judgedConfig(change), trace), null)
    return trace.filter(([number]) => number === RULE_CATALOG[rule].number).length
  }
  for (const pin of ['not_provided', 'not_checked'] as const)
    t.equal(rowsOf('pin_matches', { pin, pinFailures: 3 }), 0, pin)
  t.equal(rowsOf('pin_matches', { pin: 'match', pinFailures: 2 }), 1)
  const controls = [boundControl({ authentication: 'required' })]
  const asked = (message: NonNullable<JudgedChange['message']>) =>
    rowsOf('online_authenticated', { controls, message, threeDs: 'authenticated' })
  t.equal(asked({ entryMethod: 'chip' }), 0)
  t.equal(asked({ entryMethod: 'online', kind: 'account_verification' }), 0)
  t.equal(asked({ entryMethod: 'online' }), 1)
  const exact = [boundControl({ single_use: once('exact', 500) })]
  t.equal(declineOf({ controls: exact, cardAmountCents: 0 }), null, 'nothing uses nothing')
  t.equal(declineOf({ controls: [boundControl({ single_use: once('exact', null) })] }), null)
  t.end()
})

test('the first objection of a trace counts, and a row of an unknown rule is detected', (t) => {
  const expired: TraceRow = [RULE_CATALOG.card_not_expired.number, 1, 1, true]
  const program: TraceRow = [RULE_CATALOG.program_active.number, 1, 1, 'suspended']
  const found: TraceRow = [RULE_CATALOG.card_found.number, 1, 0, true]
  const notStopped: TraceRow = [RULE_CATALOG.not_stopped.number, 1, 0, null]
  for (const row of [found, notStopped]) t.same(rejudge([row]), { reason: null, consistent: true })
  t.same(rejudge([found, expired, program]), { reason: 'card_expired', consistent: true })
  t.same(rejudge([program, expired]), { reason: 'program_suspended', consistent: true })
  t.same(rejudge([[9999, 1, 0], expired]), { reason: 'card_expired', consistent: false })
  t.same(rejudge([[...expired.slice(0, 2), 0, true] as unknown as TraceRow]).consistent, false)
  t.end()
})

test('an authorization needs the consent of every scope', (t) => {
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

test('a recorded trace gives its verdict again, and a changed one is detected', (t) => {
  fc.assert(
    fc.property(
      fc.nat(4000),
      fc.nat(3000),
      fc.nat(1000),
      fc.constantFrom('5411', '7995'),
      (cents, used, reserved, mcc) => {
        const trace: Trace = []
        const configCache = judgedConfig({
          message: { mcc },
          cardAmountCents: cents,
          controls: [boundControl({ mccs: block('7995') })],
          limits: [limit('daily', 3000, used, reserved)],
        })
        const reason = judge(configCache, trace)
        const again = rejudge(trace)
        return again.reason === reason && again.consistent
      },
    ),
  )
  const trace: Trace = []
  judge(judgedConfig({ limits: [limit('daily', 3000)] }), trace)
  const { number } = RULE_CATALOG.within_limit
  const changed = trace.map((row) => (row[0] === number ? row.with(6, 10) : row)) as Trace
  t.equal(rejudge(changed).consistent, false)
  t.end()
})
