import { test } from 'tap'
import { standInVerdict } from '../../engine/line/stand-in.ts'
import type { Judged } from '../../engine/rules/rule.ts'
import { type StandInRow, StandInUse } from '../../engine/state/stand-in-use.ts'
import type { StandInPolicy } from '../../shared/wire/config-records.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { type JudgedChange, judgedConfig } from '../harness/judged.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const MIDNIGHT_MS = Date.UTC(2026, 10, 21)
const MINUTE_MS = 60_000

const POLICY: StandInPolicy = {
  version: 1,
  action: 'controls',
  max_per_authorization_cents: null,
  max_per_card_per_day_cents: null,
  max_per_hour_cents: null,
  excluded_kinds: [],
}

function judged(policy: Partial<StandInPolicy> | null, change: JudgedChange = {}): Judged {
  const configCache = judgedConfig(change)
  const program = {
    ...configCache.program,
    stand_in_policy: policy === null ? null : { ...POLICY, ...policy },
  }
  return { ...configCache, cardAmountCents: configCache.message.amountCents, program }
}

interface Approval {
  at: number
  amount: number
  cardId?: string
  windowsId?: string
  tenantId?: string
  environment?: string
  currency?: string
  standIn?: boolean
  approved?: boolean
}

/** The part of an entry that stand-in reads. */
function approval({ at, amount, ...change }: Approval): DecisionEntry {
  const {
    cardId = 'card_1',
    windowsId = cardId,
    tenantId = 'ten_1',
    environment = 'sandbox',
    currency = 'USD',
  } = change
  const { standIn = true, approved = true } = change
  return {
    kind: 'decision',
    environment,
    card: { cardId, windowsId, tenantId, currency },
    cardAmountCents: amount,
    clockOffsetMs: 0,
    decision: { standIn, approved, decidedAtMs: at },
  } as unknown as DecisionEntry
}

function use(...approvals: Approval[]): StandInUse {
  const counted = new StandInUse()
  for (const one of approvals) counted.apply(approval(one))
  return counted
}

const NOTHING = use()

test('the program decides whether stand-in approves if there is no policy', (t) => {
  t.match(standInVerdict(judged(null), NOTHING, NOON_MS), {
    approve: true,
    reason: null,
    cap: null,
  })
  t.match(standInVerdict(judged(null, { program: { stand_in: 'decline' } }), NOTHING, NOON_MS), {
    approve: false,
    reason: 'stand_in_declined',
    cap: null,
  })
  t.match(
    standInVerdict(judged({}, { program: { stand_in: 'decline' } }), NOTHING, NOON_MS),
    { approve: true },
    'a policy goes before it',
  )
  t.match(standInVerdict(judged({ action: 'decline' }), NOTHING, NOON_MS), {
    approve: false,
    reason: 'stand_in_declined',
    cap: null,
  })
  t.end()
})

test('kinds that a policy excludes are declined', (t) => {
  const policy = { excluded_kinds: ['cash_withdrawal', 'incremental'] }
  const excluded = { approve: false, reason: 'stand_in_declined', cap: 'kind' }
  const of = (message: Partial<Judged['message']>) =>
    standInVerdict(judged(policy, { message }), NOTHING, NOON_MS)
  t.match(of({ transactionType: 'cash_withdrawal' }), excluded)
  t.match(of({ kind: 'incremental' }), excluded)
  t.match(of({ transactionType: 'quasi_cash' }), { approve: true })
  t.match(of({}), { approve: true })
  t.end()
})

test('the cap per authorization approves on equality and counts an increment with its chain', (t) => {
  const over = { approve: false, reason: 'stand_in_limit_exceeded', cap: 'per_authorization' }
  const of = (cap: number, chainCents = 0) => {
    const configCache = { ...judged({ max_per_authorization_cents: cap }), chainCents }
    return standInVerdict(configCache, NOTHING, NOON_MS)
  }
  t.match(of(1000), { approve: true })
  t.match(of(999), over)
  t.match(of(1500, 500), { approve: true })
  t.match(of(1500, 501), over)
  t.match(of(0), over, 'zero allows nothing')
  t.end()
})

test('the cap per card and day follows a card to its replacement', (t) => {
  const cap = { max_per_card_per_day_cents: 3000 }
  const replaced = judged(cap, { card: { id: 'card_2', windows_id: 'card_1' } })
  const first = { at: NOON_MS, amount: 1500, cardId: 'card_1' }
  const before = use(first, { at: NOON_MS, amount: 501, cardId: 'card_2', windowsId: 'card_1' })
  t.equal(before.ofCard('card_1', NOON_MS), 2001)
  t.match(standInVerdict(replaced, before, NOON_MS), { approve: false, cap: 'per_card_per_day' })
  t.end()
})

