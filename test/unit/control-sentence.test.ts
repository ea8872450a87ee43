// The sentence of a control says what its rules do: a reader who knows the sentence alone foresees
// the decisions of the real authorization line, and a shortened sentence promises nothing else.
import { test } from 'tap'
import {
  controlSentence,
  type Sentenced,
  SHORT,
} from '../../api/dashboard/pages/control-sentence.ts'
import { compileControl } from '../../api/issuing/controls/compile.ts'
import { WEEKDAYS } from '../../shared/schemas/control-limit.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { type ControlTerms, OPEN_TERMS } from '../../shared/schemas/spending-control.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { fc } from '../harness/properties.ts'
import { type Bought, readSentence } from '../harness/sentence-reader.ts'

const BEGIN = Date.parse('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000
const CODES = ['5411', '5812', '7995', '3001', '7011']
const ZONES = ['UTC', 'Europe/Lisbon', 'America/New_York']
const KINDS = ['initial', 'cash_withdrawal', 'quasi_cash', 'bill_payment'] as const
const ENTRIES = ['chip', 'contactless', 'swipe', 'online', 'stored_credential'] as const

function some<Value>(...values: readonly Value[]): fc.Arbitrary<Value[]> {
  return fc.subarray([...values])
}

/** Values of one dimension: allowed, blocked or neither. */
function listed(name: string, values: fc.Arbitrary<string[]>): fc.Arbitrary<object> {
  const list = fc.option(values)
  return fc
    .tuple(fc.constantFrom('allowed_', 'blocked_'), list)
    .map(([mode, list]) => ({ [mode + name]: list }))
}

const MCCS = some('5411', '5812', '3000-3299', '7000-7999')
const CATEGORIES = some('hotels_motels_and_resorts', 'betting_casino_gambling', 'book_stores')
const COUNTRIES = some('US', 'DE', 'FR')

const LIMIT = fc
  .record({
    interval: fc.constantFrom(
      ...(['per_authorization', 'daily', 'weekly', 'monthly', 'yearly', 'all_time'] as const),
      'rolling' as const,
    ),
    amount: fc.option(fc.constantFrom(0, 1000, 2500, 10_000)),
    count: fc.constantFrom(0, 1, 2, 5),
    isCounted: fc.boolean(),
    time_zone: fc.constantFrom(...ZONES),
    seconds: fc.constantFrom(10, 600, 90 * 86_400),
    currency: fc.constantFrom('USD', 'USD', 'EUR'),
    filters: fc.option(
      fc.record({
        mccs: fc.option(MCCS),
        categories: fc.option(CATEGORIES),
        countries: fc.option(COUNTRIES),
        kinds: fc.option(some(...KINDS)),
        card_presence: fc.constantFrom('present', 'not_present', null),
      }),
    ),
  })
  .map(({ interval, amount, count, isCounted, seconds, ...rest }) => {
    // A single authorization has an amount and no number.
    const isSingle = interval === 'per_authorization'
    const hasCount = !isSingle && (isCounted || amount === null)
    return {
      ...{ id: 'lim_1', interval, ...rest },
      amount_cents: isSingle ? (amount ?? 2500) : amount,
      count: hasCount ? count : null,
      rolling_seconds: interval === 'rolling' ? seconds : null,
    }
  })

const PERIOD = fc.record({
  days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
  from: fc.constantFrom('00:00', '08:30'),
  until: fc.constantFrom('12:01', '24:00'),
  time_zone: fc.constantFrom(...ZONES),
})

/** Dimensions are rarely set, so that purchases pass often enough to be counted. */
const RARELY = { freq: 4 }
const LISTS = fc
  .tuple(
    fc.oneof(listed('mccs', MCCS), listed('categories', CATEGORIES)),
    listed('merchant_ids', some('m-1', 'a, b or c', 'x; only at y')),
    listed('countries', COUNTRIES),
    listed('currencies', some('USD', 'EUR')),
    listed('entry_methods', some(...ENTRIES)),
    listed('card_presence', some('present', 'not_present')),
    listed('kinds', some(...KINDS)),
    listed('wallets', some('none', 'unknown', 'apple_pay')),
  )
  .chain((all) => fc.subarray(all, { maxLength: 2 }))
  .map((chosen) => Object.assign({}, ...chosen) as Partial<ControlTerms>)

const TERMS: fc.Arbitrary<ControlTerms> = fc
  .record({
    lists: LISTS,
    limits: fc.array(LIMIT, { maxLength: 3 }),
    schedule: fc.array(PERIOD, { maxLength: 2 }),
    authentication: fc.option(fc.constant('required' as const), RARELY),
    fallback: fc.option(fc.constant('blocked' as const), RARELY),
    merchant_lock: fc.constantFrom(true, false, false),
    cancel_after: fc.option(fc.constantFrom(1, 2), RARELY),
    single_use: fc.option(
      fc.constantFrom(
        { mode: 'exact' as const, amount_cents: 1000 },
        { mode: 'max' as const, amount_cents: 2500 },
        { mode: 'max' as const, amount_cents: null },
      ),
      RARELY,
    ),
  })
  .map(({ lists, ...rest }) => ({ ...OPEN_TERMS, ...rest, ...lists }))

const PURCHASE: fc.Arbitrary<Omit<Bought, 'at'> & { hours: number }> = fc.record({
  amount: fc.constantFrom(0, 1, 1000, 2500, 9999),
  mcc: fc.constantFrom(...CODES),
  merchant: fc.constantFrom('m-1', 'a, b or c', 'x; only at y'),
  country: fc.constantFrom('US', 'DE', 'FR'),
  currency: fc.constantFrom('USD', 'USD', 'EUR'),
  entry: fc.constantFrom(...ENTRIES),
  kind: fc.constantFrom(...KINDS),
  wallet: fc.constantFrom('none', 'none', 'unknown', 'apple_pay'),
  is3ds: fc.boolean(),
  isFallback: fc.boolean(),
  // Nothing but a rolling limit of ten minutes ends between two of them, and none on its end.
  hours: fc.constantFrom(0, 1, 7, 24, 24 * 8),
})

function messageOf(of: Bought): Partial<NetworkMessage> {
  const { kind, wallet } = of
  return {
    ...{ amount_cents: of.amount, currency: of.currency, entry_method: of.entry },
    merchant: { id: of.merchant, name: 'Shop', mcc: of.mcc, city: 'X', country: of.country },
    transaction_type: kind === 'initial' ? 'purchase' : kind,
    fallback_from_chip: of.isFallback,
    ...(of.is3ds ? { three_ds: { claim: 'authenticated' } } : {}),
    ...(wallet === 'none'
      ? {}
      : { wallet: { token_id: 'tok', ...(wallet === 'unknown' ? {} : { provider: wallet }) } }),
  }
}

/** A line whose card has the control, and on which a euro is a dollar. */
function lineWith(terms: ControlTerms, of: Pick<Sentenced, 'scope' | 'state'>): LineInHand {
  const line = new LineInHand(BEGIN)
  const rate = { type: 'fx_rate', id: 'EUR/USD', version: 1, rate: '1', rate_at_ms: 0 } as const
  line.rates.set('EUR/USD', rate)
  line.walletTokens.set('tok', {
    ...({ type: 'wallet_token', id: 'tok', version: 1, status: 'active' } as const),
    ...{ card_id: line.card.id, provider: 'apple_pay' },
  })
  const control = compileControl({ id: 'ctl_0', version: 1, state: of.state }, terms)
  line.control(of.scope, ...(control === null ? [] : [control]))
  return line
}

const SCOPES = fc.constantFrom('card' as const, 'cardholder' as const, 'program' as const)
const STATES = fc.constantFrom(
  'active' as const,
  'active' as const,
  'draft' as const,
  'retired' as const,
)

test('a reader of the sentence foresees every decision of the line', (t) => {
  const seen = { passed: 0, declined: 0, unsure: 0 }
  fc.assert(
    fc.property(
      ...([TERMS, SCOPES, STATES, fc.array(PURCHASE, { minLength: 1, maxLength: 8 })] as const),
      (terms, scope, state, purchases) => {
        // The API keeps limits of cards in the currency of the card.
        const limits = terms.limits.filter((one) => scope !== 'card' || one.currency === 'USD')
        const of: Sentenced = { ...terms, limits, scope, state }
        const line = lineWith(of, of)
        const [whole, short] = [controlSentence(of), controlSentence(of, SHORT)]
        const approved: Bought[] = []
        let at = BEGIN
        for (const { hours, ...purchase } of purchases) {
          at += hours * HOUR_MS
          line.moveTo(at)
          const bought = { ...purchase, at }
          const passes = line.buy(messageOf(bought)) === null
          const wrong = JSON.stringify({ passes, bought, of })
          const foreseen = readSentence(whole)(bought, approved)
          if (foreseen !== passes) throw new Error(whole + ' foresees ' + foreseen + ' ' + wrong)
          const guessed = readSentence(short)(bought, approved)
          if (guessed !== null && guessed !== passes)
            throw new Error(short + ' foresees ' + guessed + ' ' + wrong)
          if (guessed === null) seen.unsure += 1
          seen[passes ? 'passed' : 'declined'] += 1
          if (passes) approved.push(bought)
        }
      },
    ),
    { numRuns: 250 },
  )
  for (const [name, count] of Object.entries(seen)) t.ok(count > 50, count + ' ' + name)
  t.end()
})

test('sentences as people read them', (t) => {
  const limit = {
    ...({ id: 'lim_1', interval: 'daily', amount_cents: 20_000, count: null } as const),
    ...{ currency: 'USD', time_zone: 'UTC', rolling_seconds: null, filters: null },
  }
  const filters = {
    ...{ mccs: null, categories: ['eating_places_restaurants'], countries: null },
    ...{ kinds: null, card_presence: null },
  }
  const card = { ...OPEN_TERMS, scope: 'card', state: 'active' } as const
  for (const [change, sentence] of [
    [{}, 'No restriction, on this card.'],
    [
      { limits: [{ ...limit, filters }] },
      'Up to 200.00 USD a day at eating places restaurants, on this card.',
    ],
    [
      { limits: [{ ...limit, count: 1, time_zone: 'Europe/Lisbon' }], scope: 'program' },
      'Up to 200.00 USD and 1 authorization a day (Europe/Lisbon, cards and payments in USD), in this program as a whole.',
    ],
    [
      { state: 'draft', blocked_mccs: ['7995'], blocked_countries: ['RU', 'BY'] },
      'Once active: not at 7995 betting casino gambling; not in RU or BY, on this card.',
    ],
    [
      { state: 'retired', allowed_wallets: [], scope: 'cardholder' },
      'No longer: nothing, as no wallet is allowed, by this cardholder in all.',
    ],
    [
      {
        schedule: [
          {
            days: ['monday', 'tuesday', 'wednesday', 'friday'],
            from: '08:00',
            until: '20:00',
            time_zone: 'UTC',
          },
        ],
        single_use: { mode: 'exact', amount_cents: 5000 },
      },
      'Only Mon–Wed Fri 08:00–20:00 (UTC); one authorization only, of exactly 5,000 minor units, on this card.',
    ],
  ] as [object, string][])
    t.equal(controlSentence({ ...card, ...change } as Sentenced), sentence)
  const long = { ...card, allowed_countries: ['DE', 'FR', 'ES', 'IT', 'PT'], merchant_lock: true }
  t.equal(
    controlSentence({ ...long, limits: [limit, { ...limit, interval: 'weekly' }] }, SHORT),
    'Up to 200.00 USD a day; up to 200.00 USD a week; only in DE, FR, ES or 2 more; and 1 more rule, on this card.',
  )
  t.end()
})
