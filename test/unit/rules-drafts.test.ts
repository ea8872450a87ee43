// Drafts judge in shadow and count as if they were active; an approval counts where a control needs
// it.
import { test } from 'tap'
import type { MinorUnits } from '../../shared/money.ts'
import type { ControlConfig, LimitConfig } from '../../shared/wire/config-records.ts'
import type { ShadowVerdict } from '../../shared/wire/journal-entry.ts'
import { block, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

const limit = (amount: number, change: Partial<LimitConfig> = {}): LimitConfig =>
  limitConfig({ amount_cents: amount as MinorUnits, ...change })
const draft = (change: Partial<ControlConfig>): Partial<ControlConfig> => ({
  ...change,
  id: 'ctl_draft',
  state: 'draft',
})
const verdictOf = (line: LineInHand): ShadowVerdict['reason'] | undefined =>
  line.entries.at(-1)?.decision.shadow[0]?.reason

test('a draft records its verdict, and changes nothing', (t) => {
  const line = new LineInHand(NOON)
  line.control('card', draft({ version: 7, countries: block('US'), limits: [limit(0)] }))
  t.equal(line.buy(), null)
  const [first] = line.entries
  t.same(first?.decision.shadow, [
    { controlId: 'ctl_draft', version: 7, reason: 'merchant_country_blocked' },
  ])
  t.ok(first?.trace.every((row) => !row.includes('ctl_draft')))
  t.notOk(first?.decision.meters.some(([, , , , filter]) => filter?.startsWith('draft')))
  line.card = { ...line.card, status: 'suspended', version: 2 }
  t.equal(line.buy(), 'card_suspended')
  t.equal(verdictOf(line), 'merchant_country_blocked', 'a draft speaks of controls alone')
  t.equal(line.contradiction(), null)
  t.end()
})

test('a draft counts approvals of both, from its creation, in windows of its own', (t) => {
  const line = new LineInHand(NOON)
  line.control('card', { limits: [limit(5000)] })
  t.equal(line.buy(1000), null)
  line.control('card', { limits: [limit(5000)] }, draft({ limits: [limit(1500, { count: 2 })] }))
  t.equal(line.buy(1000), null)
  t.equal(verdictOf(line), null, 'what was spent before is not its business')
  t.equal(line.buy(600), null)
  t.equal(verdictOf(line), 'limit_daily')
  t.equal(line.buy(3000), 'limit_daily')
  t.equal(verdictOf(line), 'limit_daily', 'declined by both')
  t.equal(line.buy({ network_transaction_id: 'a', amount_cents: 500 }), null)
  t.equal(verdictOf(line), null, 'what it would have declined is not counted')
  t.equal(line.buy(1), null)
  t.equal(verdictOf(line), 'limit_daily')
  line.send({ kind: 'reversal', network_transaction_id: 'a', amount_cents: 500 })
  t.equal(line.buy(400), null)
  t.equal(verdictOf(line), null, 'what is given back is given back to drafts too')
  t.equal(line.contradiction(), null)
  t.end()
})

test('a draft reserves during the tenant’s decision', (t) => {
  const line = new LineInHand(NOON, { realtime: true, endpoint_id: 'we_1' })
  line.control('card', draft({ limits: [limit(1500), limit(9000, { count: 1 })] }))
  line.sendOpen({ amount_cents: 1000 })
  line.sendOpen({ amount_cents: 1000 })
  line.answer(false)
  line.sendOpen({ amount_cents: 1000 })
  while (line.asked.length > 0) line.answer(true)
  t.same(
    line.entries.map(({ decision }) => [decision.approved, decision.shadow[0]?.reason]),
    [
      [false, null],
      [true, 'limit_daily'],
      [true, null],
    ],
  )
  t.equal(line.contradiction(), null)
  t.end()
})

test('a single-use draft is spent in shadow, and is fresh when it becomes active', (t) => {
  const line = new LineInHand(NOON)
  const once = { single_use: { mode: 'max', amount_cents: null }, merchant_lock: true } as const
  line.control('card', draft(once))
  t.equal(line.buy(), null)
  t.equal(verdictOf(line), null)
  t.equal(line.buy(), null)
  t.equal(verdictOf(line), 'card_single_use_spent')
  line.control('card', { ...once, id: 'ctl_draft' })
  t.equal(
    line.buy({ merchant: { id: 'm-9', name: 'x', mcc: '5411', city: '', country: 'US' } }),
    null,
  )
  t.equal(line.buy(), 'merchant_blocked')
  t.equal(line.contradiction(), null)
  t.end()
})

test('an authorization spends a single-use control once, and a whole reversal restores it', (t) => {
  const line = new LineInHand(NOON, { realtime: true, endpoint_id: 'we_1' })
  line.control('card', { single_use: { mode: 'max', amount_cents: 1000 } })
  line.sendOpen({ amount_cents: 1000 })
  t.equal(line.buy(), 'card_single_use_spent', 'while the first waits for its tenant')
  line.answer(false)
  line.sendOpen({ network_transaction_id: 'a', amount_cents: 900 })
  line.answer(true)
  t.equal(line.buy(), 'card_single_use_spent')
  line.sendOpen({ kind: 'incremental', original_network_transaction_id: 'a', amount_cents: 100 })
  line.answer(true)
  t.equal(line.entries.at(-1)?.decision.approved, true, 'an increment is part of it')
  const reversal = { kind: 'reversal', network_transaction_id: 'a' } as const
  line.send({ ...reversal, amount_cents: 600 })
  t.equal(line.buy(), 'card_single_use_spent')
  line.send({ ...reversal, amount_cents: 400 })
  line.sendOpen({ amount_cents: 1000 })
  line.answer(true)
  t.equal(line.entries.at(-1)?.decision.approved, true)
  t.equal(line.contradiction(), null)
  t.end()
})

test('the first approved merchant takes a lock for good; others are blocked while it waits', (t) => {
  const line = new LineInHand(NOON, { realtime: true, endpoint_id: 'we_1' })
  const at = (id: string) => ({ merchant: { id, name: 'x', mcc: '5411', city: '', country: 'US' } })
  line.control('card', { merchant_lock: true })
  line.sendOpen(at('m-1'))
  t.equal(line.buy(at('m-2')), 'merchant_blocked')
  line.answer(false)
  line.sendOpen(at('m-2'))
  line.answer(true)
  line.program = { ...line.program, realtime: false, version: 2 }
  t.equal(line.buy(at('m-1')), 'merchant_blocked')
  t.equal(line.buy(at('m-2')), null)
  t.equal(
    line.buy({ ...at('m-3'), kind: 'account_verification', amount_cents: 0 }),
    'merchant_blocked',
  )
  t.same([...line.state.usage.rows()], [['card_1 use:ctl_0', 'm-2']])
  t.equal(line.contradiction(), null)
  t.end()
})

test('a control ends after its number of approvals', (t) => {
  const line = new LineInHand(NOON)
  line.control('cardholder', { cancel_after: 2 })
  t.equal(line.buy(), null)
  t.equal(line.buy({ kind: 'account_verification', amount_cents: 0 }), null, 'uses nothing')
  line.card = { ...line.card, currency: 'EUR', version: 2 }
  t.equal(line.buy({ currency: 'EUR' }), null)
  t.equal(line.buy({ currency: 'EUR' }), 'card_single_use_spent', 'in whatever currency')
  t.equal(line.contradiction(), null)
  t.end()
})

test('a replacement card continues the windows of the first', (t) => {
  const line = new LineInHand(NOON)
  const controls = { limits: [limit(1500)], cancel_after: 3 }
  line.control('card', controls)
  t.equal(line.buy(1000), null)
  line.card = { ...line.card, id: 'card_2', windows_id: 'card_1' }
  line.control('card', controls)
  t.equal(line.buy(501), 'limit_daily')
  t.equal(line.buy(500), null)
  line.card = { ...line.card, id: 'card_3', windows_id: 'card_3' }
  line.control('card', controls)
  t.equal(line.buy(1500), null, 'one that begins anew')
  t.equal(line.contradiction(), null)
  t.end()
})

test('a limit with a filter counts matching messages from its creation, in any order of values', (t) => {
  const line = new LineInHand(NOON)
  const filter = { mccs: ['7995', '5400-5499'], countries: null, kinds: null, card_present: true }
  const spend = (mcc: string, amount: number, entry_method = 'chip'): string | null =>
    line.buy({
      amount_cents: amount,
      entry_method,
      merchant: { id: 'm-1', name: 'x', mcc, city: '', country: 'US' },
    })
  t.equal(spend('5411', 1000), null)
  line.control('card', { limits: [limit(1000, { filter, count: 2 })] })
  t.equal(spend('5411', 400), null)
  t.equal(spend('5812', 9000), null)
  t.equal(spend('5411', 9000, 'online'), null)
  t.equal(spend('7995', 601), 'limit_daily')
  const other = { ...filter, mccs: ['5400-5499', '7995'] }
  line.control('card', { limits: [limit(1000, { filter: other, count: 2 })] })
  t.equal(spend('5499', 600), null)
  t.equal(spend('5499', 1), 'limit_daily')
  line.control('card', { limits: [limit(9000, { filter, count: 2 })] })
  t.equal(spend('5499', 1), 'limit_count')
  t.equal(spend('5812', 1), null)
  const kinds = { ...filter, mccs: null, card_present: null, kinds: ['cash_withdrawal'] }
  line.control('card', { limits: [limit(0, { filter: { ...kinds, countries: ['US'] } })] })
  t.equal(line.buy(), null)
  t.equal(line.buy({ transaction_type: 'cash_withdrawal' }), 'limit_daily')
  t.equal(line.contradiction(), null)
  t.end()
})

test('an increment counts like the authorization it adds to', (t) => {
  const line = new LineInHand(NOON)
  const filter = { mccs: null, countries: null, kinds: ['initial'], card_present: null }
  line.control('card', { limits: [limit(1500, { filter })] })
  line.send({ network_transaction_id: 'a', amount_cents: 1000 })
  const more = (amount: number): string | null =>
    line.buy({ kind: 'incremental', original_network_transaction_id: 'a', amount_cents: amount })
  t.equal(more(501), 'limit_daily')
  t.equal(more(500), null)
  t.equal(line.buy(1), 'limit_daily')
  t.equal(line.buy({ transaction_type: 'cash_withdrawal' }), null)
  t.equal(line.contradiction(), null)
  t.end()
})

test('a rolling limit forgets entries older than its seconds', (t) => {
  const line = new LineInHand(NOON)
  const rolling = { interval: 'rolling', rolling_seconds: 60 } as const
  line.control('card', { limits: [limit(1000, { ...rolling, count: 3 })] })
  t.equal(line.buy(600), null)
  line.moveTo(NOON + 30_000)
  t.equal(line.buy(401), 'limit_rolling')
  t.equal(line.buy(400), null)
  line.moveTo(NOON + 60_000)
  t.equal(line.buy(1), 'limit_rolling')
  line.moveTo(NOON + 60_100)
  t.equal(line.buy(601), 'limit_rolling')
  t.equal(line.buy(300), null)
  t.equal(line.buy(300), null)
  line.moveTo(NOON + 90_000)
  t.equal(line.buy(1), 'limit_rolling')
  line.control('card', { limits: [limit(9000, { ...rolling, count: 3 })] })
  t.equal(line.buy(1), 'limit_count')
  line.moveTo(NOON + 90_200)
  t.equal(line.buy(1), null)
  t.equal(line.contradiction(), null)
  t.end()
})