test('the cap per card and day counts stand-in approvals of the UTC day, of this card only', (t) => {
  const over = { approve: false, reason: 'stand_in_limit_exceeded', cap: 'per_card_per_day' }
  const configCache = judged({ max_per_card_per_day_cents: 3000 })
  const before = use({ at: NOON_MS, amount: 1500 }, { at: NOON_MS + MINUTE_MS, amount: 500 })
  t.equal(before.ofCard('card_1', NOON_MS), 2000)
  t.match(standInVerdict(configCache, before, MIDNIGHT_MS - 1), { approve: true }, 'equality')
  before.apply(approval({ at: MIDNIGHT_MS - 1, amount: 1 }))
  t.match(standInVerdict(configCache, before, MIDNIGHT_MS - 1), over)
  t.match(standInVerdict(configCache, before, MIDNIGHT_MS), { approve: true }, 'a new day')
  t.match(
    standInVerdict(configCache, use({ at: NOON_MS, amount: 9000, cardId: 'card_2' }), NOON_MS),
    { approve: true },
    'another card',
  )
  const next = use({ at: NOON_MS, amount: 900 }, { at: MIDNIGHT_MS, amount: 70 })
  t.equal(next.ofCard('card_1', MIDNIGHT_MS), 70)
  next.apply(approval({ at: MIDNIGHT_MS - 5, amount: 7 }))
  t.equal(next.ofCard('card_1', MIDNIGHT_MS), 77, 'a clock that was set back loses nothing')
  t.equal(next.ofCard('card_2', MIDNIGHT_MS), 0)
  const one = use({ at: NOON_MS, amount: 900 })
  one.apply({ ...approval({ at: MIDNIGHT_MS + 5, amount: 9 }), clockOffsetMs: 6 })
  t.equal(one.ofCard('card_1', MIDNIGHT_MS - 1), 909, 'a clock of the tenant is not ours')
  t.end()
})

test('the cap per tenant and running hour counts all cards of the tenant, and nothing else', (t) => {
  const over = { approve: false, reason: 'stand_in_limit_exceeded', cap: 'per_hour' }
  const configCache = judged({ max_per_hour_cents: 3000 })
  const before = use({ at: NOON_MS, amount: 2001, cardId: 'card_2' })
  t.match(standInVerdict(configCache, before, NOON_MS), over)
  t.match(
    standInVerdict(configCache, before, NOON_MS + 60 * MINUTE_MS),
    over,
    'an hour ago is within',
  )
  t.match(standInVerdict(configCache, before, NOON_MS + 61 * MINUTE_MS), { approve: true })
  const even = use({ at: NOON_MS, amount: 2000, cardId: 'card_2' })
  t.match(standInVerdict(configCache, even, NOON_MS), { approve: true }, 'equality')
  for (const change of [{ tenantId: 'ten_2' }, { environment: 'live' }, { currency: 'EUR' }]) {
    const elsewhere = use({ at: NOON_MS, amount: 9000, cardId: 'card_2', ...change })
    t.match(
      standInVerdict(configCache, elsewhere, NOON_MS),
      { approve: true },
      JSON.stringify(change),
    )
  }
  const often = use(
    ...Array.from({ length: 200 }, (_, minute) => ({
      at: NOON_MS + minute * MINUTE_MS,
      amount: 1,
    })),
  )
  t.equal(often.ofTenant('ten_1', 'sandbox', 'USD', NOON_MS + 199 * MINUTE_MS), 61)
  t.equal([...often.rows()].filter(([scope]) => scope === 'tenant').length, 61, 'old minutes go')
  t.end()
})

test('only approvals of stand-in count', (t) => {
  const counted = use(
    { at: NOON_MS, amount: 100, standIn: false },
    { at: NOON_MS, amount: 100, approved: false },
  )
  counted.apply({ ...approval({ at: NOON_MS, amount: 100 }), card: null })
  t.same([...counted.rows()], [])
  t.equal(counted.ofCard('card_1', NOON_MS), 0)
  t.equal(counted.ofTenant('ten_1', 'sandbox', 'USD', NOON_MS), 0)
  t.end()
})

test('a snapshot restores the same sums', (t) => {
  const before = use(
    { at: NOON_MS, amount: 100 },
    { at: NOON_MS + MINUTE_MS, amount: 20, cardId: 'card_2' },
    { at: NOON_MS + MINUTE_MS, amount: 3, tenantId: 'ten_2', cardId: 'card_3' },
  )
  const rows = [...before.rows()]
  t.ok(rows.length === 6)
  const after = new StandInUse()
  for (const row of structuredClone(rows) as StandInRow[]) after.restore(row)
  t.same([...after.rows()], rows)
  t.equal(after.ofCard('card_1', NOON_MS), 100)
  t.equal(after.ofTenant('ten_1', 'sandbox', 'USD', NOON_MS + MINUTE_MS), 120)
  t.end()
})
